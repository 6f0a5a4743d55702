// A queue pair: messages cut into packets, and the two halves of its transport. No SystemC.
#pragma once

#include <boost/container/deque.hpp>
#include <boost/container/options.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "horae/core/packet.hpp"
#include "horae/core/service.hpp"
#include "horae/core/stats.hpp"
#include "horae/core/verb.hpp"
#include "horae/fabric/outlook.hpp"
#include "horae/policy/congestion/credits.hpp"
#include "horae/policy/ordering/ordered_receiver.hpp"
#include "horae/policy/transport/read_responder.hpp"
#include "horae/policy/transport/selective.hpp"
#include "horae/policy/transport/transport.hpp"
#include "horae/policy/transport/unreliable.hpp"
#include "horae/rnic/parts/steering.hpp"
#include "horae/traffic/source.hpp"

namespace horae::rnic {

struct QueuePairConfig {
  Qpn remote;  ///< queue pair number at the peer
  NodeId peer = 0;
  std::uint16_t entropy = 0xc000;  ///< UDP source port of everything it sends, unless its NIC
                                   ///< steers packets (RnicConfig::entropy)
  std::uint32_t ordinal = 0;       ///< of the connection in the platform
  Psn first_send;                  ///< initial PSN of what it sends
  Psn first_receive;               ///< initial PSN of what it receives
  std::uint32_t depth = 128;       ///< messages outstanding at most (perftest's tx-depth)
  Bytes buffer = 64_KiB;           ///< host memory its messages lie in, used again and again
  std::uint32_t regions = 0;  ///< memory regions of that, of one size; 0: one of the NIC's for all
  std::unique_ptr<traffic::TrafficSource> source;  ///< messages to the peer; none: responder
  /// READs outstanding at most: of a requester, or as many as a responder keeps to answer them; 0:
  /// it takes part in none.
  std::uint32_t reads = 0;
  bool receives = false;          ///< of both ends: its messages take receive WQEs
  Service service = Service::rc;  ///< of both ends; of UC and UD there are no READs
  /// Verbs, a bit each by their number, whose messages wait until READs and atomics posted before
  /// them are answered.
  std::uint8_t fenced = 0;
  /// Words of eight bytes that its atomics go to, in turn from the one of its `ordinal` on.
  std::uint32_t words = 1;
  /// The exchange (a group of this NIC's queue pairs, numbered from 0) whose received messages its
  /// source waits for (TrafficItem::after), and for which it counts what it receives; none: -1.
  int exchange = -1;
  /// The exchange for which it counts, like received ones, messages of its own that are completed;
  /// none: -1.
  int completes = -1;
  /// The queue pairs of `exchange` are visited in turn, in the order in which they are added, for
  /// so many messages each (MessageExchange); 0: they are not.
  std::uint32_t visit = 0;
  std::optional<std::uint8_t> traffic_class{};  ///< of its data; absent: the NIC's
  bool spray = true;  ///< its packets may take any path; else what balances leaves them to a hash
  std::uint32_t receive_packets = 0;  ///< packets of each message it receives; 0: not counted
  Picoseconds notify_delay{};         ///< from a message received to what waits for it
  /// The program of this NIC's host (numbered from 0) that is told of its messages, as those of
  /// `channel`, and lets them go; none: -1. A queue pair with a source then has an exchange of its
  /// own, and a gated source.
  int program = -1;
  std::uint32_t channel = 0;
};

/// Where in which message a PSN lies.
struct PacketPlace {
  Opcode opcode = Opcode::write_only;
  std::uint16_t payload = 0;  ///< bytes
  std::uint32_t asks = 0;     ///< bytes that a READ request asks for; the address of an atomic
  std::uint64_t message = 0;  ///< ordinal of its message, from 0
  std::uint32_t left = 1;     ///< packets of its message from this one on
  std::uint32_t psns = 1;     ///< that it takes: of a READ request as many as its responses
};

/// Requester and responder of one connection. The shell asks it what to send and tells it what
/// arrived; it turns PSNs into message parts and acknowledgements into completions, in order.
class QueuePair {
 public:
  QueuePair(QueuePairConfig config, const policy::TransportEntry& transport,
            const policy::TransportConfig& reliability, Bytes mtu);

  const QueuePairConfig& config() const { return config_; }
  policy::TransportSender& sender() { return *sender_; }
  const policy::TransportSender& sender() const { return *sender_; }
  /// The PSN that is sent next for the first time: the one after the last sent.
  Psn next_new() const {
    return sender_->oldest_unacked() + static_cast<std::int32_t>(sender_->unacked());
  }
  policy::TransportReceiver& receiver() { return *receiver_; }
  /// Puts an ordering engine, which it shares with others, in the place of its transport's receiver
  /// (elaboration only).
  void receive_by(policy::OrderingEngine& engine, policy::ConnectionId connection,
                  const policy::TransportConfig& reliability);
  /// Its receiver, if there is an ordering engine; else null.
  policy::OrderedReceiver* ordered() { return ordered_; }
  /// The stream that it sends as responder of READs; null: it answers none. Its PSNs, here and in
  /// place(), are the responder's numbers.
  policy::ReadResponder* responder() { return responder_; }
  const policy::ReadResponder* responder() const { return responder_; }
  /// The PSN, or the responder's number, of its first packet of data.
  Psn sends_from() const {
    return responder_ == nullptr ? config_.first_send : config_.first_receive;
  }
  /// Its receiver, of UC and UD; else null.
  policy::UnreliableReceiver* unreliable() { return unreliable_; }
  /// Whether packets of data leave by it.
  bool sends_data() const { return has_source() || responder_ != nullptr; }
  /// Whether it posts READs.
  bool requests_reads() const { return has_source() && config_.reads > 0; }
  /// As responder: a READ of `bytes`, or an atomic, was accepted, whose responses have PSNs from
  /// `psn` on. That of an atomic is known later (atomic_done()); responses leave in their order.
  void answer(Verb verb, Psn psn, Bytes bytes, std::uint32_t msn, Picoseconds now);
  void atomic_done(Psn psn, Picoseconds now);
  /// READs accepted, or messages posted, in all.
  std::uint64_t messages_begun() const { return forgotten_ + messages_.size(); }

  /// Its halves where the transport knows of single packets; else null.
  policy::SelectiveSender* selective_sender() { return selective_sender_; }
  policy::SelectiveReceiver* selective_receiver() { return selective_receiver_; }

  /// Posts every message that is due at `now`, fits the depth and waits for no message but the
  /// `received` ones. Returns when the next one is due if only time holds it back, else `never`.
  Picoseconds post_due(Picoseconds now, std::uint64_t received = 0,
                       std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
  /// When its next message may be posted, if only time holds it back; else `never`.
  Picoseconds next_due(std::uint64_t received) const {
    return item_ && outstanding() < config_.depth && item_->after <= received ? item_->at : never;
  }

  /// The responder's expected PSN advanced: how many more messages have arrived whole.
  std::uint32_t received_whole();

  /// The message part a PSN stands for: one that is posted, and acknowledged by less than two
  /// windows (a retransmission may be decided for a PSN acknowledged by less than one, and goes out
  /// even if as much is acknowledged before its turn).
  PacketPlace place(Psn psn) const {
    // Packets come mostly in order, so it is most often in the message of the one before.
    if (placed_.has(psn)) [[likely]]
      return place_in(placed_, psn);
    return place_in(find_sent(psn), psn);
  }
  /// The same for whoever reads ahead of what is sent.
  PacketPlace place_ahead(Psn psn) const {
    if (!ahead_.has(psn)) [[unlikely]]
      find(psn, ahead_);
    return place_in(ahead_, psn);
  }
  /// Whether the PSN, not older than the oldest one unacknowledged, belongs to a posted message.
  bool posted(Psn psn) const { return psn.before(next_post_); }
  /// The PSN behind all that is posted.
  Psn posted_end() const { return next_post_; }

  /// `packets` more were acknowledged at `now`; completes messages. Returns how many.
  std::uint32_t acknowledged(std::uint32_t packets, Picoseconds now);

  /// The same, but the messages are completed later; returns how many are acknowledged now.
  std::uint32_t acknowledge(std::uint32_t packets);
  /// The next `messages` of those are completed at `now`.
  void complete_acknowledged(std::uint32_t messages, Picoseconds now);
  /// Messages posted of which not all is acknowledged.
  std::size_t unacknowledged() const { return outstanding() - uncompleted_; }

  /// Size of a message that is still known, by its ordinal from 0.
  Bytes message_bytes(std::uint64_t message) const {
    return Bytes(messages_[static_cast<std::size_t>(message - forgotten_)].bytes);
  }
  /// Its verb.
  Verb message_verb(std::uint64_t message) const {
    return messages_[static_cast<std::size_t>(message - forgotten_)].verb;
  }
  /// PSN of its first packet.
  Psn message_first(std::uint64_t message) const {
    return messages_[static_cast<std::size_t>(message - forgotten_)].first;
  }
  /// Payload that its WQE could have inline: its size, or, of a READ or of what has no WQE, more
  /// than any has.
  std::int64_t wqe_payload(std::uint64_t message) const {
    const Message& m = messages_[static_cast<std::size_t>(message - forgotten_)];
    return has_response(m.verb) ? std::int64_t{1} << 32 : m.bytes;
  }

  /// Bytes that its WQEs have beside those of a WRITE: the address vector of UD (48 bytes) in the
  /// place of the remote address (16 bytes) (rdma-core mlx5: mlx5_wqe_av, mlx5_wqe_raddr_seg; 68
  /// and 36 bytes of header in "Design Guidelines for High Performance RDMA Systems", 2016).
  Bytes wqe_more() const { return config_.service == Service::ud ? 32_B : 0_B; }

  // For who knows whose turn comes: of thousands of queue pairs the next one is in no cache.
  /// Has the processor fetch what a packet that it receives needs; then what its receiver needs.
  void fetch_to_receive() const {
    __builtin_prefetch(&config_);
    __builtin_prefetch(&receiver_);
    __builtin_prefetch(&progress_.received);
    __builtin_prefetch(&last_nack_sent);
  }
  void fetch_receiver() const {
    const auto* receiver = reinterpret_cast<const char*>(receiver_.get());
    __builtin_prefetch(receiver);
    __builtin_prefetch(receiver + 64);
  }
  /// The same for a packet that it sends.
  void fetch_to_send() const {
    __builtin_prefetch(&can_send);
    __builtin_prefetch(&allowed_at);
    __builtin_prefetch(&sender_);
    __builtin_prefetch(&placed_);
  }
  void fetch_sender() const {
    const auto* sender = reinterpret_cast<const char*>(sender_.get());
    __builtin_prefetch(sender);
    __builtin_prefetch(sender + 64);
  }

  bool has_source() const { return config_.source != nullptr; }
  /// Whether nothing of its source is left: every message was posted and completed, or the queue
  /// pair is in error.
  bool finished() const { return has_source() && !item_ && outstanding() == 0; }
  /// Messages posted and not completed.
  std::size_t outstanding() const { return messages_.size() - completed_ - failed_; }

  /// Its sender gave up: messages that are not acknowledged end with an error, and its source posts
  /// no more.
  /// Returns how many end.
  std::uint32_t fail(Picoseconds now);
  /// Whether it did.
  bool in_error() const { return progress_.error_time != never; }

  struct Progress {
    std::uint64_t posted_messages = 0;
    std::uint64_t completed_messages = 0;
    std::uint64_t completed_bytes = 0;
    std::uint64_t delivered_bytes = 0;  ///< as responder, each byte once
    std::uint64_t nacks = 0;            ///< received
    std::uint64_t timeouts = 0;
    Picoseconds first_post = never;
    Picoseconds last_completion{};
    std::uint64_t received = 0;         ///< as responder, packets of data, duplicates included
    std::uint64_t out_of_order = 0;     ///< of those, ahead of the expected PSN
    std::uint64_t reorder_sum = 0;      ///< distances ahead, summed
    std::uint32_t reorder_max = 0;      ///< the largest
    std::uint64_t failed_messages = 0;  ///< posted, and ended with an error
    Picoseconds error_time = never;     ///< the queue pair gave up; `never`: it has not
    Picoseconds failed_post = never;    ///< of the oldest message that failed
    bool rnr_error = false;             ///< it gave up after an RNR NAK
  };
  Progress& progress() { return progress_; }
  const Progress& progress() const { return progress_; }
  /// Post to completion of each message, in picoseconds.
  Histogram message_latency() const {
    Histogram all;
    merge_latency(all);
    return all;
  }
  /// Adds what message_latency() has to `all`.
  void merge_latency(Histogram& all) const;
  void reset_histograms();

  // State of congestion control; none: not in use.
  std::unique_ptr<policy::ReactionPoint> reaction;
  std::unique_ptr<policy::NotificationPoint> notification;
  /// The entropy of its packets, if it is not constant.
  std::unique_ptr<Steering> steering;
  // Where it listens to acknowledgements.
  std::int64_t sent_bytes = 0;   ///< payload sent for the first time
  std::int64_t heard_bytes = 0;  ///< of those, acknowledged as congestion control knows
  // Where its receiver grants what it sends.
  policy::CreditedReaction* credited = nullptr;  ///< `reaction`, or null
  Picoseconds starves_at = never;  ///< without credit and with nothing in flight until then
  std::uint16_t pull_entropy = 0;  ///< as responder: of its pulls

  /// Payload that was sent and acknowledged, each byte once.
  std::int64_t acked_bytes() const;
  /// Payload in flight: sent, and neither acknowledged nor, where the transport knows of single
  /// packets, reported, trimmed or timed out.
  Bytes in_flight() const {
    return selective_sender_ != nullptr ? selective_sender_->in_flight()
                                        : Bytes(sent_bytes - acked_bytes());
  }
  /// Payload that waits: posted and never sent, or to be sent again where that is known.
  Bytes waiting() const {
    const Bytes again =
        selective_sender_ != nullptr ? selective_sender_->waiting_again() : Bytes(0);
    return Bytes(posted_bytes_ - sent_bytes) + again;
  }
  /// Whether its transport and the window of congestion control let it send. The window holds back
  /// what was never sent; where packets in flight are known one by one, also what is sent again.
  bool may_send() const {
    return sender_->can_send() &&
           (window_open || (selective_sender_ == nullptr && sender_->retransmission_due()));
  }

  // State of recovery.
  std::uint32_t in_service = 0;     ///< NACKs of it that are being served
  bool stalled = false;             ///< sends nothing meanwhile
  std::optional<Psn> pending_nack;  ///< to be served next
  fabric::Tries timeouts;           ///< in a row
  std::optional<Psn> hold_until;    ///< nothing new before everything below it is acknowledged
  Picoseconds hold_start{};
  std::optional<Psn> gap_until;    ///< a NACKed packet below it is unacknowledged
  Picoseconds locked_until{};      ///< its context is in use
  Picoseconds last_nack_sent{-1};  ///< as responder; negative: none yet

  /// As responder: PSN and bytes of last packets of WRITEs that wait for those before them.
  std::vector<std::pair<Psn, std::uint16_t>> held_writes;
  Picoseconds written_until{};     ///< when all data that it received is in memory
  std::uint32_t ring_packets = 1;  ///< places of packets in memory that it receives
  Picoseconds read_again{};        ///< as responder: payload that is sent again was read by then
  std::uint32_t packets_held = 0;  ///< as responder: that wait for a receive WQE
  std::int64_t arriving = 0;       ///< as responder of UC: bytes of the message under way

  // After RNR NAKs.
  Picoseconds rnr_until{};      ///< it sends nothing before
  std::optional<Psn> rnr_psn;   ///< of the last one
  std::uint32_t rnr_count = 0;  ///< for that PSN, in a row

  // Contexts of its next packet, and of the packets received last; negative: none asked for.
  Picoseconds context_ready{-1};
  Picoseconds receive_ready{-1};

  // State of the host's queues.
  std::uint64_t rung_messages = 0;  ///< of which a doorbell told
  std::uint32_t without_cqe = 0;    ///< messages acknowledged of which no CQE tells
  Picoseconds cqe_due{};            ///< when one does at the latest; past: none waits

  // State of the NIC's TX scheduler.
  std::uint8_t traffic_class;
  bool work_counted = false;  ///< among the NIC's queue pairs with messages left
  bool can_send = false;      ///< may_send(), as of the last refresh
  bool window_open = true;    ///< that of congestion control
  bool in_ready_ring = false;
  std::uint8_t port = 0;      ///< of its next packet, of several
  std::uint8_t own_port = 0;  ///< where each connection has one (PortChoice)
  bool window_blocked = false;
  Picoseconds timer_at = never;  ///< of its earliest pending timer event
  bool post_scheduled = false;
  bool connecting = false;       ///< nothing is posted before the end of a TCP handshake
  Picoseconds connected_at{};    ///< of DC: nothing is posted before
  Picoseconds allowed_at{};      ///< the shaper lets it send from then on
  std::int64_t burst_bytes = 0;  ///< wire bytes of its current turn
  Picoseconds burst_start{};

 private:
  /// Posts a message that may wait for others, or asks for a response.
  void post_in_order(Verb verb, std::uint32_t packets);

  struct Message {
    Psn first;
    std::uint32_t packets;  ///< of data; of as many PSNs
    std::int64_t bytes : 56;
    Verb verb : 8;
    Picoseconds posted;
  };

  QueuePairConfig config_;
  Bytes mtu_;
  std::int32_t window_;
  bool waits_;  ///< messages of it may wait for others, whatever their verb
  bool holds_;  ///< policy::DpOrdering::ooo_rw
  std::unique_ptr<policy::TransportSender> sender_;
  std::unique_ptr<policy::TransportReceiver> receiver_;
  policy::ReadResponder* responder_ = nullptr;        ///< sender_, or null
  policy::OrderedReceiver* ordered_ = nullptr;        ///< the same
  policy::UnreliableReceiver* unreliable_ = nullptr;  ///< likewise
  policy::SelectiveSender* selective_sender_;         ///< likewise
  policy::SelectiveReceiver* selective_receiver_;     ///< likewise
  std::optional<traffic::TrafficItem> item_;          ///< next message of the source
  /// Eight to a block: of hundreds of thousands of connections most have one message.
  using Messages = boost::container::deque<
      Message, void, boost::container::deque_options<boost::container::block_size<8u>>::type>;
  Messages messages_;              ///< posted; oldest first; no memory while empty
  std::size_t failed_ = 0;         ///< behind those: ended with an error, and still known
  std::uint32_t uncompleted_ = 0;  ///< acknowledged messages behind those completed
  std::size_t completed_ = 0;      ///< so many at its front are completed and still known

  /// A message that was looked for, so that the next packet of it need not look again.
  struct Found {
    Psn first;
    std::uint32_t packets = 0;  ///< 0: none yet
    std::int64_t bytes : 56 = 0;
    Verb verb : 7 = Verb::write;
    bool other : 1 = false;     ///< no WRITE of the reliable connection
    std::uint64_t ordinal = 0;  ///< from 0
    bool has(Psn psn) const { return static_cast<std::uint32_t>(psn - first) < packets; }
  };

  PacketPlace place_in(const Found& m, Psn psn) const {
    const auto index = static_cast<std::uint32_t>(psn - m.first);
    const bool first = index == 0;
    const bool last = index + 1 == m.packets;
    PacketPlace out;
    out.message = m.ordinal;
    if (m.other) [[unlikely]]
      return place_of_other(m, index);
    out.left = m.packets - index;
    out.payload = static_cast<std::uint16_t>(last ? m.bytes - index * mtu_.count() : mtu_.count());
    out.opcode = first ? (last ? Opcode::write_only : Opcode::write_first)
                       : (last ? Opcode::write_last : Opcode::write_middle);
    return out;
  }
  /// A response that it sends next, while one before it is not known.
  struct Answer {
    Verb verb;
    bool known;
    Psn psn;
    std::uint32_t msn;
    Bytes bytes;
  };
  void respond(const Answer& answer, Picoseconds now);
  boost::container::deque<Answer> answers_;

  /// The packet of a message that is no plain WRITE. That of a READ is its request, or, at its
  /// responder, a response.
  PacketPlace place_of_other(const Found& m, std::uint32_t index) const;
  const Found& find_sent(Psn psn) const;
  void find(Psn psn, Found& found) const;
  Psn end_of(std::size_t message) const {
    return messages_[message].first + static_cast<std::int32_t>(messages_[message].packets);
  }
  void complete_next(Picoseconds now);
  /// Forgets completed messages that nothing can be sent of again.
  void forget();
  void record_latency(Picoseconds latency);

  // Packets sent again lie behind the newest ones, so both have a message of their own.
  mutable Found placed_;         ///< the newest message of which a packet was sent
  mutable Found behind_;         ///< the one before it of which a packet was sent last
  mutable Found ahead_;          ///< likewise, by place_ahead
  std::uint64_t forgotten_ = 0;  ///< messages before the first one still known
  std::int64_t posted_bytes_ = 0;
  Psn next_post_;
  Psn acked_;        ///< everything before is acknowledged
  Psn receive_end_;  ///< end of the message that is being received
  Progress progress_;
  // One connection per message is common, and a histogram larger than all else: made for a second.
  Picoseconds first_latency_{-1};  ///< negative: none yet
  std::unique_ptr<Histogram> later_latencies_;
};

}  // namespace horae::rnic
