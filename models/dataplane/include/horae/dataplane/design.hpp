// What a program or an objects file asks of a pipeline: a list of objects, each with its shape and
// what it depends on. No code, no chip.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

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
enum class IndexSource : std::uint8_t { field, hash };

/// A register array and its stateful ALU; one access is a keyless table of its own.
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
  std::uint32_t cell_bits() const { return pair ? 2 * width : width; }

  bool operator==(const RegisterSpec&) const = default;
};

/// What counts hits of a match table, one counter per entry.
enum class DirectCounter : std::uint8_t { none, packets, packets_and_bytes };

/// An exact or ternary match table.
struct MatchSpec {
  bool ternary = false;
  std::uint32_t key_bits = 32;
  std::uint64_t entries = 1024;
  std::uint32_t data_bits = 0;  ///< action data of an entry
  std::uint32_t actions = 1;    ///< actions of hits; a miss does nothing
  DirectCounter counter = DirectCounter::none;
  bool meter = false;  ///< a meter per entry
  std::vector<std::string> reads = {};

  bool operator==(const MatchSpec&) const = default;
};

/// A counter array that an action of `table` counts in.
struct CounterSpec {
  std::uint64_t entries = 0;
  std::uint32_t width = 32;  ///< 32: packets or bytes; 64: packets and bytes
  std::string table = {};    ///< empty: counted by a keyless table of its own

  bool operator==(const CounterSpec&) const = default;
};

struct MeterSpec {
  std::uint64_t entries = 0;
  std::string table = {};  ///< as for counters

  bool operator==(const MeterSpec&) const = default;
};

/// What a gateway compares.
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
  std::vector<std::string> guards = {};  ///< objects that run only when it holds (or only when not)
  std::vector<std::string> reads = {};

  bool operator==(const ConditionSpec&) const = default;
};

/// A keyless table: one action that always runs, or runs when a condition lets it.
struct ActionSpec {
  std::uint32_t instructions =
      1;  ///< VLIW instructions, one colour each; one writes any number of fields
  std::vector<std::string> writes = {};  ///< fields written; instructions of a stage share a word
                                         ///< unless they write a field both (empty: its own only)

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

using ObjectSpec = std::variant<RegisterSpec, MatchSpec, CounterSpec, MeterSpec, ConditionSpec,
                                ActionSpec, HashSpec, RandomSpec, MirrorSpec, RecirculateSpec>;
/// "register", "exact", "ternary", "counter", "meter", "condition", "action", "hash", "random",
/// "mirror", "recirculate".
std::string_view kind_name(const ObjectSpec& spec);
/// Whether the object reads header fields over the input crossbar, as opposed to in its action.
bool reads_crossbar(const ObjectSpec& spec);

/// The table that a counter or meter belongs to; empty for one of its own and for other objects.
std::string host_table(const ObjectSpec& spec);

struct DesignObject {
  std::string name;
  Gress gress = Gress::ingress;
  ObjectSpec spec;
  std::vector<Dependency> after = {};
  Location where = {};  ///< for messages about an objects file

  /// Wherever it was written.
  bool operator==(const DesignObject& o) const {
    return name == o.name && gress == o.gress && spec == o.spec && after == o.after;
  }
};

/// A list of objects; names are unique, dependencies point at objects of the same gress, or from
/// egress at ingress (bridged metadata: no stage is between), and form no cycle (see `check`).
struct Design {
  std::string name;
  std::vector<DesignObject> objects;

  const DesignObject* find(std::string_view object) const;
  /// InputError for a name twice, a dependency on nothing, of ingress on egress or in a circle.
  void check() const;

 private:
  void check_circles() const;
};

}  // namespace horae::dataplane
