#include "notification_point.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "horae/core/roce.hpp"

namespace horae::programs::pnp_trp {
namespace {

constexpr Gress out = Gress::egress;
/// Value of the mirror header for the only kind of copy there is.
constexpr std::uint8_t cnp_copy = 1;
/// Half a turn of the clock away: an interval has passed since.
constexpr std::uint32_t long_ago = 0x80000000u;
constexpr auto ce = static_cast<std::uint64_t>(Ecn::ce);

ConditionSpec marked(PnpScope scope) {
  if (scope == PnpScope::any) return {.bits = 8, .reads = {"ip.ecn"}};
  return {.bits = 8, .terms = 2, .reads = {"ip.ecn", "remote"}};
}

}  // namespace

NotificationPoint::NotificationPoint(dataplane::Pipeline& pipeline, const PnpTrpConfig& config,
                                     const dataplane::Gateway& is_data,
                                     const dataplane::Object& routes)
    : any_(config.scope == PnpScope::any),
      where_(any_ ? out : in),
      interval_(stamp(config.cnp_interval)),
      class_(config.cnp_class ? std::optional(static_cast<std::uint8_t>(*config.cnp_class))
                              : std::nullopt),
      is_copy_(pipeline, out, "is_copy", {.bits = 8, .reads = {"mirror.type"}}, {cnp_copy}),
      is_marked_(
          pipeline, where_, "is_marked", marked(config.scope),
          any_ ? std::vector<std::uint64_t>{ce} : std::vector<std::uint64_t>{ce, 1},
          any_ ? dataplane::Needs{guarded_by(leaves_.emplace(
                     pipeline, out, "leaves",
                     ConditionSpec{.kind = ConditionKind::lt,
                                   .bits = 8,
                                   .constant = number(Opcode::acknowledge),
                                   .reads = {"bth.opcode"}},
                     std::vector<std::uint64_t>{}, dataplane::Needs{guarded_unless(is_copy_)}))}
               : dataplane::Needs{matches(routes), guarded_by(is_data)}),
      copy_(pipeline, where_, "cnp_copy", make_gap(pipeline, config)),
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

/// Conditions for a copy: a mark, and a gap since the flow's last CNP.
dataplane::Needs NotificationPoint::make_gap(dataplane::Pipeline& pipeline,
                                             const PnpTrpConfig& config) {
  using dataplane::Needs;
  if (config.clear_ce) {
    clear_ecn_.emplace(pipeline, where_, "clear_ecn", dataplane::ActionSpec{.writes = {"ip.ecn"}},
                       Needs{guarded_by(is_marked_)});
  }
  if (!config.cnp_gap) return {guarded_by(is_marked_)};
  // The queue pair table is looked up by the copy, so its entry's number cannot be the index: a
  // hash of the flow is. Two flows of one cell share an interval.
  cnp_stamp_.emplace(pipeline, where_, "cnp_stamp",
                     dataplane::RegisterSpec{.width = 32,
                                             .entries = config.cnp_stamp_entries,
                                             .index = dataplane::IndexSource::hash,
                                             .index_bits = 88,
                                             .reads = {"ip.src", "ip.dst", "bth.dest_qp"}},
                     Needs{guarded_by(is_marked_)}, long_ago);
  check_stamp_.emplace(pipeline, *cnp_stamp_, "check", IsDue{interval_});
  is_due_.emplace(pipeline, where_, "is_due", ConditionSpec{.kind = ConditionKind::bit},
                  std::vector<std::uint64_t>{},
                  Needs{matches(*cnp_stamp_), guarded_by(is_marked_)});
  return {guarded_by(*is_due_)};
}

bool NotificationPoint::due(const PassKind auto& pass) {
  if (!cnp_stamp_) return true;
  const FlowKey flow = key_of(pass.header());
  const std::uint32_t now = stamp(pass.now());
  const bool passed = check_stamp_->run(pass, KeyHash{}(flow) % cnp_stamp_->entries(), now);
  return is_due_->test(pass, passed);
}

void NotificationPoint::ingress(PassKind auto& pass, bool remote) {
  if (any_) return;
  if (is_marked_.test(pass, static_cast<std::uint64_t>(pass.header().ecn), bit(remote)))
    answer(pass);
}

void NotificationPoint::egress(PassKind auto& pass) {
  const Packet& p = pass.header();
  if (is_copy_.test(pass, p.mirror_type)) return make_cnp(pass);
  if (any_ && leaves_->test(pass, number(p.opcode)) &&
      is_marked_.test(pass, static_cast<std::uint64_t>(p.ecn)))
    answer(pass);
}

void NotificationPoint::answer(PassKind auto& pass) {
  ++counts_.marks;
  // The sender is where the packet came from, so is the way to it: a session per port.
  if (due(pass)) {
    copy_.request(pass,
                  {.egress_port = pass.ingress_port(), .type = cnp_copy, .traffic_class = class_});
  }
  if (clear_ecn_) clear_ecn_->run(pass, [&] { pass.header().ecn = Ecn::ect0; });
}

void NotificationPoint::make_cnp(PassKind auto& pass) {
  Packet& p = pass.header();
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
  counts_.most_entries = std::max<std::uint64_t>(counts_.most_entries, qp_field_.size());
}

void NotificationPoint::uninstall(const Connection& c) {
  const FlowKey flow{c.sender, c.receiver, c.receiver_qp.value()};
  qp_field_.erase(flow);
  if (cnp_stamp_) cnp_stamp_->write(KeyHash{}(flow) % cnp_stamp_->entries(), long_ago);
}

template void NotificationPoint::ingress(Pass&, bool);
template void NotificationPoint::ingress(TrustedPass&, bool);
template void NotificationPoint::egress(Pass&);
template void NotificationPoint::egress(TrustedPass&);

}  // namespace horae::programs::pnp_trp
