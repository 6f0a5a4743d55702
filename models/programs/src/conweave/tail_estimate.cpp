// TailEstimate: when the TAIL of the old path is to arrive.
#include "destination.hpp"

namespace horae::programs::conweave {
namespace {

/// The value that is there afterwards.
std::uint32_t set_or_read(const PassKind auto& pass, Variable<std::uint32_t>& array,
                          std::uint16_t index, bool sets, std::uint32_t value) {
  if (!sets) return array.read.run(pass, index);
  array.set.run(pass, index, value);
  return value;
}

}  // namespace

TailEstimate::TailEstimate(dataplane::Pipeline& pipeline, const ConweaveConfig& config,
                           const dataplane::Object& flows, const dataplane::Object& old_seen,
                           const dataplane::Gateway& is_timer, const dataplane::Gateway& processes)
    : default_(whole_ticks(config.resume_default)),
      extra_(whole_ticks(config.resume_extra)),
      old_sent_(pipeline, in, "old_sent", per_flow(32, config.flow_entries),
                {matches(flows), guarded_by(processes)}),
      old_arrived_(pipeline, in, "old_arrived", per_flow(32, config.flow_entries),
                   {matches(flows), guarded_by(processes)}),
      has_tail_time_(pipeline, in, "has_tail_time", flags(2, Join::any), {},
                     {guarded_unless(is_timer)}),
      tail_sent_(pipeline, in, "tail_sent", per_flow(32, config.flow_entries),
                 {matches(flows), guarded_by(has_tail_time_), guarded_unless(has_tail_time_)}),
      is_unknown_(pipeline, in, "is_old_unseen", flags(1), {},
                  {matches(old_seen), guarded_by(processes)}),
      // Stamps are 16 bits and turn over: the sign of their difference.
      is_backwards_(pipeline, in, "is_backwards",
                    {.kind = ConditionKind::subtract_sign, .bits = 16}, {},
                    {matches(old_sent_.array), matches(tail_sent_.array)}),
      // The gap with what may be missed, or the default.
      gap_(pipeline, in, "tail_gap", {.instructions = 3, .writes = {"gap"}},
           {uses(old_sent_.array), uses(tail_sent_.array), matches(is_backwards_),
            matches(is_unknown_)}),
      // After the last packet of the old path, or after now; none for a TAIL.
      expected_(pipeline, in, "tail_expected", {.instructions = 3, .writes = {"expected"}},
                {uses(gap_), uses(old_arrived_.array), guarded_by(processes)}) {}

std::uint32_t TailEstimate::of(const PassKind auto& pass, std::uint16_t index, bool old_seen) {
  const Shim shim = Shim::of(pass.header());
  const Stamps stamps = Stamps::of(pass.header());
  const std::uint32_t now = ticks(pass.now());
  const bool is_old = !shim.rerouted;
  const std::uint32_t old_sent = set_or_read(pass, old_sent_, index, is_old, stamps.sent);
  const std::uint32_t old_arrived = set_or_read(pass, old_arrived_, index, is_old, now);
  const bool has_tail = has_tail_time_.test(pass, shim.tail, shim.rerouted);
  const std::uint32_t tail_sent = set_or_read(pass, tail_sent_, index, has_tail, stamps.tail);
  const bool unknown = is_unknown_.test(pass, !old_seen);
  const bool backwards = is_backwards_.test(pass, tail_sent, old_sent);
  std::uint32_t gap = 0, expected = 0;
  gap_.run(pass, [&] {
    gap = unknown ? default_ : extra_ + (backwards ? 0 : (tail_sent - old_sent) & 0xffffu);
  });
  expected_.run(pass, [&] {
    expected = (shim.rerouted && !unknown ? old_arrived : now) + gap;
    if (shim.tail) expected = 0;
  });
  return expected;
}

template std::uint32_t TailEstimate::of(const Pass&, std::uint16_t, bool);
template std::uint32_t TailEstimate::of(const TrustedPass&, std::uint16_t, bool);

}  // namespace horae::programs::conweave
