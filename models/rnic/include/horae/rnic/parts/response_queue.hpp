// Responses that wait for the wire. No SystemC.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>

#include "horae/core/telemetry.hpp"
#include "horae/core/units.hpp"
#include "horae/policy/transport/transport.hpp"

namespace horae::rnic {

enum class ResponseKind : std::uint8_t {
  acknowledge,  ///< ACK, NACK or SACK
  cnp,
  pull,     ///< a grant
  segment,  ///< of a TCP handshake: Handshakes has it
};

/// An ACK, NACK, SACK, CNP, pull or TCP segment that was decided.
struct PendingResponse {
  static constexpr std::uint8_t no_port = 255;

  Picoseconds ready;  ///< may go on the wire from then on
  std::uint16_t qp;
  ResponseKind kind = ResponseKind::acknowledge;
  /// By which its packet came in, of an acknowledgement or a CNP; others have none.
  std::uint8_t port = no_port;
  policy::Response response;  ///< of an acknowledgement; of a pull `msn` is what it grants
};

/// The responder's queue. There is one response engine: what is decided later does not overtake.
class ResponseQueue {
 public:
  /// Times from the decision until an ACK or SACK, and a NACK, is ready; a CNP is ready at once.
  ResponseQueue(Picoseconds ack_delay, Picoseconds nack_delay)
      : ack_delay_(ack_delay), nack_delay_(nack_delay) {}

  void push(std::uint16_t qp, std::uint16_t port, bool cnp, const policy::Response& response,
            Picoseconds now) {
    Picoseconds ready = now + (cnp ? 0_ps : response.nack ? nack_delay_ : ack_delay_);
    if (!queue_.empty()) ready = std::max(ready, queue_.back().ready);
    queue_.push_back({ready, qp, cnp ? ResponseKind::cnp : ResponseKind::acknowledge,
                      static_cast<std::uint8_t>(port), response});
  }
  /// A TCP segment, ready at once.
  void push_segment(std::uint16_t qp, Picoseconds now) {
    const Picoseconds ready = queue_.empty() ? now : std::max(now, queue_.back().ready);
    queue_.push_back({ready, qp, ResponseKind::segment, PendingResponse::no_port, {}});
  }
  /// A pull, likewise.
  void push_pull(std::uint16_t qp, std::uint32_t granted, Picoseconds now) {
    const Picoseconds ready = queue_.empty() ? now : std::max(now, queue_.back().ready);
    policy::Response grant;
    grant.msn = granted;
    queue_.push_back({ready, qp, ResponseKind::pull, PendingResponse::no_port, grant});
  }
  bool empty() const { return queue_.empty(); }
  std::size_t size() const { return queue_.size(); }
  /// When the next one is ready; only if there is one.
  Picoseconds next_ready() const { return queue_.front().ready; }
  /// The next one; only if there is one.
  const PendingResponse& front() const { return queue_.front(); }
  PendingResponse pop() {
    const PendingResponse first = queue_.front();
    queue_.pop_front();
    return first;
  }

  // Where data brings feedback: of each acknowledgement, in their order.
  void push_echo(const Feedback& echo) { echoes_.push_back(echo); }
  Feedback pop_echo() {
    const Feedback first = echoes_.front();
    echoes_.pop_front();
    return first;
  }

 private:
  Picoseconds ack_delay_, nack_delay_;
  std::deque<PendingResponse> queue_;  ///< in the order of their readiness
  std::deque<Feedback> echoes_;
};

}  // namespace horae::rnic
