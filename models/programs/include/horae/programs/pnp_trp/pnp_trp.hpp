// THEMIS of "THEMIS: Addressing Congestion-Induced Unfairness in Long-Haul RDMA Networks" (the
// long-haul paper): Proactive Notification Point and Temporary Reaction Point at an exit switch.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "horae/params/located.hpp"
#include "horae/programs/program.hpp"

namespace horae::programs {

/// Which marked data packets PNP answers.
enum class PnpScope : std::uint8_t {
  outgoing,  ///< what leaves for the long haul, marked before it arrived
  any,       ///< whatever leaves the switch by any port, the switch's own marks included
};
/// Effect of a flow's CNPs on its loops: the reading of Algorithm 1's `cnp_num % alpha == 1`.
enum class StepRule : std::uint8_t { text, literal, code };
/// Behaviour of a flow whose last CNP is older than beta.
enum class Recovery : std::uint8_t {
  none,     ///< Algorithm 1 alone: it keeps looping
  ordered,  ///< appendix D: a packet leaves when the one before it has left
  direct,   ///< its packets go straight at once
};
/// Value of loop_num after a flow has recovered.
enum class LoopsAfter : std::uint8_t { zero, keep };
/// Which packets notice that beta is over.
enum class JudgedBy : std::uint8_t { incoming, any };
/// Where data packets look up whether their flow is slowed.
enum class TargetLookup : std::uint8_t { cache, store, both };

/// Sizes are those of the long-haul paper's section VI where it gives them.
struct PnpTrpConfig {
  bool pnp = true;                ///< answers ECN marks of flows that leave with CNPs
  bool trp = true;                ///< slows flows that come in and whose receivers send CNPs
  bool handshake_monitor = true;  ///< watches TCP handshakes
  bool handshakes = false;        ///< daemons' messages count only after a handshake
  std::vector<NodeId> remote_nodes = {};
  PnpScope scope = PnpScope::outgoing;
  bool clear_ce = true;  ///< takes the mark away that it looked at
  bool cnp_gap = true;   ///< keeps CNPs of a flow `cnp_interval` apart
  Picoseconds cnp_interval = 50_us;
  std::optional<std::uint32_t> cnp_class{};  ///< absent: the class of the marked packet
  StepRule step = StepRule::text;
  Recovery recovery = Recovery::ordered;
  LoopsAfter loops_after_recovery = LoopsAfter::zero;
  JudgedBy judged_by = JudgedBy::incoming;
  TargetLookup target = TargetLookup::both;
  std::uint32_t qp_entries = 1024;
  std::uint32_t cnp_stamp_entries = 1024;
  std::uint32_t tcp_cookie_entries = 1024;
  std::uint32_t cnp_cache_entries = 1024;
  std::uint32_t cnp_store_entries = 1024;
  std::uint32_t peer_entries = 1024;
  std::uint32_t flow_entries = 1024;
  std::uint32_t alpha = 5;
  Picoseconds beta = 500_us;
  std::uint32_t most_loops = 4095;
  Picoseconds insertion_latency = 1_ms;
  Picoseconds qp_lead = 1500_us;
  std::uint32_t route_entries = 1024;
  std::uint32_t member_entries = 256;

  static const Schema<PnpTrpConfig>& schema();
};

/// The program's entry in the registry.
ProgramEntry pnp_trp_entry();

}  // namespace horae::programs
