// Themis-D: NACK validation at the receivers' ToR, in egress.
#pragma once

#include <cstdint>
#include <optional>

#include "horae/dataplane/action.hpp"
#include "horae/dataplane/gateway.hpp"
#include "horae/dataplane/mirror.hpp"
#include "horae/dataplane/register_action.hpp"
#include "horae/programs/themis/themis.hpp"
#include "horae/programs/themis/window_bitmap.hpp"
#include "parts.hpp"
#include "queue_pairs.hpp"
#include "stash.hpp"

namespace horae::programs::themis {

/// Which NACKs of local receivers may pass (packet-spraying paper 4.2 to 4.4, appendix A); state as
/// in its Table 4. Without the path check every NACK for what has not passed is valid; without lazy
/// dropping what cannot be said yet is dropped for good.
///
/// A response of a local receiver is brought through the egress of its own pipeline, where the
/// state is (Figure 8): as itself when it leaves by a port of that pipeline, else by way of its
/// incoming port, from where a mirrored copy goes on.
class Destination {
 public:
  Destination(dataplane::Pipeline& pipeline, const ThemisConfig& config);

  void connect(const Connection& connection);
  void egress(dataplane::Pass& pass);

  struct Counts {  // statistics of the model, not state of the program
    std::uint64_t valid = 0;
    std::uint64_t invalid = 0;
    std::uint64_t stashed = 0;
    std::uint64_t given_up = 0;  ///< undetermined, and nothing keeps them
    std::uint64_t validated_later = 0;
    std::uint64_t signalled = 0;
    std::uint64_t old_data = 0;  ///< packets from before the window
  };
  const Counts& counts() const { return counts_; }

 private:
  static constexpr auto out = dataplane::Gress::egress;
  struct KeepLater {
    template <class C>
    void operator()(C& most, C psn) const {
      if (dataplane::stateful::comes_after<Psn::bits>(psn, most)) most = psn;
    }
  };
  struct IsOvertaken {
    static constexpr bool only_reads = true;
    template <class C>
    auto operator()(const C& most, C psn) const {
      return dataplane::stateful::comes_after<Psn::bits>(most, psn);
    }
  };
  /// Condition C2 and what it needs.
  struct PathCheck {
    PathCheck(dataplane::Pipeline& pipeline, const ThemisConfig& config,
              const dataplane::Object& qp_table, const dataplane::Gateway& is_data,
              const dataplane::Gateway& is_nack, const dataplane::Gateway& missing);
    dataplane::Register<std::uint32_t> path_psn_max;
    dataplane::RegisterAction<std::uint32_t, KeepLater> keep_later;
    dataplane::RegisterAction<std::uint32_t, IsOvertaken> is_overtaken;
    dataplane::Gateway lost;
  };
  std::optional<PathCheck> make_path_check(dataplane::Pipeline& pipeline);
  std::optional<Stash> make_stash(dataplane::Pipeline& pipeline);
  /// The last condition that a NACK has to meet.
  const dataplane::Gateway& last_check() const {
    return path_check_ ? path_check_->lost : window_.missing();
  }
  dataplane::Needs drop_needs() const;
  [[gnu::always_inline]] void on_data(dataplane::Pass& pass, std::uint32_t qp);
  void on_response(dataplane::Pass& pass, std::uint32_t qp);
  void on_nack(dataplane::Pass& pass, std::uint32_t qp);
  void go_on(dataplane::Pass& pass);

  std::size_t path_index(std::uint32_t qp, Psn psn) const {
    return std::size_t{qp} * config_.paths + path_of(psn, config_);
  }

  ThemisConfig config_;
  dataplane::Gateway is_copy_;
  dataplane::Gateway is_data_;
  dataplane::Gateway is_response_;
  dataplane::Gateway is_nack_;
  QueuePairs qps_;
  WindowBitmap window_;
  std::optional<PathCheck> path_check_;
  std::optional<Stash> stash_;  ///< with the path check only: else nothing is ever undetermined
  dataplane::Gateway came_back_;
  dataplane::Mirror send_on_;
  dataplane::Action drop_;
  Counts counts_;
};

}  // namespace horae::programs::themis
