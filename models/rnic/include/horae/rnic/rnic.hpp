// The RDMA NIC as a device.
#pragma once

#include <boost/circular_buffer.hpp>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "horae/core/stats.hpp"
#include "horae/fabric/device.hpp"
#include "horae/policy/retransmit/retransmit.hpp"
#include "horae/rnic/context_cache.hpp"
#include "horae/rnic/counters.hpp"
#include "horae/rnic/host_interface.hpp"
#include "horae/rnic/nic_observer.hpp"
#include "horae/rnic/payload_fetcher.hpp"
#include "horae/rnic/pcie_port.hpp"
#include "horae/rnic/queue_pair.hpp"
#include "horae/rnic/rnic_config.hpp"
#include "horae/rnic/timeline.hpp"

namespace horae::rnic {

/// A NIC with one port. Its wire is a reservation: the TX pipe decides at each packet boundary what
/// goes next (responses first, then the queue pairs whose turn it is), and between events those
/// decisions depend on nothing new, so they are made in one go when time moves on. With a host
/// behind PCIe, WQEs and payload are read ahead into the TX buffer, and a queue pair's turn comes
/// when its next packet is there; what a NACK costs is the retransmit policies' say.
class rnic : public fabric::device {
 public:
  rnic(sc_core::sc_module_name name, fabric::sim_context& context, const RnicConfig& config,
       NodeId id);
  ~rnic() override;

  /// Number of the first queue pair; the others follow.
  static constexpr std::uint32_t first_qpn = 0x40;

  /// Adds a queue pair (elaboration only); returns its number.
  Qpn add_queue_pair(QueuePairConfig config);
  std::size_t queue_pairs() const { return qps_.size(); }
  const QueuePair& queue_pair(std::size_t i) const { return *qps_[i]; }

  NodeId id() const { return id_; }
  const RnicConfig& config() const { return config_; }
  const RnicCounters& counters() const { return counters_; }
  /// The host behind its PCIe link; null when the host is not modelled.
  host_interface* host() { return host_.get(); }
  const host_interface* host() const { return host_.get(); }
  /// Null unless the chip's memory is limited.
  const ContextCache* cache() const { return cache_.get(); }
  /// What tracks packets out of order; null: the transport's own receivers.
  const policy::OrderingEngine* ordering() const { return ordering_.get(); }
  /// Puts another engine of the same configuration in its place (elaboration only, before queue
  /// pairs are added): RTL.
  void set_ordering(std::unique_ptr<policy::OrderingEngine> engine);
  /// Its memory in use: over time up to `now`, and at most. Time counts from the last reset.
  struct OrderingUse {
    double mean_bytes = 0;         ///< all of it
    double mean_bitmap_bytes = 0;  ///< blocks of bitmaps
    Bytes most{};
  };
  OrderingUse ordering_use(Picoseconds now) const;
  const PayloadFetcher* fetcher() const { return fetcher_ ? &*fetcher_ : nullptr; }
  /// Records what the NIC does around a NACK from now on; null: nothing. The caller keeps it alive.
  void set_timeline(Timeline* timeline);
  /// Has messages and NACKs told to `watcher` as well (before simulation starts; it is kept alive
  /// by the caller), if the simulation is watched at all.
  void watch(nic_observer* watcher) { nic_watcher_ = watcher; }
  /// The rate a queue pair may send at, for who watches; `now` not before anything that happened.
  BitRate rate(std::size_t qp, Picoseconds now) { return rate_of(*qps_[qp], now); }
  /// Queue pairs in the TX scheduler's ring: with something to send.
  std::size_t ready_queue_pairs() const { return ready_.size(); }

  /// PSN distance ahead of the expected PSN, of every packet that arrived out of order.
  const Histogram& reorder_depth() const { return reorder_depth_; }
  /// Starts a measurement: histograms begin anew (counters go on; take differences).
  void reset_histograms(Picoseconds now);
  /// The connection of queue pair `qp` is over, as both of its ends know at `now`: the ordering
  /// engine, if there is one, forgets it. Between windows only.
  void close_connection(std::size_t qp, Picoseconds now);
  /// Whether all queue pairs with a source have completed all of its messages.
  bool finished() const;

  Picoseconds next_time() const override;
  std::vector<std::string> describe_queues() const override;
  void statistics(StatTree& tree) const override;

 protected:
  void begin() override;
  void handle(const fabric::Event& e) override;
  void handle_watched(const fabric::Event& e) override;
  void settle(Picoseconds end) override { transmit_before(end); }
  std::uint64_t queued() const override { return waiting_packets_; }

 private:
  struct PendingResponse {
    Picoseconds ready;
    std::uint16_t qp;
    bool cnp = false;
    policy::Response response;
  };
  /// Queue pairs that wait for each other's messages.
  struct Exchange {
    std::uint64_t received = 0;        ///< messages
    std::vector<std::uint16_t> waits;  ///< queue pairs with a source
  };
  /// A NACK in service.
  struct Service {
    std::uint16_t qp = 0;
    Psn psn;
    Picoseconds start{};
    std::uint32_t reads_left = 0;
    bool payload_left = false;
    bool resend = true;
    std::int64_t pool_bytes = 0;
    bool active = false;
    bool recorded = false;  ///< by the timeline
  };
  struct PendingNack {
    std::uint16_t qp;
    Psn psn;
  };
  /// When a queue pair's next packet may go, and what it waits for.
  struct Gate {
    Picoseconds at;
    IdleCause cause;
  };

  // rnic_receive.cpp
  void receive(Packet& p, Picoseconds now);
  void process(Packet& p, Picoseconds now);
  /// False when the packet found no room and is lost.
  bool receive_data(const Packet& p, Picoseconds now);
  void receive_ack(const Packet& p, Picoseconds now);
  void respond(std::size_t qp, bool cnp, const policy::Response& response, Picoseconds now);
  bool rx_buffer_takes(const Packet& p, Picoseconds now);
  /// Writes a packet's payload to memory; until it is there, it is in the RX buffer.
  void place_payload(std::size_t qp, const Packet& p, bool apart, Picoseconds now);
  /// Where a packet's payload belongs in host memory, and where one is kept meanwhile.
  static std::uint64_t payload_address(std::size_t qp, Psn psn);
  static std::uint64_t kept_apart(std::size_t qp);
  /// What an acknowledgement says.
  struct AckInfo {
    bool nack = false;
    Psn psn;                     ///< the expected one
    std::uint16_t received = 0;  ///< of a packet out of order: how far ahead it was; 0: none
  };
  static std::uint64_t pack(const AckInfo& ack);
  static AckInfo unpack(std::uint64_t payload);
  void take_response(std::size_t qp, const AckInfo& ack, Picoseconds now);
  /// The ordering engine takes the packet when it is free; until when it works on it.
  Picoseconds engine_takes(const policy::OrderingOps& ops, Picoseconds now);
  /// Keeps the last packet of a WRITE that came out of order apart (WriteLast::receiver).
  bool hold_last(QueuePair& qp, const Packet& p);
  /// Puts it in its place when everything before it is there.
  void place_held(std::size_t qp, Picoseconds now);
  void watch_ordering(const policy::OrderingAnswer& answer, Picoseconds now);
  void watch_memory(Picoseconds now);
  void expire(std::size_t qp, Picoseconds now);
  void progressed(std::size_t qp, const policy::AckOutcome& outcome, Picoseconds now);
  void post(std::size_t qp, Picoseconds now);
  /// Messages that arrived whole let others of their exchange go.
  void count_received(std::size_t qp, Picoseconds now);
  /// `messages` more of an exchange have arrived, or are completed: posts what waited for them.
  void notify(int exchange, std::uint64_t messages, Picoseconds now);

  // rnic_watch.cpp
  /// The queue pair that an event, not handled yet, is about.
  std::optional<std::size_t> concerned(const fabric::Event& e) const;
  void notify_posted(std::size_t qp, std::uint64_t posted_before, Picoseconds now);
  void notify_completed(std::size_t qp, std::uint32_t completed, Picoseconds now);
  void notify_nack(std::size_t qp, const Packet& cause, Psn expected, Picoseconds now);

  // rnic_context.cpp
  /// Whether context and translation of a queue pair's next packet are on the chip at `now`; if
  /// not, they are being fetched.
  bool context_here(std::size_t qp, Picoseconds now);
  /// Until when a received packet waits for its queue pair's context; `now` or before: it does not.
  Picoseconds receive_ready(const Packet& p, Picoseconds now);
  /// Uses what a packet of a queue pair needs; returns the dependent reads of what is missing.
  std::uint32_t use_context(std::size_t qp, Psn psn, bool payload, Picoseconds now);
  void use_completion_queue(std::size_t qp, Picoseconds now);
  Picoseconds fetch_context(std::uint32_t reads, Picoseconds now);

  // rnic_recovery.cpp
  /// Whether NACKs of the queue pair wait for its handshake.
  bool guarded(const QueuePair& qp, Picoseconds now) const;
  /// Whether a PSN is so little acknowledged that it may be sent again.
  bool known(const QueuePair& qp, Psn psn) const;
  void serve_nack(std::size_t qp, Psn psn, Picoseconds now);
  void begin_service(std::size_t qp, Psn psn, Picoseconds now);
  void continue_service(std::size_t slot, Picoseconds now);
  void finish_service(std::size_t slot, Picoseconds now);
  void begin_next_service(std::size_t qp, Picoseconds now);
  void release_hold(std::size_t qp, Picoseconds now);
  void guard_expired(std::size_t qp, Picoseconds now);
  /// The timeline, while it records.
  Timeline* recorder() const {
    return timeline_ != nullptr && timeline_->recording() ? timeline_ : nullptr;
  }
  void record_sent(const Packet& p, policy::SendKind kind, Picoseconds start);
  Picoseconds read_for_retransmission(std::size_t qp, Bytes size, Picoseconds now);

  // rnic_transmit.cpp
  void transmit_before(Picoseconds end);
  /// WQEs whose read is done by `t` are on the chip.
  void take_wqes(Picoseconds t);
  void send_response();
  void put_on_wire(Packet& response, const char* what);
  void send_data(std::size_t qp);
  Packet& new_packet(const QueuePair& qp, Opcode opcode, Bytes payload);
  /// Puts a queue pair in or out of the ready ring and arms its timer, after anything changed.
  void refresh(std::size_t qp);
  void arm_timer(std::size_t qp);
  /// The queue pair whose turn it is at `now`, or -1; then `next` is the first gate to open.
  int pick(Picoseconds now, Gate& next);
  Gate gate(std::size_t qp) const;
  void next_turn();
  /// What a queue pair sent in its turn counts against its rate.
  void end_turn(QueuePair& qp, Picoseconds now);
  BitRate rate_of(QueuePair& qp, Picoseconds now) const;
  bool paused(std::uint32_t traffic_class) const { return (paused_ >> traffic_class & 1u) != 0; }
  IdleCause idle_cause(const Gate& next) const;
  std::size_t index_of(Qpn qpn) const;

  RnicConfig config_;
  NodeId id_;
  const policy::TransportEntry& transport_;
  policy::RetransmitUnit retransmit_;
  std::unique_ptr<host_interface> host_;
  std::optional<PciePort> host_port_;
  std::optional<PayloadFetcher> fetcher_;
  std::unique_ptr<ContextCache> cache_;
  std::unique_ptr<policy::OrderingEngine> ordering_;
  Picoseconds ordering_busy_{};  ///< the engine works until then
  struct Watch {
    Picoseconds since{};  ///< the integrals begin
    Picoseconds last{};   ///< they reach so far
    policy::OrderingMemory now{};
    Bytes most{};
    detail::Wide byte_ps = 0, bitmap_byte_ps = 0;  ///< integers: the same on any machine
  } ordering_watch_;
  static void add_time(Watch& watch, Picoseconds now);
  std::uint64_t waiting_packets_ = 0;  ///< received, waiting for a context
  Timeline* timeline_ = nullptr;
  nic_observer* nic_watcher_ = nullptr;
  bool gated_ = false;  ///< whether anything but the shaper can hold a queue pair back
  std::vector<std::unique_ptr<QueuePair>> qps_;
  std::vector<Exchange> exchanges_;
  boost::circular_buffer<std::uint16_t> ready_;  ///< queue pairs that may send, next turn first
  std::size_t unfinished_ = 0;                   ///< queue pairs with messages left
  std::size_t window_blocked_ = 0;               ///< queue pairs held back by their window
  std::deque<PendingResponse> responses_;        ///< in the order of their readiness
  Picoseconds cursor_{};                         ///< the wire is decided up to here
  unsigned paused_ = 0;
  std::uint64_t packets_created_ = 0;
  std::vector<Service> services_;       ///< slots
  std::deque<PendingNack> nack_queue_;  ///< for the one server of the NIC
  std::uint32_t busy_services_ = 0;
  Picoseconds rest_until_{};       ///< the NIC's one server waits for what it fetched to leave
  std::uint32_t port_stalls_ = 0;  ///< services that stall the port
  std::deque<std::pair<Picoseconds, std::int64_t>> rx_in_flight_;  ///< until when, bytes
  std::int64_t rx_used_ = 0;
  std::uint64_t service_ordinal_ = 0;
  /// WQE reads under way, first done first. Not events: sending starts them, and what is sent
  /// before an event is only decided when the event comes.
  std::multimap<Picoseconds, std::uint16_t> wqes_due_;
  Picoseconds responses_due_{};  ///< when the last response received so far takes effect
  std::uint64_t response_ordinal_ = 0;
  RnicCounters counters_;
  Histogram reorder_depth_;
};

}  // namespace horae::rnic
