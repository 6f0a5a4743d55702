#include "reaction_point.hpp"

#include <utility>

namespace horae::programs::pnp_trp {
namespace {

/// A PSN at the top of a word, so that its 24 bits turn over as the word does.
constexpr std::uint32_t psn_unit = 1u << 8;
std::uint32_t in_word(Psn psn) { return psn.value() * psn_unit; }

/// Alpha is halved on its way through the loop header.
constexpr std::uint16_t most_alpha = 2 * LoopHeader::most_alpha + 1;

}  // namespace

/// A data packet of a slowed flow on its pass.
struct ReactionPoint::Flow {
  std::size_t index = 0;
  LoopHeader header;
  std::uint32_t psn = 0;
  Status status = normal;
  bool expired = false;
  bool last_loop = false;
};

// Registers in the order in which a pass reaches them: cnp_time, flow_status, cnp_num_alpha,
// loop_num, last_psn. All are indexed by the flow's hash.
ReactionPoint::ReactionPoint(dataplane::Pipeline& pipeline, const PnpTrpConfig& config,
                             ControlPlane& control, const dataplane::Gateway& is_data,
                             const dataplane::Object& routes, const dataplane::Object& last_writer)
    : beta_(stamp(config.beta)),
      most_loops_(config.most_loops),
      flow_entries_(config.flow_entries),
      is_looped_(pipeline, in, "is_looped", {.kind = ConditionKind::valid, .bits = 1}),
      count_down_(pipeline, in, "count_down", {.writes = {"loop"}}, {guarded_by(is_looped_)}),
      targets_(pipeline, config, control, is_data, routes),
      cnp_time_(pipeline, in, "cnp_time", config.flow_entries, 0,
                {matches(targets_.flow_hash()), guarded_by(targets_.cnp_goes_out()),
                 guarded_by(targets_.is_target())}),
      // Only packets that come in notice it: one that loops could not carry alpha around once more
      // without being overtaken.
      is_expired_(pipeline, in, "is_expired",
                  {.bits = 8, .terms = 2, .reads = {"expired", "loop.valid"}}, {1, 0},
                  {matches(cnp_time_), guarded_by(targets_.is_target())}),
      flow_status_(pipeline, in, "flow_status", config.flow_entries, 0,
                   {matches(targets_.flow_hash()), guarded_by(targets_.cnp_goes_out()),
                    guarded_by(is_expired_), guarded_by(targets_.is_target())}),
      begins_recovery_(pipeline, in, "begins_recovery", {.bits = 8, .reads = {"status"}},
                       {throttled}, {matches(flow_status_), guarded_by(is_expired_)}),
      sets_alpha_(pipeline, in, "sets_alpha", {.kind = ConditionKind::bit}, {},
                  {guarded_by(is_looped_)}),
      // Counts down to the next step, for there is no remainder by a number that changes; alpha is
      // the other half of the cell, for each needs the other in the same pass.
      cnp_num_alpha_(
          pipeline, in, "cnp_num_alpha",
          dataplane::RegisterSpec{.width = 16, .pair = true, .entries = config.flow_entries},
          {matches(targets_.flow_hash()), guarded_by(targets_.cnp_goes_out()),
           guarded_by(begins_recovery_), guarded_by(sets_alpha_)},
          Countdown{0, static_cast<std::uint16_t>(config.alpha)}),
      // No stateful ALU shifts: alpha goes around with the packet and is halved on the way.
      halve_alpha_(pipeline, in, "halve_alpha", {.writes = {"loop.alpha"}},
                   {uses(cnp_num_alpha_), guarded_by(begins_recovery_)}),
      restarts_(
          pipeline, in, "restarts", {.bits = 8, .terms = 2, .reads = {"step", "status"}},
          {1, recover},
          {matches(cnp_num_alpha_), matches(flow_status_), guarded_by(targets_.cnp_goes_out())}),
      is_step_(pipeline, in, "is_step", {.kind = ConditionKind::bit, .reads = {"step"}}, {},
               {matches(cnp_num_alpha_), guarded_unless(restarts_)}),
      loop_num_(pipeline, in, "loop_num", config.flow_entries, 0,
                {matches(targets_.flow_hash()), guarded_by(restarts_), guarded_by(is_step_),
                 guarded_by(targets_.is_target())}),
      is_last_loop_(pipeline, in, "is_last_loop", {.bits = 8, .reads = {"loop"}}, {0},
                    {matches(count_down_), guarded_by(is_looped_)}),
      is_throttled_(
          pipeline, in, "is_throttled", {.bits = 8, .terms = 2, .reads = {"status", "expired"}},
          {throttled, 0},
          {matches(flow_status_), guarded_by(targets_.is_target()), follows(is_last_loop_)}),
      write_header_(pipeline, in, "write_loop_header", {.writes = {"loop"}},
                    {uses(loop_num_), overwrites(count_down_), follows(is_throttled_)}),
      remove_header_(pipeline, in, "remove_loop_header", {},
                     {guarded_by(is_looped_), follows(is_throttled_)}) {
  dataplane::Needs sends_around = {overwrites(last_writer), guarded_by(is_throttled_),
                                   guarded_by(begins_recovery_)};
  if (config.rate_recovery) {
    is_recovering_.emplace(pipeline, in, "is_recovering",
                           ConditionSpec{.bits = 8, .reads = {"status"}},
                           std::vector<std::uint64_t>{recover},
                           dataplane::Needs{matches(flow_status_), guarded_by(targets_.is_target()),
                                            follows(is_last_loop_)});
    last_psn_.emplace(pipeline, in, "last_psn", config.flow_entries, 0,
                      dataplane::Needs{matches(targets_.flow_hash()), guarded_by(*is_recovering_),
                                       guarded_by(is_last_loop_)});
    is_out_of_turn_.emplace(pipeline, in, "is_out_of_turn",
                            ConditionSpec{.kind = ConditionKind::bit}, std::vector<std::uint64_t>{},
                            dataplane::Needs{matches(*last_psn_), guarded_by(*is_recovering_)});
    sends_around.push_back(guarded_by(*is_out_of_turn_));
  }
  around_.emplace(pipeline, in, "around", sends_around);
}

void ReactionPoint::cnp(Pass& pass, bool remote) {
  const auto hash = targets_.add(pass, remote);
  if (!hash) return;
  ++counts_.cnps;
  const std::size_t index = *hash % flow_entries_;
  cnp_time_.apply(pass, index, [&](std::uint32_t& cell) { cell = stamp(pass.now()); });
  const auto before = flow_status_.apply(pass, index, [](std::uint8_t& status) {
    return std::exchange(status, std::uint8_t{throttled});
  });
  const bool step = cnp_num_alpha_.apply(pass, index, [](Countdown& c) {
    const bool now = c.left == 0;
    c.left = now ? c.alpha : static_cast<std::uint16_t>(c.left - 1);
    if (now && c.alpha < most_alpha) ++c.alpha;
    return now;
  });
  if (restarts_.test(pass, {bit(step), before})) {
    loop_num_.apply(pass, index, [](std::uint8_t& loops) { loops = 1; });
  } else if (is_step_.test(pass, bit(step))) {
    loop_num_.apply(pass, index, [&](std::uint8_t& loops) {
      if (loops < most_loops_) ++loops;
    });
  }
  if (step) ++counts_.steps;
}

bool ReactionPoint::data(Pass& pass, bool remote) {
  Packet& p = pass.header();
  Flow flow;
  flow.header = LoopHeader::of(p.metadata);
  flow.psn = in_word(p.psn);
  LoopHeader& header = flow.header;
  const bool looped = is_looped_.test(pass, bit(header.valid));
  if (looped) count_down_.run(pass, [&] { --header.loops; });
  const auto hash = targets_.find(pass, remote, looped);
  if (!hash) return false;
  flow.index = *hash % flow_entries_;
  const bool around = slow(pass, flow);
  if (around) {
    write_header_.run(pass, [&] {
      header.valid = true;
      p.metadata = header.bits();
    });
    counts_.looped += looped ? 0 : 1;
    ++counts_.loops;
  } else if (looped) {
    remove_header_.run(pass, [&] { p.metadata = 0; });
  }
  return around;
}

/// What of Algorithm 1 is for data packets; whether this one goes around.
bool ReactionPoint::slow(const Pass& pass, Flow& flow) {
  LoopHeader& header = flow.header;
  const bool looped = header.valid;
  const bool silent = cnp_time_.apply(pass, flow.index, [&](const std::uint32_t& last) {
    return stamp(pass.now()) - last > beta_;
  });
  flow.expired = is_expired_.test(pass, {bit(silent), bit(looped)});
  flow.status = flow_status_.apply(pass, flow.index, [&](std::uint8_t& cell) {
    const auto before = static_cast<Status>(cell);
    if (flow.expired && before == throttled) cell = recover;
    return before;
  });
  const bool begins = flow.expired && begins_recovery_.test(pass, flow.status);
  if (begins) {
    ++counts_.recoveries;
    const std::uint16_t alpha = cnp_num_alpha_.apply(pass, flow.index, [](Countdown& c) {
      c.left = 0;
      return c.alpha;
    });
    halve_alpha_.run(pass, [&] { header.alpha = alpha / 2u; });
  } else if (looped && sets_alpha_.test(pass, bit(header.sets_alpha))) {
    cnp_num_alpha_.apply(pass, flow.index,
                         [&](Countdown& c) { c.alpha = static_cast<std::uint16_t>(header.alpha); });
  }
  header.sets_alpha = begins;
  const std::uint32_t loop_num =
      loop_num_.apply(pass, flow.index, [](const std::uint8_t& loops) { return loops; });
  if (!looped) header.loops = loop_num;
  if (looped && is_last_loop_.test(pass, header.loops)) {
    count_out(pass, flow);
    return false;
  }
  if (is_throttled_.test(pass, {flow.status, bit(flow.expired)})) return true;
  return begins || recovers(pass, flow);
}

/// Whether a packet of a flow that recovers goes around: it does unless the one before has left.
bool ReactionPoint::recovers(const Pass& pass, Flow& flow) {
  if (!last_psn_ || !is_recovering_->test(pass, flow.status)) return false;
  const bool in_turn = last_psn_->apply(pass, flow.index, [&](std::uint32_t& last) {
    const bool next = flow.psn - last == psn_unit;
    if (next) last = flow.psn;
    return next;
  });
  if (in_turn) ++counts_.in_turn;
  return is_out_of_turn_->test(pass, bit(!in_turn));
}

/// Notes a packet that leaves after its last loop.
void ReactionPoint::count_out(const Pass& pass, const Flow& flow) {
  if (last_psn_) last_psn_->apply(pass, flow.index, [&](std::uint32_t& last) { last = flow.psn; });
}

void ReactionPoint::go_around(Pass& pass) { around_->request(pass); }

}  // namespace horae::programs::pnp_trp
