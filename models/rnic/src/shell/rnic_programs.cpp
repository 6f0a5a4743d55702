// The host's programs: told of messages, and what they post.
#include "horae/rnic/rnic.hpp"
#include "rnic_events.hpp"

namespace horae::rnic {

void rnic::tell_received(std::size_t i, std::uint64_t messages, Picoseconds now) {
  const QueuePairConfig& config = qps_[i].config();
  if (config.program < 0) [[likely]]
    return notify(config.exchange, messages, now);
  const auto program = static_cast<std::size_t>(config.program);
  programs_[program].received(config.channel, messages, now);
  go_on(program, now);
}

void rnic::go_on(std::size_t program, Picoseconds now) {
  for (const std::uint32_t channel : programs_[program].take_posts())
    notify(programs_.gate(program, channel), 1, now);
  const Picoseconds next = programs_[program].next();
  if (next != never && programs_.plan(program, next))
    schedule(next, program_event, static_cast<std::uint16_t>(program), event_ordinal_++);
}

}  // namespace horae::rnic
