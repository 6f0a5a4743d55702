#include "source.hpp"

#include <fmt/format.h>

namespace horae::programs::conweave {
namespace {

/// The metadata of a reply that recirculates: it was in time.
constexpr std::uint16_t second_pass = 1;

}  // namespace

Needs Source::found_needs(const dataplane::Gateway& is_data) const {
  Needs needs = {guarded_by(is_data)};
  for (const Sample* sample : {&first_, &second_}) {
    for (const auto& busy : sample->busy) needs.push_back(matches(busy->array));
  }
  return needs;
}

Needs Source::deadline_needs(const dataplane::Object& flows) const {
  Needs needs = {matches(flows), guarded_by(opens_), guarded_unless(opens_), guarded_by(is_reply_),
                 guarded_by(is_second_pass_)};
  if (config_.abort_without_path) needs.push_back(matches(is_found_));
  return needs;
}

// A way of the copy is told by the low bits of the path's number (conweave_ingress.p4), both when
// a sample is looked up and when a notified path is put down.
Source::Sample::Sample(dataplane::Pipeline& pipeline, const std::string& name,
                       const ConweaveConfig& config, const dataplane::Object& routes,
                       const dataplane::Gateway& is_data, const dataplane::Gateway& notes)
    : random(pipeline, in, name, {matches(routes), guarded_by(is_data)}) {
  for (unsigned way = 0; way < ways; ++way) {
    is_way[way] = std::make_unique<dataplane::Gateway>(
        pipeline, in, fmt::format("{}_is_way{}", name, way),
        ConditionSpec{.bits = 2, .reads = {name}}, std::vector<std::uint64_t>{way},
        Needs{matches(random), matches(notes)});
    busy[way] = std::make_unique<BusyPaths>(
        pipeline, fmt::format("{}_busy{}", name, way),
        RegisterSpec{.width = 32,
                     .pair = true,
                     .entries = config.rack_entries,
                     .accesses = 2,
                     .reads = {"rack"}},
        Needs{matches(routes), matches(random), guarded_by(*is_way[way])});
  }
}

// Order of a pass: active_time, stability, busy paths, reply_deadline, epoch, phase, path and
// tail_time. A reply has to compare epoch and phase before it writes stability: it recirculates.
Source::Source(dataplane::Pipeline& pipeline, const ConweaveConfig& config,
               const dataplane::Object& routes, const dataplane::Object& flows,
               const dataplane::Gateway& is_data, const dataplane::Gateway& is_control)
    : config_(config),
      busy_(whole_ticks(config.path_busy)),
      is_second_pass_(pipeline, in, "is_second_pass", flags(1), {}, {guarded_by(is_control)}),
      is_reply_(pipeline, in, "is_reply", {.bits = 8, .terms = 2, .reads = {"shim", "looped"}},
                {static_cast<std::uint64_t>(Kind::reply), 0}, {guarded_by(is_control)}),
      is_notify_(pipeline, in, "is_notify", flags(2, Join::any), {}, {guarded_by(is_control)}),
      first_(pipeline, "sample_a", config, routes, is_data, is_notify_),
      second_(pipeline, "sample_b", config, routes, is_data, is_notify_),
      is_found_(pipeline, in, "is_path_found", flags(2, Join::any), {}, found_needs(is_data)),
      // New flows have been silent, also when the clock has just begun.
      active_time_(pipeline, in, "active_time", per_flow(32, config.flow_entries),
                   {matches(flows), guarded_by(is_data)}, 0u - whole_ticks(config.inactive) - 1),
      is_silent_(pipeline, active_time_, "is_silent", {whole_ticks(config.inactive)}),
      // New flows are stable: their first packet opens an epoch.
      stability_(
          pipeline, in, "stability", per_flow(8, config.flow_entries),
          {matches(flows), matches(active_time_), guarded_by(is_data), guarded_by(is_second_pass_)},
          1),
      take_stable_(pipeline, stability_, "take"),
      set_stable_(pipeline, stability_, "set"),
      opens_(pipeline, in, "opens_epoch", flags(2, Join::any), {},
             {matches(active_time_), matches(stability_), guarded_by(is_data)}),
      reply_deadline_(pipeline, in, "reply_deadline", per_flow(32, config.flow_entries),
                      deadline_needs(flows)),
      set_deadline_(pipeline, reply_deadline_, "set"),
      expire_(pipeline, reply_deadline_, "expire"),
      extend_(pipeline, reply_deadline_, "extend", {whole_ticks(config.reply_extension)}),
      read_deadline_(pipeline, reply_deadline_, "read"),
      epoch_(pipeline, in, "epoch", per_flow(8, config.flow_entries),
             {matches(flows), guarded_by(opens_), guarded_unless(opens_), guarded_by(is_reply_)}),
      next_epoch_(pipeline, epoch_, "next"),
      read_epoch_(pipeline, epoch_, "read"),
      is_epoch_(pipeline, epoch_, "is"),
      phase_(pipeline, in, "phase", per_flow(8, config.flow_entries),
             {matches(flows), matches(reply_deadline_), guarded_by(opens_), guarded_unless(opens_),
              guarded_by(is_reply_)}),
      choose_path_(pipeline, in, "good_path", {.instructions = 2, .writes = {"good_path"}},
                   {matches(is_found_), guarded_by(is_data)}),
      path_(pipeline, in, "path",
            {.width = 8, .entries = config.flow_entries, .accesses = 3, .reads = {"flow"}},
            {matches(reply_deadline_), matches(choose_path_), guarded_by(is_data)}),
      change_path_(pipeline, path_, "change"),
      read_path_(pipeline, path_, "read"),
      tail_time_(pipeline, in, "tail_time",
                 {.width = 32, .entries = config.flow_entries, .accesses = 3, .reads = {"flow"}},
                 {matches(reply_deadline_), guarded_by(is_data)}),
      is_accepted_(pipeline, in, "is_accepted", flags(3), {},
                   {matches(reply_deadline_), matches(epoch_), matches(phase_.array),
                    guarded_by(is_reply_)}),
      // Epoch, phase and path; request and tail; both stamps.
      write_header_(pipeline, in, "write_header", {.instructions = 3, .writes = {"shim", "stamps"}},
                    {uses(epoch_), uses(phase_.array), uses(path_), uses(tail_time_.array),
                     guarded_by(is_data)}),
      around_(pipeline, in, "reply_around", {guarded_by(is_accepted_)}),
      consume_(pipeline, in, "consume", {.writes = {"drop"}}, {guarded_by(is_control)}) {}

void Source::install(std::uint16_t index, std::uint8_t path) { path_.write(index, path); }

bool Source::is_busy(const PassKind auto& pass, Sample& sample, std::uint8_t path,
                     const Route& route) {
  const unsigned way = path % ways;
  sample.is_way[way]->test(pass, way);
  const std::uint32_t now = ticks(pass.now());
  return sample.busy[way]->is.run(pass, route.rack, now, path);
}

/// Overwrites what the way knew of another path.
void Source::note_busy(const PassKind auto& pass, Sample& sample, std::uint8_t path,
                       const Route& route) {
  const unsigned way = path % ways;
  sample.is_way[way]->test(pass, way);
  const std::uint32_t until = ticks(pass.now()) + busy_;
  sample.busy[way]->note.run(pass, route.rack, path, until);
}

std::uint8_t Source::data(PassKind auto& pass, const FlowEntry& flow, const Route& route) {
  const std::uint32_t now = ticks(pass.now());
  const std::uint16_t index = flow.index;
  const bool expired = is_silent_.run(pass, index, now);
  const bool stable = take_stable_.run(pass, index);
  const auto a = static_cast<std::uint8_t>(first_.random.below(pass, route.group.count));
  const auto b = static_cast<std::uint8_t>(second_.random.below(pass, route.group.count));
  const bool a_busy = is_busy(pass, first_, a, route);
  const bool b_busy = is_busy(pass, second_, b, route);
  const bool found = is_found_.test(pass, !a_busy, !b_busy);
  const bool opens = opens_.test(pass, expired, stable);
  const bool may_leave = found || !config_.abort_without_path;
  const bool late = passes_deadline(pass, flow, opens, may_leave);
  const std::uint8_t epoch = opens ? next_epoch_.run(pass, index) : read_epoch_.run(pass, index);
  const bool begins = opens || late;  // an epoch, or its second phase
  const bool rerouted = phase_.update(pass, index, begins, late) && !begins;
  std::uint8_t good = 0;
  choose_path_.run(pass, [&] { good = a_busy ? b : a; });
  const std::uint8_t path = choose(pass, flow, expired, late, found, good);
  const std::uint32_t tail = tail_of(pass, index, opens, late);
  Packet& p = pass.header();
  write_header_.run(pass, [&] {
    Shim{.path = path,
         .kind = Kind::data,
         .rerouted = rerouted,
         .epoch = epoch,
         .request = opens,
         .tail = late}
        .put(p);
    Stamps{static_cast<std::uint16_t>(now), static_cast<std::uint16_t>(tail)}.put(p);
    p.frame = static_cast<std::uint16_t>(p.frame + stamp_bytes);
  });
  counts_.epochs += opens ? 1 : 0;
  counts_.reroutes += late ? 1 : 0;
  return path;
}

/// Whether no reply came in time, of a flow that may leave its path. A new epoch has a new deadline
/// (its sum is an operation of the action of `flows`).
bool Source::passes_deadline(const PassKind auto& pass, const FlowEntry& flow, bool opens,
                             bool may_leave) {
  const std::uint32_t now = ticks(pass.now());
  if (opens) {
    set_deadline_.run(pass, flow.index, now + flow.reply_ticks);
  } else if (may_leave) {
    return expire_.run(pass, flow.index, now);
  } else {
    read_deadline_.run(pass, flow.index);
  }
  return false;
}

/// When the TAIL of this epoch was sent; zero before.
std::uint32_t Source::tail_of(const PassKind auto& pass, std::uint16_t index, bool opens,
                              bool late) {
  if (!opens && !late) return tail_time_.read.run(pass, index);
  const std::uint32_t sent = late ? ticks(pass.now()) : 0;
  tail_time_.set.run(pass, index, sent);
  return sent;
}

/// A flow that was silent moves at once; one that reroutes with the packet after this, the TAIL.
std::uint8_t Source::choose(const PassKind auto& pass, const FlowEntry& flow, bool expired,
                            bool late, bool found, std::uint8_t good) {
  if (!found || !(expired || late)) return read_path_.run(pass, flow.index);
  const std::uint8_t before = change_path_.run(pass, flow.index, good);
  if (!expired) return before;
  counts_.moves += before != good ? 1 : 0;
  return good;
}

void Source::control(PassKind auto& pass, const FlowEntry* flow, const Route& route) {
  const Packet& p = pass.header();
  const Shim shim = Shim::of(p);
  const bool second = is_second_pass_.test(pass, p.metadata == second_pass);
  const bool notes = is_notify_.test(pass, shim.kind == Kind::notify,
                                     !second && shim.kind == Kind::reply && shim.marked);
  if (notes) {
    note_busy(pass, first_, shim.path, route);
    note_busy(pass, second_, shim.path, route);
    ++counts_.notifies;
  }
  consume_.run(pass, [&] { pass.drop(); });
  if (flow == nullptr) return;
  const std::uint16_t index = flow->index;
  if (second) {
    set_stable_.run(pass, index);
    set_deadline_.run(pass, index, never_late);
    ++(shim.rerouted ? counts_.clears : counts_.replies);
  } else if (is_reply_.test(pass, static_cast<std::uint64_t>(shim.kind), 0)) {
    reply(pass, *flow);
  }
}

/// The first pass: whether it answers what the flow asked last. An RTT_REPLY has to be in time, and
/// the deadline is put off until it has recirculated.
void Source::reply(PassKind auto& pass, const FlowEntry& flow) {
  Packet& p = pass.header();
  const Shim shim = Shim::of(p);
  const std::uint32_t now = ticks(pass.now());
  bool timely = true;
  if (shim.rerouted)
    read_deadline_.run(pass, flow.index);
  else
    timely = extend_.run(pass, flow.index, now);
  const bool same_epoch = is_epoch_.run(pass, flow.index, shim.epoch);
  const bool same_phase = phase_.is.run(pass, flow.index, shim.rerouted);
  if (!is_accepted_.test(pass, timely, same_epoch, same_phase)) {
    ++counts_.late;
    return;
  }
  p.metadata = second_pass;
  around_.request(pass);
}

template std::uint8_t Source::data(Pass&, const FlowEntry&, const Route&);
template std::uint8_t Source::data(TrustedPass&, const FlowEntry&, const Route&);
template void Source::control(Pass&, const FlowEntry*, const Route&);
template void Source::control(TrustedPass&, const FlowEntry*, const Route&);

}  // namespace horae::programs::conweave
