// One stage while it is being filled (internal to the room).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "horae/dataplane/placement.hpp"

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

/// Limits that only one of the two placers keeps.
enum class StageRules : std::uint8_t {
  least,     ///< different addresses of registers (StageSpec::stateful_addresses)
  compiler,  ///< hash functions, ternary tables
};

class Stage {
 public:
  explicit Stage(const ChipSpec& chip, StageRules rules = StageRules::least)
      : chip_(&chip), rules_(rules) {}

  /// What is missing for `unit`; nothing when it fits.
  std::optional<Shortage> lacks(const Unit& unit) const;
  void put(const Unit& unit);
  /// Amounts used, shared crossbar bytes once, VLIW in words.
  Amounts used() const;
  bool empty() const { return units_ == 0; }

 private:
  /// By gress and field: the two threads have containers of their own.
  using Reads = std::map<std::pair<Gress, std::string>, std::int64_t>;
  static std::int64_t bytes(const Reads& reads);
  Shortage lacks_address(const Stage& with) const;
  /// RAMs that can still be brought beside the ALUs of `unit`.
  std::int64_t rams_left(const Unit& unit) const;
  static void join(Reads& reads, Gress gress, const std::vector<CrossbarRead>& more);

  std::optional<Shortage> lacks_of_compiler(const Amounts& before) const;

  const ChipSpec* chip_;
  StageRules rules_;
  std::size_t units_ = 0;
  std::int64_t hash_functions_ = 0;
  std::int64_t ternary_tables_ = 0;
  Amounts simple_;
  Reads exact_, ternary_;
  std::map<std::pair<Gress, std::string>, StatefulAddress> addresses_;
  std::vector<Instruction> instructions_;
  std::vector<StatefulMemory> memories_;
};

}  // namespace horae::dataplane
