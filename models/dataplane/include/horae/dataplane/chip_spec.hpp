// A chip as the budget sees it: capacities, allocation rules and cycle counts, read from a file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "horae/core/units.hpp"
#include "horae/dataplane/price/resources.hpp"
#include "horae/params/located.hpp"

namespace horae::dataplane {

/// One match-action stage. Ingress and egress share it. Sources stand beside each value in the chip
/// files (platforms/chips).
struct StageSpec {
  std::uint32_t sram = 0;
  std::uint32_t sram_words = 0;      ///< words of an SRAM block
  std::uint32_t sram_word_bits = 0;  ///< bits of a word
  std::uint32_t map_ram = 0;
  std::uint32_t tcam = 0;
  std::uint32_t tcam_entries = 0;  ///< entries of a TCAM block
  std::uint32_t tcam_bits = 0;     ///< match bits of a TCAM entry
  std::uint32_t stateful_alu = 0;
  std::uint32_t statistics_alu = 0;
  std::uint32_t gateway = 0;
  std::uint32_t vliw = 0;
  std::uint32_t logical_table = 0;
  std::uint32_t hash_bits = 0;
  std::uint32_t hash_dist = 0;
  std::uint32_t hash_dist_bits = 0;  ///< bits one hash distribution unit delivers
  std::uint32_t hash_functions = 0;  ///< of exact tables, and of hash distribution units by threes
  std::uint32_t ternary_tables = 0;  ///< tables in TCAM
  std::uint32_t exact_xbar = 0;
  std::uint32_t ternary_xbar = 0;
  std::uint32_t action_data_bus = 0;

  static const Schema<StageSpec>& schema();

  bool operator==(const StageSpec&) const = default;
};

/// Where the RAMs of registers, counters and meters may lie: beside a map RAM, on the row of their
/// ALU or below it.
struct StatefulSpec {
  std::uint32_t rows = 0;          ///< RAM rows of a stage
  std::uint32_t rams_per_row = 0;  ///< RAMs with a map RAM, per row
  std::uint32_t reach_rows = 0;    ///< rows one ALU reaches, its own included
  bool split_core = false;         ///< whether nothing crosses from the upper half of the rows to
                                   ///< the lower
  std::uint32_t spare = 0;  ///< blocks added so that one word can be read and another written
  std::vector<std::uint32_t> cell_bits;  ///< widths of a register cell, pairs included
  std::uint32_t index_bits = 0;          ///< widest index
  std::uint32_t compares = 2;            ///< comparison units of an ALU
  std::uint32_t outputs = 1;             ///< words that an access gives
  std::uint32_t actions = 4;             ///< of a register
  std::uint32_t constants = 4;           ///< of a register, beyond -8 to 7: rows of its file

  /// Most data blocks of one register in one stage.
  std::uint32_t most_data_blocks() const;
  static const Schema<StatefulSpec>& schema();

  bool operator==(const StatefulSpec&) const = default;
};

/// How exact-match entries are laid out.
struct ExactSpec {
  std::uint32_t ways = 0;                 ///< least number of ways of a hashed table
  std::uint32_t ghost_bits = 0;           ///< key bits that the hash makes superfluous
  std::uint32_t version_bits = 0;         ///< per entry
  std::uint32_t overhead_bits = 0;        ///< most bits per RAM word that go to the action
  std::uint32_t most_packed = 0;          ///< entries over all RAMs of a wide word
  std::uint32_t most_per_ram = 0;         ///< entries in one RAM word
  std::uint32_t most_wide = 0;            ///< RAMs of a wide word
  std::uint32_t immediate_bits = 0;       ///< action data that fits into an entry
  std::uint32_t identity_extra_bits = 0;  ///< key bits beyond a RAM's address for which the key
                                          ///< itself may be the hash
  static const Schema<ExactSpec>& schema();

  bool operator==(const ExactSpec&) const = default;
};

struct GatewaySpec {
  std::uint32_t search_bytes = 0;  ///< bytes compared by match
  std::uint32_t hash_bits = 0;     ///< bits compared through the hash bus, beyond these bytes
  std::uint32_t payload_rows = 0;  ///< fixed entries that it can hold in place of a match table
  static const Schema<GatewaySpec>& schema();

  bool operator==(const GatewaySpec&) const = default;
};

/// Cycles of a gress: every stage of the chip is always traversed.
struct LatencySpec {
  std::uint32_t match_dependent = 0;   ///< a stage that needs the previous one's result to match
  std::uint32_t action_dependent = 0;  ///< a stage whose actions need the previous one's
  std::uint32_t concurrent = 0;        ///< a stage that needs nothing of the previous one
  std::uint32_t stateful = 0;         ///< more when the stage's dependency group has a stateful ALU
  std::uint32_t tcam = 0;             ///< more when it has a TCAM or a keyless table
  std::uint32_t turn = 0;             ///< once, half way
  bool match_dependent_half = false;  ///< whether the second half begins match-dependent always
  bool crossbar_match_dependent = false;  ///< whether a stage that reads headers counts as
                                          ///< match-dependent even without a declared dependency
  std::uint32_t least_egress = 0;  ///< egress is padded to this by making stages match-dependent
  static const Schema<LatencySpec>& schema();

  bool operator==(const LatencySpec&) const = default;
};

/// Containers of the header vector (PHV), of a pipeline, both gresses: numbers of 8, 16 and 32 bits
/// each. All zero: not known, and nothing is limited by them.
struct PhvSpec {
  std::vector<std::uint32_t> normal = {0, 0, 0};    ///< for any operation
  std::vector<std::uint32_t> mocha = {0, 0, 0};     ///< set as a whole
  std::vector<std::uint32_t> dark = {0, 0, 0};      ///< set as a whole, and never matched
  std::vector<std::uint32_t> tagalong = {0, 0, 0};  ///< from the parser to the deparser only
  std::uint32_t valid_bits = 0;  ///< bits that the deparser tells headers by; 0: not known
  std::uint32_t clot_bytes = 0;  ///< bytes of headers that pass the stages without a container
  static const Schema<PhvSpec>& schema();

  bool operator==(const PhvSpec&) const = default;
};

/// The parser and deparser of one gress; 0: not known.
struct ParserSpec {
  std::uint32_t rows = 0;        ///< of the TCAM
  std::uint32_t states = 0;      ///< that the TCAM can tell apart
  std::uint32_t match_bits = 0;  ///< that a state compares
  std::uint32_t checksums = 0;   ///< units of the parser
  std::uint32_t deparser_entries = 0;
  std::uint32_t deparser_checksums = 0;         ///< units that the deparser of one gress may have
  std::uint32_t deparser_shared_checksums = 0;  ///< of these: that only one of the gresses may have
  static const Schema<ParserSpec>& schema();

  bool operator==(const ParserSpec&) const = default;
};

/// Copies of packets.
struct MirrorSpecOfChip {
  std::uint32_t sessions = 0;
  Bytes most_header{};             ///< prepended by the deparser
  std::uint32_t buffer_cells = 0;  ///< cells that wait for the traffic manager; 0: no public value
  static const Schema<MirrorSpecOfChip>& schema();

  bool operator==(const MirrorSpecOfChip&) const = default;
};

/// Ways from egress back to ingress.
struct RecirculationSpec {
  BitRate rate{};    ///< of one pipeline's own ports
  Bytes resubmit{};  ///< bytes a resubmitted packet carries along
  static const Schema<RecirculationSpec>& schema();

  bool operator==(const RecirculationSpec&) const = default;
};

struct TrafficManagerSpec {
  std::uint32_t cells = 0;
  Bytes cell{};
  std::uint32_t queues_per_pipeline = 0;
  static const Schema<TrafficManagerSpec>& schema();

  bool operator==(const TrafficManagerSpec&) const = default;
};

struct ChipSpec {
  std::string name;
  std::string description;
  std::uint32_t pipelines = 0;
  std::uint32_t stages = 0;
  std::uint32_t ports_per_pipeline = 0;
  Hertz mau_clock{};
  StageSpec stage;
  StatefulSpec stateful;
  ExactSpec exact;
  GatewaySpec gateway;
  LatencySpec latency;
  PhvSpec phv;
  ParserSpec parser;
  TrafficManagerSpec traffic_manager;
  MirrorSpecOfChip mirror;
  RecirculationSpec recirculation;

  /// Amount of a resource in one stage.
  std::int64_t capacity(Resource r) const;
  /// Bits of an SRAM block.
  std::int64_t block_bits() const { return std::int64_t{stage.sram_words} * stage.sram_word_bits; }

  /// Every field is required: a chip is its file.
  static const Schema<ChipSpec>& schema();
  /// Reads and checks a chip file. InputError when it contradicts itself.
  static ChipSpec read(const Section& section);
  /// The chip of that name among those shipped (compiled in from platforms/chips), or, when `chip`
  /// ends in ".toml", the file, relative to the file that `where` is in. InputError.
  static ChipSpec find(const Located<std::string>& chip);
  static const std::vector<std::string>& shipped();

  bool operator==(const ChipSpec&) const = default;
};

}  // namespace horae::dataplane
