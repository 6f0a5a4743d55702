#include "horae/rnic/message_exchange.hpp"

#include <algorithm>

namespace horae::rnic {

void MessageExchange::add(std::uint16_t i, const QueuePairConfig& config) {
  const int last = std::max(config.exchange, config.completes);
  if (last >= static_cast<int>(exchanges_.size())) {
    exchanges_.resize(static_cast<std::size_t>(last) + 1);
  }
  if (config.exchange < 0 || !config.source) return;
  exchanges_[static_cast<std::size_t>(config.exchange)].waits.push_back(i);
}

}  // namespace horae::rnic
