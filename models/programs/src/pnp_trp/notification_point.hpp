// Proactive Notification Point: an ECN mark on a packet that leaves for the long haul becomes a CNP
// to its sender (long-haul paper, section IV; internal to the room).
#pragma once

#include <cstdint>
#include <optional>

#include "horae/dataplane/mirror.hpp"
#include "horae/dataplane/register_action.hpp"
#include "horae/programs/pnp_trp/pnp_trp.hpp"
#include "parts.hpp"

namespace horae::programs::pnp_trp {

/// It looks for marks in ingress, where those of this switch are not made yet; or, with the scope
/// `any`, in egress.
class NotificationPoint {
 public:
  /// `is_data` and `routes`: what the program tests and looks up before, in ingress.
  NotificationPoint(dataplane::Pipeline& pipeline, const PnpTrpConfig& config,
                    const dataplane::Gateway& is_data, const dataplane::Object& routes);

  /// For data packets.
  void ingress(PassKind auto& pass, bool remote);
  void egress(PassKind auto& pass);
  /// Control plane: the entry of a connection in the table of queue pairs; and its end, which sets
  /// its time stamp back.
  void install(const Connection& connection);
  void uninstall(const Connection& connection);

  struct Counts {
    std::uint64_t marks = 0;      ///< of packets that leave
    std::uint64_t cnps = 0;       ///< sent
    std::uint64_t unknown = 0;    ///< copies dropped because no entry exists
    std::uint64_t not_added = 0;  ///< connections the full table had no room for
    std::uint64_t most_entries = 0;
  };
  const Counts& counts() const { return counts_; }
  Occupancy occupancy() const { return {"qp_field", qp_field_.size(), qp_field_.capacity()}; }

 private:
  dataplane::Needs make_gap(dataplane::Pipeline& pipeline, const PnpTrpConfig& config);
  bool due(const PassKind auto& pass);
  void answer(PassKind auto& pass);
  void make_cnp(PassKind auto& pass);

  bool any_;
  Gress where_;
  std::uint32_t interval_;
  std::optional<std::uint8_t> class_;
  dataplane::Gateway is_copy_;
  std::optional<dataplane::Gateway> leaves_;  ///< data in egress
  dataplane::Gateway is_marked_;
  std::optional<dataplane::Action> clear_ecn_;
  /// Whether the last CNP of a flow was longer ago than the interval; then this is the last one.
  struct IsDue {
    std::uint32_t interval = 0;
    template <class C>
    auto operator()(C& last, C now) const {
      const auto passed = now - last > interval;
      if (passed) last = now;
      return passed;
    }
  };
  std::optional<dataplane::Register<std::uint32_t>> cnp_stamp_;
  std::optional<dataplane::RegisterAction<std::uint32_t, IsDue>> check_stamp_;
  std::optional<dataplane::Gateway> is_due_;
  dataplane::Mirror copy_;
  dataplane::ExactTable<FlowKey, std::uint32_t, KeyHash> qp_field_;
  dataplane::Action to_cnp_;
  Counts counts_;  // statistics of the model, not state of the program
};

}  // namespace horae::programs::pnp_trp
