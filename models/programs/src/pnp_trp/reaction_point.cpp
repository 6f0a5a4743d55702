#include "reaction_point.hpp"

#include <algorithm>
#include <utility>

namespace horae::programs::pnp_trp {
namespace {

std::uint32_t in_word(Psn psn) { return psn.value() * psn_unit; }

/// Beta is over, of a packet that comes in (a bit of the loop header), or of any.
ConditionSpec expiry(JudgedBy by) {
  if (by == JudgedBy::any) return {.kind = ConditionKind::bit, .reads = {"expired"}};
  return {.bits = 8, .terms = 2, .reads = {"expired", "loop.valid"}};
}
/// A flow whose packets loop until it recovers; without recovery, from its first CNP on.
ConditionSpec slowed(Recovery recovery) {
  if (recovery == Recovery::none)
    return {.kind = ConditionKind::ne, .bits = 8, .reads = {"status"}};
  return {.bits = 8, .terms = 2, .reads = {"status", "expired"}};
}
using Constants = std::vector<std::uint64_t>;

}  // namespace

// Registers in the order in which a pass reaches them: cnp_time, flow_status, cnp_num_alpha,
// last_psn, loop_num. All are indexed by the flow's hash.
ReactionPoint::ReactionPoint(dataplane::Pipeline& pipeline, const PnpTrpConfig& config,
                             ControlPlane& control, const dataplane::Gateway& is_data,
                             const dataplane::Object& routes, const dataplane::Object& last_writer,
                             unsigned loopback_ports)
    : steps_(config.step, config.alpha),
      recovery_(config.recovery),
      forgets_(config.loops_after_recovery == LoopsAfter::zero &&
               config.recovery != Recovery::none),
      incoming_only_(config.judged_by == JudgedBy::incoming),
      beta_(stamp(config.beta)),
      most_loops_(config.most_loops),
      flow_entries_(config.flow_entries),
      loopback_ports_(loopback_ports),
      control_(control),
      is_looped_(pipeline, in, "is_looped", {.kind = ConditionKind::valid, .bits = 1}),
      count_down_(pipeline, in, "count_down", {.writes = {"loop"}}, {guarded_by(is_looped_)}),
      targets_(pipeline, config, control, is_data, routes),
      cnp_time_(pipeline, in, "cnp_time", config.flow_entries, 0,
                {matches(targets_.flow_hash()), guarded_by(targets_.cnp_goes_out()),
                 guarded_by(targets_.is_target())}),
      set_time_(pipeline, cnp_time_, "set"),
      is_silent_(pipeline, cnp_time_, "is_silent", IsSilent{beta_}),
      is_expired_(pipeline, in, "is_expired", expiry(config.judged_by),
                  incoming_only_ ? Constants{1, 0} : Constants{},
                  {matches(cnp_time_), guarded_by(targets_.is_target())}),
      flow_status_(pipeline, in, "flow_status", config.flow_entries, 0,
                   {matches(targets_.flow_hash()), guarded_by(targets_.cnp_goes_out()),
                    guarded_by(is_expired_), guarded_by(targets_.is_target())}),
      throttle_(pipeline, flow_status_, "throttle"),
      read_status_(pipeline, flow_status_, "read"),
      expire_(pipeline, flow_status_, "expire"),
      begins_recovery_(pipeline, in, "begins_recovery", {.bits = 8, .reads = {"status"}},
                       {throttled}, {matches(flow_status_), guarded_by(is_expired_)}),
      cnp_num_alpha_(
          pipeline, in, "cnp_num_alpha",
          dataplane::RegisterSpec{.width = 16, .pair = true, .entries = config.flow_entries},
          {matches(targets_.flow_hash()), guarded_by(targets_.cnp_goes_out()),
           guarded_by(begins_recovery_)},
          steps_.initial()),
      count_cnp_(pipeline, cnp_num_alpha_, "count", CountCnp{steps_}),
      start_over_(pipeline, cnp_num_alpha_, "start_over", StartOver{steps_}),
      is_step_(pipeline, in, "is_step", {.kind = ConditionKind::bit}, {},
               {matches(cnp_num_alpha_), guarded_by(targets_.cnp_goes_out())}),
      is_last_loop_(pipeline, in, "is_last_loop", {.bits = 16, .reads = {"loop"}}, {0},
                    {matches(count_down_), guarded_by(is_looped_)}),
      is_slowed_(pipeline, in, "is_slowed", slowed(config.recovery),
                 config.recovery == Recovery::none ? Constants{normal} : Constants{throttled, 0},
                 {matches(flow_status_), guarded_by(targets_.is_target()), follows(is_last_loop_)}),
      loop_num_(pipeline, in, "loop_num", config.flow_entries, 0, make_order(pipeline, config)),
      add_loop_(pipeline, loop_num_, "add", AddLoop{most_loops_}),
      read_loops_(pipeline, loop_num_, "read"),
      take_loops_(pipeline, loop_num_, "take"),
      has_loops_(pipeline, in, "has_loops",
                 {.kind = ConditionKind::ne, .bits = 16, .reads = {"loop"}}, {0}, make_gates()),
      write_header_(pipeline, in, "write_loop_header", {.writes = {"loop"}},
                    {uses(loop_num_), overwrites(count_down_), guarded_by(has_loops_)}),
      remove_header_(pipeline, in, "remove_loop_header", {},
                     {guarded_by(is_looped_), follows(has_loops_)}),
      around_(pipeline, in, "around", {overwrites(last_writer), guarded_by(has_loops_)}) {
  if (loopback_ports > 1) {
    loop_port_.emplace(pipeline, in, "loop_port", dataplane::ActionSpec{},
                       dataplane::Needs{uses(targets_.flow_hash()), guarded_by(has_loops_)});
  }
  if (!forgets_ || config.target == TargetLookup::cache) return;
  tell_recovery_.emplace(pipeline, in, "tell_recovery", dataplane::ActionSpec{},
                         dataplane::Needs{guarded_by(begins_recovery_)});
  targets_.ask_over([this](const Target& t) { return is_over(t); });
}

RecoveryOrder::RecoveryOrder(dataplane::Pipeline& pipeline, std::size_t entries,
                             const dataplane::Object& flow_hash,
                             const dataplane::Object& flow_status,
                             const dataplane::Gateway& is_target, const dataplane::Gateway& begins,
                             const dataplane::Gateway& is_last_loop,
                             const dataplane::Gateway& is_slowed)
    : is_recovering(pipeline, in, "is_recovering", {.bits = 8, .reads = {"status"}}, {recover},
                    {matches(flow_status), guarded_by(is_target), follows(is_last_loop)}),
      last_psn(pipeline, in, "last_psn", entries, no_psn,
               {matches(flow_hash), guarded_by(is_recovering), guarded_by(begins),
                guarded_by(is_last_loop), guarded_by(is_slowed)}),
      set_psn(pipeline, last_psn, "set"),
      in_turn(pipeline, last_psn, "in_turn"),
      enter(pipeline, last_psn, "enter"),
      is_drained(pipeline, in, "is_drained",
                 {.bits = 8, .terms = 2, .reads = {"in_turn", "loop.valid"}}, {1, 0},
                 {matches(last_psn), guarded_by(is_recovering), guarded_by(begins)}),
      is_out_of_turn(pipeline, in, "is_out_of_turn", {.kind = ConditionKind::bit}, {},
                     {matches(last_psn), guarded_by(is_recovering), guarded_by(begins)}) {}

/// Dependencies of loop_num: without an order to keep, the beginning of the recovery resets it.
dataplane::Needs ReactionPoint::make_order(dataplane::Pipeline& pipeline,
                                           const PnpTrpConfig& config) {
  dataplane::Needs needs = {matches(targets_.flow_hash()), guarded_by(is_step_),
                            guarded_by(targets_.is_target())};
  if (recovery_ == Recovery::ordered) {
    order_.emplace(pipeline, config.flow_entries, targets_.flow_hash(), flow_status_,
                   targets_.is_target(), begins_recovery_, is_last_loop_, is_slowed_);
    if (forgets_) needs.push_back(guarded_by(order_->is_drained));
  } else if (forgets_) {
    needs.push_back(guarded_by(begins_recovery_));
  }
  return needs;
}

/// Gates that may send packets around, if they have loops to come.
dataplane::Needs ReactionPoint::make_gates() const {
  dataplane::Needs needs = {matches(loop_num_), guarded_by(is_slowed_)};
  if (order_) needs.push_back(guarded_by(order_->is_out_of_turn));
  return needs;
}

void ReactionPoint::cnp(PassKind auto& pass, bool remote) {
  const auto target = targets_.add(pass, remote);
  if (!target) return;
  ++counts_.cnps;
  const std::size_t index = target->hash % flow_entries_;
  set_time_.run(pass, index, stamp(pass.now()));
  throttle_.run(pass, index);
  const bool step = count_cnp_.run(pass, index);
  if (!is_step_.test(pass, step)) return;
  ++counts_.steps;
  add_loop_.run(pass, index);
}

bool ReactionPoint::data(PassKind auto& pass, bool remote) {
  Packet& p = pass.header();
  Flow flow;
  flow.header = LoopHeader::of(p.metadata);
  flow.psn = in_word(p.psn);
  LoopHeader& header = flow.header;
  const bool looped = is_looped_.test(pass, header.valid);
  if (looped) count_down_.run(pass, [&] { --header.loops; });
  const auto target = targets_.find(pass, remote, looped);
  if (!target) return false;
  flow.target = *target;
  flow.index = target->hash % flow_entries_;
  const bool around = slow(pass, flow);
  if (around) {
    write_header_.run(pass, [&] {
      header.valid = true;
      p.metadata = header.bits();
    });
    if (loop_port_) {
      // By the top bits of the hash: the registers have its low ones.
      const auto share = std::uint64_t{target->hash} * loopback_ports_ >> 32;
      loop_port_->run(pass, [&] { pass.loop_by(static_cast<unsigned>(share)); });
    }
    counts_.looped += looped ? 0 : 1;
    ++counts_.loops;
  } else if (looped) {
    remove_header_.run(pass, [&] { p.metadata = 0; });
  }
  return around;
}

/// The part of Algorithm 1 for data packets; whether this one goes around.
bool ReactionPoint::slow(const PassKind auto& pass, Flow& flow) {
  const bool looped = flow.header.valid;
  look_up_status(pass, flow);
  if (looped && is_last_loop_.test(pass, flow.header.loops)) {
    if (order_) order_->set_psn.run(pass, flow.index, flow.psn);
    return false;
  }
  const bool slowed = recovery_ == Recovery::none
                          ? is_slowed_.test(pass, flow.status)
                          : is_slowed_.test(pass, flow.status, bit(flow.expired));
  if (slowed && order_ && !looped) order_->enter.run(pass, flow.index);
  const bool waits = slowed || (order_ && out_of_turn(pass, flow));
  if (!looped) flow.header.loops = take_loops(pass, flow);
  return waits && has_loops_.test(pass, flow.header.loops);
}

void ReactionPoint::look_up_status(const PassKind auto& pass, Flow& flow) {
  const bool silent = is_silent_.run(pass, flow.index, stamp(pass.now()));
  flow.expired = incoming_only_ ? is_expired_.test(pass, bit(silent), bit(flow.header.valid))
                                : is_expired_.test(pass, silent);
  flow.status = static_cast<Status>(flow.expired ? expire_.run(pass, flow.index)
                                                 : read_status_.run(pass, flow.index));
  flow.begins = flow.expired && begins_recovery_.test(pass, flow.status);
  if (!flow.begins) return;
  ++counts_.recoveries;
  start_over_.run(pass, flow.index);
  if (tell_recovery_) {
    tell_recovery_->run(
        pass, [&] { control_.begin([this, target = flow.target] { look_after(target); }); });
  }
}

/// Whether a packet of a flow that recovers has to wait for the one before.
bool ReactionPoint::out_of_turn(const PassKind auto& pass, Flow& flow) {
  if (!flow.begins && !order_->is_recovering.test(pass, flow.status)) return false;
  const bool in_turn = order_->in_turn.run(pass, flow.index, flow.psn);
  if (in_turn) ++counts_.in_turn;
  flow.drained = order_->is_drained.test(pass, in_turn, flow.header.valid);
  return order_->is_out_of_turn.test(pass, !in_turn);
}

/// A packet that comes in takes the flow's loops. They end with the first that could go straight
/// because nothing of the flow is in the loop any more.
std::uint32_t ReactionPoint::take_loops(const PassKind auto& pass, const Flow& flow) {
  const bool reset = forgets_ && (order_ ? flow.drained : flow.begins);
  const std::uint32_t loops =
      reset ? take_loops_.run(pass, flow.index) : read_loops_.run(pass, flow.index);
  counts_.most_loops = std::max<std::uint64_t>(counts_.most_loops, loops);
  return loops;
}

/// The control plane learned that a flow recovers: it leaves CNP_Store when nothing of it is in the
/// loop, unless a CNP slows it again. Its packets are not looked at from then on, so that the last
/// PSN is not known: when it is slowed again, any is in turn that comes before one has looped.
void ReactionPoint::look_after(const Target& target) {
  constexpr Picoseconds interval = 100_us;
  if (!targets_.stored(target)) return;
  if (is_over(target)) {
    if (order_) order_->last_psn.write(target.hash % flow_entries_, any_psn);
    return targets_.remove(target);
  }
  if (flow_status_.read(target.hash % flow_entries_) != recover) return;
  control_.look_again(interval, [this, target] { look_after(target); });
}

bool ReactionPoint::is_over(const Target& target) {
  const std::size_t index = target.hash % flow_entries_;
  return flow_status_.read(index) == recover && loop_num_.read(index) == 0;
}

/// The state of a flow that was a target to the end is for the next one of its cell to start with.
void ReactionPoint::uninstall(const Connection& connection) {
  const auto target = targets_.uninstall(connection);
  if (!target) return;
  const std::size_t index = target->hash % flow_entries_;
  flow_status_.write(index, normal);
  cnp_num_alpha_.write(index, steps_.initial());
  loop_num_.write(index, 0);
  if (order_) order_->last_psn.write(index, no_psn);
}

void ReactionPoint::go_around(PassKind auto& pass) { around_.request(pass); }

template void ReactionPoint::cnp(Pass&, bool);
template void ReactionPoint::cnp(TrustedPass&, bool);
template bool ReactionPoint::data(Pass&, bool);
template bool ReactionPoint::data(TrustedPass&, bool);
template void ReactionPoint::go_around(Pass&);
template void ReactionPoint::go_around(TrustedPass&);

}  // namespace horae::programs::pnp_trp
