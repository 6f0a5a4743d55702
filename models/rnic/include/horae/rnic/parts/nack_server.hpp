// How a NIC serves NACKs, without a clock: which is in service, which waits, what stalls. No
// SystemC.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "horae/policy/retransmit/retransmit.hpp"
#include "horae/rnic/parts/queue_pair.hpp"

namespace horae::rnic {

/// A NACK in service.
struct NackService {
  std::uint16_t qp = 0;
  Psn psn;
  Picoseconds start{};
  std::uint32_t reads_left = 0;  ///< dependent reads of contexts and WQEs
  bool payload_left = false;     ///< payload is to be read
  bool resend = true;            ///< sends what it names again; else only takes its time
  bool active = false;
  bool recorded = false;  ///< by the timeline
};

/// Turns the rules of the retransmit policies into decisions about NACKs; the device turns those
/// into reads and events. Queue pairs are numbered from 0, services by slots. The part of their
/// state that belongs to recovery is in QueuePair. Times never decrease.
class NackServer {
 public:
  /// `window`: PSNs that a sender still knows behind the oldest one unacknowledged. `host`: whether
  /// contexts and payload are read from host memory. `rules` is kept alive by the caller.
  NackServer(const policy::RetransmitUnit& rules, std::uint32_t window, bool host)
      : rules_(rules), window_(static_cast<std::int32_t>(window)), host_(host) {}

  void add(QueuePair& qp) { qps_.push_back(&qp); }

  /// Fate of a NACK.
  enum class Fate : std::uint8_t {
    served,  ///< now: begin() is next
    waits,   ///< until next() gives it back
    merged,  ///< never, or in the place of one that waits
  };
  /// A NACK of queue pair `i` for `psn` takes effect.
  Fate take(std::size_t i, Psn psn, Picoseconds now);

  struct Start {
    bool asks = false;                  ///< for something sent and unacknowledged; else it is stale
    std::optional<std::uint16_t> slot;  ///< none: it is skipped, next() is next
  };
  /// Its service begins. A stale one is skipped, or served blindly where every NACK is.
  Start begin(std::size_t i, Psn psn, Picoseconds now);
  /// One that has begun; the reference lasts until the next begin().
  NackService& service(std::size_t slot) { return services_[slot]; }
  const NackService& service(std::size_t slot) const { return services_[slot]; }

  /// Next wait of a service.
  enum class Step : std::uint8_t {
    context_read,  ///< one read of a context or WQE
    payload_read,  ///< one packet's payload
    two_payloads,  ///< that of the packet it names and of the last one sent, at once
    done,          ///< nothing: end() is next
  };
  Step step(std::size_t slot);

  struct End {
    NackService service;
    bool resend = false;   ///< the sender is to retransmit; then hold(), and rest() if `rests`
    bool rests = false;    ///< the next one waits until what was fetched has left
    unsigned packets = 0;  ///< number of packets
  };
  End end(std::size_t slot);
  /// After the sender was told to retransmit. Whether new data of queue pair `i` is held from now
  /// on: then guard_expired() is to be asked hold_guard() later.
  bool hold(std::size_t i, Picoseconds now);
  /// Nothing is served before `until`: then ask next().
  void rest(Picoseconds until) { rest_until_ = until; }

  struct Nack {
    std::uint16_t qp;
    Psn psn;
  };
  /// The one that waits and is to begin now, after something of queue pair `i` has changed.
  std::optional<Nack> next(std::size_t i, Picoseconds now);

  /// Whether a service stalls the port.
  bool stalls_port() const { return port_stalls_ > 0; }
  /// More of `qp` is acknowledged: closes its gap. Whether its hold is over: then release().
  static bool acknowledged(QueuePair& qp) {
    const auto reached = [&](const std::optional<Psn>& end) {
      return end && !qp.sender().oldest_unacked().before(*end);
    };
    if (reached(qp.gap_until)) qp.gap_until.reset();
    return reached(qp.hold_until);
  }
  /// New data is not held any more; next() is next.
  static void release(QueuePair& qp) { qp.hold_until.reset(); }
  /// Whether a NACK has waited for the hold of queue pair `i` so long that it is to be released.
  bool guard_expired(std::size_t i, Picoseconds now) const;

 private:
  /// Whether NACKs of the queue pair wait for its handshake.
  bool guarded(const QueuePair& qp, Picoseconds now) const {
    return qp.hold_until && now - qp.hold_start < rules_.hold_guard();
  }
  /// Whether a NACK of the queue pair is in service.
  bool serves(const QueuePair& qp) const {
    return qp.in_service > 0 || (rules_.until_sent() && qp.sender().retransmission_due());
  }
  /// Whether a PSN is so little acknowledged that it may be sent again.
  bool known(const QueuePair& qp, Psn psn) const {
    return qp.sender().oldest_unacked() - psn < window_;
  }
  bool busy(const QueuePair& qp, Picoseconds now) const;

  const policy::RetransmitUnit& rules_;
  std::int32_t window_;
  bool host_;
  std::vector<QueuePair*> qps_;
  std::vector<NackService> services_;  ///< slots
  std::deque<Nack> queue_;             ///< for the one server of the NIC
  std::uint32_t busy_services_ = 0;
  Picoseconds rest_until_{};       ///< the NIC's one server waits for what it fetched to leave
  std::uint32_t port_stalls_ = 0;  ///< services that stall the port
};

}  // namespace horae::rnic
