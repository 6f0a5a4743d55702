#include "handshake_monitor.hpp"

#include <utility>

namespace horae::programs::pnp_trp {
namespace {

// IANA protocol numbers.
constexpr std::uint64_t tcp = 6, udp = 17;

}  // namespace

HandshakeMonitor::HandshakeMonitor(dataplane::Pipeline& pipeline, const PnpTrpConfig& config,
                                   ControlPlane& control, const dataplane::Object& routes,
                                   const dataplane::Object& last_writer)
    : control_(control),
      // Only segments of the far side: the monitor is the clients'.
      is_tcp_(pipeline, in, "is_tcp", {.bits = 8, .terms = 2, .reads = {"ip.protocol", "remote"}},
              {tcp, 1}, {matches(routes)}),
      is_syn_(pipeline, in, "is_syn", {.bits = 8, .reads = {"tcp.flags"}}, {TcpSegment::syn},
              {guarded_by(is_tcp_)}),
      is_ack_(pipeline, in, "is_ack", {.bits = 8, .reads = {"tcp.flags"}}, {TcpSegment::ack},
              {guarded_by(is_tcp_)}),
      // The client's first number: of its SYN, or the one before an ACK's.
      client_isn_(pipeline, in, "client_isn", {}, {guarded_by(is_tcp_)}),
      // Hash of the five-tuple and the secret.
      cookie_(pipeline, in, "cookie", {.input_bits = 136, .output_bits = 32},
              {matches(client_isn_), guarded_by(is_tcp_)}),
      cookie_next_(pipeline, in, "cookie_next", {}, {uses(cookie_), guarded_by(is_tcp_)}),
      // An ACK that answers the cookie acknowledges the number after it.
      is_answer_(pipeline, in, "is_answer",
                 {.kind = ConditionKind::field_eq, .bits = 32, .reads = {"tcp.ack", "cookie"}}, {},
                 {matches(cookie_next_), guarded_by(is_ack_)}),
      // Written by ACKs that answer the cookie; read by SYNs; read and set back by other ACKs.
      tcp_cookie_(
          pipeline, in, "tcp_cookie",
          dataplane::RegisterSpec{.width = 32,
                                  .entries = config.tcp_cookie_entries,
                                  .index = dataplane::IndexSource::hash,
                                  .index_bits = 104},
          {uses(cookie_), guarded_by(is_syn_), guarded_by(is_answer_), guarded_by(is_ack_)}),
      is_free_(pipeline, tcp_cookie_, "is_free"),
      mark_(pipeline, tcp_cookie_, "mark"),
      unmark_(pipeline, tcp_cookie_, "unmark"),
      is_new_(pipeline, in, "is_new", {.kind = ConditionKind::bit}, {},
              {matches(tcp_cookie_), guarded_by(is_syn_)}),
      // Addresses, ports, sequence and acknowledgement numbers, flags, egress port.
      to_syn_ack_(pipeline, in, "to_syn_ack", {}, {overwrites(last_writer), guarded_by(is_new_)}),
      to_rst_(pipeline, in, "to_rst", {}, {overwrites(last_writer), guarded_by(is_answer_)}),
      is_known_(pipeline, in, "is_known", {.kind = ConditionKind::bit}, {},
                {matches(tcp_cookie_), guarded_by(is_ack_)}),
      tell_(pipeline, in, "tell_handshake", {}, {guarded_by(is_known_)}) {}

bool HandshakeMonitor::ingress(PassKind auto& pass, bool remote) {
  const Packet& p = pass.header();
  if (!is_tcp_.test(pass, p.opcode == Opcode::none ? tcp : udp, bit(remote))) return false;
  const TcpSegment segment = TcpSegment::of(p);
  if (is_syn_.test(pass, std::uint64_t{segment.flags})) return open(pass, segment);
  if (is_ack_.test(pass, std::uint64_t{segment.flags})) return acknowledge(pass, segment);
  return false;
}

/// The first SYN of a client gets a cookie, the next one passes.
bool HandshakeMonitor::open(PassKind auto& pass, const TcpSegment& segment) {
  const Psn mine = cookie(pass, segment.sequence);
  const bool is_new = is_free_.run(pass, cell_of(pass.header()));
  if (!is_new_.test(pass, is_new)) return false;
  ++counts_.cookies;
  to_syn_ack_.run(pass, [&] {
    answer(
        pass,
        {.flags = TcpSegment::syn_ack, .sequence = mine, .acknowledgement = segment.sequence + 1});
  });
  return true;
}

bool HandshakeMonitor::acknowledge(PassKind auto& pass, const TcpSegment& segment) {
  const Psn expected = cookie(pass, segment.sequence - 1) + 1;
  const bool answers = is_answer_.test(
      pass, {std::uint64_t{segment.acknowledgement.value()}, std::uint64_t{expected.value()}});
  // A cell holds whose handshake is to pass. Another connection of the cell passes with it.
  const std::size_t cell = cell_of(pass.header());
  const bool known = answers ? mark_.run(pass, cell) : unmark_.run(pass, cell);
  if (answers) {
    ++counts_.resets;
    to_rst_.run(pass, [&] {
      answer(pass, {.flags = TcpSegment::rst, .sequence = segment.acknowledgement});
    });
    return true;
  }
  if (!is_known_.test(pass, known)) return false;
  tell_.run(pass, [&] {
    ++counts_.told;
    control_.begin(
        [this, pair = std::pair(pass.header().src, pass.header().dst)] { told_.insert(pair); });
  });
  return false;
}

std::size_t HandshakeMonitor::cell_of(const Packet& p) const {
  return KeyHash{}(FlowKey{p.src, p.dst, p.entropy}) % tcp_cookie_.entries();
}

Psn HandshakeMonitor::cookie(const PassKind auto& pass, Psn initial) {
  const Packet& p = pass.header();
  client_isn_.run(pass, [] {});
  const std::uint32_t hash =
      cookie_.of(pass, {std::uint64_t{p.src} << 32 | p.dst, p.entropy, initial.value()});
  cookie_next_.run(pass, [] {});
  return Psn(hash);
}

/// Back to the client, by the port that its segment came by.
void HandshakeMonitor::answer(PassKind auto& pass, const TcpSegment& segment) const {
  Packet& p = pass.header();
  std::swap(p.src, p.dst);
  segment.write_to(p);
  pass.forward(pass.ingress_port());
}

template bool HandshakeMonitor::ingress(Pass&, bool);
template bool HandshakeMonitor::ingress(TrustedPass&, bool);

}  // namespace horae::programs::pnp_trp
