#include "horae/rnic/parts/packet_engine.hpp"

namespace horae::rnic {

PacketEngine::PacketEngine(const EngineConfig& config, EngineCounters& counters)
    : config_(config),
      counters_(counters),
      arrivals_{config.receive, config.read.value_or(config.receive),
                config.message.value_or(config.receive), config.atomic.value_or(config.receive),
                config.ack_receive},
      free_(config.units * (config.pools == EnginePools::apart ? 2u : 1u)),
      contexts_(config.contexts, config.ways) {}

void PacketEngine::add() {
  next_message_.emplace_back();
  received_.emplace_back();
}

Picoseconds PacketEngine::take(EngineWork work, Picoseconds time, std::size_t i, ContextRole role) {
  counters_.busy[static_cast<std::size_t>(work)] += time;
  if (config_.visit == 0_ps || contexts_.use(i, role)) return time;
  ++counters_.visits;
  counters_.busy[static_cast<std::size_t>(EngineWork::visit)] += config_.visit;
  return time + config_.visit;
}

void PacketEngine::send(std::size_t i, bool message, Picoseconds now) {
  const std::size_t unit = unit_of(sending(), i);
  began_ = now;
  free_[unit] = done_ = now + take(EngineWork::send, config_.send, i, ContextRole::requester);
  if (message) next_message_[i] = now + config_.queue_pair;
}

void PacketEngine::respond(std::size_t i, Picoseconds now) {
  if (config_.ack_send == 0_ps) return;
  const std::size_t unit = unit_of(sending(), i);
  began_ = now;
  free_[unit] = done_ =
      now + take(EngineWork::ack_send, config_.ack_send, i, ContextRole::responder);
}

Picoseconds PacketEngine::receive(std::size_t i, Arrival what, Picoseconds now) {
  Picoseconds& free = receiving()[unit_of(receiving(), i)];
  began_ = std::max(now, free);
  counters_.rxb_wait += began_ - now;
  const Picoseconds time = arrivals_[static_cast<std::size_t>(what)];
  free = began_ + (what == Arrival::response
                       ? take(EngineWork::ack_receive, time, i, ContextRole::requester)
                       : take(EngineWork::receive, time, i, ContextRole::responder));
  return done_ = received_[i] = std::max(free, received_[i]);
}

}  // namespace horae::rnic
