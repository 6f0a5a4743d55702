// A Tofino2 as a device: pipelines that run a program, and the traffic manager between them.
#pragma once

#include <algorithm>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "horae/dataplane/chip_spec.hpp"
#include "horae/dataplane/price/ledgers.hpp"
#include "horae/fabric/device.hpp"
#include "horae/programs/program.hpp"
#include "horae/tofino/chip_config.hpp"
#include "horae/tofino/chip_pipeline.hpp"
#include "horae/tofino/header_timing.hpp"
#include "horae/tofino/loopback_ports.hpp"
#include "horae/tofino/mirror_buffer.hpp"
#include "horae/tofino/mirror_copies.hpp"
#include "horae/tofino/pass_observer.hpp"
#include "horae/tofino/port_starts.hpp"
#include "horae/tofino/sorted_lane.hpp"
#include "horae/tofino/traffic_manager.hpp"

namespace horae::tofino {

/// The way of a packet, with what it costs in time:
///
///   last bit in -> MAC, parser -> wait for a clock of its pipeline (one header per clock) ->
///   ingress MAU (the program's cycles) -> deparser, traffic manager -> queue of the egress port ->
///   egress parser, MAU, deparser, MAC -> first bit out
///
/// The program's ingress runs when the header enters the pipeline and its egress when the packet
/// leaves the queue, each in time order, so registers see packets in pipeline order. Packets are
/// stored whole before they are queued (the chip's default mode) and egress takes no account of one
/// header per clock, unless `timing` says otherwise; the buffer is counted in cells. The MAU cycles
/// of a gress are those of the program's placement into the chip's stages; a program that does not
/// fit the chip is refused (dataplane::DoesNotFit).
///
/// A mirrored copy leaves the deparser of the pass that asked for it, is queued by the traffic
/// manager and passes the egress of its port. A recirculated packet passes the traffic manager,
/// waits for the loopback port of its pipeline, or of the one that the program named (egress is
/// bypassed unless the program asks for it), and enters the ingress there. A program may put
/// packets into queues of its own and hold and release them; what is held stays in the buffer.
///
/// With `pfc` the chip pauses who sends to it, by what their packets hold of the buffer
/// (IngressPauses). A pause frame takes the wire of its port at the next packet boundary and passes
/// no pipeline.
///
/// The parts do the work (ChipPipeline, TrafficManager, LoopbackPort, MirrorCopies); the device
/// moves packets between them by events.
class tofino_switch : public fabric::device {
 public:
  /// `ports` in use, spread over the pipelines as `config` says (InputError if they do not fit).
  /// Switches that are given the same `ledgers` (only here) place a program once.
  tofino_switch(sc_core::sc_module_name name, fabric::sim_context& context,
                const ChipConfig& config, unsigned ports, const programs::ProgramFactory& factory,
                const programs::Routes& routes, dataplane::Ledgers* ledgers = nullptr);

  /// Headroom of each port, in place of `pfc.headroom`; before simulation starts.
  void set_headrooms(std::vector<Bytes> headrooms) { headrooms_ = std::move(headrooms); }

  const ChipConfig& config() const { return config_; }
  unsigned pipeline_of(unsigned port) const { return pipeline_of_port_[port]; }
  const programs::Program& program(unsigned pipeline) const { return pipes_[pipeline].program(); }
  const EgressPort& port(unsigned i) const { return traffic_manager_.port(i); }
  /// Tells the programs of a connection (see programs::Program::connect).
  void connect(const programs::Connection& connection);
  /// Tells them that one is over.
  void disconnect(const programs::Connection& connection, Picoseconds now);
  /// Packet generators make nothing from now on.
  void stop_generators() { generators_stopped_ = true; }
  /// Whether a timer of a packet generator goes on without an end.
  bool generates_for_ever() const;
  /// Tells the programs of changed routes; pipelines of ports stay.
  void update(const programs::Routes& routes);
  /// Cost of the program for a pipeline, and the places of its objects.
  const dataplane::Ledger& ledger() const { return ledger_; }
  /// Time from the last bit in to the queue, without waiting for a clock.
  Picoseconds ingress_latency(unsigned pipeline) const;
  /// Time from leaving the queue to the first bit out.
  Picoseconds egress_latency(unsigned pipeline) const;

  struct Counters {
    std::uint64_t ingress_passes = 0;
    std::uint64_t egress_passes = 0;
    std::uint64_t forwarded = 0;
    std::uint64_t marked = 0;
    std::uint64_t dropped_program = 0;
    std::uint64_t dropped_buffer = 0;    ///< no free cells
    std::uint64_t dropped_queue = 0;     ///< over the port's queue limit
    std::uint64_t dropped_headroom = 0;  ///< over the headroom of the ingress port
    std::uint64_t dropped_loopback = 0;  ///< over what loopback ports may hold
    std::uint64_t deflected = 0;         ///< data without room that the program got; no drops
    std::uint64_t mirrored = 0;          ///< copies made
    std::uint64_t dropped_mirror = 0;    ///< of these, without room in the mirror buffer
    std::uint64_t replicated = 0;        ///< copies made for multicast groups
    std::uint64_t generated = 0;         ///< packets of packet generators
    std::uint64_t resubmitted = 0;
    std::uint64_t recirculated = 0;       ///< passes of loopback ports
    std::int64_t recirculated_bytes = 0;  ///< on the wire of loopback ports
    std::uint64_t not_roce = 0;           ///< left with bytes that are no RoCEv2
    std::uint64_t pauses_sent = 0;        ///< without resumes
    std::uint64_t holds = 0;              ///< requests to hold a queue
    std::uint64_t releases = 0;
    Picoseconds pipeline_wait{};  ///< sum of the time headers waited for a clock
  };
  /// Sum over all parts.
  Counters counters() const;
  /// Has passes told to `watcher` as well (before simulation starts; it is kept alive by the
  /// caller), if the simulation is watched at all.
  void watch_passes(pass_observer* watcher) { pass_watcher_ = watcher; }
  /// A pipeline's objects, for who looks into a program.
  const dataplane::Pipeline& objects(unsigned pipeline) const { return pipes_[pipeline].objects(); }
  /// Bytes of its packets; null: its program does not work on bytes.
  programs::Frames* frames() const { return frames_.get(); }
  /// Packets of its links are fields, of which it makes bytes and back, for a program that works on
  /// bytes; before simulation starts. Otherwise whoever gives it packets enters their bytes.
  void carry(WireBytes& bytes) { wire_bytes_ = &bytes; }
  std::int64_t cells_used() const { return traffic_manager_.buffer().used(); }
  std::int64_t most_cells_used() const { return traffic_manager_.buffer().most_used(); }
  const LoopbackPorts& loopbacks() const { return loopbacks_; }
  const TrafficManager& traffic_manager() const { return traffic_manager_; }

  /// Also where packets have bytes: all chips of a network share them.
  bool stays_with_kernel() const override {
    return device::stays_with_kernel() || frames_ != nullptr;
  }
  Picoseconds next_own_time() const override {
    return std::min({events_.next_time(), managed_.next_time(), starts_.next_time()});
  }
  std::vector<std::string> describe_queues() const override;
  void add_waits(fabric::PauseWaits& waits) const override;
  void statistics(StatTree& tree) const override;
  /// Summed over the pipelines.
  void program_statistics(StatTree& tree) const override;
  /// Reports of programs on their objects, pipeline by pipeline; empty: none.
  void program_report(nlohmann::ordered_json& out) const;

 protected:
  void handle(const fabric::Event& e) override { handle_as<false>(e); }
  void handle_watched(const fabric::Event& e) override { handle_as<true>(e); }
  void begin() override {
    telemetry_ = adds_telemetry_ && context_.pool.carries_feedback();
    traffic_manager_.begin(context_.seed, name(), headrooms_);
    begin_generators();
    special_ = ghost_period_ > 0_ps || resubmits_ || !generators_.empty() || timed_ ||
               cut_through_ || wire_bytes_ != nullptr;
    special_egress_ = telemetry_ || timed_ || frames_ != nullptr;
  }
  void handle_before(Picoseconds end) override;
  std::uint64_t queued() const override;
  void own_outlook(fabric::Outlook& outlook) const override;

 private:
  // While it is watched it runs code of its own, so that telling costs nothing at other times.
  template <bool watched>
  void handle_as(const fabric::Event& e);
  /// Events of the calendar, of the lane and of the ports, in the order of (time, key).
  template <bool watched>
  void handle_all_before(Picoseconds end);
  template <bool watched>
  void leave_lane();
  template <bool watched>
  void stepped(Picoseconds t);
  bool nothing_more_at(Picoseconds t) const {
    return managed_.next_time() > t && starts_.next_time() > t && device::nothing_more_at(t);
  }
  template <bool watched>
  void enter_ingress(Packet& p, unsigned pipeline, Picoseconds t);
  template <bool watched, bool special, class KindOfPass>
  void enter_ingress_as(Packet& p, ChipPipeline& pipe, Picoseconds t);
  /// The ghost thread tells a pipeline's program of depths, if the last time is a period ago.
  void run_ghost(unsigned pipeline, Picoseconds t);
  Picoseconds before_ingress(const Packet& p, unsigned pipeline, Picoseconds t);
  void leave_ingress_otherwise(Packet& p, const dataplane::AnyPass& pass, Picoseconds deparsed);
  [[noreturn]] void no_way_out(const dataplane::AnyPass& pass) const;
  /// Does what the pass asks for beside its verdict.
  void serve_requests(const dataplane::AnyPass& pass, Picoseconds deparsed);
  void mirror(const dataplane::AnyPass& pass, Picoseconds deparsed);
  /// Notes what a frame meets in its queue, before it joins it.
  void note_queue(const Packet& p, unsigned port, unsigned queue, Picoseconds t);
  std::uint32_t cells_in(unsigned port, unsigned queue) const;
  void buffer_copy(Packet& copy, unsigned port_and_pipeline, Picoseconds t);
  Picoseconds egress_wait(const Packet& p, ChipPipeline& pipe, Picoseconds start, unsigned port);
  void send_late(Packet& p, unsigned port, unsigned pipeline, Picoseconds start);
  void become_fields(Packet& p);
  Picoseconds kept_whole(const Packet& p, BitRate rate) const;
  void replicate(Packet& p, unsigned pipeline_and_group, Picoseconds t);
  void begin_generators();
  /// The cause that triggered a generator: a port or metadata, or of a program on bytes its
  /// message.
  struct GeneratorTrigger {
    std::uint16_t what = 0;
    programs::GeneratorMessage message = {};
  };
  struct Generator {
    unsigned pipeline = 0;
    std::size_t which = 0;  ///< in Program::generators()
    programs::PacketGenerator what = {};
    std::deque<GeneratorTrigger> waiting = {};  ///< the first is being served
    std::uint32_t batch = 0, packet = 0;        ///< to be made next
    Picoseconds batch_due{}, packet_due{};
  };
  void trigger(unsigned number, GeneratorTrigger by, Picoseconds t);
  void make_packet(unsigned number, Picoseconds t);
  static bool next_packet(Generator& g, Picoseconds over);
  void trigger_by(const Packet& p, unsigned pipeline, Picoseconds t);
  void trigger_by_message(const Packet& p, unsigned pipeline, Picoseconds t);
  // `loopback`: number of the port.
  void fill_loopbacks();
  void loop_back(Packet& p, unsigned loopback, Picoseconds t);
  void loop_through_egress(Packet& p, unsigned loopback, Picoseconds t);
  template <bool watched>
  void pass_loop_egress(Packet& p, unsigned loopback, Picoseconds t);
  bool hold_looped(Packet& p, unsigned loopback, Picoseconds t);
  void release_loopback(const Packet& p, unsigned loopback, Picoseconds t);
  void request_queue(const dataplane::AnyPass& pass, Picoseconds deparsed);
  void control_queue(std::uint16_t port_and_queue, bool hold, Picoseconds t);
  /// In a queue of the program's own, or (0) in that of the packet's class.
  template <bool own, bool watched>
  void enqueue(Packet& p, unsigned port, unsigned queue, Picoseconds t);
  template <bool own, bool watched, bool closely>
  void enqueue_as(Packet& p, unsigned port, unsigned queue, Picoseconds t);
  /// Sends data that was refused to the program; whether it did.
  bool deflect(Packet& p, unsigned port, fabric::DropCause cause, Picoseconds t);
  void check_queue(const dataplane::AnyPass& pass, unsigned port, unsigned queue) const;
  void notify_looped(const Packet& p, unsigned loopback, Picoseconds queued,
                     Picoseconds last_bit) const;
  template <bool watched>
  [[gnu::always_inline]] void leave(Packet& p, unsigned port, unsigned pipeline, Picoseconds start);
  template <bool watched>
  [[gnu::always_inline]] bool pass_egress(Packet& p, unsigned port, unsigned pipeline,
                                          Picoseconds start);
  template <bool watched, class KindOfPass>
  [[gnu::always_inline]] bool pass_egress_as(Packet& p, unsigned port, ChipPipeline& pipe,
                                             Picoseconds start);
  template <bool watched>
  bool pass_egress_checked(Packet& p, unsigned port, ChipPipeline& pipe, Picoseconds start);
  void before_egress(Packet& p, unsigned port, dataplane::AnyPass& pass, ChipPipeline& pipe);
  void parse_telemetry(Packet& p, unsigned port, dataplane::AnyPass& pass);
  template <bool watched>
  Picoseconds start_port(unsigned port, Picoseconds t);
  template <bool watched, bool closely>
  Picoseconds start_port_as(unsigned port, Picoseconds t);
  void arm(unsigned port);
  // A pipeline of the chip: its number was checked where it comes from.
  ChipPipeline& pipe(unsigned pipeline) { return pipes_.data()[pipeline]; }
  void drop(Packet& p, fabric::DropCause cause, Picoseconds t);
  /// A packet is due at `t`, on its way around or to its queue.
  void schedule_packet(Picoseconds t, std::uint8_t kind, unsigned entity, Packet& p) {
    schedule(t, kind, static_cast<std::uint16_t>(entity), ordinal_++,
             reinterpret_cast<std::uint64_t>(&p));
  }

  /// Likewise, straight from ingress.
  void to_manager(Picoseconds t, std::uint8_t kind, unsigned entity, Packet& p) {
    managed_.push({t, fabric::make_key(kind, static_cast<std::uint16_t>(entity), ordinal_++),
                   reinterpret_cast<std::uint64_t>(&p)});
  }

  pass_observer* pass_watcher_ = nullptr;
  ChipConfig config_;
  dataplane::ChipSpec chip_;
  dataplane::Ledger ledger_;
  unsigned port_count_;
  std::vector<unsigned> pipeline_of_port_;
  std::vector<ChipPipeline> pipes_;
  LoopbackPorts loopbacks_;
  TrafficManager traffic_manager_;
  std::vector<Bytes> headrooms_;  ///< by port; empty: each has `pfc.headroom`
  MirrorCopies copies_;
  /// Enqueue events: what comes straight from ingress. It took the same time on all pipelines, so
  /// only what did not wait for a clock overtakes.
  SortedLane<fabric::Event> managed_;
  PortStarts starts_;         ///< dequeue events: when ports start what waits in their queues
  Picoseconds ghost_period_;  ///< of the program; zero: none
  std::vector<Picoseconds> ghost_due_;      ///< by pipeline
  std::vector<std::uint32_t> ghost_cells_;  ///< what it tells
  bool timed_;                              ///< egress and parsers take more than fixed times
  bool cut_through_;
  bool resubmits_ = false;  ///< the program
  bool special_egress_ = false;
  bool special_ = false;  ///< any of what is not on every packet's way to ingress
  HeaderParser parser_;
  Picoseconds late_{};                        ///< beyond the fixed times, in the last egress pass
  std::vector<Picoseconds> last_bit_out_;     ///< by port, where egress may be late
  Packet came_as_{};                          ///< the packet in ingress, as it came
  std::vector<MirrorBuffer> mirror_buffers_;  ///< by pipeline; empty: they have no limit
  Clock replication_;
  Cycles next_copy_{-1};                        ///< clock of the last copy for a group
  static constexpr std::size_t most_apps = 16;  // Tofino2: open-p4studio PKTGEN_APP_CNT
  static constexpr std::uint64_t generator_node =
      0xfffffeu;  // no node's number, nor that of copies
  std::vector<Generator> generators_;
  bool generators_stopped_ = false;
  std::unordered_map<const Packet*, dataplane::GeneratedHeader> generated_;  ///< on their way
  const dataplane::GeneratedHeader* generated_by_ = nullptr;                 ///< of the next pass
  std::uint64_t generated_count_ = 0, resubmitted_ = 0;
  std::unique_ptr<programs::Frames> frames_;  ///< of a program that works on bytes
  WireBytes* wire_bytes_ = nullptr;
  std::uint64_t not_roce_ = 0;
  bool takes_deflected_;                                  ///< the program
  std::uint64_t deflected_ = 0;                           ///< that the loopback port took
  std::uint64_t refused_queue_ = 0, refused_buffer_ = 0;  ///< of data that was to be deflected
  bool adds_telemetry_;                                   ///< the program
  bool telemetry_ = false;                                ///< and packets may ask for it
  std::uint64_t in_pipeline_ = 0;                         ///< packets between ingress and queue
  std::uint64_t passes_ = 0;
  std::uint64_t ordinal_ = 0;
  std::uint64_t forwarded_ = 0;
  std::uint64_t dropped_program_ = 0;
};

}  // namespace horae::tofino
