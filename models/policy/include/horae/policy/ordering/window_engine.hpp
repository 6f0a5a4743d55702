// Engines that give every connection the same memory, whether it reorders or not.
#pragma once

#include "horae/policy/ordering/circular_bitmap.hpp"
#include "horae/policy/ordering/connection_table.hpp"
#include "horae/policy/ordering/last_packet.hpp"
#include "horae/policy/ordering/ordering.hpp"

namespace horae::policy {

/// Answers a packet that is `ahead` of the expected one, if that is not within `window` packets:
/// it had arrived, or is beyond reach. Whether it did.
inline bool answer_outside(OrderingAnswer& answer, std::int32_t ahead, std::int32_t window) {
  if (ahead >= 0 && ahead < window) return false;
  answer.tracking = ahead < 0 ? Tracking::duplicate : Tracking::rejected;
  if (ahead >= window) answer.rejection = Rejection::reach;
  return true;
}

/// A circular bitmap per open connection: tracks packets less than `window` ahead of the expected
/// one and rejects others. OrderingOps counts 64-bit words of the bitmap.
class WindowEngine final : public OrderingEngine {
 public:
  /// Cost of an open connection: bits of packets, and the rest.
  struct Cost {
    Bytes bitmap{};
    Bytes fixed{};
  };

  /// `window` in packets, above zero.
  WindowEngine(std::uint32_t window, Cost cost) : window_(window), cost_(cost) {}

  OrderingAnswer on_packet(const OrderingPacket& packet) override;
  void close(ConnectionId connection) override;
  OrderingMemory memory() const override {
    return {.fixed = open_ * cost_.fixed, .bitmap = open_ * cost_.bitmap, .metadata = {}};
  }
  Bytes provided(std::uint32_t connections) const override {
    return std::int64_t{connections} * (cost_.fixed + cost_.bitmap);
  }

 private:
  struct Connection {
    bool open = false;
    Psn head;
    LastPacket last;
    CircularBitmap bitmap;
  };

  std::uint32_t window_;
  Cost cost_;
  std::int64_t open_ = 0;
  ConnectionTable<Connection> connections_;
};

}  // namespace horae::policy
