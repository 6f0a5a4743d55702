// The switch-program seam.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "horae/core/header_extension.hpp"
#include "horae/core/units.hpp"
#include "horae/dataplane/pipeline.hpp"
#include "horae/params/located.hpp"
#include "horae/programs/frame.hpp"
#include "horae/programs/shared/path_map.hpp"

namespace horae::programs {

/// The network as the control plane knows it when it sets a program up: for each node, the ports
/// on shortest paths to it.
struct Routes {
  struct Entry {
    NodeId node = 0;
    std::vector<std::uint16_t> ports = {};
    bool attached = false;  ///< a NIC on a port of this switch
  };
  std::vector<Entry> entries = {};
  std::vector<unsigned> pipeline_of_port = {};
  /// For programs that steer by the UDP source port: who chooses on the way to other racks, this
  /// switch first, in the order of their distance.
  std::vector<PathTier> path_tiers = {};
  unsigned queues_per_port = 0;  ///< of the traffic manager; 0: no chip is built
  /// Nodes in other sites than the switch; absent: there are no sites.
  std::optional<std::vector<NodeId>> far = {};
  unsigned loopback_ports = 1;  ///< of each pipeline
  std::uint32_t number = 0;     ///< of the switch, another for each
  std::vector<BitRate> port_rates = {};

  /// The pipeline of an attached node's port; nothing for any other node.
  std::optional<unsigned> pipeline_of(NodeId node) const {
    const auto of = [this](const Entry& e) -> std::optional<unsigned> {
      if (!e.attached) return std::nullopt;
      return pipeline_of_port.at(e.ports.at(0));
    };
    // Mostly there is an entry for every node, in their order. Every pipeline of every chip asks
    // this of both ends of every connection.
    if (node < entries.size() && entries[node].node == node) return of(entries[node]);
    for (const Entry& e : entries) {
      if (e.node == node && e.attached) return of(e);
    }
    return std::nullopt;
  }
};

/// A connection that is set up: what a daemon at the sender (or the fabric's manager) tells the
/// control planes before the first packet.
struct Connection {
  NodeId sender = 0;
  NodeId receiver = 0;
  Qpn sender_qp;    ///< ACKs, NACKs and CNPs carry it
  Qpn receiver_qp;  ///< data packets carry it
  std::uint16_t entropy = 0;
  Psn first_psn;         ///< of the data
  Picoseconds starts{};  ///< its first message is posted
  /// Its ends shake hands by TCP first, from the sender's port `entropy`: queue pairs are made, and
  /// daemons tell of them, after the last segment.
  bool shakes_hands = false;
};

/// A figure of a program's state that the ledger of blocks does not show: bytes per queue pair.
struct StateAccount {
  std::string name;  ///< "source_bytes_per_qp"
  double value = 0;
  std::string unit;
  std::string how;  ///< the sum it is
};

/// How full a table of a program is, over time.
struct Occupancy {
  std::string_view name;  ///< "cnp_store"
  std::uint64_t entries = 0;
  std::uint64_t capacity = 0;
};

/// Packets that the chip's packet generator makes for a program, at the pipeline's recirculation
/// port, whose wire they share (TNA 9: one generator per pipeline; Tofino2 has 16 apps). They enter
/// ingress with Pass::generated(). A trigger makes `batches` batches of `packets` packets each. One
/// that comes while packets of another are still to be made waits for them; of a timer it is left
/// out.
struct PacketGenerator {
  enum class Trigger : std::uint8_t {
    timer,          ///< at `start` and every `period` after it
    port_down,      ///< when the link of a port of the pipeline fails
    recirculation,  ///< when a packet comes around whose metadata, under `mask`, is `value`
    message,        ///< when an ingress pass of a program that works on bytes leaves one (Frame)
  };
  Trigger trigger = Trigger::timer;
  std::uint8_t app = 0;       ///< its number, in headers of what it makes
  Picoseconds start{};        ///< triggers before it do nothing
  Picoseconds end = never;    ///< nothing is made from then on
  Picoseconds period{};       ///< of the timer; zero: once
  std::uint32_t batches = 1;  ///< of a trigger
  std::uint32_t packets = 1;  ///< of a batch
  Picoseconds batch_gap{};    ///< from the begin of a batch to that of the next
  Picoseconds packet_gap{};  ///< likewise in a batch; what takes longer on the wire follows at once
  bool gaps_from_end = false;  ///< both from the end of what is before it in place of its begin
  Bytes frame = Bytes(64);     ///< of a program that works on bytes: it says itself
  std::uint16_t mask = 0;
  std::uint16_t value = 0;
  /// For port_down: only this port, and only the first time; absent: each port, each time.
  std::optional<std::uint16_t> port = {};
  /// For a timer: when each packet is made, in place of batches, gaps and period; it comes by a
  /// port of its own, whose wire nothing shares. The number of a packet is batch << 16 | packet.
  std::vector<Picoseconds> times = {};

  bool repeats() const { return trigger == Trigger::timer && period > Picoseconds{}; }
};

/// Passes of a program that keeps the rules, without a look at them.
class TrustedPasses {
 public:
  virtual void ingress(dataplane::TrustedPass& pass) = 0;
  virtual void egress(dataplane::TrustedPass& pass) = 0;

 protected:
  ~TrustedPasses() = default;
};

/// A switch program on one pipeline: written with dataplane objects only, one copy per pipeline.
/// What it costs and how long it takes follows from the objects it constructs (`Pipeline::design`).
class Program {
 public:
  virtual ~Program() = default;
  /// Must leave a verdict in the pass.
  virtual void ingress(dataplane::Pass& pass) = 0;
  /// May rewrite or drop; without a verdict the packet goes on.
  virtual void egress(dataplane::Pass& pass) = 0;
  /// Its passes without checks, if its own tests run all its ways with the rules of the dataplane
  /// checked, so that a run need not check each pass anew (`sim_context::checked` has it do so);
  /// null: each pass is checked. See RuleKeeper.
  virtual TrustedPasses* trusted() { return nullptr; }
  /// Control plane: a connection over this switch or past it. Called before its first packet.
  virtual void connect(const Connection&) {}
  /// Control plane: a connection is over at `now`; its queue pairs are destroyed. Not before what
  /// the program saw of it last.
  virtual void disconnect(const Connection&, Picoseconds /*now*/) {}
  /// Control plane: routing found other ways. What a program does not say otherwise it keeps.
  virtual void update(const Routes&) {}
  /// Ports whose depth the ghost thread tells it (Tofino2).
  virtual std::span<const std::uint16_t> watched_ports() const { return {}; }
  /// The ghost thread: cells that wait in all queues of each of these ports; with ghost_by_queue()
  /// in each queue, those of a port one behind the other.
  virtual void ghost(std::span<const std::uint32_t> /*cells*/, Picoseconds /*now*/) {}
  virtual bool ghost_by_queue() const { return false; }
  /// Ports that a packet for a multicast group is copied to.
  virtual std::span<const std::uint16_t> replicas(unsigned /*group*/) const { return {}; }
  /// For a program that works on bytes (ProgramFactory::works_on_bytes): where they are; before the
  /// first pass.
  virtual void work_on(Frames& /*frames*/) {}
  /// For such a program: bytes that the parser of a gress takes of a packet at `now`. In egress
  /// `port` is the one that it leaves by.
  virtual Bytes parsed(const Packet& /*packet*/, dataplane::Gress /*gress*/, unsigned /*port*/,
                       Picoseconds /*now*/) {
    return {};
  }
  /// Packets that the packet generator makes; asked once, before simulation starts.
  virtual std::vector<PacketGenerator> generators() const { return {}; }
  /// For a program that works on bytes: whether what came around, or the message of a pass, is what
  /// generators()[`which`] waits for.
  virtual bool triggers(std::size_t /*which*/, const GeneratorMessage& /*message*/) const {
    return false;
  }
  /// Likewise: makes the bytes of a packet of generators()[`which`] at `now`. `message`: of its
  /// trigger.
  virtual void generate(std::size_t /*which*/, const dataplane::GeneratedHeader& /*header*/,
                        const GeneratorMessage& /*message*/, Picoseconds /*now*/,
                        Frame& /*frame*/) {}
  /// Named counts of what it did so far, for reports. One whose name begins with `most_` is a
  /// maximum (StatKind).
  virtual std::vector<std::pair<std::string_view, std::uint64_t>> counters() const { return {}; }
  /// Tables whose entries come and go, as they are now.
  virtual std::vector<Occupancy> occupancies() const { return {}; }
  /// Its objects' values as they are now, for reports: adds to `out`.
  virtual void report(nlohmann::ordered_json& /*out*/) const {}
  /// Figures of its state, for `horae size`.
  virtual std::vector<StateAccount> accounts() const { return {}; }
};

/// A program that keeps the rules. `Derived` has its ways once, as templates over the kind of pass:
/// `on_ingress(pass)`, which leaves a verdict, and `on_egress(pass)`.
template <class Derived>
class RuleKeeper : public Program, public TrustedPasses {
 public:
  TrustedPasses* trusted() override { return this; }
  void ingress(dataplane::Pass& pass) final { self().on_ingress(pass); }
  void egress(dataplane::Pass& pass) final { self().on_egress(pass); }
  void ingress(dataplane::TrustedPass& pass) final { self().on_ingress(pass); }
  void egress(dataplane::TrustedPass& pass) final { self().on_egress(pass); }

 private:
  Derived& self() { return static_cast<Derived&>(*this); }
};

/// Network requirements of a program that steers packets by their UDP source port.
struct SourcePortControl {
  std::uint32_t paths = 1;  ///< indexes of its PathMap
  LinearHashConfig hash;    ///< by which it chooses its own ports
};

/// Reads a program's parameters and builds it, pipeline by pipeline.
class ProgramFactory {
 public:
  virtual ~ProgramFactory() = default;
  virtual std::unique_ptr<Program> make(dataplane::Pipeline& pipeline,
                                        const Routes& routes) const = 0;
  /// Set if the program steers by the UDP source port.
  virtual std::optional<SourcePortControl> source_port_control() const { return std::nullopt; }
  /// Fields that its switches keep in the headers of packets between them.
  virtual std::vector<HeaderExtension> header_extensions() const { return {}; }
  /// Whether it adds a record to data packets that ask for telemetry (core/telemetry.hpp).
  virtual bool adds_telemetry() const { return false; }
  /// Whether the traffic manager gives it data that finds no room (deflect on drop): to the egress
  /// of the loopback port of the egress port's pipeline, with Packet::deflected and the metadata
  /// that ingress left.
  virtual bool takes_deflected() const { return false; }
  /// How often the ghost thread tells it of its watched ports; zero: never.
  virtual Picoseconds ghost_period() const { return {}; }
  /// Whether passes are made of packets' bytes (Frames), not of Packets. In a run the chip makes
  /// them of packets' fields (WireBytes).
  virtual bool works_on_bytes() const { return false; }
  /// Objects that a pipeline with this program is charged for.
  virtual dataplane::Design design(const dataplane::Pipeline& pipeline) const {
    return pipeline.design();
  }
  /// The kind of chip that it is for ("tofino1"); empty: any.
  virtual std::string_view chip() const { return {}; }
  /// Whether the program keeps state of connections (Program::connect).
  virtual bool knows_connections() const { return true; }
  /// The effective parameters.
  virtual nlohmann::ordered_json config() const = 0;
};

struct ProgramEntry {
  std::string_view name;
  std::string_view doc;
  /// Reads `parameters` (a table whose `name` chose this program); InputError for a bad one.
  std::unique_ptr<ProgramFactory> (*read)(const Section& parameters);
  std::vector<ParamInfo> (*describe)();
};

/// All programs, by name.
const std::vector<ProgramEntry>& programs();
/// Chooses by the key `name` of the table and reads it; an unknown name is an InputError.
std::unique_ptr<ProgramFactory> read_program(const Section& section);

}  // namespace horae::programs
