// Transport of the services that acknowledge nothing: UC and UD (IBTA vol. 1, 9.8).
#pragma once

#include <cstdint>

#include "horae/core/service.hpp"
#include "horae/policy/transport/transport.hpp"

namespace horae::policy {

/// The responder half of a UC or UD queue pair.
///
/// UC (IBTA vol. 1, 9.8.2; as Linux' drivers/infiniband/hw/hfi1/uc.c does it): a packet whose PSN
/// is not the expected one, in either direction, ends the message under way, which is lost. What
/// follows is dropped until a packet begins a message; the expected PSN is that behind the last
/// packet that arrived. A SEND that was lost leaves its receive WQE to the next message that takes
/// one. A message that finds no receive WQE is dropped without a word.
///
/// UD: PSNs are not looked at; each packet is a message.
class UnreliableReceiver final : public TransportReceiver {
 public:
  UnreliableReceiver(Service service, Psn first) : service_(service), expected_(first) {}

  struct Arrival {
    Psn psn;
    Opcode operation;  ///< of the reliable connection: operation_of()
  };
  struct Outcome {
    bool delivered = false;  ///< its payload is written to memory
    bool gap = false;        ///< its PSN is not the expected one, and no gap is known already
    bool broke = false;      ///< a message under way is lost
    bool takes_wqe = false;  ///< it takes a receive WQE
    bool lacks_wqe = false;  ///< it found none: its message is lost
    bool completes = false;  ///< it ends a message, which is whole
    std::int32_t ahead = 0;  ///< PSNs that are missing before it; 0: none
  };
  /// Whether on_packet() of it would take a receive WQE.
  bool wants_receive_wqe(const Arrival& a) const;
  /// A packet arrived; `wqe`: there is a receive WQE for it, if it takes one.
  Outcome on_packet(const Arrival& a, bool wqe);

  /// Not asked of them: ModelError.
  ReceiveOutcome on_data(Psn psn, bool ack_request, bool ends_message) override;
  Psn expected_psn() const override { return expected_; }
  Bytes memory() const override { return Bytes(0); }

 private:
  /// Whether the packet goes on with the message under way.
  bool goes_on(const Arrival& a) const;

  Service service_;
  Psn expected_;
  bool under_way_ = false;  ///< a message has begun, and nothing of it is missing
  bool sends_ = false;      ///< that is a SEND, which holds a receive WQE
  bool wqe_left_ = false;   ///< a SEND that was lost left its receive WQE
  bool lost_ = false;       ///< what comes is dropped until a message begins
};

/// Both halves of UC or UD: its sender sends what is posted, in order and once, and hears of it
/// from its owner, who acknowledges to it what has left.
const TransportEntry& unreliable_transport(Service service);

}  // namespace horae::policy
