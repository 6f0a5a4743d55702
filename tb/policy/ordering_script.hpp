// Packets offered to an ordering engine, told by their distance from a connection's first one.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "horae/policy/ordering/ordering.hpp"

namespace horae::policy {

/// One connection of an engine.
class Arrivals {
 public:
  Arrivals(OrderingEngine& engine, ConnectionId connection, Psn first = Psn(0))
      : engine_(engine), connection_(connection), first_(first) {}

  OrderingAnswer offer(std::int32_t at, bool last = false) {
    return engine_.on_packet(
        {.connection = connection_, .psn = first_ + at, .head = first_, .last = last});
  }
  /// All of them, and what the last one brought.
  OrderingAnswer offer(std::initializer_list<std::int32_t> all) {
    OrderingAnswer answer;
    for (const std::int32_t at : all) answer = offer(at);
    return answer;
  }
  OrderingAnswer offer_run(std::int32_t from, std::int32_t to) {
    OrderingAnswer answer;
    for (std::int32_t at = from; at < to; ++at) answer = offer(at);
    return answer;
  }
  /// The expected packet of an answer, from the first one.
  std::int32_t expected(const OrderingAnswer& answer) const { return answer.expected - first_; }
  void close() { engine_.close(connection_); }

 private:
  OrderingEngine& engine_;
  ConnectionId connection_;
  Psn first_;
};

}  // namespace horae::policy
