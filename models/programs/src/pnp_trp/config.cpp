#include "config.hpp"

#include <string>
#include <utility>

#include "horae/core/error.hpp"
#include "horae/params/schema.hpp"
#include "loop_header.hpp"

namespace horae::programs {

const Schema<PnpTrpConfig>& PnpTrpConfig::schema() {
  using T = PnpTrpConfig;
  constexpr std::uint32_t most = 1u << 24;
  static const Schema<T> s =
      Schema<T>("program", "CNPs from the exit switch; loops for flows whose receivers send CNPs.")
          .field("pnp", &T::pnp, {.doc = "runs the proactive notification point (PNP)"})
          .field("trp", &T::trp, {.doc = "temporary reaction point, which recirculates"})
          .field("handshake_monitor", &T::handshake_monitor,
                 {.doc = "watch TCP handshakes to the far side, and answer each first SYN with a "
                         "cookie",
                  .source = "long-haul paper IV, Figure 5"})
          .field(
              "handshakes", &T::handshakes,
              {.doc = "daemon messages count only for nodes whose TCP handshake was seen; false: "
                      "NICs send none, and all messages count",
               .source = "long-haul paper IV"})
          .field("remote_nodes", &T::remote_nodes,
                 {.doc = "nodes beyond the long-haul link; empty: all nodes of another site than "
                         "this switch, or, without sites, all that are not attached to it"})
          .choice("scope", &T::scope, {{"outgoing", PnpScope::outgoing}, {"any", PnpScope::any}},
                  {.doc = "marked data that PNP answers: what leaves for the long haul and arrived "
                          "marked; or any that leaves, marks of this switch included",
                   .source = "outgoing: long-haul paper IV; any: the authors' public simulator"})
          .field("clear_ce", &T::clear_ce,
                 {.doc = "take away the marks that PNP looks at; false: the receiver sends CNPs as "
                         "well",
                  .source = "long-haul paper IV; false: Figure 16"})
          .field("cnp_gap", &T::cnp_gap,
                 {.doc = "keep CNPs of a flow cnp_interval apart; false: one for every mark",
                  .source = "long-haul paper IV; false: Figure 16"})
          .choice(
              "step", &T::step,
              {{"text", StepRule::text}, {"literal", StepRule::literal}, {"code", StepRule::code}},
              {.doc = "CNPs that add a loop, with alpha = 5: 1, 7, 14, 22 .. (text); 1, 7, 8, 9 "
                      ".. (literal); 1, 5, 6, 12, 13 .. (code)",
               .source = "long-haul paper V-B; its Algorithm 1 as printed; the authors' public "
                         "simulator"})
          .choice("recovery", &T::recovery,
                  {{"none", Recovery::none},
                   {"ordered", Recovery::ordered},
                   {"direct", Recovery::direct}},
                  {.doc = "when beta is over: keep looping; loop until the packet before has left; "
                          "or go straight at once, and reorder",
                   .source = "long-haul paper, Algorithm 1, appendices D and E (Figure 22)"})
          .choice("loops_after_recovery", &T::loops_after_recovery,
                  {{"zero", LoopsAfter::zero}, {"keep", LoopsAfter::keep}},
                  {.doc = "loop_num of a flow that has recovered. With keep its next CNP adds to "
                          "the old number, and its entry in CNP_Store stays",
                   .source = "keep: Algorithm 1, which never lowers it; zero: ours"})
          .choice(
              "judged_by", &T::judged_by,
              {{"incoming", JudgedBy::incoming}, {"any", JudgedBy::any}},
              {.doc = "packets that notice that beta is over: those that come in, or also those "
                      "that loop"})
          .choice("target", &T::target,
                  {{"cache", TargetLookup::cache},
                   {"store", TargetLookup::store},
                   {"both", TargetLookup::both}},
                  {.doc = "where data packets look up whether their flow is slowed: the register "
                          "CNP_Cache, the table CNP_Store, or first one, then the other",
                   .source = "long-haul paper, Figure 18"})
          .field("qp_entries", &T::qp_entries,
                 {.doc = "entries of the QP_field (setCNP) table",
                  .min = 1,
                  .max = most,
                  .source = "long-haul paper VI"})
          .field("cnp_stamp_entries", &T::cnp_stamp_entries,
                 {.doc = "cells of the register of CNP time stamps",
                  .min = 1,
                  .max = most,
                  .source = "as many as QP_field entries; the paper gives none",
                  .verified = false,
                  .power_of_two = true})
          .field("tcp_cookie_entries", &T::tcp_cookie_entries,
                 {.doc = "cells of the register of connections that answered a cookie",
                  .min = 1,
                  .max = most,
                  .source = "as many as QP_field entries; the paper gives none",
                  .verified = false,
                  .power_of_two = true})
          .field("cnp_cache_entries", &T::cnp_cache_entries,
                 {.doc = "cells of the CNP_Cache register",
                  .min = 1,
                  .max = most,
                  .source = "long-haul paper VI",
                  .power_of_two = true})
          .field("cnp_store_entries", &T::cnp_store_entries,
                 {.doc = "entries of the CNP_Store table",
                  .min = 1,
                  .max = most,
                  .source = "long-haul paper VI"})
          .field("peer_entries", &T::peer_entries,
                 {.doc = "entries of the table from a CNP's queue pair to that of its data; 0: "
                         "assume that they are the same, as the paper does",
                  .max = most,
                  .source = "as many as QP_field entries; not in the paper",
                  .verified = false})
          .field("flow_entries", &T::flow_entries,
                 {.doc = "cells of each register of slowed flows",
                  .min = 1,
                  .max = most,
                  .source = "as many as CNP_Store entries; the paper gives none",
                  .verified = false,
                  .power_of_two = true})
          .field("cnp_interval", &T::cnp_interval,
                 {.doc = "least time between two CNPs of a flow",
                  .min = 1_ns,
                  .max = 2000_ms,
                  .source = "DCQCN (SIGCOMM 2015) 5: 50 us"})
          .field("cnp_class", &T::cnp_class,
                 {.doc = "class of the CNPs made here; absent: that of the marked packet",
                  .max = 7,
                  .source = "the authors' public simulator: CNPs are in the class of ACKs"})
          .field("alpha", &T::alpha,
                 {.doc = "CNPs from one additional loop to the next, before alpha is halved",
                  .min = 1u,
                  .max = 4095u,
                  .source = "long-haul paper VI"})
          .field("beta", &T::beta,
                 {.doc = "time after the last CNP at which a flow recovers",
                  .min = 1_ns,
                  .max = 2000_ms,
                  .source = "long-haul paper VI"})
          .field("most_loops", &T::most_loops,
                 {.doc = "most loops of a packet",
                  .min = 1u,
                  .max = pnp_trp::LoopHeader::most_loops,
                  .source = "12 bits of the loop header; the paper gives no bound",
                  .verified = false})
          .field("insertion_latency", &T::insertion_latency,
                 {.doc = "time from a message of the data plane or of a daemon to the table entry",
                  .min = 0_ps,
                  .max = 10000_ms,
                  .source = "long-haul paper VII-C sets it to 1 ms, from another switch's "
                            "measurement",
                  .verified = false})
          .field("qp_lead", &T::qp_lead,
                 {.doc = "time from a daemon's message about a new queue pair to its first posting",
                  .min = 0_ps,
                  .max = 10000_ms,
                  .source = "1 ms for the entry, and half a round trip of 1 ms until the peer is "
                            "ready (long-haul paper IV says only that it is enough)",
                  .verified = false})
          .field("route_entries", &T::route_entries,
                 {.doc = "entries of the destination table",
                  .min = 1,
                  .max = most,
                  .source = "the paper gives none",
                  .verified = false})
          .field("member_entries", &T::member_entries,
                 {.doc = "entries of the table of the groups' ports",
                  .min = 1,
                  .max = 65536,
                  .source = "the paper gives none",
                  .verified = false});
  return s;
}

namespace pnp_trp {

void check(const PnpTrpConfig& config, const Section& parameters) {
  if (config.handshakes && !config.handshake_monitor) {
    throw parameters.error(
        "handshakes", "handshakes = true needs handshake_monitor = true: nothing else sees them");
  }
}

}  // namespace pnp_trp
}  // namespace horae::programs
