#include "horae/fabric/devices/notifying_switch.hpp"

#include "horae/core/stats.hpp"

namespace horae::fabric {
namespace {
constexpr std::uint8_t cnp_event = output_queued_switch::own_events;
}  // namespace

notifying_switch::notifying_switch(sc_core::sc_module_name name, sim_context& context,
                                   const SwitchConfig& config)
    : output_queued_switch(name, context, config),
      notice_config_(*config.notify),
      at_dequeue_(config.red.at_dequeue()) {}

void notifying_switch::learn(const FlowEnds& c) {
  flows_[end_key(c.receiver, c.receiver_qp)] = {c.sender_qp};
}

/// A start has a consequence here: a CNP, which must not come before what happened earlier.
void notifying_switch::begin() {
  output_queued_switch::begin();
  start_by_events();
}

void notifying_switch::handle(const Event& e) {
  const auto kind = key_kind(e.key);
  if (kind == arrival_event) return take(arrived(e), e.time);
  if (kind == cnp_event) {
    --pending_;
    return admit(arrived(e), e.time);
  }
  output_queued_switch::handle(e);
}

void notifying_switch::handle_watched(const Event& e) {
  notify_arrival(e);
  handle(e);
}

/// With marks made when packets are queued, a packet that is marked then is still there.
void notifying_switch::take(Packet& p, Picoseconds t) {
  if (at_dequeue_ || !p.is_data()) return admit(p, t);
  const auto before = counters();
  const bool came_marked = p.ecn == Ecn::ce;
  admit(p, t);
  if (counters().dropped != before.dropped) return;
  if (counters().marked != before.marked ||
      (came_marked && notice_config_.scope == NoticeScope::any))
    answer(p, t);
}

void notifying_switch::leaves_marked(Packet& p, bool own, Picoseconds start) {
  if (own || notice_config_.scope == NoticeScope::any) answer(p, start);
}

void notifying_switch::answer(Packet& p, Picoseconds t) {
  const auto it = flows_.find(end_key(p.dst, p.dest_qp));
  if (it == flows_.end()) {
    ++notices_.unknown;
    return;
  }
  Flow& flow = it->second;
  ++notices_.answered;
  if (notice_config_.clear_ce) p.ecn = Ecn::ect0;
  if (flow.last_cnp >= 0_ps && t - flow.last_cnp <= notice_config_.gap) return;
  flow.last_cnp = t;
  make_cnp(p, flow.sender_qp, t);
}

void notifying_switch::make_cnp(const Packet& cause, Qpn sender_qp, Picoseconds t) {
  // No node has such a number: ids stay unique in a run.
  const std::uint64_t maker = 0xfffffeu - number();
  Packet& cnp = pool().create();
  cnp.id = maker << 40 | made_++;
  cnp.created = t;
  cnp.src = cause.dst;
  cnp.dst = cause.src;
  cnp.dest_qp = sender_qp;
  cnp.entropy = cause.entropy;
  cnp.opcode = Opcode::cnp;
  cnp.frame = static_cast<std::uint16_t>(frame_bytes(Opcode::cnp, Bytes(0)).count());
  cnp.traffic_class =
      static_cast<std::uint8_t>(config().control_class.value_or(cause.traffic_class));
  cnp.ingress_port = cause.ingress_port;
  ++notices_.cnps;
  ++pending_;
  schedule(t + notice_config_.delay, cnp_event, 0, made_, reinterpret_cast<std::uintptr_t>(&cnp));
}

std::uint64_t notifying_switch::queued() const { return output_queued_switch::queued() + pending_; }

void notifying_switch::part_statistics(StatTree& tree) const {
  tree.group("notify")
      .value("marks", notices_.answered, "packets")
      .value("cnps", notices_.cnps, "packets")
      .value("unknown", notices_.unknown, "packets");
}

void notifying_switch::statistics(StatTree& tree) const {
  output_queued_switch::statistics(tree);
  part_statistics(tree);
}

}  // namespace horae::fabric
