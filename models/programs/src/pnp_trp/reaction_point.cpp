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

// Registers in the order in which a pass reaches them: cnp_time, flow_status, cnp_num_alpha,
// last_psn, loop_num. All are indexed by the flow's hash.
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
      is_step_(pipeline, in, "is_step", {.kind = ConditionKind::bit}, {},
               {matches(cnp_num_alpha_), guarded_by(targets_.cnp_goes_out())}),
      is_last_loop_(pipeline, in, "is_last_loop", {.bits = 8, .reads = {"loop"}}, {0},
                    {matches(count_down_), guarded_by(is_looped_)}),
      is_throttled_(
          pipeline, in, "is_throttled", {.bits = 8, .terms = 2, .reads = {"status", "expired"}},
          {throttled, 0},
          {matches(flow_status_), guarded_by(targets_.is_target()), follows(is_last_loop_)}),
      loop_num_(pipeline, in, "loop_num", config.flow_entries, 0, make_order(pipeline, config)),
      write_header_(pipeline, in, "write_loop_header", {.writes = {"loop"}},
                    {uses(loop_num_), overwrites(count_down_), follows(is_throttled_)}),
      remove_header_(pipeline, in, "remove_loop_header", {},
                     {guarded_by(is_looped_), follows(is_throttled_)}),
      around_(pipeline, in, "around", make_gates(pipeline, last_writer)) {}

RecoveryOrder::RecoveryOrder(dataplane::Pipeline& pipeline, std::size_t entries,
                             const dataplane::Object& flow_hash,
                             const dataplane::Object& flow_status,
                             const dataplane::Gateway& is_target,
                             const dataplane::Gateway& is_last_loop)
    : is_recovering(pipeline, in, "is_recovering", {.bits = 8, .reads = {"status"}}, {recover},
                    {matches(flow_status), guarded_by(is_target), follows(is_last_loop)}),
      last_psn(pipeline, in, "last_psn", entries, 0,
               {matches(flow_hash), guarded_by(is_recovering), guarded_by(is_last_loop)}),
      is_drained(pipeline, in, "is_drained",
                 {.bits = 8, .terms = 2, .reads = {"in_turn", "loop.valid"}}, {1, 0},
                 {matches(last_psn), guarded_by(is_recovering)}),
      is_out_of_turn(pipeline, in, "is_out_of_turn", {.kind = ConditionKind::bit}, {},
                     {matches(last_psn), guarded_by(is_recovering)}) {}

/// What resets loop_num: without an order to keep, the beginning of the recovery.
dataplane::Needs ReactionPoint::make_order(dataplane::Pipeline& pipeline,
                                           const PnpTrpConfig& config) {
  dataplane::Needs needs = {matches(targets_.flow_hash()), guarded_by(is_step_),
                            guarded_by(targets_.is_target())};
  if (config.rate_recovery) {
    order_.emplace(pipeline, config.flow_entries, targets_.flow_hash(), flow_status_,
                   targets_.is_target(), is_last_loop_);
    needs.push_back(guarded_by(order_->is_drained));
  } else {
    needs.push_back(guarded_by(begins_recovery_));
  }
  return needs;
}

/// What sends packets around.
dataplane::Needs ReactionPoint::make_gates(dataplane::Pipeline& pipeline,
                                           const dataplane::Object& last_writer) {
  dataplane::Needs needs = {overwrites(last_writer), guarded_by(is_throttled_),
                            guarded_by(begins_recovery_)};
  if (order_) {
    has_loops_.emplace(pipeline, in, "has_loops",
                       ConditionSpec{.kind = ConditionKind::ne, .bits = 8, .reads = {"loop"}},
                       std::vector<std::uint64_t>{0},
                       dataplane::Needs{matches(loop_num_), guarded_by(order_->is_out_of_turn)});
    needs.push_back(guarded_by(*has_loops_));
  }
  return needs;
}

void ReactionPoint::cnp(Pass& pass, bool remote) {
  const auto hash = targets_.add(pass, remote);
  if (!hash) return;
  ++counts_.cnps;
  const std::size_t index = *hash % flow_entries_;
  cnp_time_.apply(pass, index, [&](std::uint32_t& cell) { cell = stamp(pass.now()); });
  flow_status_.apply(pass, index, [](std::uint8_t& status) { status = throttled; });
  const bool step = cnp_num_alpha_.apply(pass, index, [](Countdown& c) {
    const bool now = c.left == 0;
    c.left = now ? c.alpha : static_cast<std::uint16_t>(c.left - 1);
    if (now && c.alpha < most_alpha) ++c.alpha;
    return now;
  });
  if (!is_step_.test(pass, step)) return;
  ++counts_.steps;
  loop_num_.apply(pass, index, [&](std::uint8_t& loops) {
    if (loops < most_loops_) ++loops;
  });
}

bool ReactionPoint::data(Pass& pass, bool remote) {
  Packet& p = pass.header();
  Flow flow{.header = LoopHeader::of(p.metadata), .psn = in_word(p.psn)};
  LoopHeader& header = flow.header;
  const bool looped = is_looped_.test(pass, header.valid);
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
  const bool looped = flow.header.valid;
  look_up_status(pass, flow);
  move_alpha(pass, flow);
  if (looped && is_last_loop_.test(pass, flow.header.loops)) {
    if (order_)
      order_->last_psn.apply(pass, flow.index, [&](std::uint32_t& last) { last = flow.psn; });
    return false;
  }
  const bool slowed = is_throttled_.test(pass, flow.status, bit(flow.expired));
  const bool out_of_turn = !slowed && !flow.begins && out_of_turn_in_recovery(pass, flow);
  // A packet that comes in takes the flow's loops; they end with the first that could go straight
  // because nothing of the flow is in the loop any more.
  if (!looped) {
    const bool reset = order_ ? order_->is_drained.held(pass) : flow.begins;
    flow.header.loops = loop_num_.apply(pass, flow.index, [&](std::uint8_t& loops) {
      return reset ? std::exchange(loops, std::uint8_t{0}) : loops;
    });
  }
  return slowed || flow.begins || (out_of_turn && has_loops_->test(pass, flow.header.loops));
}

void ReactionPoint::look_up_status(const Pass& pass, Flow& flow) {
  const bool silent = cnp_time_.apply(pass, flow.index, [&](const std::uint32_t& last) {
    return stamp(pass.now()) - last > beta_;
  });
  flow.expired = is_expired_.test(pass, silent, flow.header.valid);
  flow.status = flow_status_.apply(pass, flow.index, [&](std::uint8_t& cell) {
    const auto before = static_cast<Status>(cell);
    if (flow.expired && before == throttled) cell = recover;
    return before;
  });
  flow.begins = flow.expired && begins_recovery_.test(pass, flow.status);
  if (flow.begins) ++counts_.recoveries;
}

/// Alpha leaves with the packet that begins the recovery and comes back halved.
void ReactionPoint::move_alpha(const Pass& pass, Flow& flow) {
  LoopHeader& header = flow.header;
  if (flow.begins) {
    const std::uint16_t alpha = cnp_num_alpha_.apply(pass, flow.index, [](Countdown& c) {
      c.left = 0;
      return c.alpha;
    });
    halve_alpha_.run(pass, [&] { header.alpha = alpha / 2u; });
  } else if (header.valid && sets_alpha_.test(pass, header.sets_alpha)) {
    cnp_num_alpha_.apply(pass, flow.index,
                         [&](Countdown& c) { c.alpha = static_cast<std::uint16_t>(header.alpha); });
  }
  header.sets_alpha = flow.begins;
}

/// Whether a packet of a flow that recovers has to wait for the one before.
bool ReactionPoint::out_of_turn_in_recovery(const Pass& pass, const Flow& flow) {
  if (!order_ || !order_->is_recovering.test(pass, flow.status)) return false;
  const bool in_turn = order_->last_psn.apply(pass, flow.index, [&](std::uint32_t& last) {
    const bool next = flow.psn - last == psn_unit;
    if (next) last = flow.psn;
    return next;
  });
  if (in_turn) ++counts_.in_turn;
  order_->is_drained.test(pass, in_turn, flow.header.valid);
  return order_->is_out_of_turn.test(pass, !in_turn);
}

void ReactionPoint::go_around(Pass& pass) { around_.request(pass); }

}  // namespace horae::programs::pnp_trp
