// The transport seam: what a queue pair's sender and receiver decide, without a clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "horae/core/header_extension.hpp"
#include "horae/core/psn.hpp"
#include "horae/core/units.hpp"
#include "horae/params/located.hpp"
#include "horae/policy/parameters.hpp"

namespace horae::policy {

/// Packets that are sent again after a timeout.
enum class TimeoutResend {
  window,  ///< everything not acknowledged, from the oldest on (IBTA vol. 1, 9.7.5.2.4 retry)
  oldest,  ///< the oldest unacknowledged packet only
};

/// Which operations may pass others on the way to memory, by the names that NICs' firmware has
/// (mlx5_ifc.h: dp_ordering of a queue pair; RDMA writes and reads, or all, out of order).
enum class DpOrdering : std::uint8_t {
  ibta,    ///< the wire keeps the order: nothing waits at the requester
  ooo_rw,  ///< WRITEs and READs may pass each other: what others are told by waits at the requester
};

struct TransportEntry;
struct StateField;
class SelectiveSender;
class SelectiveReceiver;

/// Parameters of a queue pair's reliability. Those of all transports are keys of one table.
struct TransportConfig {
  /// A window that holds nothing back: a sender keeps what it completed as far behind.
  static constexpr std::uint32_t no_window = (1u << (Psn::bits - 2)) - 1;

  /// PSNs between the oldest unacknowledged and the newest sent; a READ request counts as one.
  std::uint32_t window = 512;
  std::uint32_t ack_every = 32;  ///< receiver: in-order packets per coalesced ACK
  std::uint32_t ack_request_every =
      256;                 ///< sender: AckReq on every n-th PSN; 0: none but the protocol's own
  Picoseconds rto = 4_ms;  ///< retransmission timeout; `never`: none
  TimeoutResend timeout_resend = TimeoutResend::window;
  // The timer of IBTA vol. 1, 9.7.6.1.3, in the place of `rto`. Absent: `rto`.
  std::optional<std::uint32_t> ack_timeout{};         ///< exponent; 0: no timer
  std::optional<std::uint32_t> ack_timeout_floor{};   ///< least exponent in effect; absent: none
  std::optional<std::uint32_t> ack_timeout_factor{};  ///< of the interval; absent: 1
  /// So many timeouts in a row have shorter intervals before the whole one: each half of the next.
  std::optional<std::uint32_t> ack_timeout_ramp{};
  /// The first of the adaptive intervals, which come before and are not counted as retries; each
  /// is twice the one before. Absent: there are none.
  std::optional<Picoseconds> adaptive_timeout{};
  std::optional<Picoseconds> adaptive_limit{};  ///< most of them; absent: half the whole interval
  /// Counted timeouts in a row that are answered by a resend; one more ends the queue pair. Absent:
  /// any number.
  std::optional<std::uint32_t> retry_count{};
  /// The whole interval of the retransmission timer.
  Picoseconds timeout() const;
  /// Whether intervals differ from each other.
  bool timeout_varies() const {
    return ack_timeout && (adaptive_timeout || ack_timeout_ramp.value_or(0) > 0);
  }
  /// Receiver: the time after a NACK from which a packet out of order brings another one for the
  /// same expected PSN. Absent: the next NACK comes only after the expected packet has arrived.
  std::optional<Picoseconds> nack_again{};
  /// READs of a queue pair that are outstanding at most as requester, and known as responder.
  /// Absent: 16.
  std::optional<std::uint32_t> rd_atomic{};
  std::uint32_t most_reads() const { return rd_atomic.value_or(16); }
  /// As responder: the code of the time that its RNR NAKs ask for (horae::rnr_time). Absent: 12.
  std::optional<std::uint32_t> min_rnr_timer{};
  /// As requester: RNR NAKs in a row for one packet that are answered by a resend; one more ends
  /// the queue pair. 7: any number. Absent: 7.
  std::optional<std::uint32_t> rnr_retry{};
  static constexpr std::uint32_t rnr_without_end = 7;
  std::uint32_t rnr_timer() const { return min_rnr_timer.value_or(12); }
  std::uint32_t rnr_retries() const { return rnr_retry.value_or(rnr_without_end); }
  /// Operations of a queue pair that may pass each other. Absent: ibta.
  std::optional<DpOrdering> dp_ordering{};
  /// The last packet of a message waits until all before it is acknowledged: how the sender of an
  /// ordering layer keeps a WRITE's flag from being seen early (Eunomia 3.5.2). Not a parameter of
  /// the transport: set by whoever has such a layer.
  bool hold_last = false;
  /// A NACK says that packets were refused, and not which: behind an ordering layer, which sends
  /// SACKs for those it kept. Set likewise.
  bool nacks_refuse = false;
  /// A receiver answers the last packet of a message only where that asks, as where a sender asks
  /// for one acknowledgement of several messages. Set likewise.
  bool ends_ask = true;
  /// Parameters of single transports.
  PolicyParameters parameters{};

  static const Schema<TransportConfig>& schema();
  /// The keys when these are the transports.
  static Schema<TransportConfig> schema_with(const std::vector<TransportEntry>& registry);
};

/// InputError in one line when the ACK timeout or retries are of a transport that has none.
void check_timeouts(const TransportEntry& transport, const TransportConfig& config);

/// Work of the hardware for a decision.
struct TransportOps {
  std::uint32_t bitmap_words = 0;  ///< 64-bit words of the reorder bitmap read or written
};

/// Why a packet is on the wire.
enum class SendKind : std::uint8_t {
  fresh,     ///< for the first time
  expected,  ///< retransmission of the PSN a NACK asked for
  last,      ///< retransmission of the last packet sent, which goes with it (RNIC-SR)
  rewind,    ///< retransmission after going back to a NACKed PSN (go-back-N), or of a hole (IRN)
  timeout,   ///< retransmission after a timeout
  trimmed,   ///< retransmission of a packet whose payload a switch cut off
  count_
};
inline constexpr std::size_t send_kinds = static_cast<std::size_t>(SendKind::count_);

/// The next packet a sender wants on the wire.
struct Transmission {
  Psn psn;
  SendKind kind = SendKind::fresh;
  bool ack_request = false;  ///< ask for an acknowledgement; message ends ask anyway, and so does
                             ///< what closes the window or ends a resend
};

/// Outcome of an ACK or NACK at the sender.
struct AckOutcome {
  std::uint32_t newly_acked = 0;  ///< PSNs by which the cumulative acknowledgement advanced
  bool served = false;            ///< a NACK made it retransmit something
  std::optional<Psn> missing{};   ///< it shows that READ responses from there on are missing
};

struct ReadOutcome;

/// The requester half of a queue pair. PSNs are posted in order; the owner turns a PSN into a
/// packet. All times are the owner's local time, passed in; none is ever asked for.
class TransportSender {
 public:
  virtual ~TransportSender() = default;

  /// `packets` more PSNs may be sent.
  virtual void post(std::uint32_t packets) = 0;
  /// One more packet may be sent, a READ request; it takes a PSN for each of its responses. Only of
  /// transports that have READs (TransportEntry::reads), as on_response().
  virtual void post_read(std::uint32_t responses);
  /// The message posted next waits until all READs and atomics before it are answered (IBTA vol. 1,
  /// 10.8.3.3: fence indicator). Of a transport without READs nothing is waited for.
  virtual void fence() {}
  /// The packet `psn`, of the message posted next and behind all held before, waits until
  /// everything before it is acknowledged. Only of transports that have READs or SENDs.
  virtual void hold(Psn psn);
  /// A READ response arrived. Where it is delivered, on_ack() of the PSN behind it follows when its
  /// payload is in memory.
  virtual ReadOutcome on_response(Psn psn);
  /// An RNR NAK for `psn`, which accepts_nack(): everything from it on is sent again, and its timer
  /// runs from `until` on, before which the owner sends nothing. Only of transports that have
  /// SENDs.
  virtual void put_off(Psn psn, Picoseconds until);
  /// Whether next() would give a packet: a retransmission is due, or a posted PSN fits the window.
  virtual bool can_send() const = 0;
  /// Whether the next packet is a retransmission: those go before anything new.
  virtual bool retransmission_due() const = 0;
  /// Takes the packet to send at `now`. Only when can_send().
  virtual Transmission next(Picoseconds now) = 0;
  /// An acknowledgement of everything before `next_expected` arrived.
  virtual AckOutcome on_ack(Psn next_expected, Picoseconds now) = 0;
  /// A NACK for `expected_psn` arrived (which acknowledges everything before it), and is served at
  /// once if it asks for something.
  AckOutcome on_nack(Psn expected_psn, Picoseconds now) {
    AckOutcome outcome = on_ack(expected_psn, now);
    outcome.served = accepts_nack(expected_psn);
    if (outcome.served) retransmit(expected_psn, now);
    return outcome;
  }
  /// Whether a NACK for `expected_psn` asks for something that was sent and is unacknowledged.
  virtual bool accepts_nack(Psn expected_psn) const = 0;
  /// An acknowledgement said that `psn`, which is not acknowledged yet, has arrived out of order.
  virtual void on_received(Psn /*psn*/) {}
  /// Serves a NACK that was accepted, now or earlier: what it asks for is sent again, even if it
  /// was acknowledged meanwhile (by less than a window).
  virtual void retransmit(Psn expected_psn, Picoseconds now) = 0;
  /// The deadline passed.
  virtual void on_timeout(Picoseconds now) = 0;
  /// When on_timeout() is due if nothing is acknowledged before, or `never`.
  virtual Picoseconds next_deadline() const = 0;
  /// Whether the last timeout was one more than its retries (TransportConfig::retry_count).
  virtual bool exhausted() const { return false; }
  /// The queue pair is in error: forgets what is posted and what is under way, for good.
  virtual void abandon() {}

  /// Posted PSNs that were never sent.
  virtual std::uint32_t unsent() const = 0;
  /// Sent PSNs that are not acknowledged.
  virtual std::uint32_t unacked() const = 0;
  /// The oldest of them, or what is sent next when there is none.
  virtual Psn oldest_unacked() const = 0;
  /// Itself, if it knows of each packet what became of it; else null.
  virtual SelectiveSender* selective() { return nullptr; }
};

/// Where a data packet goes.
enum class Placement : std::uint8_t {
  deliver,    ///< new: its payload is written to memory
  duplicate,  ///< had arrived before
  discard,    ///< new, but refused: it must come again
};

/// An acknowledgement to send: everything before `psn` has arrived.
struct Response {
  bool nack = false;
  bool rnr = false;  ///< an RNR NAK, which is no NACK
  Psn psn;           ///< the receiver's expected PSN
  std::uint32_t msn = 0;
  /// The PSN that arrived out of order and is kept: of a SACK, or of an IRN NACK.
  std::optional<Psn> received{};
  bool sack() const { return !nack && received.has_value(); }
};

struct ReceiveOutcome {
  Placement placement = Placement::deliver;
  std::uint32_t advanced = 0;  ///< packets by which the expected PSN advanced
  std::int32_t ahead = 0;      ///< the packet's PSN minus the expected PSN before it; 0: in order
  std::optional<Response> response;
  TransportOps ops;
  std::uint32_t msn = 0;  ///< of a READ: that of its responses
};

/// A READ response as its requester takes it.
struct ReadOutcome {
  Placement placement = Placement::deliver;
  std::int32_t ahead = 0;        ///< its PSN minus that of the next response; 0: in order
  std::optional<Psn> missing{};  ///< responses from there on are missing, and requested now
};

/// The responder half of a queue pair.
class TransportReceiver {
 public:
  virtual ~TransportReceiver() = default;
  /// A data packet arrived.
  virtual ReceiveOutcome on_data(Psn psn, bool ack_request, bool ends_message) = 0;
  /// A READ request arrived, whose response has so many packets. Where it is delivered or a
  /// duplicate, these are its acknowledgement. Only of transports that have READs.
  virtual ReceiveOutcome on_read(Psn psn, std::uint32_t responses);
  /// The packet with the expected PSN arrived, and there is no receive WQE for it: as if it had not
  /// arrived, but for the RNR NAK that is returned. No packet behind it brings a NACK before it has
  /// come again. Only of transports that have SENDs.
  virtual Response not_ready();
  virtual Psn expected_psn() const = 0;
  /// The NACK just returned is not sent: the next packet out of order is to bring it.
  virtual void nack_suppressed() {}
  /// Bytes of state beyond what every queue pair has (reorder bitmap).
  virtual Bytes memory() const = 0;
  /// Itself, if its acknowledgements report single packets; else null.
  virtual SelectiveReceiver* selective() { return nullptr; }
};

/// Acknowledgements that name the packet that arrived out of order: four bytes behind their AETH;
/// the model keeps how far that PSN lies ahead of the expected one.
inline constexpr HeaderExtension received_psn{.feature = "the received PSN",
                                              .between = "NICs",
                                              .data = false,
                                              .acknowledgements = true,
                                              .bth_reserved = 0xffff};

/// A time after which a sender waits for an acknowledgement no longer, with its key.
struct Timeout {
  std::string_view key;
  Picoseconds value;
};

/// A transport by name: both halves of one protocol.
struct TransportEntry {
  std::string_view name;
  std::string_view doc;
  std::unique_ptr<TransportSender> (*make_sender)(const TransportConfig&, Psn first);
  std::unique_ptr<TransportReceiver> (*make_receiver)(const TransportConfig&, Psn first);
  /// Keys of its own beside those of all transports.
  std::vector<OwnParameters> parameters = {};
  /// Fields in packets beyond RoCEv2.
  std::vector<HeaderExtension> headers = {};
  /// Null, or a timeout of its own besides `rto`. Null also says that a deadline never comes
  /// nearer: where next_deadline() is not `never`, it is not before what it was earlier.
  Timeout (*own_timeout)(const TransportConfig&) = nullptr;
  /// Its halves are a SelectiveSender and a SelectiveReceiver. Then no ordering engine can take the
  /// receiver's place, and a packet that was trimmed is answered; others count it as lost.
  bool selective = false;
  /// Both halves have READs: post_read(), on_response() and on_read().
  bool reads = false;
  /// Name of the transport of queue pairs whose messages take receive WQEs, maybe its own. Empty:
  /// it has none of them.
  std::string_view sends_by = {};
  /// Its senders are timed by `ack_timeout` where that is given, and give up (`retry_count`).
  bool retries = true;
  /// Null, or what it keeps for each connection beyond the reorder bitmap, both halves together.
  std::vector<StateField> (*state)(const TransportConfig&) = nullptr;
};
const std::vector<TransportEntry>& transports();
/// The transport of that name; an unknown one is an InputError with the nearest name.
const TransportEntry& find_transport(std::string_view name);
/// The shortest time after which its senders may send again unasked: `rto`, the shortest interval
/// of `ack_timeout`, or one of its own.
Timeout shortest_timeout(const TransportEntry& transport, const TransportConfig& config);

}  // namespace horae::policy
