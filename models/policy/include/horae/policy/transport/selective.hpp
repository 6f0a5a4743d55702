// Transports that know of each packet whether it has arrived: what they tell beyond a cumulative
// acknowledgement.
#pragma once

#include <span>

#include "horae/core/codec/selective_report.hpp"
#include "horae/policy/transport/transport.hpp"

namespace horae::policy {

/// Result of an acknowledgement with a report at the sender.
struct SelectiveOutcome {
  AckOutcome ack;
  Bytes delivered{};  ///< payload of packets that are now known to have arrived
  Bytes lost{};       ///< payload of the packet that was trimmed, if it was in flight
};

/// A packet is in flight from when it is sent until it is reported, trimmed or timed out, and again
/// when it is sent again.
class SelectiveSender : public TransportSender {
 public:
  SelectiveSender* selective() final { return this; }
  /// Tells that the packet of the last next() went on the wire with so much payload.
  virtual void on_sent(Psn psn, Bytes payload) = 0;
  /// An acknowledgement of everything before `expected` arrived, with its report. A packet that was
  /// trimmed is sent again after retransmit() only, or when its timer runs out.
  virtual SelectiveOutcome on_report(Psn expected, const SelectiveReport& report,
                                     Picoseconds now) = 0;
  /// Payload in flight.
  virtual Bytes in_flight() const = 0;
  /// Payload that is to be sent again.
  virtual Bytes waiting_again() const = 0;
  /// The packets that the last on_timeout() gave up: valid until the next one.
  virtual std::span<const Psn> given_up() const = 0;
};

/// A data packet as its receiver sees it.
struct Arrival {
  Psn psn;
  bool ack_request = false;
  bool ends_message = false;
  bool marked = false;   ///< it had CE
  bool trimmed = false;  ///< it came without its payload
};

class SelectiveReceiver : public TransportReceiver {
 public:
  SelectiveReceiver* selective() final { return this; }
  virtual ReceiveOutcome on_arrival(const Arrival& arrival) = 0;
  /// Report of the response that was just decided.
  virtual const SelectiveReport& report() const = 0;

  ReceiveOutcome on_data(Psn psn, bool ack_request, bool ends_message) final {
    return on_arrival({.psn = psn, .ack_request = ack_request, .ends_message = ends_message});
  }
};

}  // namespace horae::policy
