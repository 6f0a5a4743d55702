#include "stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace horae::dataplane {

std::int64_t Stage::bytes(const Reads& reads) {
  std::int64_t sum = 0;
  for (const auto& [field, n] : reads) sum += n;
  return sum;
}

void Stage::join(Reads& reads, Gress gress, const std::vector<CrossbarRead>& more) {
  for (const auto& r : more) {
    std::int64_t& n = reads[{gress, r.field}];
    n = std::max(n, r.bytes);
  }
}

Amounts Stage::used() const {
  Amounts all = simple_;
  all[Resource::exact_xbar] = bytes(exact_);
  all[Resource::ternary_xbar] = bytes(ternary_);
  all[Resource::vliw] = vliw_words(instructions_);
  for (const auto& [key, address] : addresses_) {
    all[Resource::hash_dist] += address.units;
    all[Resource::hash_bits] += address.bits;
  }
  return all;
}

std::optional<Shortage> Stage::lacks(const Unit& unit) const {
  Stage with = *this;
  with.put(unit);
  const Amounts before = used(), after = with.used();
  for (const Resource r : all_resources) {
    const std::int64_t capacity = chip_->capacity(r);
    if (after[r] > capacity) return Shortage{r, after[r] - before[r], capacity - before[r], {}};
  }
  if (rules_ == StageRules::compiler) {
    if (auto shortage = with.lacks_of_compiler(before)) return shortage;
  } else if (with.addresses_.size() > chip_->stage.stateful_addresses) {
    return lacks_address(with);
  }
  if (!unit.memories.empty() && !fits_stateful(with.memories_, *chip_)) {
    std::int64_t rams = 0;
    for (const auto& m : unit.memories) rams += m.rams;
    return Shortage{Resource::map_ram, rams, rams_left(unit),
                    fmt::format("{} RAMs cannot be brought beside one ALU", rams)};
  }
  return std::nullopt;
}

Shortage Stage::lacks_address(const Stage& with) const {
  const auto most = static_cast<std::int64_t>(chip_->stage.stateful_addresses);
  const auto now = static_cast<std::int64_t>(addresses_.size());
  const auto more = static_cast<std::int64_t>(with.addresses_.size()) - now;
  const bool unnamed = std::any_of(with.addresses_.begin(), with.addresses_.end(),
                                   [](const auto& a) { return a.first.second.ends_with('.'); });
  return {Resource::hash_dist, more, std::max<std::int64_t>(0, most - now),
          fmt::format("registers of a stage have {} different addresses", most),
          unnamed ? "reads = [FIELDS]: registers indexed by the same named fields share an address"
                  : ""};
}

std::int64_t Stage::rams_left(const Unit& unit) const {
  auto memories = memories_;
  memories.insert(memories.end(), unit.memories.begin(), unit.memories.end());
  auto& last = memories.back();
  while (last.rams > 0 && !fits_stateful(memories, *chip_)) --last.rams;
  std::int64_t left = 0;
  for (auto m = memories.begin() + static_cast<std::ptrdiff_t>(memories_.size());
       m != memories.end(); ++m)
    left += m->rams;
  return last.rams == 0 ? 0 : left;
}

std::optional<Shortage> Stage::lacks_of_compiler(const Amounts& before) const {
  // p4c 34b86e9, backends/tofino/bf-p4c: specs/mau_spec.cpp (hash groups, hash distribution),
  // mau/tofino/memories.h (TERNARY_TABLES).
  constexpr std::int64_t most_functions = 8, units_per_function = 3, most_ternary = 8;
  const std::int64_t units = used()[Resource::hash_dist];
  const std::int64_t functions =
      hash_functions_ + (units + units_per_function - 1) / units_per_function;
  if (functions > most_functions) {
    return Shortage{
        Resource::hash_bits, 1, 0,
        fmt::format("{} hash functions needed, a stage has {}", functions, most_functions)};
  }
  if (ternary_tables_ > most_ternary) {
    return Shortage{Resource::logical_table, 1,
                    chip_->capacity(Resource::logical_table) - before[Resource::logical_table],
                    fmt::format("a stage has {} ternary tables", most_ternary)};
  }
  return std::nullopt;
}

void Stage::put(const Unit& unit) {
  ++units_;
  hash_functions_ += unit.hash_functions;
  ternary_tables_ += unit.ternary_tables;
  simple_ += unit.needs;
  join(exact_, unit.gress, unit.exact_reads);
  join(ternary_, unit.gress, unit.ternary_reads);
  for (Instruction instruction : unit.instructions) {
    // Fields of the two gresses are different ones, whatever their names.
    for (auto& field : instruction.writes) field += unit.gress == Gress::ingress ? "<" : ">";
    instructions_.push_back(std::move(instruction));
  }
  for (const auto& a : unit.addresses) addresses_.try_emplace({unit.gress, a.key}, a);
  memories_.insert(memories_.end(), unit.memories.begin(), unit.memories.end());
}

}  // namespace horae::dataplane
