// Cost of one object on a chip, before it has a place.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "horae/dataplane/chip_spec.hpp"
#include "horae/dataplane/design/design.hpp"
#include "horae/dataplane/price/resources.hpp"

namespace horae::dataplane {

/// Why an object cannot be had.
struct Refusal {
  std::string object;
  std::string resource;  ///< name of a resource, or "condition", "width", "stages" ...
  int stage = -1;        ///< -1: in no stage
  std::int64_t need = 0;
  std::int64_t have = 0;
  std::string why;
  std::string rewrite;  ///< what would do instead, if the rule itself says so
};

/// Bytes of one field on a crossbar. Objects of a stage that read the same named field share them.
struct CrossbarRead {
  std::string field;
  std::int64_t bytes = 0;
};

/// The address of a register from hash distribution. Registers of a stage that are addressed alike
/// (by the same named fields, as wide, to cells as wide) share it.
struct StatefulAddress {
  std::string key;
  std::int64_t units = 0;  ///< hash distribution units
  std::int64_t bits = 0;   ///< of the hash matrix
};

/// A VLIW instruction; two of a stage share a word unless both write one field.
struct Instruction {
  std::vector<std::string> writes;
  bool no_op = false;  ///< the reserved one, which costs a stage nothing
};

/// RAMs beside one ALU of a stage, spare included.
struct StatefulMemory {
  bool statistics = false;  ///< a statistics ALU instead of a stateful one
  std::int64_t rams = 0;
};

/// Amounts of one object of the design in a unit.
struct Share {
  std::size_t object = 0;  ///< index in the design
  Amounts amounts;         ///< crossbar bytes and instructions counted as if nothing was shared
};

/// A logical table: what must be in one stage together.
struct Unit {
  /// The object it comes from, then conditions merged into it and counters attached to it.
  std::vector<Share> shares;
  std::string label;  ///< "path_max[3]" for a piece, else the object's name
  Gress gress = Gress::ingress;
  /// Rank by name among the units of a design: decides between equals, wherever their lines stand.
  std::size_t rank = 0;
  /// Everything but crossbars, addresses and VLIW words, which depend on what else the stage holds.
  Amounts needs;
  std::vector<CrossbarRead> exact_reads;
  std::vector<CrossbarRead> ternary_reads;
  std::vector<StatefulAddress> addresses;
  std::vector<Instruction> instructions;
  std::vector<StatefulMemory> memories;
  std::uint32_t own_gateways = 0;  ///< gateways a keyless table runs behind; a condition that
                                   ///< guards it takes the place of one
  std::uint32_t guard_room = 1;    ///< conditions that can share its logical tables
  bool slow_match = false;         ///< has a TCAM or is keyless on the miss path
  bool stateful = false;           ///< has a stateful ALU that runs a program (no plain meter)
  bool reads_crossbar = false;
  std::uint32_t hash_functions = 0;  ///< of an exact table; hash distribution units have others
  std::uint32_t ternary_tables = 0;  ///< with a key

  /// The unit by itself: its crossbar bytes and instructions counted.
  Amounts alone() const;
};

/// The price of a condition.
struct GatewayPrice {
  std::uint32_t gateways = 0;
  std::uint32_t crossbar_bytes = 0;
  std::uint32_t hash_bits = 0;
  bool subtracts_first = false;  ///< needs a keyless action one stage before
  std::string refused;           ///< why the hardware has no such condition; empty: it has
  std::string rewrite;           ///< what to write instead
};
GatewayPrice price_condition(const ConditionSpec& spec, const ChipSpec& chip);

/// Objects at a table's entries that decide how these are laid out.
struct EntryLoad {
  std::uint32_t pointer_bits = 0;  ///< of addresses of registers, profiles and selectors
  std::vector<std::int64_t> direct_per_word = {};  ///< cells of a word, of each direct array
  bool colours = false;    ///< a direct meter's colour takes the way of immediate data
  bool profile = false;    ///< action data is in a profile, not in the table
  bool one_a_row = false;  ///< a selector of long groups leaves room for one entry in a row
};

/// How an exact-match table of `entries` is laid out.
struct ExactLayout {
  std::uint32_t packed = 0;         ///< entries per wide word
  std::uint32_t wide = 0;           ///< RAMs of a wide word
  std::vector<std::uint32_t> ways;  ///< RAM depth of each way
  bool identity = false;            ///< the key is the hash
  std::int64_t match_blocks = 0;
  std::int64_t data_blocks = 0;  ///< action data that is not in the entries
  std::int64_t hash_bits = 0;
  std::uint64_t held = 0;  ///< entries that the RAMs hold: what is direct has as many cells
  std::uint32_t logical_tables = 1;  ///< of an atcam: each ranks the entries of one row of RAMs
};
/// The cheapest layout, direct arrays counted, or nothing when none is (an entry wider than a wide
/// word).
std::optional<ExactLayout> lay_out_exact(const MatchSpec& spec, std::uint64_t entries,
                                         const ChipSpec& chip, const EntryLoad& load = {});
/// The same of an atcam, `entries` over all its partitions.
std::optional<ExactLayout> lay_out_atcam(const MatchSpec& spec, std::uint64_t entries,
                                         const ChipSpec& chip, const EntryLoad& load = {});
/// Bits that tell an entry's action: a number among the table's, or an address.
std::uint32_t action_code_bits(std::uint32_t actions);
/// Where the action data of an entry lies: so many bits in RAMs of their own, as their slots are
/// wide, and so many in the entry.
struct ActionData {
  std::uint32_t ram_bits = 0;
  std::uint32_t entry_bits = 0;
};
/// The ways to divide it: all in RAMs, first; all in the entry, where there is room for it; words
/// of RAM as far as they are full and the rest in the entry (p4c action_format.cpp
/// determine_bytes_per_loc). An entry has room by slots: where it has none for narrow containers
/// beside wider ones, either are in RAMs. `slot_bits` and `narrow_bits` as in MatchSpec.
std::vector<ActionData> action_data_splits(std::uint32_t data_bits, std::uint32_t slot_bits,
                                           const ChipSpec& chip, std::uint32_t narrow_bits = 0);
/// Blocks of so many bits of action data of each of `entries`, in RAMs of their own.
std::int64_t action_data_blocks(std::uint32_t bits, std::uint64_t entries, const ChipSpec& chip);

/// Blocks of a stateful array without its spare.
std::int64_t stateful_blocks(std::uint64_t entries, std::uint32_t cell_bits, const ChipSpec& chip);
/// Bits of an index into `entries`.
std::uint32_t index_bits(std::uint64_t entries);

/// The units of one object, or why there are none. A match table too large for any stage is cut:
/// its parts are as large as half a stage allows, so that two tables can share one. Objects that
/// live in another's unit (counters of a table) have none of their own.
struct ObjectPrice {
  std::vector<Unit> units;
  std::vector<Refusal> refused;
  std::vector<std::uint64_t> held = {};  ///< of a match table: entries that each unit's RAMs hold
};
/// `attached`: what belongs to the table. `cells`: of a direct array, one for each entry held.
ObjectPrice price_object(const DesignObject& object, const ChipSpec& chip,
                         const std::vector<const DesignObject*>& attached = {},
                         std::optional<std::uint64_t> cells = {});

/// The second unit needs the first.
struct UnitEdge {
  std::size_t from = 0;
  std::size_t to = 0;
  DependencyKind kind = DependencyKind::match;
};

/// All units of a design: conditions merged with what they guard, counters with their tables.
struct DesignPrice {
  std::vector<Unit> units;
  std::vector<UnitEdge> edges;
  std::vector<std::pair<std::size_t, std::size_t>> apart;  ///< units that write one container
  std::vector<Refusal> refused;
};
DesignPrice price_design(const Design& design, const ChipSpec& chip);

/// Most RAMs, spare included, that one ALU of a kind reaches.
std::int64_t most_rams(bool statistics, const ChipSpec& chip);

}  // namespace horae::dataplane
