// READ requests of a requester: how many are outstanding, and which of their responses have
// arrived.
#pragma once

#include <boost/container/deque.hpp>
#include <cstdint>
#include <optional>

#include "horae/core/psn.hpp"
#include "horae/policy/transport/transport.hpp"

namespace horae::policy {

/// The requester's view of its READs (IBTA vol. 1, 9.7.5.1.5 and 9.7.5.1.6). A request is one
/// packet and takes as many PSNs as its response has packets. Responses are taken in the order of
/// their PSNs. A response ahead of the next one, or an acknowledgement of a packet behind it, shows
/// that one is missing: the rest is requested once, and again only after progress or a timeout.
class ReadRequests {
 public:
  /// `most`: READs outstanding, 1 or more.
  explicit ReadRequests(std::uint32_t most) : most_(most) {}

  /// A READ that takes the PSNs from `first` on, behind all before.
  void post(Psn first, std::uint32_t responses);
  /// PSNs that the packet `psn`, sent or to be sent, stands for: of a READ those up to its end.
  std::uint32_t span(Psn psn) const;
  /// The packet `psn`, behind all that is posted, waits until no READ before it is outstanding.
  void fence(Psn psn) { fences_.push_back(psn); }
  /// Whether `fresh`, the next packet never sent, is a READ request that has to wait, or fenced.
  bool holds_back(Psn fresh) const {
    if (sent_ > 0 && !fences_.empty() && fences_.front() == fresh) return true;
    return sent_ < requests_.size() && requests_[sent_].first == fresh &&
           (sent_ >= most_ || (sent_ > 0 && psns_ + length(requests_[sent_]) > most_psns));
  }
  /// `fresh` is sent for the first time; returns the span of a request, nothing of another packet.
  std::optional<std::uint32_t> send(Psn fresh);
  /// The packet before `fresh`: of a READ the first of its responses that have not arrived.
  Psn last_packet(Psn fresh) const;
  /// PSNs of outstanding requests beyond one each, as of which `oldest` is unacknowledged: a window
  /// counts requests as packets.
  std::uint32_t beyond_requests(Psn oldest) const;

  /// A response arrived, while PSNs below `fresh` are sent.
  ReadOutcome on_response(Psn psn, Psn fresh);
  /// How far an acknowledgement of everything before `next_expected` reaches: not beyond the first
  /// response that is missing.
  Psn limit(Psn next_expected) const {
    return whole_ < sent_ && next_response_.before(next_expected) ? next_response_ : next_expected;
  }
  /// Something shows that the next response is missing; returns it if it is to be requested now.
  std::optional<Psn> missing();
  /// Everything before `oldest` is acknowledged.
  void acknowledged(Psn oldest);
  /// A timeout: what is missing may be requested again.
  void timed_out() { requested_ = false; }
  void clear();

 private:
  /// PSNs of outstanding READs together, where there are several: far below half of all PSNs.
  static constexpr std::uint32_t most_psns = 1u << (Psn::bits - 2);
  struct Request {
    Psn first, end;
  };
  static std::uint32_t length(const Request& r) {
    return static_cast<std::uint32_t>(r.end - r.first);
  }

  std::uint32_t most_;
  boost::container::deque<Request> requests_;  ///< posted and not acknowledged, oldest first
  boost::container::deque<Psn> fences_;        ///< packets that were never sent, and are fenced
  std::size_t sent_ = 0;                       ///< of them
  std::size_t whole_ = 0;                      ///< of those sent, all responses have arrived
  std::uint32_t psns_ = 0;                     ///< of those sent
  Psn next_response_;                          ///< the first to arrive, if whole_ < sent_
  bool requested_ = false;                     ///< what is missing was requested again
};

}  // namespace horae::policy
