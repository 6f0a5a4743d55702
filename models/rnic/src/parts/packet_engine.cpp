#include "horae/rnic/parts/packet_engine.hpp"

namespace horae::rnic {

PacketEngine::PacketEngine(const EngineConfig& config, EngineCounters& counters)
    : config_(config),
      counters_(counters),
      times_{config.send, config.receive, config.ack_send, config.ack_receive, config.visit},
      free_(config.units * (config.pools == EnginePools::apart ? 2u : 1u)),
      contexts_(config.contexts, config.ways) {}

void PacketEngine::add() {
  next_message_.emplace_back();
  received_.emplace_back();
}

Picoseconds PacketEngine::time_of(EngineWork work, std::size_t i, ContextRole role) {
  const auto count = [this](EngineWork w) {
    const Picoseconds time = times_[static_cast<std::size_t>(w)];
    counters_.busy[static_cast<std::size_t>(w)] += time;
    return time;
  };
  const Picoseconds time = count(work);
  if (config_.visit == 0_ps || contexts_.use(i, role)) return time;
  ++counters_.visits;
  return time + count(EngineWork::visit);
}

void PacketEngine::send(std::size_t i, bool message, Picoseconds now) {
  const std::size_t unit = unit_of(sending(), i);
  began_ = now;
  free_[unit] = done_ = now + time_of(EngineWork::send, i, ContextRole::requester);
  if (message) next_message_[i] = now + config_.queue_pair;
}

void PacketEngine::respond(std::size_t i, Picoseconds now) {
  if (config_.ack_send == 0_ps) return;
  const std::size_t unit = unit_of(sending(), i);
  began_ = now;
  free_[unit] = done_ = now + time_of(EngineWork::ack_send, i, ContextRole::responder);
}

Picoseconds PacketEngine::receive(std::size_t i, bool response, Picoseconds now) {
  Picoseconds& free = receiving()[unit_of(receiving(), i)];
  began_ = std::max(now, free);
  counters_.rxb_wait += began_ - now;
  free = began_ + (response ? time_of(EngineWork::ack_receive, i, ContextRole::requester)
                            : time_of(EngineWork::receive, i, ContextRole::responder));
  return done_ = received_[i] = std::max(free, received_[i]);
}

}  // namespace horae::rnic
