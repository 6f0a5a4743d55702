#include "notification_point.hpp"

#include "horae/core/roce.hpp"

namespace horae::programs::pnp_trp {
namespace {

constexpr Gress out = Gress::egress;
/// What the mirror header says of the only kind of copy there is.
constexpr std::uint8_t cnp_copy = 1;
/// Half a turn of the clock away: an interval has passed since.
constexpr std::uint32_t long_ago = 0x80000000u;

}  // namespace

NotificationPoint::NotificationPoint(dataplane::Pipeline& pipeline, const PnpTrpConfig& config,
                                     const dataplane::Gateway& is_data,
                                     const dataplane::Object& routes)
    : interval_(stamp(config.cnp_interval)),
      is_marked_(pipeline, in, "is_marked",
                 {.kind = ConditionKind::eq, .bits = 8, .terms = 2, .reads = {"ip.ecn", "remote"}},
                 {static_cast<std::uint64_t>(Ecn::ce), 1}, {matches(routes), guarded_by(is_data)}),
      clear_ecn_(pipeline, in, "clear_ecn", {.writes = {"ip.ecn"}}, {guarded_by(is_marked_)}),
      // The queue pair table is looked up by the copy, in egress, so its entry's number cannot be
      // the index: a hash of the flow is. Two flows of one cell share an interval.
      cnp_stamp_(pipeline, in, "cnp_stamp",
                 dataplane::RegisterSpec{.width = 32,
                                         .entries = config.cnp_stamp_entries,
                                         .index = dataplane::IndexSource::hash,
                                         .index_bits = 88,
                                         .reads = {"ip.src", "ip.dst", "bth.dest_qp"}},
                 {guarded_by(is_marked_)}, long_ago),
      is_due_(pipeline, in, "is_due", {.kind = ConditionKind::bit}, {},
              {matches(cnp_stamp_), guarded_by(is_marked_)}),
      copy_(pipeline, in, "cnp_copy", {guarded_by(is_due_)}),
      is_copy_(pipeline, out, "is_copy", {.bits = 8, .reads = {"mirror.type"}}, {cnp_copy}),
      // A hit writes the client's QPN; a miss drops the copy, which is no CNP.
      qp_field_(pipeline, out, "set_cnp",
                dataplane::MatchSpec{.key_bits = 88,
                                     .entries = config.qp_entries,
                                     .data_bits = 24,
                                     .actions = 2,
                                     .reads = {"ip.src", "ip.dst", "bth.dest_qp"}},
                {guarded_by(is_copy_)}),
      // One action, however much it writes: addresses, lengths, ECN, opcode, PSN and flags,
      // padding. The mirror session cuts the copy to a CNP's length.
      to_cnp_(pipeline, out, "to_cnp", {}, {guarded_by(is_copy_)}) {}

bool NotificationPoint::due(const Pass& pass) {
  const FlowKey flow = key_of(pass.header());
  const std::uint32_t now = stamp(pass.now());
  return cnp_stamp_.apply(pass, KeyHash{}(flow) % cnp_stamp_.entries(), [&](std::uint32_t& last) {
    const bool passed = now - last > interval_;
    if (passed) last = now;
    return passed;
  });
}

void NotificationPoint::ingress(Pass& pass, bool remote) {
  Packet& p = pass.header();
  if (!is_marked_.test(pass, static_cast<std::uint64_t>(p.ecn), bit(remote))) return;
  ++counts_.marks;
  // The sender is where the packet came from, so is the way to it: a session per port.
  if (is_due_.test(pass, due(pass)))
    copy_.request(pass, {.egress_port = pass.ingress_port(), .type = cnp_copy});
  clear_ecn_.run(pass, [&] { p.ecn = Ecn::ect0; });
}

void NotificationPoint::egress(Pass& pass) {
  Packet& p = pass.header();
  if (!is_copy_.test(pass, p.mirror_type)) return;
  const std::uint32_t* client = qp_field_.lookup(pass, key_of(p));
  if (client == nullptr) {
    ++counts_.unknown;
    return pass.drop();
  }
  to_cnp_.run(pass, [&] {
    std::swap(p.src, p.dst);
    p.dest_qp = Qpn(*client);
    p.opcode = Opcode::cnp;
    p.payload = 0;
    p.frame = static_cast<std::uint16_t>(frame_bytes(Opcode::cnp, Bytes(0)).count());
    p.psn = Psn(0);
    p.msn = 0;
    p.syndrome = 0;
    p.ecn = Ecn::not_ect;
    p.ack_request = false;
    p.retransmission = false;
  });
  ++counts_.cnps;
}

void NotificationPoint::install(const Connection& c) {
  if (qp_field_.size() == qp_field_.capacity()) {
    ++counts_.not_added;
    return;
  }
  qp_field_.insert({c.sender, c.receiver, c.receiver_qp.value()}, c.sender_qp.value());
}

}  // namespace horae::programs::pnp_trp
