// Temporary Reaction Point: a CNP on its way to a sender over the long haul slows the sender's flow
// here, by loops through the switch (long-haul paper, section V and appendices B and D; internal to
// the room).
#pragma once

#include <cstdint>
#include <optional>

#include "horae/dataplane/mirror.hpp"
#include "horae/programs/pnp_trp/pnp_trp.hpp"
#include "loop_header.hpp"
#include "parts.hpp"

namespace horae::programs::pnp_trp {

/// What flow_status holds.
enum Status : std::uint8_t { normal = 0, throttled = 1, recover = 2 };

/// Which flows are slowed: CNP_Cache at once, CNP_Store when the control plane has added them.
class TargetFlows {
 public:
  TargetFlows(dataplane::Pipeline& pipeline, const PnpTrpConfig& config, ControlPlane& control,
              const dataplane::Gateway& is_data, const dataplane::Object& routes);

  /// The hash of a CNP's flow, which is now a target; nothing if the CNP goes no long way or its
  /// flow is not known.
  std::optional<std::uint32_t> add(const Pass& pass, bool remote);
  /// The hash of a data packet's flow, if it is a target and comes from far away.
  std::optional<std::uint32_t> find(const Pass& pass, bool remote, bool looped);

  /// Control plane: the queue pair at the receiver that a CNP's stands for.
  void install(const Connection& connection);

  const dataplane::Gateway& cnp_goes_out() const { return cnp_goes_out_; }
  const dataplane::Gateway& is_target() const { return is_target_; }
  const dataplane::Object& flow_hash() const { return flow_hash_; }

  std::uint64_t not_added() const { return not_added_; }

 private:
  struct Empty {};
  const dataplane::Object* key_of_cnp(dataplane::Pipeline& pipeline, const PnpTrpConfig& config);
  std::optional<std::uint32_t> peer(const Pass& pass);
  void report(const Endpoint& flow, std::uint32_t hash);

  ControlPlane& control_;
  dataplane::Gateway is_cnp_;
  std::optional<dataplane::ExactTable<Endpoint, std::uint32_t, KeyHash>> peer_qp_;
  std::optional<dataplane::Action> literal_key_;
  const dataplane::Object* cnp_key_;  ///< the one of the two that there is
  dataplane::Action data_key_;
  dataplane::Hash flow_hash_;
  dataplane::Gateway cnp_goes_out_;
  dataplane::Gateway data_comes_in_;
  dataplane::Register<std::uint32_t> cnp_cache_;
  dataplane::Action to_cpu_;
  dataplane::Gateway is_uncached_;
  dataplane::ExactTable<Endpoint, Empty, KeyHash> cnp_store_;
  dataplane::Gateway is_target_;
  std::uint64_t not_added_ = 0;
};

/// What keeps the order of a flow that recovers (appendix D).
struct RecoveryOrder {
  RecoveryOrder(dataplane::Pipeline& pipeline, std::size_t entries,
                const dataplane::Object& flow_hash, const dataplane::Object& flow_status,
                const dataplane::Gateway& is_target, const dataplane::Gateway& is_last_loop);

  dataplane::Gateway is_recovering;
  dataplane::Register<std::uint32_t> last_psn;  ///< of the last packet that left the loop
  dataplane::Gateway is_drained;                ///< nothing of the flow is in the loop
  dataplane::Gateway is_out_of_turn;
};

class ReactionPoint {
 public:
  ReactionPoint(dataplane::Pipeline& pipeline, const PnpTrpConfig& config, ControlPlane& control,
                const dataplane::Gateway& is_data, const dataplane::Object& routes,
                const dataplane::Object& last_writer);

  void cnp(Pass& pass, bool remote);
  /// Whether the data packet goes around.
  bool data(Pass& pass, bool remote);
  /// After the choice of a port, for what goes around.
  void go_around(Pass& pass);

  void install(const Connection& connection) { targets_.install(connection); }

  struct Counts {
    std::uint64_t cnps = 0;     ///< that slowed a flow
    std::uint64_t steps = 0;    ///< loops added to flows
    std::uint64_t looped = 0;   ///< packets that went around at least once
    std::uint64_t loops = 0;    ///< times packets went around
    std::uint64_t in_turn = 0;  ///< packets spared loops because their predecessor had left
    std::uint64_t recoveries = 0;
  };
  const Counts& counts() const { return counts_; }
  std::uint64_t not_stored() const { return targets_.not_added(); }

 private:
  /// CNPs until the next loop is added, and the distance then.
  struct Countdown {
    std::uint16_t left = 0;
    std::uint16_t alpha = 0;
  };
  /// A data packet of a slowed flow on its pass.
  struct Flow {
    std::size_t index = 0;
    LoopHeader header = {};
    std::uint32_t psn = 0;
    Status status = normal;
    bool expired = false;
    bool begins = false;  ///< to recover
  };

  dataplane::Needs make_order(dataplane::Pipeline& pipeline, const PnpTrpConfig& config);
  dataplane::Needs make_gates(dataplane::Pipeline& pipeline, const dataplane::Object& last_writer);
  bool slow(const Pass& pass, Flow& flow);
  void look_up_status(const Pass& pass, Flow& flow);
  void move_alpha(const Pass& pass, Flow& flow);
  bool out_of_turn_in_recovery(const Pass& pass, const Flow& flow);

  std::uint32_t beta_;
  std::uint32_t most_loops_;
  std::uint32_t flow_entries_;
  dataplane::Gateway is_looped_;
  dataplane::Action count_down_;
  TargetFlows targets_;
  dataplane::Register<std::uint32_t> cnp_time_;
  dataplane::Gateway is_expired_;
  dataplane::Register<std::uint8_t> flow_status_;
  dataplane::Gateway begins_recovery_;
  dataplane::Gateway sets_alpha_;
  dataplane::Register<Countdown> cnp_num_alpha_;
  dataplane::Action halve_alpha_;
  dataplane::Gateway is_step_;
  dataplane::Gateway is_last_loop_;
  dataplane::Gateway is_throttled_;
  std::optional<RecoveryOrder> order_;
  dataplane::Register<std::uint8_t> loop_num_;
  dataplane::Action write_header_;
  dataplane::Action remove_header_;
  std::optional<dataplane::Gateway> has_loops_;
  dataplane::Recirculation around_;
  Counts counts_;  // statistics of the model, not state of the program
};

}  // namespace horae::programs::pnp_trp
