// Temporary Reaction Point: a CNP on its way to a sender over the long haul slows the sender's flow
// here, by loops through the switch (long-haul paper, section V and appendices B and D; internal to
// the room).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "horae/dataplane/mirror.hpp"
#include "horae/dataplane/register_action.hpp"
#include "horae/programs/pnp_trp/pnp_trp.hpp"
#include "loop_header.hpp"
#include "loop_steps.hpp"
#include "parts.hpp"
#include "target_flows.hpp"

namespace horae::programs::pnp_trp {

/// Values of flow_status.
enum Status : std::uint8_t { normal = 0, throttled = 1, recover = 2 };

/// A PSN in the upper bits of a word: words then wrap where PSNs do.
inline constexpr std::uint32_t psn_unit = 1u << 8;
/// In the place of a PSN: no PSN comes after it, as nothing has left the loop yet; or any does, as
/// nothing is in the loop.
inline constexpr std::uint32_t no_psn = 1, any_psn = 2;

/// Objects that keep the order of a flow that recovers (appendix D).
struct RecoveryOrder {
  RecoveryOrder(dataplane::Pipeline& pipeline, std::size_t entries,
                const dataplane::Object& flow_hash, const dataplane::Object& flow_status,
                const dataplane::Gateway& is_target, const dataplane::Gateway& begins,
                const dataplane::Gateway& is_last_loop, const dataplane::Gateway& is_slowed);

  dataplane::Gateway is_recovering;
  /// Whether a PSN follows the one that left the loop last; then it is that.
  struct InTurn {
    template <class C>
    auto operator()(C& last, C psn) const {
      const auto next = psn - last == psn_unit || last == any_psn;
      if (next) last = psn;
      return next;
    }
  };
  /// A packet goes into the loop.
  struct Enter {
    template <class C>
    void operator()(C& last) const {
      if (last == any_psn) last = no_psn;
    }
  };
  dataplane::Register<std::uint32_t> last_psn;  ///< of the last packet that left the loop
  dataplane::RegisterAction<std::uint32_t, dataplane::SetCell> set_psn;
  dataplane::RegisterAction<std::uint32_t, InTurn> in_turn;
  dataplane::RegisterAction<std::uint32_t, Enter> enter;
  dataplane::Gateway is_drained;  ///< nothing of the flow is in the loop
  dataplane::Gateway is_out_of_turn;
};

class ReactionPoint {
 public:
  ReactionPoint(dataplane::Pipeline& pipeline, const PnpTrpConfig& config, ControlPlane& control,
                const dataplane::Gateway& is_data, const dataplane::Object& routes,
                const dataplane::Object& last_writer, unsigned loopback_ports);

  void cnp(PassKind auto& pass, bool remote);
  /// Whether the data packet goes around.
  bool data(PassKind auto& pass, bool remote);
  /// After the choice of a port, for what goes around.
  void go_around(PassKind auto& pass);

  /// Control plane: a connection, and one that is over.
  void install(const Connection& connection) { targets_.install(connection); }
  void uninstall(const Connection& connection);

  struct Counts {
    std::uint64_t cnps = 0;     ///< that slowed a flow
    std::uint64_t steps = 0;    ///< loops added to flows
    std::uint64_t looped = 0;   ///< packets that went around at least once
    std::uint64_t loops = 0;    ///< times packets went around
    std::uint64_t in_turn = 0;  ///< packets spared loops because their predecessor had left
    std::uint64_t recoveries = 0;
    std::uint64_t most_loops = 0;  ///< that a packet was given
  };
  const Counts& counts() const { return counts_; }
  const TargetFlows& targets() const { return targets_; }

 private:
  /// A data packet of a slowed flow on its pass.
  struct Flow {
    Target target;
    std::size_t index = 0;
    LoopHeader header = {};
    std::uint32_t psn = 0;
    Status status = normal;  ///< before the pass
    bool expired = false;
    bool begins = false;   ///< to recover
    bool drained = false;  ///< nothing of it is in the loop
  };

  dataplane::Needs make_order(dataplane::Pipeline& pipeline, const PnpTrpConfig& config);
  dataplane::Needs make_gates() const;
  bool slow(const PassKind auto& pass, Flow& flow);
  void look_up_status(const PassKind auto& pass, Flow& flow);
  bool out_of_turn(const PassKind auto& pass, Flow& flow);
  std::uint32_t take_loops(const PassKind auto& pass, const Flow& flow);
  void look_after(const Target& target);
  bool is_over(const Target& target);

  struct IsSilent {
    static constexpr bool only_reads = true;
    std::uint32_t beta = 0;
    template <class C>
    auto operator()(const C& last, C now) const {
      return now - last > beta;
    }
  };
  /// A flow that is throttled recovers; what it was.
  struct Expire {
    template <class C>
    C operator()(C& status) const {
      const C before = status;
      if (status == throttled) status = recover;
      return before;
    }
  };
  struct AddLoop {
    std::uint32_t most = 0;
    template <class C>
    void operator()(C& loops) const {
      if (loops < most) ++loops;
    }
  };
  /// Reads the old value and sets zero.
  struct TakeAll {
    template <class C>
    C operator()(C& loops) const {
      const C before = loops;
      loops = 0;
      return before;
    }
  };

  LoopSteps steps_;
  Recovery recovery_;
  bool forgets_;  ///< loop_num when a flow has recovered, and then its entry
  bool incoming_only_;
  std::uint32_t beta_;
  std::uint32_t most_loops_;
  std::uint32_t flow_entries_;
  unsigned loopback_ports_;
  ControlPlane& control_;
  dataplane::Gateway is_looped_;
  dataplane::Action count_down_;
  TargetFlows targets_;
  dataplane::Register<std::uint32_t> cnp_time_;
  dataplane::RegisterAction<std::uint32_t, dataplane::SetCell> set_time_;
  dataplane::RegisterAction<std::uint32_t, IsSilent> is_silent_;
  dataplane::Gateway is_expired_;
  dataplane::Register<std::uint8_t> flow_status_;
  dataplane::RegisterAction<std::uint8_t, dataplane::FillCell<throttled>> throttle_;
  dataplane::RegisterAction<std::uint8_t, dataplane::ReadCell> read_status_;
  dataplane::RegisterAction<std::uint8_t, Expire> expire_;
  dataplane::Gateway begins_recovery_;
  std::optional<dataplane::Action> tell_recovery_;
  dataplane::Register<CnpCount> cnp_num_alpha_;
  dataplane::RegisterAction<CnpCount, CountCnp> count_cnp_;
  dataplane::RegisterAction<CnpCount, StartOver> start_over_;
  dataplane::Gateway is_step_;
  dataplane::Gateway is_last_loop_;
  dataplane::Gateway is_slowed_;
  std::optional<RecoveryOrder> order_;
  dataplane::Register<std::uint16_t> loop_num_;
  dataplane::RegisterAction<std::uint16_t, AddLoop> add_loop_;
  dataplane::RegisterAction<std::uint16_t, dataplane::ReadCell> read_loops_;
  dataplane::RegisterAction<std::uint16_t, TakeAll> take_loops_;
  dataplane::Gateway has_loops_;
  dataplane::Action write_header_;
  dataplane::Action remove_header_;
  dataplane::Recirculation around_;
  std::optional<dataplane::Action> loop_port_;  ///< a flow keeps to one of several
  Counts counts_;                               // statistics of the model, not state of the program
};

}  // namespace horae::programs::pnp_trp
