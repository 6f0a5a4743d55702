// Messages to the control plane.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "horae/core/units.hpp"
#include "horae/dataplane/pipeline.hpp"

namespace horae::dataplane {

/// A message of type T for each pass that asks for it, at most 48 bytes (Tofino2; getMaxDigestSize
/// of the open compiler's device.h). The control plane takes what has come. The deparser keeps up
/// to `limit` messages for it; what is more is lost, as on the chip when its learning filter is
/// full. Priced as the keyless action that asks for it.
template <class T>
class Digest final : public Object {
  static_assert(sizeof(T) <= 48, "longer than a digest");
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  struct Message {
    Picoseconds at{};
    T what{};
  };
  Digest(Pipeline& pipeline, Gress gress, const std::string& name, std::size_t limit,
         const Needs& needs = {})
      : Object(pipeline, gress, name, ActionSpec{.writes = {"digest_type"}}, needs),
        limit_(limit) {}

  void send(const Pass& pass, const T& what) {
    check_single_access(pass);
    if (waiting_.size() == limit_) {
      ++lost_;
      return;
    }
    waiting_.push_back({pass.now(), what});
  }
  /// Control plane: all that waits, in order.
  std::vector<Message> take() { return std::exchange(waiting_, {}); }
  std::uint64_t lost() const { return lost_; }

 private:
  std::size_t limit_;
  std::vector<Message> waiting_;
  std::uint64_t lost_ = 0;
};

}  // namespace horae::dataplane
