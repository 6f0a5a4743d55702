// A plain output-queued switch.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "horae/fabric/class_config.hpp"
#include "horae/fabric/class_map.hpp"
#include "horae/fabric/device.hpp"
#include "horae/fabric/devices/buffer_pools.hpp"
#include "horae/fabric/devices/ingress_accounts.hpp"
#include "horae/fabric/devices/switch_parts.hpp"
#include "horae/fabric/flow_ends.hpp"
#include "horae/fabric/ports/output_port.hpp"
#include "horae/fabric/ports/red.hpp"
#include "horae/fabric/routes/path_table.hpp"
#include "horae/fabric/routes/route_table.hpp"
#include "horae/policy/balance/load_balancer.hpp"

namespace horae::fabric {

/// The least headroom that loses nothing: what a peer can have sent before a pause reaches it and
/// the wire is drained. Round trip of propagation, one maximal frame that delays the pause frame,
/// the pause frame, one frame whose sending the peer has begun, and one that crossed the threshold;
/// plus what `receive_latency` holds back.
Bytes pfc_headroom(BitRate rate, Picoseconds delay, Bytes largest_frame,
                   Picoseconds receive_latency, Picoseconds peer_pipeline = {});

/// The least that a trimmed frame may have: htsim's 64 bytes without preamble and gap.
constexpr Bytes shortest_trimmed{44};

/// In which order packets of a class leave.
enum class QueueSchedule : std::uint8_t {
  fifo,
  srpt,         ///< data by what remains of its flow (SrptQueue), behind acknowledgements and CNPs
  srpt_packet,  ///< the same packet by packet: RemainingOrder::packet
};

/// Whose bytes the limit of an egress queue is of.
enum class LimitOf : std::uint8_t {
  port,           ///< all that waits at the port
  traffic_class,  ///< what waits in the packet's class
};

/// Which packet goes when an egress queue is full.
enum class WhenFull : std::uint8_t {
  arriving,
  half,  ///< the arriving one, or the last of its class in the queue, each with probability 1/2
};

/// The depth of a port that a load balancer sees.
enum class BalanceDepth : std::uint8_t {
  port,   ///< bytes that wait, and those that are left of the packet being sent
  queue,  ///< bytes that wait
};

struct SwitchConfig {
  unsigned ports = 32;
  Picoseconds latency = 600_ns;       ///< last bit in to queued
  Bytes queue_limit{};                ///< drop-tail limit of each egress queue; zero: none
  double queue_share = 0.0;           ///< limit of each egress queue, of what is free; zero: none
  Bytes buffer{};                     ///< packet buffer shared by all queues; zero: unlimited
  bool deflect = false;               ///< what finds its queue full goes out elsewhere (DIBS)
  std::optional<LimitOf> limit_of{};  ///< absent: of its class where packets are trimmed, else port
  std::optional<WhenFull> full{};     ///< absent: arriving
  /// Data that finds no room is cut to so many bytes (frame) in place of being dropped. Absent or
  /// zero: not.
  std::optional<Bytes> trim{};
  /// Class of trimmed packets, which have a queue without a limit and are not marked. Absent:
  /// `control_class`; without one 7.
  std::optional<std::uint32_t> trim_class{};
  /// `queue_limit` and the thresholds of `red` are those of ports of this rate, all others have
  /// them in proportion to theirs. Absent: all have the same.
  std::optional<BitRate> reference_rate{};
  QueueSchedule schedule = QueueSchedule::fifo;
  /// Acknowledgements and CNPs: a class that takes no buffer, is never refused, does not pause its
  /// sender and is not marked. Absent: there is none.
  std::optional<std::uint32_t> control_class{};
  /// Ports add telemetry (HopRecord) to data packets that ask for it. Absent: they do not.
  std::optional<bool> telemetry{};
  /// Which class is served next, and its share of the buffer; not shapers. Absent: strict priority.
  std::optional<std::vector<ClassConfig>> classes{};
  /// Parts of the buffer that some classes have for themselves. Absent: all share it.
  std::optional<std::vector<PoolConfig>> pools{};
  /// Classes by codes in headers. Absent maps: packets have the class of their sender.
  ClassMaps maps{};
  RedConfig red{};
  PfcConfig pfc{};
  /// By port, in place of `pfc.headroom`; empty: each has that. Not a parameter: of the port's
  /// link.
  std::vector<Bytes> headrooms{};
  std::string balance = "ecmp";
  policy::PolicyParameters balancing{};         ///< parameters of the load balancers
  std::optional<BalanceDepth> balance_depth{};  ///< absent: port
  /// Whether what is no data is balanced as well, or goes by its hash. Absent: it is.
  std::optional<bool> balance_responses{};
  std::optional<VoqConfig> voq{};        ///< what comes from far away waits here: voq_switch
  std::optional<NoticeConfig> notify{};  ///< marks become CNPs here: notifying_switch

  /// Whether data without room is cut rather than dropped.
  bool trims() const { return trim && trim->count() > 0; }
  /// The class that trimmed packets go to.
  std::uint32_t class_of_trimmed() const {
    constexpr std::uint32_t highest = 7;
    return trim_class.value_or(control_class.value_or(highest));
  }
  bool limits_classes() const {
    return limit_of.value_or(trims() ? LimitOf::traffic_class : LimitOf::port) ==
           LimitOf::traffic_class;
  }
  /// Whether any queue has a limit that is not of the whole buffer.
  bool limits_queues() const;
  /// The limit of the queues of a port of that rate; without one the most there is.
  std::int64_t limit_at(BitRate rate) const;

  /// All but `ports`, `headrooms` and `maps.codes`, which the platform decides.
  static const Schema<SwitchConfig>& schema();
};

/// Store-and-forward, output-queued: a packet is queued at its egress port a fixed time after its
/// last bit arrived, is marked and admitted there, and leaves in strict priority of its class.
///
/// With `deflect` (DIBS: Zarifis et al., EuroSys 2014) a packet whose egress queue is full goes to
/// another port that leads to a switch and has room, at random, the one it came from included; it
/// is dropped where there is none. Every such switch counts the packet's hop limit down.
class output_queued_switch : public device {
 public:
  output_queued_switch(sc_core::sc_module_name name, sim_context& context,
                       const SwitchConfig& config);

  RouteTable& routes() { return routes_; }
  OutputPort& port(unsigned i) { return egress_[i].out; }
  const OutputPort& port(unsigned i) const { return egress_[i].out; }
  /// Takes paths instead of the ports of `routes()`: what leaves the switch of its sender chooses
  /// among `paths`, by the depth of their first ports if the balancer asks, and follows its choice,
  /// whose number (from 1) is in `Packet::metadata`. What is not on its path goes by `routes()`, as
  /// do packets between end points of one switch. `vertex` is this switch in the topology.
  void set_paths(std::shared_ptr<const PathTable> paths, unsigned vertex) {
    paths_ = std::move(paths);
    vertex_ = vertex;
  }
  /// The link at a port has failed at `now`, which all devices have reached: drops what is queued.
  void drain(unsigned port, Picoseconds now);
  /// The ports that lead to other switches: where it may deflect to.
  void set_switch_ports(std::vector<std::uint16_t> ports) { switch_ports_ = std::move(ports); }
  /// Where it is in the network, for balancers that want feedback; rates and ports it knows itself.
  void set_place(policy::BalancePlace place) { place_ = std::move(place); }
  bool wants_feedback() const { return feedback_; }
  /// Packets come with the class that they have in this switch, which asks no code: those of
  /// captures, whose codes are more than a platform's.
  void take_classes_as_given() { classing_ = false; }
  /// Puts another balancer of the same configuration in the place of its own (elaboration only,
  /// before connections are pinned): RTL.
  void set_balancer(std::unique_ptr<policy::LoadBalancer> balancer) {
    balance_ = std::move(balancer);
  }
  /// Packets of pinned connections (Packet::pinned) take the port of their hash, whatever balances;
  /// before the simulation starts.
  void pin_connections();
  /// Whether it keeps state of connections, and so wants to be told of each (elaboration only).
  virtual bool learns_connections() const { return false; }
  virtual void learn(const FlowEnds& /*connection*/) {}

  /// Kinds of events from here on are for derived classes.
  static constexpr std::uint8_t own_events = device_events + 1;

  struct Counters {
    std::uint64_t forwarded = 0;
    std::uint64_t marked = 0;
    std::uint64_t pauses_sent = 0;
    std::uint64_t dropped = 0;
    std::uint64_t deflected = 0;
    std::uint64_t trimmed = 0;  ///< not among `dropped`
  };
  const Counters& counters() const { return counters_; }
  bool trims() const { return config_.trims(); }
  Bytes buffered() const { return Bytes(buffered_); }
  Bytes most_buffered() const { return Bytes(most_buffered_); }

  Picoseconds next_own_time() const override;
  std::vector<std::string> describe_queues() const override;
  void add_waits(PauseWaits& waits) const override;
  void statistics(StatTree& tree) const override;
  /// Adds counters of a switch's own part to the results; the default adds nothing.
  virtual void part_statistics(StatTree& /*tree*/) const {}

 protected:
  /// Routes, marks and queues a packet at `t`, or drops it.
  void admit(Packet& p, Picoseconds t);
  /// A packet of data with a mark is on its way out at `start`, the present if the switch starts by
  /// events; `own`: this switch marked it now. Only where marks are made at dequeue.
  virtual void leaves_marked(Packet& /*p*/, bool /*own*/, Picoseconds /*start*/) {}
  /// Starts are events in their order from the beginning on (call it in begin()).
  void start_by_events();
  const SwitchConfig& config() const { return config_; }

  [[gnu::flatten]] void handle(const Event& e) override;
  void handle_watched(const Event& e) override;
  void handle_before(Picoseconds end) override;
  void settle(Picoseconds end) override;
  std::uint64_t queued() const override;
  void own_outlook(Outlook& outlook) const override;
  void begin() override;

 private:
  class EgressView;

  // While it is watched it runs code of its own, so that telling costs nothing at other times.
  template <bool watched>
  void forward(Packet& p, Picoseconds t);
  /// The egress port of a packet, or nothing if there is no route.
  std::optional<unsigned> egress_of(Packet& p, Picoseconds t);
  std::optional<unsigned> egress_by_path(Packet& p, Picoseconds t);
  unsigned balanced(const Packet& p, std::span<const std::uint16_t> ports, Picoseconds t);
  struct Egress {
    OutputPort out;
    std::int64_t limit;             ///< of its queues, in bytes
    Picoseconds armed = never;      ///< time of its pending start event
    RedThresholds red{};            ///< of its rate
    bool reserves = false;          ///< packets may be reserved (OutputPort::reserve)
    std::int64_t plain_depth = -1;  ///< with no more bytes than these, the packet included, no
                                    ///< limit and no threshold matters; negative: always look
    unsigned rate_code = 0;         ///< of its rate, where records are added
  };
  std::optional<DropCause> refusal(const Packet& p, const Egress& egress, Picoseconds t);
  std::optional<DropCause> refusal_now(const Packet& p, const Egress& egress) const;
  bool queue_full(const Packet& p, const Egress& egress) const;
  bool over_share(const Packet& p, const Egress& egress, std::int64_t depth) const;
  bool buffer_full(const Packet& p) const {
    if (pools_.several()) [[unlikely]]
      return p.frame > pools_.free(p.traffic_class);
    return config_.buffer.count() > 0 && buffered_ + p.frame > config_.buffer.count();
  }
  /// Tells the balancer of a packet that came, and gives it the class that it has here.
  void take_in(Packet& p, Picoseconds t);
  /// Another port than `full` for a packet, at random among those to switches that have room.
  std::optional<unsigned> deflection(const Packet& p, unsigned full, Picoseconds t);
  void account(const Packet& p, Picoseconds t);
  void class_statistics(StatTree& tree) const;
  void drop(Packet& p, DropCause cause, Picoseconds t);
  /// Ends, or trims, `p` or one that waits; whether it was one that waits, and `p` has its place.
  bool make_room(Packet& p, unsigned port, DropCause cause, Picoseconds t);
  void trim_or_drop(Packet& p, unsigned port, DropCause cause, Picoseconds t);
  void mark_what_leaves(Packet& p, unsigned port, Picoseconds start);
  /// Changes a packet on its way out: marks it, and adds its record.
  void write_on_leaving(Packet& p, unsigned port, Picoseconds start);
  void begin_recording();
  void begin_feedback();
  bool starts_change_nothing() const;
  std::int64_t plain_depth(const Egress& egress) const;
  bool reserve_plainly(Packet& p, unsigned port, Picoseconds t);
  void forward_plainly(Packet& p, Picoseconds t);
  template <bool watched>
  void forward_by(unsigned port, Packet& p, Picoseconds t);
  void enqueue(Packet& p, unsigned port, Picoseconds t);
  void recall(unsigned port);

  /// Ports come from tables that were built for this switch.
  Egress& egress(unsigned port) { return egress_.data()[port]; }
  Picoseconds& due(unsigned port) { return due_.data()[port]; }
  const RedThresholds& red_of(const Packet& p, unsigned port) {
    if (red_of_class_.empty()) [[likely]]
      return egress(port).red;
    return red_of_class_[port][p.traffic_class];
  }
  void start_before(unsigned port, Picoseconds end) {
    if (due(port) < end) start_due(port, end);
  }
  void start_every_port_before(Picoseconds t);
  void starts_become_events();
  void start_due(unsigned port, Picoseconds end);
  void begin_due(unsigned port, Picoseconds end);
  void release(std::size_t queue, std::int64_t frame, Picoseconds start);
  void pause_sender(unsigned port, unsigned traffic_class, bool pause, Picoseconds t);
  void arm(unsigned port);
  static bool is_in(unsigned classes, const Packet& p) {
    return (classes >> p.traffic_class & 1u) != 0;
  }
  /// Index of a packet's ingress port and class in the tables below.
  static std::size_t queue_of(const Packet& p) {
    return p.ingress_port * OutputPort::classes + p.traffic_class;
  }

  SwitchConfig config_;
  RouteTable routes_;
  std::shared_ptr<const PathTable> paths_;  ///< absent: shortest paths
  unsigned vertex_ = 0;
  std::vector<Egress> egress_;
  /// By port: when its next packet starts if nothing changes (OutputPort::next_start), or `never`.
  /// Apart, because all are looked at together.
  std::vector<Picoseconds> due_;
  std::unique_ptr<policy::LoadBalancer> balance_;
  RedMarker red_;                        ///< at enqueue
  std::vector<RedOfPort> red_of_class_;  ///< by port; empty: all classes have those of the port
  /// At dequeue, by port: starts of several ports are taken in no order. Empty: at enqueue.
  std::vector<RedMarker> red_of_port_;
  /// Whether what starts leaves a buffer that ports share. Starts are taken late all the same, so
  /// the sums are never too low: what they allow is allowed, and where they do not, all ports are
  /// brought up to date and the question is asked again.
  bool shared_;
  unsigned limited_;    ///< classes of data: all but those of acknowledgements and trimmed packets
  unsigned counted_;    ///< classes whose bytes count there, as bits; none if it is not `shared_`
  unsigned refusable_;  ///< classes of which a packet may ever be refused
  unsigned marking_;    ///< classes that are marked when they are queued
  bool start_simply_;   ///< what starts changes nothing in the switch and nothing is written on it
  bool recording_ = false;  ///< ports add telemetry
  bool writing_ = false;    ///< something is written on what leaves
  bool feedback_;           ///< the balancer is told of packets that come and leave
  bool classing_;           ///< packets may have another class here than outside
  /// Starts are events in their order: a pause is in force, and a start may end it; or somebody
  /// watches.
  bool starts_are_events_ = false;
  bool pfc_;
  unsigned lossless_;         ///< classes that pause
  bool has_lossy_;            ///< some classes of data do not pause, and others do
  bool has_shares_;           ///< queues have limits of a class, or of what is free of the buffer
  bool by_class_;             ///< limits are of a class's bytes
  bool sees_queue_alone_;     ///< balancers do not see the packet being sent
  std::int64_t queue_share_;  ///< of `queue_share`, in 1/65536
  struct ClassShare {
    std::int64_t limit = 0;  ///< in bytes; zero: none
    std::int64_t share = 0;  ///< in 1/65536; zero: none
    std::int64_t minimum = 0;
  };
  std::array<ClassShare, OutputPort::classes> class_shares_{};
  RandomStream deflect_;
  std::optional<RandomStream> half_;  ///< which packet goes; absent: the arriving one
  /// Packets that it dropped, by cause, beside those of Counters.
  std::array<std::uint64_t, drop_causes> dropped_by_{};
  std::array<std::uint64_t, OutputPort::classes> dropped_of_{};  ///< by class
  std::vector<std::uint16_t> switch_ports_;
  policy::BalancePlace place_;
  std::array<std::uint8_t, OutputPort::classes> class_here_;  ///< by class outside
  std::vector<std::uint16_t> candidates_;                     ///< of one deflection
  IngressAccounts ingress_;                                   ///< by ingress port and class
  unsigned pausing_ = 0;  ///< queues of `ingress_` with a pause in force; and one
                          ///< while somebody watches, who is told in order
  BufferPools pools_;     ///< what each has is counted where there are several
  std::int64_t buffered_ = 0;
  std::int64_t most_buffered_ = 0;
  std::uint64_t ordinal_ = 0;
  Counters counters_;
};

}  // namespace horae::fabric
