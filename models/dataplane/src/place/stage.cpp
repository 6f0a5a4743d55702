#include "stage.hpp"

#include <fmt/format.h>

#include <algorithm>

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
  if (with.addresses_.size() > chip_->stage.stateful_addresses) {
    return Shortage{Resource::hash_dist, after[Resource::hash_dist] - before[Resource::hash_dist],
                    chip_->capacity(Resource::hash_dist) - before[Resource::hash_dist],
                    fmt::format("registers of a stage have {} different addresses",
                                chip_->stage.stateful_addresses)};
  }
  if (!unit.memories.empty() && !fits_stateful(with.memories_, *chip_)) {
    std::int64_t rams = 0;
    for (const auto& m : unit.memories) rams += m.rams;
    return Shortage{Resource::map_ram, rams,
                    chip_->capacity(Resource::map_ram) - before[Resource::map_ram],
                    fmt::format("{} RAMs cannot be brought beside one ALU", rams)};
  }
  return std::nullopt;
}

void Stage::put(const Unit& unit) {
  ++units_;
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
