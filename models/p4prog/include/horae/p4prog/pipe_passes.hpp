// One pipe of the chip, pass by pass: what its ingress and its egress make of a packet.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "horae/core/frame_bytes.hpp"
#include "horae/core/units.hpp"
#include "horae/dataplane/pass.hpp"
#include "horae/dataplane/pipeline.hpp"
#include "horae/p4prog/machine.hpp"
#include "horae/p4prog/manager_tables.hpp"

namespace horae::p4prog {

/// A packet on its way from ingress to the egress of a port.
struct Departure {
  enum class By : std::uint8_t { unicast, group, copy_to_cpu, mirror };
  By by = By::unicast;
  std::uint16_t group = 0;
  unsigned port = 0;
  unsigned rid = 0;
  bool first_replica = false;
  unsigned qid = 0;
  unsigned cos = 0;
  bool bypass = false;     ///< of egress
  bool deflects = false;   ///< it asks for another way where its queue has no room
  bool deflected = false;  ///< and took it
  // State of its queue: when it came there, cells in the queue before it and behind it.
  Picoseconds queued{};
  std::uint32_t cells_before = 0;
  std::uint32_t cells_behind = 0;
};

/// A pass as it went, for who watches.
struct PassNote {
  std::uint32_t parsed_bytes = 0;  ///< with what the chip puts before the packet
  std::uint32_t error = 0;         ///< ordinal of the parser's; 0: none
  std::uint64_t instructions = 0;  ///< 0 where it is not watched
  bool missed = false;             ///< a table had no entry
  bool dropped_by_miss = false;    ///< and ran an action that drops
};

/// A copy that a session sends: what is put before it, and its bytes.
struct MirroredPacket {
  MirrorSession session;
  FrameBytes bytes;
};

struct IngressResult {
  enum class End : std::uint8_t { dropped_by_parser, resubmitted, managed };
  End end = End::managed;
  bool told_to_drop = false;              ///< drop_ctl
  Bytes8 resubmitted;                     ///< put before the packet the next time
  std::vector<Departure> departures;      ///< of the packet, in the order in which copies are made
  std::optional<MirroredPacket> copy;     ///< of the packet as it came
  std::optional<GeneratorEvent> message;  ///< to the packet generator
  PassNote note;
};

struct EgressResult {
  bool told_to_drop = false;
  std::optional<MirroredPacket> copy;  ///< of the packet as deparsed
  PassNote note;
};

/// The program of a pipe. What a pass gives lasts until the next pass of that gress.
class PipePasses {
 public:
  /// Constructs the program's objects on `pipeline`. `manager` is kept. `cpu_port`: of copies to
  /// the CPU.
  PipePasses(const p4lang::Program& program, const PipeCode& code, dataplane::Pipeline& pipeline,
             const ManagerTables& manager, bool tofino2, unsigned cpu_port);

  bool has(dataplane::Gress gress) const { return machine(gress) != nullptr; }
  Machine* machine(dataplane::Gress gress) const {
    return machines_[static_cast<std::size_t>(gress)].get();
  }
  /// Those that there are.
  std::vector<Machine*> machines() const;

  /// `packet` is without FCS; the length in `pass` counts. If the pass ends `managed`, it becomes
  /// what the deparser sends. `resubmitted`: of a packet that comes the second time, what is put
  /// before it. InputError: the pipe has no ingress.
  IngressResult& ingress(const dataplane::Pass& pass, unsigned port, FrameBytes& packet,
                         const Bytes8* resubmitted = nullptr);
  /// Whether ingress asks for another way for packets whose queue has no room.
  bool deflects() const { return machines_[0] && machines_[0]->ever_writes(words_[0].deflect); }
  /// Whether ingress has a ghost thread.
  bool has_ghost() const { return machines_[0] && machines_[0]->code().ghost.has_value(); }
  /// A pass of it for a queue and its depth, in cells. Only where there is one.
  void ghost(const dataplane::Pass& pass, unsigned queue, std::uint64_t depth);
  /// `packet` becomes what the deparser sends. Only where the pipe has an egress.
  EgressResult& egress(const dataplane::Pass& pass, const Departure& departure, FrameBytes& packet);
  /// Bytes that the parser takes of such a packet, without what is put before it.
  std::uint32_t parsed_bytes(const dataplane::Pass& pass, unsigned port,
                             std::span<const std::uint8_t> packet, const Bytes8* resubmitted);
  std::uint32_t parsed_bytes(const dataplane::Pass& pass, const Departure& departure,
                             std::span<const std::uint8_t> packet);
  /// Whether the program is for v1model, which knows no gresses: only v1() runs it.
  bool is_v1model() const { return v1model_; }
  /// A packet of such a program: what leaves, by port. Nothing of it has state, so every copy of a
  /// group makes the whole way again.
  struct Leaving {
    unsigned port = 0;
    FrameBytes bytes;
  };
  /// `serial`: of the next pass; each copy takes one.
  std::vector<Leaving> v1(dataplane::PipelineId where, std::uint64_t& serial, unsigned port,
                          const FrameBytes& packet, Picoseconds now);
  const PassNote& note() const { return ingress_.note; }
  /// From now on reads of what nobody wrote are found; costs time. Until stop_watching().
  void watch_unwritten();
  void stop_watching();
  /// From now on what P4 leaves open is random, by `seed` and `name`, in place of zero.
  void fill_unwritten(std::uint64_t seed, const std::string& name);
  /// Reads of what nobody wrote, since the last call: "file:line:column: NAME is read before it is
  /// written". Each name of a gress once.
  std::vector<std::string> take_warnings();
  bool has_digests() const { return !digests_.empty(); }
  std::vector<DigestMessage> take_digests() { return std::exchange(digests_, {}); }

 private:
  /// Values of what the chip puts before a packet.
  enum class Fact : std::uint8_t {
    zero,
    resubmit_flag,
    ingress_port,
    now,
    egress_port,
    rid,
    first_replica,
    qid,
    cos,
    length,
    queued,
    waited,
    cells_before,
    cells_behind,
    deflected,
    count_
  };
  using Facts = std::array<std::uint64_t, static_cast<std::size_t>(Fact::count_)>;
  /// Bytes that the chip puts before a packet: facts, by number, one behind the other.
  struct Front {
    PackPlan facts;
    std::uint32_t bytes = 0;
    std::vector<Fact> facts_of_fields;
    /// The same as words of the header that the parser would extract, where only those are asked
    /// for.
    struct Word {
      Fact fact;
      Machine::IntrinsicWord word;
    };
    std::vector<Word> words;
    bool is_in_words = false;
  };
  /// Words of a gress's intrinsic metadata.
  struct Words {
    Machine::IntrinsicWord stamp, error, drop;
    Machine::IntrinsicWord mirror_type, resubmit_type, digest_type;
    Machine::IntrinsicWord unicast, group_a, group_b, to_cpu, rid, qid, cos, bypass, deflect;
    Machine::IntrinsicWord generator, generator_address, generator_length;
    Machine::IntrinsicWord exclusion1, exclusion2;
  };

  static Front front_of(const Machine& machine, std::string_view type, std::uint32_t bytes);
  void put_front(const Front& front, const Facts& facts);
  static void find_first_header(Front& front, const Machine& machine, const p4lang::Type& type);
  bool begin_in_words(dataplane::Gress gress, const Facts& facts, std::size_t behind,
                      std::span<const std::uint8_t> packet);
  // Both give the bytes that the chip puts before the packet.
  std::size_t begin_ingress(const dataplane::Pass& pass, unsigned port,
                            std::span<const std::uint8_t> packet, const Bytes8* resubmitted);
  std::size_t begin_egress(const dataplane::Pass& pass, const Departure& departure,
                           std::span<const std::uint8_t> packet);
  static std::uint32_t parsed_behind(std::size_t front, Machine& machine,
                                     const dataplane::Pass& pass);
  void find_words(dataplane::Gress gress);
  /// Runs the parser and tells the rest of the pass what came of it.
  bool parse(Machine& machine, const Words& words, const dataplane::Pass& pass);
  /// Requests of the deparser, but for those whose type was not written.
  PassResult& deparse(Machine& machine, const Words& words, const dataplane::Pass& pass);
  void take_message(const Machine& machine, PassResult& result);
  void choose_ways(const Machine& machine);
  bool is_excluded(const Machine& machine, const Replica& replica, unsigned rid) const;
  void add_group(const Machine& machine, const Machine::IntrinsicWord& group,
                 const Departure& like);
  std::optional<MirroredPacket> mirrored(const PassResult::Copy& copy,
                                         std::span<const std::uint8_t> packet) const;
  PassNote note_of(const Machine& machine, std::uint64_t instructions_before) const;

  std::optional<Leaving> v1_copy(const dataplane::Pass& pass, unsigned port,
                                 const FrameBytes& packet, const Replica* copy);

  const p4lang::Program& program_;
  bool v1model_;
  const ManagerTables& manager_;
  bool tofino2_;
  unsigned cpu_port_;
  std::unique_ptr<Machine> machines_[2];
  Words words_[2];
  Front front_[2];
  PacketWriter put_;
  std::vector<std::uint64_t> error_bits_;  ///< of parser_err, by ordinal
  IngressResult ingress_;
  unsigned group_ = 0;  ///< of the last pass of v1model
  EgressResult egress_;
  std::vector<DigestMessage> digests_;
};

}  // namespace horae::p4prog
