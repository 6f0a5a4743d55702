// Sending times that a sender keeps: exactly, or as much as hardware can afford.
#pragma once

#include <boost/container/deque.hpp>
#include <cstdint>
#include <vector>

#include "horae/core/psn.hpp"
#include "horae/core/units.hpp"

namespace horae::policy {

/// Which send times are kept.
enum class SendTimer {
  packet,      ///< one per packet
  group,       ///< one per 16 PSNs: of the packet of them that was sent last
  connection,  ///< one: when something was acknowledged last, or sent while nothing was under way
};

/// Packets that wait for an acknowledgement, and which of them has waited longest. `earliest` never
/// goes back, as times given never do.
class SendTimes {
 public:
  static constexpr std::uint32_t group_packets = 16;

  /// `window`: PSNs that can wait at once.
  SendTimes(SendTimer kind, std::uint32_t window);

  /// A packet was sent, which did not wait.
  void sent(Psn psn, Picoseconds now);
  /// A packet waits no more.
  void over(Psn psn);
  /// Something was acknowledged.
  void progress(Picoseconds now) { start_ = now; }

  bool any() const { return waiting_ > 0; }
  /// Since when the one that is to be given up first waits; only if any() does.
  Picoseconds earliest() const {
    return kind_ == SendTimer::connection ? start_ : order_.front().time;
  }
  /// The first PSN of those that share this time; the connection's: of no meaning.
  Psn first() const { return order_.front().first; }
  /// How many PSNs may share it.
  std::uint32_t span() const { return kind_ == SendTimer::group ? group_packets : 1; }
  SendTimer kind() const { return kind_; }

 private:
  struct Shared {
    Picoseconds time{};
    std::uint32_t waiting = 0;
  };
  struct Sent {
    Psn first;
    Picoseconds time;
  };
  Psn first_of(Psn psn) const {
    return kind_ == SendTimer::group ? Psn(psn.value() & ~(group_packets - 1)) : psn;
  }
  Shared& shared(Psn psn) { return shared_[psn.value() / span() & mask_]; }
  void forget();

  SendTimer kind_;
  /// A ring over PSNs, or groups of them; no memory before the first one is sent.
  std::vector<Shared> shared_;
  std::uint32_t mask_ = 0;               ///< its size - 1
  boost::container::deque<Sent> order_;  ///< in the order of sending; the first one is up to date
  std::uint32_t waiting_ = 0;
  Picoseconds start_{};
};

}  // namespace horae::policy
