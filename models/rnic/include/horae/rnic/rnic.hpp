// The RDMA NIC as a device.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "horae/core/stats.hpp"
#include "horae/core/wire_bytes.hpp"
#include "horae/fabric/device.hpp"
#include "horae/policy/congestion/credits.hpp"
#include "horae/policy/retransmit/retransmit.hpp"
#include "horae/rnic/counters.hpp"
#include "horae/rnic/host/host_programs.hpp"
#include "horae/rnic/host/host_side.hpp"
#include "horae/rnic/host/posting.hpp"
#include "horae/rnic/host/queue_entries.hpp"
#include "horae/rnic/nic_observer.hpp"
#include "horae/rnic/parts/ack_order.hpp"
#include "horae/rnic/parts/atomic_slots.hpp"
#include "horae/rnic/parts/dc_initiators.hpp"
#include "horae/rnic/parts/handshakes.hpp"
#include "horae/rnic/parts/lane_credits.hpp"
#include "horae/rnic/parts/message_exchange.hpp"
#include "horae/rnic/parts/nack_server.hpp"
#include "horae/rnic/parts/nic_ports.hpp"
#include "horae/rnic/parts/ordering_unit.hpp"
#include "horae/rnic/parts/packet_engine.hpp"
#include "horae/rnic/parts/placements.hpp"
#include "horae/rnic/parts/queue_pair_table.hpp"
#include "horae/rnic/parts/receive_queue.hpp"
#include "horae/rnic/parts/response_queue.hpp"
#include "horae/rnic/parts/tx_scheduler.hpp"
#include "horae/rnic/parts/unanswered.hpp"
#include "horae/rnic/rnic_config.hpp"
#include "horae/rnic/timeline.hpp"

namespace horae::rnic {

/// A NIC with one port or several: the shell around its parts. The parts decide, without a clock of
/// their own; the shell turns what they decide into events, packets, reads of host memory and
/// counts.
///
/// Its wire is a reservation: the TX pipe decides at each packet boundary what goes next (responses
/// first, then the queue pairs whose turn it is), and between events those decisions depend on
/// nothing new, so they are made in one go when time moves on. With a host behind PCIe, WQEs and
/// payload are read ahead into the TX buffer, and a queue pair's turn comes when its next packet is
/// there; what a NACK costs is the retransmit policies' say.
///
/// With several ports the TX pipe is as fast as all of them together and puts packets in line for
/// ports (`NicPorts`); each port's wire is decided in the same way, up to the same time.
class rnic : public fabric::device {
 public:
  rnic(sc_core::sc_module_name name, fabric::sim_context& context, const RnicConfig& config,
       NodeId id);
  ~rnic() override;

  /// Number of the first queue pair; the others follow.
  static constexpr std::uint32_t first_qpn = QueuePairTable::first_qpn;

  /// Numbers queue pairs from there on (elaboration only, before the first is added).
  void number_queue_pairs_from(Qpn first) { qps_.number_from(first); }
  Qpn number_of(std::size_t qp) const { return qps_.number_of(qp); }
  /// Adds a queue pair (elaboration only); returns its number.
  Qpn add_queue_pair(QueuePairConfig config);
  std::size_t queue_pairs() const { return qps_.size(); }
  /// Adds a program of the host, whose queue pairs say so (QueuePairConfig::program) and are added
  /// after it (elaboration only); returns its number.
  int add_program(std::unique_ptr<traffic::HostProgram> program) {
    return programs_.add(std::move(program));
  }
  const HostPrograms& programs() const { return programs_; }
  const QueuePair& queue_pair(std::size_t i) const { return qps_[i]; }

  NodeId id() const { return id_; }
  /// Rate of all ports together.
  BitRate line_rate() const;
  /// Counters of all ports' wires.
  fabric::TxCounters sent_by_ports() const;
  /// Bits that were sent by `now` and are still to leave.
  fabric::BitsLeft bits_left(Picoseconds now) const;
  /// Null: one port.
  const NicPorts* several_ports() const { return ports_.get(); }
  const RnicConfig& config() const { return config_; }
  const RnicCounters& counters() const { return counters_; }
  /// With what its queue pairs' entropy schemes and its caches counted, too.
  RnicCounters totals() const;
  /// The host behind its PCIe link; null when the host is not modelled. A target of a user's own
  /// is bound to its `memory` before elaboration ends.
  host_interface* host() { return host_.link.get(); }
  const host_interface* host() const { return host_.link.get(); }
  /// Whether messages of its queue pairs take receive WQEs.
  bool has_receive_queues() const { return !receive_queues_.empty(); }
  /// Null unless the chip's memory is limited.
  const ContextCache* cache() const { return host_.contexts ? &host_.contexts->cache() : nullptr; }
  /// Engine that tracks packets out of order; null: the transport's own receivers.
  const policy::OrderingEngine* ordering() const { return ordering_.engine(); }
  /// Puts another engine of the same configuration in its place (elaboration only, before queue
  /// pairs are added): RTL.
  void set_ordering(std::unique_ptr<policy::OrderingEngine> engine);
  /// Makes the entropy scheme of a queue pair in the place of the model (elaboration only): RTL.
  using EntropyMaker =
      std::function<std::unique_ptr<policy::Entropy>(std::size_t qp, policy::EntropyContext&&)>;
  void set_entropy(EntropyMaker maker) { make_entropy_ = std::move(maker); }
  /// Memory of the ordering engine in use, from the last reset until `now`.
  using OrderingUse = horae::rnic::OrderingUse;
  OrderingUse ordering_use(Picoseconds now) const { return ordering_.use(now); }
  const PayloadFetcher* fetcher() const { return host_.fetcher ? &*host_.fetcher : nullptr; }
  /// Packets for other nodes may come, by a switch whose program works on bytes: they are drops
  /// (DropCause::unknown_qp). Otherwise such a packet is an error of the model's.
  void expect_strays() { expects_strays_ = true; }
  /// Records what the NIC does around a NACK from now on; null: nothing. The caller keeps it alive.
  void set_timeline(Timeline* timeline);
  /// Has messages and NACKs told to `watcher` as well (before simulation starts; it is kept alive
  /// by the caller), if the simulation is watched at all.
  void watch(nic_observer* watcher);
  /// The rate a queue pair may send at, for who watches; `now` not before anything that happened.
  BitRate rate(std::size_t qp, Picoseconds now) { return scheduler_.rate(qps_[qp], now); }
  /// Queue pairs in the TX scheduler's ring: with something to send.
  std::size_t ready_queue_pairs() const { return scheduler_.ready(); }

  /// PSN distance ahead of the expected PSN, of every packet that arrived out of order.
  const Histogram& reorder_depth() const { return reorder_depth_; }
  /// Starts a measurement: histograms begin anew (counters go on; take differences).
  void reset_histograms(Picoseconds now);
  /// The run ended at `at`, before the time that the NIC has reached, and nothing left since: takes
  /// the idle time after it off. Once, when the NIC runs no more.
  void end_at(Picoseconds at);
  /// The connection of queue pair `qp` is over, as both of its ends know at `now`: the ordering
  /// engine, if there is one, forgets it. Between windows only.
  void close_connection(std::size_t qp, Picoseconds now);
  /// Whether all queue pairs with a source have completed all of its messages, or are in error, and
  /// the host's programs have ended.
  bool finished() const { return qps_.finished() && programs_.finished(); }
  /// Time for which it has paused its peers up to `now`, summed over ports and classes.
  Picoseconds paused_peers(Picoseconds now) const;
  /// Ordinals of the queue pairs that have completed all their messages since the last call.
  std::vector<std::uint32_t> take_finished() { return qps_.take_finished(); }

  Picoseconds next_own_time() const override;
  /// Also where a target of a user's own is the host's memory, and where packets have contents,
  /// which all NICs share.
  bool stays_with_kernel() const override {
    return device::stays_with_kernel() || (host_.link != nullptr && host_.link->calls_out()) ||
           contents_ != nullptr;
  }
  std::vector<std::string> describe_queues() const override;
  void statistics(StatTree& tree) const override;

 protected:
  void begin() override;
  void handle(const fabric::Event& e) override;
  void handle_watched(const fabric::Event& e) override;
  void handle_before(Picoseconds end) override;
  void settle(Picoseconds end) override { transmit_before(end); }
  void own_outlook(fabric::Outlook& outlook) const override;
  std::uint64_t queued() const override {
    return (host_.contexts ? host_.contexts->waiting() : 0) + (ports_ ? ports_->waiting() : 0) +
           (engine_ ? engine_->waiting() : 0) + receives_waiting_;
  }

 private:
  // rnic_receive.cpp: packets that arrive, and data into memory
  void receive(Packet& p, Picoseconds now);
  /// As soon as its contexts are there.
  void receive_in_context(Packet& p, Picoseconds now);
  void drop_received(Packet& p, fabric::DropCause cause, Picoseconds now);
  void process(Packet& p, Picoseconds now);
  /// Has the processor fetch what the packets that arrive next need: one address a packet, as each
  /// says where the next one lies.
  [[gnu::noinline]] void fetch_for_arrivals() const;
  /// False when the packet found no room and is lost.
  bool receive_data(std::size_t qp, const Packet& p, Picoseconds now);
  /// Counts a packet that is so many PSNs ahead of the expected one.
  void count_out_of_order(QueuePair& qp, std::int32_t ahead) {
    ++counters_.out_of_order;
    reorder_depth_.add(ahead);
    auto& progress = qp.progress();
    ++progress.out_of_order;
    progress.reorder_sum += static_cast<std::uint32_t>(ahead);
    progress.reorder_max = std::max(progress.reorder_max, static_cast<std::uint32_t>(ahead));
  }
  /// Answers a packet of data or a READ request: by a CNP, or by the acknowledgement that was
  /// decided at `decided`.
  void answer(std::size_t qp, const Packet& p, const std::optional<policy::Response>& response,
              Picoseconds decided, Picoseconds now);
  /// After `nack_again` the next packet out of order may bring another NACK.
  void allow_nack_again(QueuePair& qp, Picoseconds now) const {
    if (config_.reliability.nack_again && qp.last_nack_sent >= 0_ps &&
        now - qp.last_nack_sent >= *config_.reliability.nack_again) [[unlikely]]
      qp.receiver().nack_suppressed();
  }
  /// Writes a packet's payload to memory; until it is there, it is in the RX buffer.
  void place_payload(std::size_t qp, const Packet& p, Picoseconds now);
  /// Address of a received payload: its queue pair's ring is used again and again.
  std::uint64_t payload_address(std::size_t qp, Psn psn) const {
    return host_address::payload(qp, psn.value() % qps_[qp].ring_packets * payload_slot_);
  }
  /// Whether a packet's payload finds no room in the RX buffer, and is counted as lost.
  bool finds_no_room(const Packet& p, Picoseconds now) {
    if (!host_.modelled() || host_.rx_buffer.has_room(Bytes(p.payload), now)) return false;
    ++counters_.rx_buffer_drops;
    return true;
  }

  // rnic_pause.cpp: PFC that it sends
  void begin_pauses();
  /// A packet's payload is in the RX buffer until it is in host memory at `until`; or, `waits`,
  /// until the packet engine is done with it or its contexts are on the chip.
  void hold(const Packet& p, Picoseconds until, Picoseconds now, bool waits = false) {
    const RxBuffer::Queue queue = RxBuffer::queue_of(p.ingress_port, p.traffic_class);
    const bool full = waits ? host_.rx_buffer.wait(queue, Bytes(p.payload), until)
                            : host_.rx_buffer.take(queue, Bytes(p.payload), until);
    if (full) [[unlikely]]
      pause_peer(queue, now);
  }
  void pause_peer(RxBuffer::Queue queue, Picoseconds now);
  /// Looks at a paused queue again when enough has left it, once that time is known.
  void plan_resume(RxBuffer::Queue queue, Picoseconds now);
  void plan_resumes(Picoseconds now) {
    if (!pausing_.empty()) [[unlikely]]
      for (const RxBuffer::Queue queue : pausing_) plan_resume(queue, now);
  }
  void resume_peers(RxBuffer::Queue queue, Picoseconds now);
  /// Those whose queues have emptied enough go on.
  void resume_freed(Picoseconds now);
  /// The frame goes in front of what waits for the port.
  void send_pause(RxBuffer::Queue queue, bool pause, Picoseconds now);

  /// To what came in by `port`.
  void respond(std::size_t qp, std::uint16_t port, bool cnp, const policy::Response& response,
               Picoseconds now) {
    responses_.push(static_cast<std::uint16_t>(qp), port, cnp, response, now);
  }

  // rnic_host.cpp: host memory of a user's own, which answers when it likes
  using WhenDone = Unanswered::WhenDone;
  void serve_host();
  /// It answered a read for a queue pair with an error: so is the queue pair.
  void host_failed(std::size_t qp, Picoseconds now);
  /// Has `then` called when the read just made for a queue pair is done, also after an error.
  void await_read(std::size_t qp, WhenDone then);
  /// The write just made is of a queue pair; then `leaves` of payload is out of the RX buffer.
  void await_write(std::size_t qp, Bytes leaves);
  /// Has `then` called when all that the queue pair has written so far is in memory; only while
  /// QueuePair::written_until is `never`.
  void wait_for_writes(std::size_t qp, WhenDone then) {
    unanswered_.after_writes(qp, std::move(then));
  }
  /// Packets of the queue pair that wait for contexts go on.
  void contexts_known(std::size_t qp, Picoseconds ready);
  /// One more read of a service whose end is not known.
  void await_service_read(std::size_t slot);

  // rnic_contents.cpp: bytes in host memory
  /// Has contents in its memory and beside its packets (elaboration only).
  void have_contents(WireBytes& bytes);
  /// The host writes the WQEs of messages that are posted, from number `from` on.
  void write_wqes(std::size_t qp, std::uint64_t from);
  RdmaWqe wqe_of(std::size_t qp, std::uint64_t message) const;
  /// Whether the WQEs that were read are those that the host wrote.
  bool good_wqes(std::size_t qp, std::uint64_t first, std::uint64_t n);
  /// How far behind the beginning of its ring at either end the payload of a PSN lies.
  std::uint64_t offset_of(Psn psn) const {
    return host_address::ring_offset(psn, static_cast<std::uint64_t>(config_.mtu.count()));
  }
  /// Bytes of a packet that is sent.
  void attach_contents(std::size_t qp, const Packet& p, const PacketPlace& place, bool fresh);
  /// Has what a received packet brought written where its payload goes; without contents that fit
  /// its fields it is corrupted.
  void take_contents(Packet& p);
  /// Contents of the CQE that is written next: of all but the last `without` messages acknowledged.
  void stage_cqe(std::size_t qp, std::uint32_t without);

  // rnic_reads.cpp: READs
  /// Whether any of its queue pairs requests or answers them.
  bool takes_part_in_reads() const;
  /// A request or a response; false when it found no room and is lost.
  bool receive_read(std::size_t qp, const Packet& p, Picoseconds now);
  void receive_request(std::size_t qp, const Packet& p, Picoseconds now);
  void receive_response(std::size_t qp, const Packet& p, Picoseconds now);
  /// A request came again: what it asks for is read from host memory, and then sent.
  void read_again(std::size_t qp, Psn psn, std::uint32_t responses, Picoseconds now);
  void send_again(std::size_t qp, std::uint64_t request, Picoseconds now);
  /// Responses from `psn` on are missing: requested again as after a NACK.
  void request_again(std::size_t qp, Psn psn, Picoseconds now);
  /// Fills in what a READ request or a response has beside its place, when it is sent.
  void dress_read(std::size_t qp, Packet& p, const PacketPlace& place,
                  const policy::Transmission& t);
  /// The last response is sent: so is the acknowledgement that waited for it.
  void release_response(std::size_t qp);

  // rnic_atomics.cpp: atomics at their responder
  void receive_atomic(std::size_t qp, const Packet& p, Picoseconds now);
  /// It holds its slot now.
  void begin_atomic(const AtomicOperation& operation, Picoseconds now);
  /// Its result is there; `operation`: address and PSN.
  void end_atomic(std::size_t qp, std::uint64_t operation, Picoseconds now);

  // rnic_sends.cpp: messages that take receive WQEs
  void add_receive_queue(std::size_t qp);
  std::size_t receive_queue_of(std::size_t qp) const { return shares_receives_ ? 0 : qp; }
  /// A packet of data of any verb: it is taken, or kept behind one that waits for a receive WQE.
  void receive_in_turn(std::size_t qp, Packet& p, Picoseconds now);
  /// It is taken, or lost.
  void take_data(std::size_t qp, Packet& p, Picoseconds now);
  /// Whether the packet needs a receive WQE that is not on the chip.
  bool lacks_receive_wqe(std::size_t qp, const Packet& p);
  /// Whether the packet is kept until a receive WQE is on the chip.
  bool waits_for_receive_wqe(std::size_t qp, Packet& p, Picoseconds now);
  /// A packet of a SEND or a WRITE with immediate data; false when it found no room and is lost.
  bool receive_message(std::size_t qp, const Packet& p, Picoseconds now);
  /// A message that took a receive WQE is whole: its CQE follows its payload.
  void write_receive_cqe(std::size_t qp, Picoseconds now);
  /// The host found it.
  void received_found(std::size_t qp, Picoseconds now);
  void post_receives(std::size_t queue, std::uint32_t wqes, Picoseconds now);
  void read_receive_wqes(std::size_t queue, Picoseconds now);
  void receive_wqes_arrived(std::size_t queue, std::uint32_t wqes, Picoseconds now);
  void receive_rnr_nak(std::size_t qp, const Packet& p, Picoseconds now);
  /// An RNR NAK takes effect.
  void put_off(std::size_t qp, const AckInfo& ack, Picoseconds now);

  // rnic_datagrams.cpp: UC and UD
  /// A packet of them that waits for no receive WQE.
  void take_unreliable(std::size_t qp, Packet& p, Picoseconds now);
  /// Fills in what their packets have beside their place; the last one of a message completes it
  /// when it has left.
  void dress_unreliable(std::size_t qp, Packet& p, const policy::Transmission& t);
  /// Whether any of its queue pairs is of one of them.
  bool has_unreliable() const;

  // rnic_on_demand.cpp: DC
  /// Whether the queue pair may post at `now`; if not, it is posted to when it may.
  bool has_turn(std::size_t qp, Picoseconds now);
  /// A turn begins; whether its initiator connects first, and it is posted to later.
  bool connects(const DcInitiators::Turn& turn, Picoseconds now);
  /// After it was posted to: with nothing outstanding its initiator serves another queue pair.
  void end_turn(std::size_t qp, Picoseconds now);
  void post_at(std::size_t qp, Picoseconds at);

  // rnic_ordering.cpp: work of the ordering engine; last packets of WRITEs
  /// Counts what the engine did; returns until when it works on the packet.
  Picoseconds engine_takes(const policy::OrderingAnswer& answer, Picoseconds now);
  /// Keeps the last packet of a WRITE that came out of order apart (WriteLast::receiver).
  bool hold_last(QueuePair& qp, const Packet& p);
  /// Those before `expected`, which go to their place now: PSN and bytes.
  std::vector<std::pair<Psn, std::uint16_t>> release_held(QueuePair& qp, Psn expected);
  /// Decisions of the engine on a packet take effect in host memory when it is done with it: the
  /// PCIe link takes requests in the order of time.
  void place_at(Picoseconds decided, std::size_t qp, const Packet& p,
                const policy::ReceiveOutcome& out, bool apart, Picoseconds now);
  /// It is done with the first of them.
  void place(Picoseconds now);
  /// A last packet of a WRITE goes to its place: it is read, and then written.
  void read_held(std::uint16_t qp, Picoseconds now);
  /// Its read is due when all that was written before is in memory.
  void plan_copy(std::uint16_t qp, Picoseconds now);
  void write_held(std::uint16_t qp, Picoseconds now);

  // rnic_acknowledge.cpp: acknowledgements that arrive
  void receive_ack(std::size_t qp, const Packet& p, Picoseconds now);
  void take_response(std::size_t qp, const AckInfo& ack, Picoseconds now);
  /// Takes it at `due`, or when all data that the queue pair received is in memory.
  void take_when_written(std::size_t qp, const AckInfo& ack, Picoseconds due);
  void progressed(std::size_t qp, const policy::AckOutcome& outcome, Picoseconds now);
  void on_timer(std::size_t qp, Picoseconds now);
  /// Its retries are used up: the queue pair is in error, and so are its messages.
  void fail(std::size_t qp, Picoseconds now);
  /// Whether its timeout has run out in vain so often that the next time is repetition.
  bool exceeds_retries(const QueuePair& qp) const {
    // With retries to count, the error comes nearer each time.
    return !config_.reliability.retry_count &&
           qp.timeouts.in(context_.repetition) >= context_.repetition.most;
  }

  // congestion/rnic_feedback.cpp: what congestion control and entropy schemes listen to
  struct Heard {
    std::size_t qp;
    Feedback feedback;
    Picoseconds rtt;
  };
  void begin_congestion_control();
  void begin_steering();
  /// Its first message was posted: it goes on where the last one to the same peer ended.
  void inherit_state(QueuePair& qp);
  /// Bytes that tags add to the frame of data.
  Bytes tag_bytes(Opcode opcode) const;
  /// Adds what says where data belongs: a RETH in each packet, what is left of the message, the
  /// ordering layer's head.
  [[gnu::noinline]] void add_tags(const QueuePair& qp, Packet& data,
                                  const PacketPlace& place) const;
  /// Adds fields of data beyond those of its transport.
  void add_header_options(QueuePair& qp, Packet& data, const policy::Transmission& t);
  /// Whether it asks for an acknowledgement, where not every message does.
  void ask_by_messages(const QueuePair& qp, Packet& data, const policy::Transmission& t) const;
  /// Adds feedback fields to data, its entropy, and what policies keep of it.
  void attach_feedback(QueuePair& qp, Packet& data, Psn psn);
  /// Feedback of a data packet goes back with the response that it caused.
  void keep_echo(QueuePair& qp, const Packet& data);
  void add_echo(Packet& response);
  /// An acknowledgement takes effect, with what it brought.
  void apply_ack(std::size_t qp, const AckInfo& ack, const Heard& heard, Picoseconds now);
  void on_feedback(QueuePair& qp, const AckInfo& ack, const Heard& heard, Bytes delivered,
                   Bytes lost, Picoseconds now);
  /// Nothing came back in time.
  void miss(QueuePair& qp, Picoseconds now);
  /// After anything that may have changed the window, or what is in flight.
  void watch_window(QueuePair& qp);

  // rnic_pulls.cpp: what receivers grant, and what senders spend of it
  void begin_pulls();
  /// A data packet that reports single packets takes part in; `refused`: it has to come again.
  void take_announcement(std::size_t qp, const Packet& data, bool refused, Picoseconds now);
  /// Grants what is due, and plans the next grant.
  void grant(Picoseconds now);
  void send_pull(const PendingResponse& pull);
  void receive_pull(std::size_t qp, const Packet& p, Picoseconds now);
  /// A data packet spends credit, and announces what else is needed.
  void spend(QueuePair& qp, Packet& data);
  /// After anything that may have changed its credit or what waits; `fresh`: a message was posted,
  /// before which nothing waited.
  void settle_credit(std::size_t qp, bool fresh, Picoseconds now);

  // rnic_messages.cpp: messages posted, received and completed
  void post(std::size_t qp, Picoseconds now);
  /// So many messages of a queue pair are completed: each is an entry of its completion queue.
  void use_completion_queue(std::size_t qp, std::uint32_t messages, Picoseconds now);

  // rnic_host_queues.cpp: threads that post, and completions that are found
  void hand_to_poster(std::size_t qp, std::uint64_t messages, Picoseconds now);
  void plan_posting(const std::optional<Posting::Step>& step);
  /// A thread has written WQEs, or the proxy its doorbell.
  void written(std::size_t thread, Picoseconds now);
  /// The host tells the NIC of `messages` more.
  void ring(std::size_t qp, std::uint32_t messages, Picoseconds now);
  /// So many more messages are acknowledged, and wait for their CQE.
  void await_cqe(std::size_t qp, std::uint32_t messages, Picoseconds now);
  /// CQEs for so many messages, which the host finds later.
  void write_cqes(std::size_t qp, std::uint32_t messages, Picoseconds now);
  /// Their entries on PCIe; returns when the host can see all of them.
  Picoseconds write_entries(std::size_t qp, std::uint32_t messages, Picoseconds now);
  /// When the host has found a CQE that it can see at `visible`.
  Picoseconds found_at(Picoseconds visible) const;
  /// CQEs that were written at `written` are visible.
  void cqes_visible(std::size_t qp, std::uint32_t messages, Picoseconds written,
                    Picoseconds visible);
  void cqe_held(std::size_t qp, Picoseconds now);
  void cqe_found(std::size_t qp, std::uint32_t messages, Picoseconds now);

  // rnic_messages.cpp, too
  /// Posts others in their place, and what waited for them.
  void complete(std::size_t qp, std::uint32_t messages, Picoseconds now);
  /// So many more messages are whole: when they are in memory, they let others of their exchange
  /// go.
  void in_memory(std::size_t qp, std::uint32_t messages, Picoseconds now);
  void notify_from(std::size_t qp, std::uint32_t messages, Picoseconds there, Picoseconds now);
  /// `messages` more of an exchange have arrived, or are completed: posts what waited for them.
  void notify(int exchange, std::uint64_t messages, Picoseconds now);

  // rnic_programs.cpp: programs of the host
  /// So many messages that a queue pair received are in memory.
  void tell_received(std::size_t qp, std::uint64_t messages, Picoseconds now);
  /// Posts what a program wants posted, and plans when it goes on.
  void go_on(std::size_t program, Picoseconds now);

  // rnic_handshakes.cpp: TCP before the first message
  void plan_handshake(std::size_t qp);
  void try_handshake(std::size_t qp, std::uint64_t attempts, Picoseconds now);
  void send_segment(std::size_t qp, const TcpSegment& segment, Picoseconds now);
  void receive_segment(const Packet& p, Picoseconds now);
  void send_waiting_segment(std::size_t qp);

  // rnic_recovery.cpp: NACKs that are served
  void serve_nack(std::size_t qp, Psn psn, Picoseconds now);
  void begin_service(std::size_t qp, Psn psn, Picoseconds now);
  void continue_service(std::size_t slot, Picoseconds now);
  void finish_service(std::size_t slot, Picoseconds now);
  void begin_next_service(std::size_t qp, Picoseconds now);
  void release_hold(std::size_t qp, Picoseconds now);
  Picoseconds read_for_retransmission(std::uint64_t address, Bytes size, Picoseconds now);

  // rnic_transmit.cpp: the wire, up to a time
  void transmit_before(Picoseconds end) {
    if (cursor_ < end) decide_before(end);
    // Those that are done while the last packet is being sent, before anything later.
    if (!host_.wqe_reads.empty()) host_.take_wqes(end - 1_ps);
  }
  void decide_before(Picoseconds end);
  /// Why nothing goes now; `stopped`: new data is not asked for its gate, `next`.
  IdleCause idle_cause(const Gate& next, bool stopped) const;
  /// The wire is idle up to `until`, and why.
  void wait_until(Picoseconds until, IdleCause cause);
  bool paused(std::uint32_t traffic_class) const { return (paused_ >> traffic_class & 1u) != 0; }
  /// Whether PFC holds the data of all its queue pairs.
  bool all_paused() const { return (scheduler_.classes() & ~paused_) == 0; }
  /// After anything of a queue pair changed: its turn and its timer.
  void refresh(std::size_t qp);
  void watch_deadline(std::size_t qp) {
    // A deadline that moved away is looked at again when its event comes; one that came nearer has
    // an event of its own.
    if (deadlines_recede_ && qps_[qp].timer_at != never) return;
    arm_timer(qp);
  }
  void arm_timer(std::size_t qp);

  /// Nothing goes before then, because of `next`; with responses and WQEs that come before.
  void idle_until(Picoseconds until, const Gate& next, bool stopped);

  // rnic_engine.cpp: the same with a packet engine
  /// A packet that the packet engine works on, or that needs contexts, before it is processed.
  void receive_apart(Packet& p, Picoseconds now);
  void decide_engine_before(Picoseconds end);
  /// Sends the response that is due, if its unit is free.
  bool respond_by_engine();
  /// The response that is due waits for a unit or credits.
  void wait_for_unit(Gate& next) const;
  void begin_credits();
  /// Sends by send(), and takes the credits of the packet of that class that it puts on the wire.
  template <class Send>
  void send_with_credits(std::uint32_t traffic_class, Send send);
  /// Bytes on the wire of its next packet; of one that is sent again not less.
  Bytes wire_ahead(const QueuePair& qp) const;
  /// Whether no unit is free for its next packet, or its lane has no credits; `busy` becomes the
  /// first of them to be free.
  bool engine_turns_away(std::size_t qp, QueuePair& queue_pair, Gate& busy);
  /// From when a unit and credits are there for its next packet, and which of both is the later.
  Gate engine_gate(std::size_t qp, const QueuePair& queue_pair) const;
  /// Likewise for the response that is due.
  Gate response_gate() const;
  /// After a pick: those that were turned away wait for nothing; what they waited for first is
  /// `waited`, and the gate of `next` if that is so.
  void readmit(Gate& next, const Gate& waited);
  /// Whether its next packet begins a message, where that matters.
  bool begins_message(const QueuePair& qp) const;
  /// The next data packet for which a unit is free, and the gate of those who have none.
  int pick_for_engine(Gate& next);
  Picoseconds next_engine_time() const;
  /// A watcher hears what a unit of the engine worked on.
  void notify_engine(std::size_t qp, EngineWork work, const Packet& p) const;

  // rnic_ports.cpp: the same with several ports
  void begin_ports();
  /// Port of a connection that keeps to one (PortChoice).
  unsigned own_port(const QueuePairConfig& connection) const;
  /// Greatest rate of one queue pair.
  BitRate queue_pair_line_rate() const;
  /// The times in which a port's link is down, as it will know.
  std::vector<fabric::Outage> known_outages(unsigned port) const;
  void decide_ports_before(Picoseconds end);
  /// Sends what its ports may start now; returns when the next one starts, or `never`.
  Picoseconds start_ports();
  /// When a port starts its next packet, if nothing changes.
  Picoseconds port_starts(unsigned port) const;
  /// Chooses the port of a queue pair's next packet; false: it finds no room there.
  bool find_port(QueuePair& qp);
  /// When it looks again, and why it waits.
  Gate port_gate(unsigned port, unsigned traffic_class) const;
  /// The TX pipe's next packet, and the gate of those who have none.
  int pick_for_ports(Gate& next);
  void put_in_line(Packet& p, unsigned port, bool response);
  Picoseconds next_ports_time() const;
  void ports_outlook(fabric::Outlook& outlook) const;

  // rnic_packets.cpp: what goes on the wire
  Packet& new_packet(const QueuePair& qp, Opcode opcode, Bytes payload);
  void send_data(std::size_t qp);
  void send_response();
  void put_on_wire(Packet& response, const char* what);
  void record_sent(const Packet& p, policy::SendKind kind, Picoseconds start);

  // rnic_watch.cpp: the NIC while somebody watches
  /// The queue pair that an event, not handled yet, is about.
  std::optional<std::size_t> concerned(const fabric::Event& e) const;
  void notify_posted(std::size_t qp, std::uint64_t posted_before, Picoseconds now);
  void notify_completed(std::size_t qp, std::uint32_t completed, Picoseconds now);
  void notify_placed(std::size_t qp, const Packet& p, Picoseconds decided);
  void notify_nack(std::size_t qp, const Packet& cause, Psn expected, Picoseconds now);
  /// A data packet goes, by a unit of the engine if there is one.
  void notify_chosen(std::size_t qp, const Packet& data, Picoseconds now);
  /// The timeline, while it records.
  Timeline* recorder() const {
    return timeline_ != nullptr && timeline_->recording() ? timeline_ : nullptr;
  }

  RnicConfig config_;
  NodeId id_;
  const policy::TransportEntry& transport_;
  /// With one timeout, which begins anew later and later, deadlines never come nearer.
  bool deadlines_recede_;
  Picoseconds shortest_timeout_{};
  policy::RetransmitUnit retransmit_;
  RnicCounters counters_;
  QueuePairTable qps_;
  HostSide host_;

  // Receive.
  OrderingUnit ordering_;
  EntropyMaker make_entropy_;             ///< empty: the model
  std::optional<AtomicSlots> atomics_{};  ///< none: no atomic was accepted
  /// By queue pair, those without messages empty; or one for all (ReceiveConfig::shared).
  std::vector<std::optional<ReceiveQueue>> receive_queues_{};
  bool shares_receives_ = false;
  Opcodes taken_at_once_ = plain_writes;  ///< by receive_data(); none where any packet may wait
  std::uint64_t receives_waiting_ = 0;    ///< packets in them
  Placements placements_;  ///< empty unless there are both an ordering engine and a host
  MessageExchange exchanges_;
  HostPrograms programs_;
  AckOrder acks_;

  // PFC that it sends.
  struct PausedPeer {
    Picoseconds since{-1};  ///< below 0: not paused
    bool planned = false;   ///< a look at its queue is
    Picoseconds before{};   ///< paused, in earlier pauses
  };
  std::vector<PausedPeer> paused_peers_;  ///< by RX queue; empty: no PFC
  std::vector<RxBuffer::Queue> pausing_;  ///< those that are paused

  // Transmit.
  ResponseQueue responses_;
  NackServer nacks_;
  TxScheduler scheduler_;
  fabric::tx_port* wire_ = nullptr;  ///< null: packets go in line first
  bool sends_apart_ = false;         ///< several ports, or a packet engine
  bool engine_leads_ = false;        ///< one port, and a packet engine that works ahead of its wire
  bool expects_strays_ = false;
  bool receives_apart_ = false;  ///< a packet engine, or contexts that may not be on the chip
  Picoseconds cursor_{};         ///< the wire is decided up to here; likewise all wires of ports
  /// The wire's last idle time of one cause.
  struct Wait {
    Picoseconds from{-1};
    Picoseconds to{-1};
    IdleCause cause = IdleCause::no_work;
  };
  Wait waited_;
  unsigned paused_ = 0;   ///< traffic classes, a bit each
  bool dresses_ = false;  ///< data is more than its transport says
  bool tags_ = false;     ///< data has tags of its place in a message, or a RETH in each packet
  bool listens_ = false;  ///< somebody hears of acknowledgements beside the transport
  bool echoes_ = false;   ///< data of any NIC may bring feedback
  std::uint64_t packets_created_ = 0;
  std::uint64_t event_ordinal_ = 0;  ///< orders events of one kind and time
  policy::Listening listening_{};
  std::unique_ptr<policy::GrantPoint> grants_;  ///< null: nothing is granted
  Picoseconds next_grant_{};                    ///< not before
  bool grant_planned_ = false;
  /// By peer: the queue pair that finished last, if no other took over from it.
  std::map<NodeId, std::size_t> finished_last_;
  /// Acknowledgements that wait to take effect, as they arrived. Those of one queue pair keep
  /// that order, those of two need not: events of one time are ordered by queue pair.
  std::deque<Heard> heard_;

  // Several ports.
  std::unique_ptr<NicPorts> ports_;  ///< null: one, with no line in front of it
  BitRate line_rate_{};
  Picoseconds pipe_free_{};        ///< the TX pipe is busy until then
  Picoseconds pipe_next_{};        ///< it has nothing to do before, if nothing changes
  std::uint8_t answers_port_ = 0;  ///< of the response that is made

  std::optional<Posting> posting_{};          ///< none: posting takes no time
  std::optional<DcInitiators> initiators_{};  ///< none: no queue pair is of DC

  // A packet engine.
  std::unique_ptr<PacketEngine> engine_;  ///< null: none
  std::optional<LaneCredits> credits_{};  ///< none: no limit; with an engine, if of no time
  /// Queue pairs that found no room in a port's line, or no free unit, with their context_ready.
  std::vector<std::pair<QueuePair*, Picoseconds>> turned_away_{};

  WireBytes* contents_ = nullptr;  ///< of packets; null: they are fields alone
  std::uint64_t payload_slot_ = host_address::largest_slot;  ///< of a packet that is received

  Unanswered unanswered_{};  ///< of host memory of a user's own

  // TCP, if there is any.
  Handshakes handshakes_;
  std::map<std::pair<NodeId, std::uint16_t>, std::size_t> segment_qps_;  ///< by peer and port

  // For who looks on.
  Histogram reorder_depth_;
  Timeline* timeline_ = nullptr;
  nic_observer* nic_watcher_ = nullptr;
  std::unique_ptr<FetchObserver> fetch_observer_;  ///< passes on to nic_watcher_
};

}  // namespace horae::rnic
