#include "horae/rnic/parts/message_exchange.hpp"

#include <algorithm>

namespace horae::rnic {

void MessageExchange::add(std::uint16_t i, const QueuePairConfig& config) {
  const int last = std::max(config.exchange, config.completes);
  if (last >= static_cast<int>(exchanges_.size())) {
    exchanges_.resize(static_cast<std::size_t>(last) + 1);
  }
  if (config.exchange < 0 || !config.source) return;
  Exchange& exchange = exchanges_[static_cast<std::size_t>(config.exchange)];
  exchange.waits.push_back(i);
  exchange.visit = config.visit;
}

std::span<const std::uint16_t> MessageExchange::turns_of(Exchange& exchange) {
  turn_.clear();
  for (; (exchange.turns + 1) * exchange.visit <= exchange.received; ++exchange.turns)
    turn_.push_back(exchange.waits[exchange.turns % exchange.waits.size()]);
  return turn_;
}

}  // namespace horae::rnic
