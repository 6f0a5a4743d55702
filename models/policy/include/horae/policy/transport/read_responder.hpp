// The responder's stream for READs: their responses, in order, and again on request.
#pragma once

#include <boost/container/deque.hpp>
#include <cstdint>
#include <optional>

#include "horae/policy/transport/windowed_sender.hpp"

namespace horae::policy {

/// The responder's half that sends. It numbers response packets one after the other, from the
/// connection's first PSN on, without the PSNs of what is no READ; `on_wire()` has the PSN of each.
/// It keeps so many READs as its requester may have outstanding, and sends responses of those again
/// when their request comes again (IBTA vol. 1, 9.7.5.1.2: duplicate requests). No window and no
/// timer: the requester has them.
class ReadResponder final : public WindowedSender {
 public:
  /// `keep`: READs, 1 or more.
  ReadResponder(std::uint32_t keep, Psn first);

  /// The next READ was accepted: so many responses from `psn` on, with this MSN. They acknowledge
  /// what is held.
  void accept(Psn psn, std::uint32_t responses, std::uint32_t msn, Picoseconds now);
  /// A READ that was accepted came again, for so many responses from `psn` on. False: nothing is
  /// to be sent for it, as they are still to be sent, or as it is not kept any more.
  bool again(Psn psn, std::uint32_t responses);
  /// Whether the response with that PSN is kept and was sent.
  bool sent(Psn psn) const;

  /// An acknowledgement of what is no READ, and the port that it goes back by. Responses leave in
  /// the order of their PSNs (IBTA vol. 1, 9.7.5.1.1), so it waits while READ responses are to be
  /// sent.
  struct Held {
    Response response;
    std::uint16_t port = 0;
  };
  /// Keeps it if it has to wait, in the place of an earlier one, which it contains.
  bool holds(const Response& response, std::uint16_t port) {
    if (!can_send() && coming_ == 0) return false;
    held_ = {response, port};
    return true;
  }
  /// A request was accepted whose response is not known yet: accept() follows.
  void awaits() { ++coming_; }
  void known() { --coming_; }
  /// Returns it once nothing is left to send.
  std::optional<Held> release() {
    if (!held_ || can_send() || coming_ > 0) return std::nullopt;
    return std::exchange(held_, std::nullopt);
  }

  /// The PSN and MSN of a response that is kept, by its number.
  struct OnWire {
    Psn psn;
    std::uint32_t msn = 0;
    bool restarts = false;  ///< the first of those sent again
  };
  OnWire on_wire(Psn number) const;
  /// The number of the first response that is kept.
  Psn first_kept() const { return oldest_; }

  void retransmit(Psn /*expected_psn*/, Picoseconds /*now*/) override {}

 private:
  struct Read {
    Psn number;  ///< of its first response
    Psn psn;     ///< of that on the wire
    std::uint32_t responses;
    std::uint32_t msn;
  };
  /// Null: it is in none of them.
  const Read* find(Psn psn) const;

  std::uint32_t keep_;
  std::uint32_t coming_ = 0;             ///< responses that are not known yet
  boost::container::deque<Read> reads_;  ///< oldest first
  std::optional<Held> held_;
  std::optional<Psn> restart_;  ///< the first of those sent again last
};

}  // namespace horae::policy
