// The receiving half of a queue pair behind an ordering engine.
#pragma once

#include "horae/policy/ordering/ordering.hpp"
#include "horae/policy/transport/ack_coalescer.hpp"
#include "horae/policy/transport/transport.hpp"

namespace horae::policy {

/// Receiver-side agent (Eunomia 3.5.1): an ACK for what arrives in order, a SACK for what is
/// tracked out of order, a NACK for what cannot be tracked, which is dropped. Only in-order ACKs
/// are coalesced. As with every RC responder the next NACK comes only after the expected packet has
/// (IBTA vol. 1, 9.7.5.1.1); the paper does not say. The MSN counts messages that end in a packet
/// which arrives in order, and connections that are completed: no requester of ours reads it.
class OrderedReceiver final : public TransportReceiver {
 public:
  /// `engine` outlives the receiver and is shared by the connections of a NIC.
  OrderedReceiver(OrderingEngine& engine, ConnectionId connection, const TransportConfig& config,
                  Psn first);

  /// A data packet arrived, with what its sender's agent put into its header.
  ReceiveOutcome on_packet(Psn psn, Psn head, bool last, bool ack_request, bool ends_message);
  /// The connection is over: the engine forgets it. What still comes is a duplicate.
  void close();
  /// The engine's answer for it.
  const OrderingAnswer& answer() const { return answer_; }

  ReceiveOutcome on_data(Psn psn, bool ack_request, bool ends_message) override {
    return on_packet(psn, first_, false, ack_request, ends_message);
  }
  Psn expected_psn() const override { return expected_; }
  void nack_suppressed() override { nacked_ = false; }
  /// Its memory is the engine's.
  Bytes memory() const override { return Bytes(0); }

 private:
  OrderingEngine& engine_;
  ConnectionId connection_;
  Psn first_;
  Psn expected_;
  AckCoalescer acks_;
  bool nacked_ = false;
  bool closed_ = false;
  std::uint32_t msn_ = 0;
  OrderingAnswer answer_;
};

}  // namespace horae::policy
