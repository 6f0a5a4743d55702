// A queue's depth in ingress.
#pragma once

#include <cstdint>
#include <string>

#include "horae/dataplane/pipeline.hpp"

namespace horae::dataplane {

/// A register of one cell that the ghost thread of a Tofino2 writes and ingress reads: the depth of
/// a port's queues, which packets do not have there (deq_qdepth is known in egress only). One read
/// per pass. It costs what a register of one 32-bit cell costs. All of them have index 0, so they
/// share one address. The ghost thread is a third thread of the same stages; what it is told is
/// `ghost_intrinsic_metadata_t` of tofino2_base.p4: queue, pipe and length of what changed.
class DepthRegister final : public Object {
 public:
  DepthRegister(Pipeline& pipeline, Gress gress, const std::string& name, const Needs& needs = {})
      : Object(pipeline, gress, name,
               RegisterSpec{.width = 32, .entries = 1, .reads = {"depth_index"}}, needs) {}

  std::uint32_t read(const PassKind auto& pass) {
    check_single_access(pass);
    return cell_;
  }
  /// The ghost thread.
  void write(std::uint32_t value) { cell_ = value; }

 private:
  std::uint32_t cell_ = ~std::uint32_t{0};
};

}  // namespace horae::dataplane
