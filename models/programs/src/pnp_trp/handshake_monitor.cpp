#include "handshake_monitor.hpp"

namespace horae::programs::pnp_trp {
namespace {

// IANA protocol numbers.
constexpr std::uint64_t tcp = 6, udp = 17;
// Flags of the TCP header (RFC 9293, 3.1).
constexpr std::uint64_t syn = 0x02, ack = 0x10;

}  // namespace

HandshakeMonitor::HandshakeMonitor(dataplane::Pipeline& pipeline, const PnpTrpConfig& config,
                                   const dataplane::Object& last_writer)
    : is_tcp_(pipeline, in, "is_tcp", {.bits = 8, .reads = {"ip.protocol"}}, {tcp}),
      is_syn_(pipeline, in, "is_syn", {.bits = 8, .reads = {"tcp.flags"}}, {syn},
              {guarded_by(is_tcp_)}),
      is_ack_(pipeline, in, "is_ack", {.bits = 8, .reads = {"tcp.flags"}}, {ack},
              {guarded_by(is_tcp_)}),
      // Of the five-tuple and the client's sequence number.
      cookie_(pipeline, in, "cookie", {.input_bits = 136, .output_bits = 32},
              {guarded_by(is_tcp_)}),
      cookie_next_(pipeline, in, "cookie_next", {}, {uses(cookie_), guarded_by(is_tcp_)}),
      // An ACK that answers the cookie acknowledges the number after it.
      is_answer_(pipeline, in, "is_answer",
                 {.kind = ConditionKind::field_eq, .bits = 32, .reads = {"tcp.ack", "cookie"}}, {},
                 {matches(cookie_next_), guarded_by(is_ack_)}),
      // Read by SYNs and by ACKs that answer no cookie, written by those that do.
      tcp_cookie_(
          pipeline, in, "tcp_cookie",
          dataplane::RegisterSpec{.width = 32,
                                  .entries = config.tcp_cookie_entries,
                                  .index = dataplane::IndexSource::hash,
                                  .index_bits = 104},
          {uses(cookie_), guarded_by(is_syn_), guarded_by(is_answer_), guarded_by(is_ack_)}),
      is_new_(pipeline, in, "is_new", {.kind = ConditionKind::bit}, {},
              {matches(tcp_cookie_), guarded_by(is_syn_)}),
      // Addresses, ports, sequence and acknowledgement numbers, flags, egress port.
      to_syn_ack_(pipeline, in, "to_syn_ack", {}, {overwrites(last_writer), guarded_by(is_new_)}),
      to_rst_(pipeline, in, "to_rst", {}, {overwrites(last_writer), guarded_by(is_answer_)}),
      is_known_(pipeline, in, "is_known", {.kind = ConditionKind::bit}, {},
                {matches(tcp_cookie_), guarded_by(is_ack_)}),
      tell_(pipeline, in, "tell_handshake", {}, {guarded_by(is_known_)}) {}

void HandshakeMonitor::ingress(const Pass& pass) { is_tcp_.test(pass, udp); }

}  // namespace horae::programs::pnp_trp
