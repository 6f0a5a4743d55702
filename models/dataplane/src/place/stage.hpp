// One stage while it is being filled (internal to the room).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "horae/dataplane/place/placement.hpp"

namespace horae::dataplane {

/// A resource that a stage lacks for a unit.
struct Shortage {
  Resource resource = Resource::sram;
  std::int64_t need = 0;  ///< of the unit
  std::int64_t have = 0;  ///< still free
  /// Empty: there is too little. Else what is in the way; `need` and `have` count that.
  std::string why;
  std::string rewrite = {};  ///< what would do instead
};

/// VLIW words of so many instructions, one at least, that each write one field or none, and of
/// which at most `most_writers` write the same.
std::int64_t vliw_words(std::int64_t instructions, std::int64_t most_writers);

class Stage {
 public:
  explicit Stage(const ChipSpec& chip) : chip_(&chip) {}

  /// Missing resources for `unit`; none when it fits. What a stage lacks once it lacks whatever
  /// else is put into it.
  std::optional<Shortage> lacks(const Unit& unit) const;
  void put(const Unit& unit) { put(unit, with(unit)); }
  /// Puts what fits. False: it does not.
  bool takes(const Unit& unit);
  /// Amounts used, shared crossbar bytes once, VLIW in words.
  const Amounts& used() const { return used_; }
  bool empty() const { return units_ == 0; }

 private:
  /// By gress, as the two threads have containers of their own, and name.
  template <class T>
  using ByName = std::map<std::string, T, std::less<>>;
  using Reads = ByName<std::int64_t>;
  using Addresses = ByName<StatefulAddress>;

  /// Amounts of the stage with the unit.
  Amounts with(const Unit& unit) const;
  std::optional<Shortage> lacks(const Unit& unit, const Amounts& after) const;
  void put(const Unit& unit, const Amounts& after);
  std::int64_t words_with(const Unit& unit) const;
  std::optional<Shortage> lacks_table(const Unit& unit, const Amounts& after) const;
  /// RAMs that can still be brought beside the ALUs of `unit`.
  std::int64_t rams_left(const Unit& unit) const;

  const ChipSpec* chip_;
  std::size_t units_ = 0;
  std::int64_t hash_functions_ = 0;
  std::int64_t ternary_tables_ = 0;
  Amounts used_;
  Reads exact_[2], ternary_[2];
  Addresses addresses_[2];
  std::vector<Instruction> instructions_;
  /// Instructions without the no-ops: their number, whether each writes one field at most, and
  /// how many write a field.
  std::int64_t instructing_ = 0;
  bool single_writes_ = true;
  ByName<std::int64_t> writers_[2];
  std::int64_t most_writers_ = 0;
  std::vector<StatefulMemory> memories_;
};

}  // namespace horae::dataplane
