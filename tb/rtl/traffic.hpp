// Random requests to an ordering engine as a network with loss, reordering and duplicates makes
// them: senders with a window of packets that are sent again until they are received.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "horae/core/random.hpp"
#include "horae/policy/ordering/ordering.hpp"

namespace horae::tb {

class OrderingTraffic {
 public:
  /// `reach`: most packets of a connection under way; beyond what a bitmap covers, some.
  OrderingTraffic(std::uint64_t seed, std::uint32_t connections, std::uint32_t reach)
      : random_(seed, "tb.ordering_traffic"), senders_(connections), reach_(reach) {
    for (auto& s : senders_) start(s);
  }

  /// The next request: a packet, or nothing and `closed` is the connection that ends.
  std::optional<policy::OrderingPacket> next(std::uint32_t& closed) {
    const std::uint32_t c = random_.below(static_cast<std::uint32_t>(senders_.size()));
    Sender& s = senders_[c];
    if (random_.below(200) == 0) {
      start(s);
      closed = c;
      return std::nullopt;
    }
    // Mostly the packet that is missing, or one soon after it; sometimes far away or long gone.
    // While the missing one is late, those behind it come in their order.
    std::int32_t ahead = 0;
    if (s.late == 0 && random_.below(64) == 0) s.late = random_.below(2 * reach_);
    if (s.late > 0 && random_.below(8) != 0) {
      --s.late;
      ahead = s.late == 0 ? 0 : static_cast<std::int32_t>(++s.behind);
      return make(c, s.expected + ahead);
    }
    switch (random_.below(16)) {
      case 0:
        ahead = static_cast<std::int32_t>(random_.below(reach_));
        break;
      case 1:
        ahead = -1 - static_cast<std::int32_t>(random_.below(8));
        break;
      case 2:
        ahead = static_cast<std::int32_t>(random_.below(1u << 24)) - (1 << 23);
        break;
      case 3:
      case 4:
      case 5:
      case 6:
        ahead = static_cast<std::int32_t>(random_.below(s.spread));
        break;
      default:
        ahead = static_cast<std::int32_t>(random_.below(4)) / 3;
        break;
    }
    return make(c, s.expected + ahead);
  }

  /// Takes the answer to the last packet.
  void answered(std::uint32_t connection, const policy::OrderingAnswer& answer) {
    Sender& s = senders_[connection];
    if (s.expected != answer.expected) s.behind = 0;
    s.expected = answer.expected;
    // The next message begins where this one ended.
    if (answer.completed) {
      s.last = s.expected + static_cast<std::int32_t>(random_.below(4 * reach_));
      s.spread = 1 + random_.below(reach_);
    }
  }

 private:
  struct Sender {
    Psn head;
    Psn expected;
    Psn last;
    std::uint32_t spread = 1;  // how far ahead packets are, usually
    std::uint32_t late = 0;    // packets until the missing one comes
    std::uint32_t behind = 0;  // how many came meanwhile
  };

  policy::OrderingPacket make(std::uint32_t connection, Psn psn) {
    const Sender& s = senders_[connection];
    // Now and then a last packet where none should be.
    const bool last = psn == s.last || random_.below(400) == 0;
    return {.connection = connection, .psn = psn, .head = s.head, .last = last};
  }

  void start(Sender& s) {
    s.head = Psn(random_.bits());
    if (random_.below(4) == 0) s.head = Psn(0) - static_cast<std::int32_t>(random_.below(64));
    s.expected = s.head;
    s.late = 0;
    s.behind = 0;
    s.last = s.head + static_cast<std::int32_t>(random_.below(4 * reach_));
    s.spread = 1 + random_.below(reach_);
  }

  RandomStream random_;
  std::vector<Sender> senders_;
  std::uint32_t reach_;
};

}  // namespace horae::tb
