// Queue pairs that wait for each other's messages. No SystemC.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "horae/rnic/parts/queue_pair.hpp"

namespace horae::rnic {

/// The exchanges of one NIC (QueuePairConfig::exchange): how many messages each has received, and
/// which queue pairs post more when there are more of them. Where they are visited in turn
/// (QueuePairConfig::visit) only those whose turn comes post more.
class MessageExchange {
 public:
  /// Queue pair `i` of the NIC takes part as its configuration says.
  void add(std::uint16_t i, const QueuePairConfig& config);

  /// Messages received so far by exchange `number`; 0 for no exchange (-1).
  std::uint64_t received(int number) const {
    return number < 0 ? 0 : exchanges_[static_cast<std::size_t>(number)].received;
  }
  /// `messages` more have arrived, or are completed. Returns the queue pairs that may have waited
  /// for them, in the order in which they were added or have their turns; until the next call.
  std::span<const std::uint16_t> count(int number, std::uint64_t messages) {
    Exchange& exchange = exchanges_[static_cast<std::size_t>(number)];
    exchange.received += messages;
    return exchange.visit == 0 ? exchange.waits : turns_of(exchange);
  }
  /// All that may wait for messages of exchange `number`.
  std::span<const std::uint16_t> waiting(int number) const {
    return exchanges_[static_cast<std::size_t>(number)].waits;
  }

 private:
  struct Exchange {
    std::uint64_t received = 0;        ///< messages
    std::vector<std::uint16_t> waits;  ///< queue pairs with a source
    std::uint32_t visit = 0;           ///< messages of a turn; 0: they take none
    std::uint64_t turns = 0;           ///< that came after the first round
  };
  std::span<const std::uint16_t> turns_of(Exchange& exchange);

  std::vector<std::uint16_t> turn_;  ///< those of the last call
  std::vector<Exchange> exchanges_;
};

}  // namespace horae::rnic
