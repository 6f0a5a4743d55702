// The objects of a gress: the same as of programs in C++, by the names that the program gives them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "horae/core/random.hpp"
#include "horae/dataplane/action.hpp"
#include "horae/dataplane/counter.hpp"
#include "horae/dataplane/hash.hpp"
#include "horae/dataplane/low_pass.hpp"
#include "horae/dataplane/match_table.hpp"
#include "horae/dataplane/meter.hpp"
#include "horae/dataplane/objects/action_profile.hpp"
#include "horae/dataplane/pipeline.hpp"
#include "horae/dataplane/register.hpp"
#include "horae/p4prog/code.hpp"
#include "horae/p4prog/math_unit.hpp"

namespace horae::p4prog {

/// Size of a table, and groups of a selector, where a program says nothing (bf-p4c: table size).
inline constexpr std::uint64_t table_entries = 512;

/// One or two words of a register.
struct Cell {
  std::uint64_t low = 0, high = 0;
};

struct RegisterObject {
  std::unique_ptr<dataplane::Register<Cell>> cells;
  std::uint32_t bits = 0;  ///< of a word
  bool pair = false;       ///< two words
  bool wide = false;       ///< one of 128 bits, in both
  std::uint64_t entries = 0;
  /// One of several that follow each other: what an access says is its address counts from the next
  /// one's first cell, and an access beyond its own cells does nothing (@chain_address).
  bool chained = false;
  std::uint64_t total = 0;           ///< cells of all of them, as a FIFO (@chain_total_size)
  std::uint64_t put = 0, taken = 0;  ///< as a FIFO: so far; as a stack or log: `put`

  std::uint32_t cell_bits() const { return pair || wide ? 2 * bits : bits; }
};

/// As an ActionCall's action: the entry names a member of its table's profile, or a group of its
/// selector; `data` has the number, and for a group the member that its members count from.
inline constexpr std::uint32_t member_reference = 0xfffffffe;
inline constexpr std::uint32_t group_reference = 0xffffffff;

/// Actions and their data that entries name by number. All tables of a profile have the same
/// actions, in one order.
struct TableObject;
struct ProfileObject {
  std::string name;
  std::uint64_t entries = 0;
  std::uint32_t data_bits = 0;         ///< of its largest action
  const TableObject* table = nullptr;  ///< one of those that have it
  std::unique_ptr<dataplane::ActionProfile<dataplane::ActionCall>> members;
};

/// Groups of a profile's members. With a register its bits say who is alive: bit i of a group is
/// member i, whoever the control plane put there. Without one, a SelectorAction works on bits of
/// its own: bit i of a group is the i-th member that the control plane put there.
struct SelectorObject {
  std::string name;
  std::unique_ptr<dataplane::ActionSelector> groups;
  std::unique_ptr<dataplane::Hash> hash;
  ProfileObject* profile = nullptr;
  std::uint32_t profile_object = 0;  ///< extern of the profile, or the selector itself
  std::uint32_t group_size = 0, group_count = 0;
  std::vector<std::vector<std::uint32_t>> members;  ///< by group
  RegisterObject* alive = nullptr;
  bool by_place = false;  ///< bits of its own

  /// RAM words of a group: 120 members each (Open Tofino, "Tofino Native Architecture"; bf-p4c).
  std::uint32_t words() const;
  /// The bit of a member among those of all groups: a word has 128 bits.
  std::uint64_t bit_of(std::uint64_t group, std::uint32_t member) const;
  /// Control plane: adds members. ModelError: no such group, or no room in it.
  void add(std::uint64_t group, const std::vector<std::uint64_t>& more);
  /// Takes who is alive from the register.
  void follow_register(std::size_t group);
};

/// How long entries of a table go without a packet (`idle_timeout`). The control plane hears of one
/// once, when its time is over, and again when it was hit in between and its time is over anew.
class IdleTimes {
 public:
  /// From `now` on; zero: nobody waits for this entry.
  void set(std::size_t place, Picoseconds time, Picoseconds now);
  void hit(std::size_t place, Picoseconds now);
  /// Notifications until `now`.
  std::uint64_t notifications(Picoseconds now) const;
  /// Entries whose time is over at `now`.
  std::uint64_t idle(Picoseconds now) const;

 private:
  struct Entry {
    Picoseconds time{}, since{};
    bool over(Picoseconds now) const { return time > Picoseconds{} && now - since >= time; }
  };
  std::vector<Entry> entries_;
  std::uint64_t notifications_ = 0;  ///< of entries that were hit since
};

struct TableObject {
  std::unique_ptr<dataplane::MatchTable> match;  ///< none: it has no key
  std::unique_ptr<IdleTimes> idle;               ///< of one with `idle_timeout`
  std::unique_ptr<dataplane::Action> action;     ///< of one without a key
  dataplane::ActionCall only;                    ///< what that runs
  const TableCode* code = nullptr;
  const TableSite* site = nullptr;
  std::unique_ptr<dataplane::Hash> digest;  ///< of what a LearnAction compares
  std::uint32_t ways = 0;                   ///< of the table that it learns into
  bool direct = false;  ///< counters, meters or registers have a cell for each of its entries
  ProfileObject* profile = nullptr;    ///< what entries may name
  SelectorObject* selector = nullptr;  ///< likewise
};

struct EarlyDropObject {
  std::unique_ptr<dataplane::EarlyDrop> drop;
  std::uint64_t drop_value = 0, pass_value = 0;  ///< what it gives
};

struct ValueSetObject {
  const ValueSetCode* code = nullptr;
  struct Member {
    std::vector<std::uint64_t> values, masks;
  };
  std::vector<Member> members;
};

class Objects {
 public:
  Objects(const p4lang::Program& program, const GressCode& code, dataplane::Pipeline& pipeline,
          dataplane::Gress gress);

  std::vector<TableObject>& tables() { return tables_; }
  const std::vector<TableObject>& tables() const { return tables_; }
  std::map<std::uint32_t, RegisterObject>& registers() { return registers_; }
  const std::map<std::uint32_t, RegisterObject>& registers() const { return registers_; }
  std::map<std::uint32_t, std::unique_ptr<dataplane::Counter>>& counters() { return counters_; }
  const std::map<std::uint32_t, std::unique_ptr<dataplane::Counter>>& counters() const {
    return counters_;
  }
  std::vector<ValueSetObject>& value_sets() { return value_sets_; }
  std::map<std::uint32_t, ProfileObject>& profiles() { return profiles_; }
  std::map<std::uint32_t, SelectorObject>& selectors() { return selectors_; }

  /// The register of a register, or of an action of one.
  RegisterObject& register_of(std::uint32_t object) { return *register_of_.data()[object]; }
  dataplane::Counter& counter(std::uint32_t object) { return *counters_.at(object); }
  dataplane::Meter& meter(std::uint32_t object) { return *meters_.at(object); }
  std::map<std::uint32_t, std::unique_ptr<dataplane::Meter>>& meters() { return meters_; }
  std::map<std::uint32_t, std::unique_ptr<dataplane::LowPass>>& low_passes() { return low_passes_; }
  std::map<std::uint32_t, EarlyDropObject>& early_drops() { return early_drops_; }
  const dataplane::Hash& hash(const ExternCode& call) const { return hash(number_of(call)); }
  const dataplane::Hash& hash(std::size_t call) const { return *hashes_.data()[call]; }
  const MathUnit& math(std::uint32_t object) const { return math_.at(object); }
  std::vector<std::uint64_t>& parameter(std::uint32_t object) { return parameters_.at(object); }
  std::map<std::uint32_t, std::vector<std::uint64_t>>& parameters() { return parameters_; }
  RandomStream& random(std::uint32_t object) { return randoms_.at(object); }
  /// Values of a meter for green, yellow and red.
  const std::array<std::uint64_t, 3>& colours(std::uint32_t object) const {
    return colours_.at(object);
  }

 private:
  void make_tables();
  void make(const ExternCode& call);
  void make_register(std::uint32_t object);
  void make_register_of_action(std::uint32_t object);
  void make_register_of_selector(std::uint32_t action, std::uint32_t object);
  void make_counter(std::uint32_t object);
  void make_meter(std::uint32_t object);
  void make_average(std::uint32_t object, dataplane::MeterKind kind);
  /// Cells of an object of meters or counters: as many as it says, or of the table whose entries
  /// have one each.
  std::uint64_t cells_of(std::uint32_t object, std::string_view property, std::string& table,
                         bool& direct) const;
  void make_hash(const ExternCode& call);
  std::size_t number_of(const ExternCode& call) const {
    return static_cast<std::size_t>(&call - code_.externs.data());
  }
  void make_implementation(TableObject& table);
  void make_digest(TableObject& table);
  ProfileObject& make_profile(std::uint32_t object, std::uint64_t entries, TableObject& table);
  SelectorObject& make_selector(std::uint32_t object, TableObject& table);
  dataplane::HashAlgorithm hash_algorithm(const p4lang::ExternObject& source) const;
  const TableObject* table_with(std::uint32_t object) const;
  [[noreturn]] void refuse(const p4lang::Place& place, const std::string& what) const;

  const p4lang::Program& program_;
  const GressCode& code_;
  dataplane::Pipeline& pipeline_;
  dataplane::Gress gress_;
  std::vector<TableObject> tables_;
  std::map<std::uint32_t, RegisterObject> registers_;
  std::vector<RegisterObject*> register_of_;  ///< by extern; null: it has none
  std::map<std::uint32_t, std::unique_ptr<dataplane::Counter>> counters_;
  std::map<std::uint32_t, std::unique_ptr<dataplane::Meter>> meters_;
  std::map<std::uint32_t, std::array<std::uint64_t, 3>> colours_;
  std::map<std::uint32_t, std::unique_ptr<dataplane::LowPass>> low_passes_;
  std::map<std::uint32_t, EarlyDropObject> early_drops_;
  std::vector<std::unique_ptr<dataplane::Hash>> hashes_;  ///< by call
  std::uint32_t hash_count_ = 0;
  std::map<std::uint32_t, MathUnit> math_;
  std::map<std::uint32_t, std::vector<std::uint64_t>> parameters_;
  std::map<std::uint32_t, RandomStream> randoms_;
  std::vector<ValueSetObject> value_sets_;
  std::map<std::uint32_t, ProfileObject> profiles_;    ///< by extern; of a selector its own
  std::map<std::uint32_t, SelectorObject> selectors_;  ///< by extern
};

}  // namespace horae::p4prog
