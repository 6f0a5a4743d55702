// Eunomia's ordering layer: the packet driver in front of bitmap and memory controller (Eunomia 4,
// Figure 8).
#pragma once

#include "horae/policy/ordering/connection_table.hpp"
#include "horae/policy/ordering/hd_bitmap.hpp"
#include "horae/policy/ordering/memory_controller.hpp"
#include "horae/policy/ordering/ordering.hpp"

namespace horae::policy {

/// The engine `eunomia`. A connection that never reorders has no more than the driver's state; its
/// first packet out of order gives it a bitmap, which it keeps until everything up to its last
/// packet has arrived, or it is closed.
class EunomiaEngine final : public OrderingEngine {
 public:
  /// The packet driver's state of a connection.
  struct Connection {
    bool known = false;
    bool conn_module_valid = false;  ///< has a bitmap
    Psn expected;                    ///< the transport's: first missing PSN
  };

  /// Reads BitmapReach and EunomiaMemorySizes.
  explicit EunomiaEngine(const PolicyParameters& parameters);
  EunomiaEngine(const EunomiaEngine&) = delete;
  EunomiaEngine& operator=(const EunomiaEngine&) = delete;

  OrderingAnswer on_packet(const OrderingPacket& packet) override;
  void close(ConnectionId connection) override;
  /// Fixed: the address of the metadata (DBA) of every open connection, 4 B. Metadata: theirs and
  /// their row of the index.
  OrderingMemory memory() const override;
  /// All of the master array with its allocation bitmap, the index, and the DBAs.
  Bytes provided(std::uint32_t connections) const override;

  /// The state, for comparison with other models of it.
  const MemoryController& controller() const { return memory_; }
  Connection connection(ConnectionId id) const;
  /// The bitmap's state of a connection that has one (conn_module_valid).
  HdState bitmap(ConnectionId id) const;

 private:
  OrderingAnswer decide(const OrderingPacket& packet);

  MemoryController memory_;
  HdBitmap bitmap_;
  ConnectionTable<Connection> connections_;
  std::int64_t known_ = 0;
};

}  // namespace horae::policy
