#include "destination.hpp"

#include <algorithm>

namespace horae::programs::conweave {

// A register is reached once per pass, in this order; what a timer writes it writes in later passes
// than the one in which it saw the need.
Destination::Destination(dataplane::Pipeline& pipeline, const ConweaveConfig& config,
                         const Routes& routes, const dataplane::Object& flows,
                         const dataplane::Gateway& is_destination)
    : config_(config),
      is_timer_(pipeline, in, "is_timer", {.kind = ConditionKind::valid, .bits = 1}, {},
                {guarded_by(is_destination)}),
      epoch_(pipeline, in, "epoch_rx",
             {.width = 8, .entries = config.flow_entries, .accesses = 4, .reads = {"flow"}},
             {matches(flows), guarded_unless(is_timer_)}, 1),
      enter_{{{pipeline, epoch_, "enter0", {0}},
              {pipeline, epoch_, "enter1", {1}},
              {pipeline, epoch_, "enter2", {2}},
              {pipeline, epoch_, "enter3", {3}}}},
      processes_(pipeline, in, "processes", flags(2, Join::any), {},
                 {matches(epoch_), guarded_by(is_destination)}),
      is_done_(pipeline, in, "is_done", flags(1), {}, {guarded_by(is_timer_)}),
      is_over_(pipeline, in, "is_over", flags(1), {}, {guarded_by(is_timer_)}),
      phase_(pipeline, in, "phase_rx",
             {.width = 8, .entries = config.flow_entries, .accesses = 3, .reads = {"flow"}},
             {matches(flows), matches(epoch_), guarded_by(processes_)}),
      old_seen_(pipeline, in, "old_seen",
                {.width = 8, .entries = config.flow_entries, .accesses = 2, .reads = {"flow"}},
                {matches(flows), matches(epoch_), guarded_by(processes_)}),
      tail_seen_(pipeline, in, "tail_seen",
                 {.width = 8, .entries = config.flow_entries, .accesses = 2, .reads = {"flow"}},
                 {matches(flows), matches(epoch_), guarded_by(processes_)}),
      estimate_(pipeline, config, flows, old_seen_.array, is_timer_, processes_),
      reordering_(pipeline, in, "reordering",
                  {.width = 8, .entries = config.flow_entries, .accesses = 2, .reads = {"flow"}},
                  {matches(phase_.array), guarded_by(processes_), guarded_by(is_done_),
                   guarded_by(is_over_)}),
      begin_(pipeline, reordering_, "begin"),
      is_reordering_(pipeline, reordering_, "is"),
      empty_(pipeline, reordering_, "empty"),
      end_(pipeline, reordering_, "end"),
      counts_packets_(pipeline, in, "counts_packets", per_flow(8, config.flow_entries),
                      {matches(reordering_), guarded_unless(is_timer_), guarded_by(is_done_)}),
      queued_(pipeline, in, "queued",
              {.width = 32, .entries = config.flow_entries, .accesses = 3, .reads = {"flow"}},
              {matches(counts_packets_.array), guarded_by(processes_)}),
      add_queued_(pipeline, queued_, "add"),
      read_queued_(pipeline, queued_, "read"),
      clear_queued_(pipeline, queued_, "clear"),
      is_empty_(pipeline, in, "is_empty", {.bits = 32, .reads = {"queued"}}, {0},
                {matches(queued_), guarded_by(processes_)}),
      is_waiting_(pipeline, in, "is_waiting",
                  {.kind = ConditionKind::ne, .bits = 8, .reads = {"status"}}, {0},
                  {matches(reordering_), guarded_unless(is_timer_)}),
      queues_(pipeline, config, routes, reordering_, is_waiting_, is_over_),
      has_queue_(pipeline, in, "has_queue", flags(3, Join::any), {}, found_needs()),
      resume_at_(pipeline, in, "resume_at",
                 {.width = 32, .entries = config.flow_entries, .accesses = 4, .reads = {"flow"}},
                 {matches(estimate_.last()), guarded_by(has_queue_), guarded_by(is_timer_)}),
      set_resume_(pipeline, resume_at_, "set"),
      put_off_(pipeline, resume_at_, "put_off"),
      check_resume_(pipeline, resume_at_, "check", {whole_ticks(config.resume_default)}),
      is_due_(pipeline, in, "is_due", flags(1), {}, {matches(resume_at_), guarded_by(is_timer_)}),
      choice_(pipeline, in, "reorder_queue", {guarded_by(has_queue_)}),
      control_(pipeline, in, "hold_queue",
               {matches(tail_seen_.array), guarded_by(has_queue_), guarded_by(is_due_)}),
      is_copied_(pipeline, in, "is_copied", flags(4, Join::any), {},
                 {matches(is_empty_), matches(has_queue_)}),
      copy_(pipeline, in, "copy", {guarded_by(is_copied_)}),
      write_bridge_(pipeline, in, "write_bridge", {.instructions = 4, .writes = {"bridge"}},
                    {matches(is_due_), matches(has_queue_), guarded_by(is_destination)}),
      around_(pipeline, in, "timer_around", {guarded_by(is_timer_)}),
      is_control_copy_(pipeline, out, "is_control_copy", flags(3, Join::any)),
      // Addresses, header, length and mark; one action for each kind.
      to_control_(pipeline, out, "to_control", {.instructions = 3, .writes = {"ip", "shim"}},
                  {guarded_by(is_control_copy_)}),
      is_new_timer_(pipeline, out, "is_new_timer", {.bits = 8, .reads = {"mirror.type"}},
                    {timer_copy}, {guarded_unless(is_control_copy_)}),
      to_timer_(pipeline, out, "to_timer", {.writes = {"timer"}}, {guarded_by(is_new_timer_)}),
      is_timer_out_(pipeline, out, "is_timer_out", {.kind = ConditionKind::valid, .bits = 1}, {},
                    {guarded_unless(is_control_copy_)}),
      is_counted_(pipeline, out, "is_counted", flags(1), {}, {guarded_unless(is_timer_out_)}),
      left_(pipeline, out, "left",
            {.width = 32, .entries = config.queue_entries, .reads = {"queue"}},
            {matches(to_timer_), guarded_by(is_counted_), guarded_by(is_timer_out_)}),
      count_left_(pipeline, left_, "count"),
      read_left_(pipeline, left_, "read"),
      clear_left_(pipeline, left_, "clear"),
      is_tail_(pipeline, out, "is_releasing_tail", flags(1), {}, {guarded_unless(is_timer_out_)}),
      waits_for_tail_(pipeline, out, "waits_for_tail", flags(1), {}, {guarded_by(is_timer_out_)}),
      tail_left_(pipeline, out, "tail_left", per_flow(8, config.flow_entries),
                 {matches(to_timer_), guarded_by(is_tail_), guarded_by(waits_for_tail_)}),
      set_tail_left_(pipeline, tail_left_, "set"),
      take_tail_left_(pipeline, tail_left_, "take"),
      release_(pipeline, out, "release_queue", {guarded_by(is_tail_)}),
      is_last_hop_(pipeline, out, "is_last_hop", flags(1), {}, {guarded_unless(is_timer_out_)}),
      remove_header_(pipeline, out, "remove_header", {.writes = {"shim", "stamps"}},
                     {guarded_by(is_last_hop_)}) {}

Needs Destination::found_needs() const {
  Needs needs = queues_.found();
  needs.push_back(guarded_by(is_waiting_));
  return needs;
}

void Destination::ingress(PassKind auto& pass, const FlowEntry* flow, unsigned port) {
  Packet& p = pass.header();
  View v{.shim = Shim::of(p), .bridge = Bridge::of(p.metadata), .port = port};
  if (is_timer_.test(pass, v.bridge.timer)) {
    if (flow == nullptr) return pass.drop();
    v.index = flow->index;
    return timer(pass, v);
  }
  v.bridge.last_hop = true;
  if (flow != nullptr) {
    v.index = flow->index;
    data(pass, v);
  }
  write_bridge_.run(pass, [&] { p.metadata = v.bridge.bits(); });
}

Destination::Age Destination::age_of(const PassKind auto& pass, const View& v) {
  const auto [same, past] = enter_[v.shim.epoch].run(pass, v.index);
  return same ? Age::current : past ? Age::past : Age::fresh;
}

/// Phase of an epoch: the TAIL begins the second; packets of the second before it are out of order.
void Destination::update_phase(const PassKind auto& pass, View& v, Age age) {
  const bool second = phase_.update(pass, v.index, age == Age::fresh, v.shim.tail);
  v.out_of_order = v.shim.rerouted && !second;
}

/// Counts what goes to the reorder queue, from the first packet out of order that it takes on;
/// whether nothing has.
bool Destination::is_empty(const PassKind auto& pass, const View& v, Status status) {
  const bool waits = v.out_of_order && status != Status::none;
  const bool counts = counts_packets_.update(pass, v.index, false, waits);
  const std::uint32_t queued =
      v.shim.rerouted ? add_queued_.run(pass, v.index, counts) : read_queued_.run(pass, v.index);
  return is_empty_.test(pass, queued);
}

Destination::Status Destination::status_of(const PassKind auto& pass, const View& v) {
  if (!v.out_of_order)
    return is_reordering_.run(pass, v.index, holding) ? Status::waits : Status::none;
  const auto [begins, goes_on] = begin_.run(pass, v.index);
  return begins ? Status::begins : goes_on ? Status::waits : Status::none;
}

void Destination::data(PassKind auto& pass, View& v) {
  const Age age = age_of(pass, v);
  if (!processes_.test(pass, false, age != Age::past)) {
    ++counts_.past;
    return;
  }
  update_phase(pass, v, age);
  const bool fresh = age == Age::fresh;
  const bool old_seen = old_seen_.update(pass, v.index, fresh, !v.shim.rerouted);
  tail_seen_.update(pass, v.index, fresh, v.shim.tail);
  v.expected = estimate_.of(pass, v.index, old_seen);
  const Status status = status_of(pass, v);
  const bool empty = is_empty(pass, v, status);
  if (is_waiting_.test(pass, static_cast<std::uint64_t>(status))) {
    if (status == Status::begins) return begin_reordering(pass, v);
    go_on_reordering(pass, v);
  }
  // One copy per pass: the first of these.
  const bool clears = v.shim.tail && status == Status::none && empty;
  const bool replies = v.shim.request && !v.shim.tail;
  const bool marked = pass.header().ecn == Ecn::ce;
  if (!is_copied_.test(pass, clears, replies, false, marked)) return;
  copy(pass, clears ? clear_copy : replies ? reply_copy : notify_copy);
}

bool Destination::has_queue(const PassKind auto& pass, const std::optional<ReorderQueue>& queue) {
  const auto in_group = [&](unsigned g) { return bit(queue.has_value() && queue->group == g); };
  return has_queue_.test(pass, in_group(0), in_group(1), in_group(2));
}

void Destination::wait_in(PassKind auto& pass, View& v, const ReorderQueue& queue) {
  choice_.choose(pass, queue.number);
  v.bridge.queued = true;
  v.bridge.queue = queue.cell;
  ++counts_.queued;
}

/// The first packet that overtook the TAIL.
void Destination::begin_reordering(PassKind auto& pass, View& v) {
  const auto queue = queues_.take(pass, v.port, v.index);
  is_copied_.test(pass, false, false, true, false);
  if (!has_queue(pass, queue)) {
    // Nothing is held. A timer that is over already resets the flow's state.
    ++counts_.exhausted;
    copy(pass, timer_copy, {.timer = true, .timeout = true, .over = true, .unqueued = true},
         v.index);
    return;
  }
  set_resume_.run(pass, v.index, v.expected);
  control_.hold(pass, v.port, queue->number);
  wait_in(pass, v, *queue);
  released_.erase(queue->cell);
  overdue_.erase(v.index);
  copy(pass, timer_copy, {.timer = true, .queue = queue->cell}, v.index);
  ++counts_.reorders;
  counts_.most_queues = std::max(counts_.most_queues, ++taken_now_);
}

/// A packet of a flow that waits: the new path's joins the queue; the old path's puts the release
/// off, and its TAIL brings it with it to the egress that it leaves by.
void Destination::go_on_reordering(PassKind auto& pass, View& v) {
  const auto queue = queues_.find(pass, v.port, v.index);
  if (!has_queue(pass, queue)) return;
  if (v.shim.rerouted) return wait_in(pass, v, *queue);
  const std::uint32_t at = resume_at_.read(v.index);
  if (at > 0 && at < ticks(pass.now())) overdue_.insert(v.index);
  put_off_.run(pass, v.index, ticks(pass.now()), v.expected);
  if (!v.shim.tail) return;
  v.bridge.releases = true;
  v.bridge.queue = queue->cell;
  pass.header().msn = std::uint32_t{v.index} << 16 | queue->number;
}

/// Asks for the copy; timers get what they are to carry.
void Destination::copy(PassKind auto& pass, CopyType type, const Bridge& timer,
                       std::uint16_t index) {
  const bool around = type == timer_copy;
  copy_.request(pass, {.egress_port = around ? dataplane::loopback_port : pass.ingress_port(),
                       .type = type,
                       .metadata = timer.bits(),
                       .header = {index, 0, 0, 0},
                       .length = around ? timer_bytes : control_bytes,
                       .traffic_class = static_cast<std::uint8_t>(config_.control_class)});
  counts_.replies += type == reply_copy ? 1 : 0;
  counts_.clears += type == clear_copy ? 1 : 0;
  counts_.notifies += type == notify_copy ? 1 : 0;
}

template void Destination::ingress(Pass&, const FlowEntry*, unsigned);
template void Destination::ingress(TrustedPass&, const FlowEntry*, unsigned);
template void Destination::copy(Pass&, CopyType, const Bridge&, std::uint16_t);
template void Destination::copy(TrustedPass&, CopyType, const Bridge&, std::uint16_t);

}  // namespace horae::programs::conweave
