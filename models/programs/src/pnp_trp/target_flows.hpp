// Which flows are slowed (long-haul paper, section V-B; internal to the room).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "control_plane.hpp"
#include "horae/dataplane/register_action.hpp"
#include "horae/programs/pnp_trp/pnp_trp.hpp"
#include "parts.hpp"

namespace horae::programs::pnp_trp {

/// A flow as its data names it, the receiver and its queue pair, and the hash of both.
struct Target {
  Endpoint flow;
  std::uint32_t hash = 0;
};

/// CNP_Cache, which a CNP writes at once, and CNP_Store, which the control plane fills; or one of
/// the two.
class TargetFlows {
 public:
  TargetFlows(dataplane::Pipeline& pipeline, const PnpTrpConfig& config, ControlPlane& control,
              const dataplane::Gateway& is_data, const dataplane::Object& routes);

  /// The flow of a CNP, which is now a target; nothing if the CNP goes no long way or its flow is
  /// not known.
  std::optional<Target> add(const PassKind auto& pass, bool remote);
  /// The flow of a data packet, if it is a target and comes from far away.
  std::optional<Target> find(const PassKind auto& pass, bool remote, bool looped);

  /// Control plane: whether a flow is over its congestion, and has nothing in the loop; asked
  /// before an entry is added.
  void ask_over(std::function<bool(const Target&)> over) { over_ = std::move(over); }
  /// Control plane: whether CNP_Store has the flow, and its entry removed.
  bool stored(const Target& t) const { return cnp_store_ && cnp_store_->contains(t.flow); }
  void remove(const Target& t);
  /// Control plane: the queue pair at the receiver that a CNP's stands for; and not any more. The
  /// latter gives the flow if it was in CNP_Store.
  void install(const Connection& connection);
  std::optional<Target> uninstall(const Connection& connection);

  const dataplane::Gateway& cnp_goes_out() const { return cnp_goes_out_; }
  const dataplane::Gateway& is_target() const { return is_target_; }
  const dataplane::Object& flow_hash() const { return flow_hash_; }

  struct Counts {
    std::uint64_t unknown = 0;     ///< CNPs that left and whose flow is not known
    std::uint64_t not_stored = 0;  ///< flows that the full CNP_Store had no room for
    std::uint64_t no_peer = 0;     ///< connections that the full table of peers had no room for
    std::uint64_t removed = 0;     ///< entries of flows that had recovered
    std::uint64_t most_stored = 0;
    std::uint64_t most_peers = 0;
  };
  const Counts& counts() const { return counts_; }
  void add_occupancies(std::vector<Occupancy>& out) const;

 private:
  struct Empty {};
  using Store = dataplane::ExactTable<Endpoint, Empty, KeyHash>;

  const dataplane::Object* key_of_cnp(dataplane::Pipeline& pipeline, const PnpTrpConfig& config);
  dataplane::Needs make_tables(dataplane::Pipeline& pipeline, const PnpTrpConfig& config,
                               const dataplane::Gateway& is_data);
  std::optional<std::uint32_t> peer(const PassKind auto& pass);
  bool look_up(const PassKind auto& pass, const Target& target, bool looped);
  void report(const Target& target);
  void store(const Target& target);

  ControlPlane& control_;
  std::function<bool(const Target&)> over_;
  dataplane::Gateway is_cnp_;
  std::optional<dataplane::ExactTable<Endpoint, std::uint32_t, KeyHash>> peer_qp_;
  std::optional<dataplane::Action> literal_key_;
  const dataplane::Object* cnp_key_;  ///< the one of the two that there is
  dataplane::Action data_key_;
  dataplane::Hash flow_hash_;
  dataplane::Gateway cnp_goes_out_;
  dataplane::Gateway data_comes_in_;
  struct Cache {
    Cache(dataplane::Pipeline& pipeline, std::size_t entries, const dataplane::Needs& needs);
    dataplane::Register<std::uint32_t> array;
    dataplane::RegisterAction<std::uint32_t, dataplane::SetCell> set;
    dataplane::RegisterAction<std::uint32_t, dataplane::EqualsCell> is;
  };
  std::optional<Cache> cnp_cache_;
  std::optional<dataplane::Action> to_cpu_;
  std::optional<dataplane::Gateway> is_uncached_;
  std::optional<Store> cnp_store_;
  dataplane::Gateway is_target_;
  Counts counts_;  // statistics of the model, not state of the program
};

}  // namespace horae::programs::pnp_trp
