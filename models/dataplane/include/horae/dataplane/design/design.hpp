// Requirements of a program or an objects file on a pipeline: a list of objects, each with its
// shape and what it depends on. No code, no chip.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "horae/dataplane/design/parser_specs.hpp"
#include "horae/dataplane/objects/action_facts.hpp"
#include "horae/dataplane/objects/header_fields.hpp"
#include "horae/dataplane/pass.hpp"
#include "horae/params/location.hpp"

namespace horae::dataplane {

/// How the second of two dependent objects needs the first.
enum class DependencyKind : std::uint8_t {
  match,             ///< it matches, indexes or tests what the first one wrote: a later stage
  action,            ///< its action writes what the first one's wrote: a later stage
  read_after_write,  ///< its action reads what the first one's wrote: a later stage
  control,           ///< the first one decides whether it runs: the same stage or a later one
  anti,              ///< the first one reads what it overwrites: the same stage or a later one
};
std::string_view dependency_name(DependencyKind kind);
/// Whether the second must be in a later stage than the first.
constexpr bool needs_later_stage(DependencyKind kind) {
  return kind == DependencyKind::match || kind == DependencyKind::action ||
         kind == DependencyKind::read_after_write;
}

struct Dependency {
  std::string on;  ///< name of the object that comes first
  DependencyKind kind = DependencyKind::match;

  bool operator==(const Dependency&) const = default;
};

/// Where a register's index comes from.
enum class IndexSource : std::uint8_t {
  field,     ///< a header field or metadata, through hash distribution
  hash,      ///< a hash of header fields
  data,      ///< the action data of its table's entry
  constant,  ///< one cell, known when the program is compiled
};

/// Most pieces that a list may ask for.
inline constexpr std::uint32_t most_pieces = 1024;

/// A register array and its stateful ALU; one access is a keyless table of its own, unless an
/// action of `table` makes it.
struct RegisterSpec {
  std::uint32_t width = 32;   ///< bits of a word
  bool pair = false;          ///< two words in a cell
  std::uint64_t entries = 0;  ///< cells
  std::uint32_t pieces = 1;   ///< arrays it is cut into, each with its ALU, spare and access; 0: a
                              ///< power of two (index bits choose one) that fills the fewest stages
  IndexSource index = IndexSource::field;
  std::uint32_t index_bits = 0;         ///< bits hashed for the index; 0: as many as the index has
  std::uint32_t accesses = 1;           ///< tables it is accessed from, all in one stage
  std::vector<std::string> reads = {};  ///< names of the fields the index is made of; same names
                                        ///< share crossbar bytes
  std::string table = {};  ///< match table whose actions access it; empty: tables of its own
  bool direct = false;     ///< a cell for each entry of `table`; `entries` does not count
  std::vector<ActionFacts> actions = {};  ///< of a program: what its actions ask of the ALU
  bool unchecked = false;  ///< of a program: functions work on it that no rule was checked for
  std::uint32_t cell_bits() const { return pair ? 2 * width : width; }

  bool operator==(const RegisterSpec&) const = default;
};

/// Counter of hits of a match table, one per entry.
enum class DirectCounter : std::uint8_t { none, packets, packets_and_bytes };

/// How a match table matches.
enum class MatchKind : std::uint8_t {
  exact,
  ternary,
  lpm,    ///< longest prefix, in TCAM
  range,  ///< ternary, with fields matched as ranges
  atcam,  ///< ternary in SRAM: a partition index chooses the few entries that are compared
  alpm,   ///< longest prefix in SRAM: a TCAM table finds the partition, an atcam the entry
};

/// Action of a table when no entry matches.
enum class MissAction : std::uint8_t {
  no_op,   ///< nothing: an action without instructions, beside the listed ones
  listed,  ///< one of the actions of hits
  own,     ///< an action that no hit runs
};

/// A match table.
struct MatchSpec {
  bool ternary = false;  ///< short for kind = ternary
  std::uint32_t key_bits = 32;
  std::uint64_t entries = 1024;
  std::uint32_t data_bits = 0;  ///< action data of an entry: of its largest action
  std::uint32_t actions = 1;    ///< actions of hits
  DirectCounter counter = DirectCounter::none;
  bool meter = false;  ///< a meter per entry
  std::vector<std::string> reads = {};
  MatchKind kind = MatchKind::exact;
  std::uint32_t range_bits = 0;            ///< bits of the key that are matched as a range
  std::vector<std::uint32_t> ranges = {};  ///< in its place: of each of several ranges
  /// For each range, bits of the container that holds it: 8, 16 or 32; empty: the smallest.
  std::vector<std::uint32_t> range_containers = {};
  std::uint32_t range_percent = 25;  ///< entries that are true ranges, of a hundred
  std::uint32_t partitions = 0;      ///< of an atcam or alpm
  std::uint32_t subtrees = 2;        ///< of an alpm: prefixes that lead to one partition
  std::uint32_t masked_bits = 0;     ///< of an atcam's or alpm's key: under a mask; 0: all of it
  std::uint32_t idle_bits = 0;       ///< of an entry's idle timer: 1, 2, 3 or 6; 0: it has none
  bool constant = false;             ///< entries are fixed by the program
  MissAction miss = MissAction::no_op;
  std::vector<std::uint32_t> action_bits = {};  ///< as files say it: data of each action; read into
                                                ///< `actions` and `data_bits`
  std::uint32_t no_ops = 0;                     ///< of the actions: those without instructions
  std::uint32_t slot_bits = 0;           ///< action data as its containers round it; 0: data_bits
  std::uint32_t narrow_bits = 0;         ///< of data_bits: those in containers of 8 or 16 bits
  std::vector<std::string> writes = {};  ///< one for each action: the fields that it writes,
                                         ///< between blanks; empty: each action its own

  bool operator==(const MatchSpec&) const = default;
};
/// `kind`, or ternary where only the short form says so.
constexpr MatchKind match_kind(const MatchSpec& spec) {
  return spec.ternary && spec.kind == MatchKind::exact ? MatchKind::ternary : spec.kind;
}

/// Most bits of a range, five digits of four: the rest of a group of a TCAM's crossbar has no
/// place (p4c resource_estimate.cpp RangeEntries: "does not fit in under 5 PHV nibbles").
inline constexpr std::uint32_t most_range_bits = 20;
/// Bits of each range of a table.
std::vector<std::uint32_t> ranges_of(const MatchSpec& spec);

/// Unit of a counter.
enum class CounterKind : std::uint8_t {
  by_width,           ///< 32 bits: packets or bytes, 64 bits: both
  one,                ///< packets or bytes
  packets_and_bytes,  ///< both: 28 and 36 bits of a word's half, or 64 and 64 of a word
};

/// A counter array that an action of `table` counts in.
struct CounterSpec {
  std::uint64_t entries = 0;
  std::uint32_t width = 32;  ///< bits, 32 or 64
  std::string table = {};    ///< empty: counted by a keyless table of its own
  bool direct = false;       ///< a counter for each entry of `table`; `entries` does not count
  CounterKind kind = CounterKind::by_width;

  bool operator==(const CounterSpec&) const = default;
};

/// Work in a meter's ALU.
enum class MeterKind : std::uint8_t {
  meter,  ///< two rates; its colour takes Map RAM
  lpf,    ///< low-pass filter
  wred,   ///< weighted random early detection
};

struct MeterSpec {
  std::uint64_t entries = 0;
  std::string table = {};  ///< as for counters
  bool direct = false;     ///< as for counters
  MeterKind kind = MeterKind::meter;

  bool operator==(const MeterSpec&) const = default;
};

/// Action data that the entries of `table` point at instead of holding it.
struct ProfileSpec {
  std::uint64_t entries = 0;
  std::uint32_t data_bits = 0;
  std::string table = {};

  bool operator==(const ProfileSpec&) const = default;
};

/// Groups of a profile's members; a hash of the packet chooses one that is alive.
struct SelectorSpec {
  std::uint32_t groups = 0;
  std::uint32_t group_size = 0;  ///< members of the largest group
  std::uint32_t input_bits = 104;
  bool resilient = false;  ///< members keep their packets when others go
  std::string table = {};
  std::vector<std::string> reads = {};

  bool operator==(const SelectorSpec&) const = default;
};

/// Comparison of a gateway.
enum class ConditionKind : std::uint8_t {
  eq,             ///< field == constant
  ne,             ///< field != constant
  lt,             ///< field < constant
  bit,            ///< one bit of a field
  valid,          ///< validity of a header
  field_eq,       ///< field == field
  field_lt,       ///< field < field
  subtract_sign,  ///< sign of a difference computed in the condition itself
};
std::string_view condition_name(ConditionKind kind);
enum class Join : std::uint8_t { all, any };

/// A condition: `terms` comparisons of the same kind and width, joined.
struct ConditionSpec {
  ConditionKind kind = ConditionKind::eq;
  std::uint32_t bits = 8;
  std::uint32_t terms = 1;
  Join join = Join::all;
  std::uint64_t constant = 0;            ///< for lt
  std::vector<std::string> guards = {};  ///< objects that run only when it holds, or only when not
  std::vector<std::string> guards_not = {};  ///< of these: only when it does not hold
  std::vector<std::string> reads = {};

  bool operator==(const ConditionSpec&) const = default;
};

/// A keyless table: one action that always runs, or runs when a condition lets it.
struct ActionSpec {
  std::uint32_t instructions =
      1;  ///< VLIW instructions, one colour each; one writes any number of fields
  std::vector<std::string> writes = {};  ///< fields written; instructions of a stage share a word
                                         ///< unless they write a field both (empty: its own only)
  /// Constants that no instruction holds, as their containers round them: action data. Beyond what
  /// an entry holds beside itself they take a RAM.
  std::uint32_t data_bits = 0;

  bool operator==(const ActionSpec&) const = default;
};

/// A hash of header fields into a field.
struct HashSpec {
  std::uint32_t input_bits = 104;  ///< a five-tuple
  std::uint32_t output_bits = 16;
  std::vector<std::string> reads = {};

  bool operator==(const HashSpec&) const = default;
};

/// Random bits into a field.
struct RandomSpec {
  std::uint32_t bits = 32;
  bool operator==(const RandomSpec&) const = default;
};

/// The request for a copy of the packet, made in an action.
struct MirrorSpec {
  bool operator==(const MirrorSpec&) const = default;
};

/// The request to recirculate: a port of the same pipeline in loopback, and the check that
/// ends it.
struct RecirculateSpec {
  bool operator==(const RecirculateSpec&) const = default;
};

using ObjectSpec =
    std::variant<RegisterSpec, MatchSpec, CounterSpec, MeterSpec, ConditionSpec, ActionSpec,
                 HashSpec, RandomSpec, MirrorSpec, RecirculateSpec, ProfileSpec, SelectorSpec>;
/// "register", "exact", "ternary", "lpm", "range", "atcam", "alpm", "counter", "meter",
/// "condition", "action", "hash", "random", "mirror", "recirculate", "profile", "selector".
std::string_view kind_name(const ObjectSpec& spec);
/// Whether the object reads header fields over the input crossbar, as opposed to in its action.
bool reads_crossbar(const ObjectSpec& spec);

/// The table that a register, counter, meter, profile or selector belongs to; empty for one of its
/// own and for other objects.
std::string host_table(const ObjectSpec& spec);
/// Whether the object has a cell for each entry of that table.
bool is_direct(const ObjectSpec& spec);

struct DesignObject {
  std::string name;
  Gress gress = Gress::ingress;
  ObjectSpec spec;
  std::vector<Dependency> after = {};
  Location where = {};                 ///< for messages about an objects file
  std::vector<std::string> sets = {};  ///< fields that its result or actions write, beside `writes`
  std::vector<std::string> uses = {};  ///< fields that its actions read
  /// Objects that write parts of a container that it writes too, before it or behind it: the open
  /// compiler keeps them in different stages (see place_as_compiler).
  std::vector<std::string> apart = {};

  /// Wherever it was written.
  bool operator==(const DesignObject& o) const {
    return name == o.name && gress == o.gress && spec == o.spec && after == o.after &&
           sets == o.sets && uses == o.uses && apart == o.apart;
  }
};

/// A list of objects; names are unique, dependencies point at objects of the same gress, or from
/// egress at ingress (bridged metadata: no stage is between), and form no cycle (see `check`).
/// Where it lists fields without their stages, objects name only these.
struct Design {
  std::string name;
  std::vector<DesignObject> objects;
  std::vector<HeaderField> fields = {};  ///< none: containers are not counted
  std::vector<ParserState> parser = {};  ///< none: of the parser only value sets are counted
  std::vector<ValueSetSpec> value_sets = {};
  std::vector<ChecksumSpec> checksums = {};

  bool empty() const {
    return objects.empty() && fields.empty() && parser.empty() && value_sets.empty() &&
           checksums.empty();
  }
  const DesignObject* find(std::string_view object) const;
  /// Whether an object, a value set or a checksum has this name.
  bool declares(std::string_view name) const;
  /// InputError for a name twice, a dependency on nothing, of ingress on egress or in a circle.
  void check() const;

 private:
  void check_circles() const;
  void check_fields() const;
  void check_parser_parts() const;
};

}  // namespace horae::dataplane
