#include "stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "horae/dataplane/objects/divide.hpp"

namespace horae::dataplane {

namespace {

std::size_t thread_of(const Unit& unit) { return static_cast<std::size_t>(unit.gress); }

/// Bytes that `more` adds to a crossbar that has `reads`.
template <class Reads>
std::int64_t more_bytes(const Reads& reads, const std::vector<CrossbarRead>& more) {
  std::int64_t sum = 0;
  for (auto r = more.begin(); r != more.end(); ++r) {
    const auto there = reads.find(r->field);
    std::int64_t have = there == reads.end() ? 0 : there->second;
    for (auto earlier = more.begin(); earlier != r; ++earlier) {
      if (earlier->field == r->field) have = std::max(have, earlier->bytes);
    }
    sum += std::max<std::int64_t>(0, r->bytes - have);
  }
  return sum;
}

template <class Reads>
void join(Reads& reads, const std::vector<CrossbarRead>& more) {
  for (const auto& r : more) {
    std::int64_t& n = reads[r.field];
    n = std::max(n, r.bytes);
  }
}

/// Fields of the two gresses are different ones, whatever their names.
void append(std::vector<Instruction>& to, const Unit& unit) {
  for (Instruction instruction : unit.instructions) {
    for (auto& field : instruction.writes) field += unit.gress == Gress::ingress ? "<" : ">";
    to.push_back(std::move(instruction));
  }
}

}  // namespace

std::int64_t Stage::words_with(const Unit& unit) const {
  std::int64_t instructing = instructing_, most = most_writers_;
  bool single = single_writes_;
  for (auto i = unit.instructions.begin(); i != unit.instructions.end() && single; ++i) {
    if (i->no_op) continue;
    ++instructing;
    single = i->writes.size() <= 1;
    if (i->writes.size() != 1) continue;
    const auto& field = i->writes.front();
    const auto& writers = writers_[thread_of(unit)];
    const auto there = writers.find(field);
    std::int64_t of_field = there == writers.end() ? 0 : there->second;
    for (auto own = unit.instructions.begin(); own <= i; ++own)
      of_field += !own->no_op && own->writes.size() == 1 && own->writes.front() == field ? 1 : 0;
    most = std::max(most, of_field);
  }
  if (single) return instructing == 0 ? 0 : vliw_words(instructing, most);
  auto all = instructions_;
  append(all, unit);
  return vliw_words(all);
}

Amounts Stage::with(const Unit& unit) const {
  Amounts out = used_;
  const std::size_t thread = thread_of(unit);
  out += unit.needs;
  out[Resource::exact_xbar] =
      used_[Resource::exact_xbar] + more_bytes(exact_[thread], unit.exact_reads);
  out[Resource::ternary_xbar] =
      used_[Resource::ternary_xbar] + more_bytes(ternary_[thread], unit.ternary_reads);
  out[Resource::vliw] = words_with(unit);
  for (auto a = unit.addresses.begin(); a != unit.addresses.end(); ++a) {
    const bool known =
        addresses_[thread].contains(a->key) ||
        std::any_of(unit.addresses.begin(), a, [&](const auto& e) { return e.key == a->key; });
    if (known) continue;
    out[Resource::hash_dist] += a->units;
    out[Resource::hash_bits] += a->bits;
  }
  return out;
}

std::optional<Shortage> Stage::lacks(const Unit& unit) const { return lacks(unit, with(unit)); }

std::optional<Shortage> Stage::lacks(const Unit& unit, const Amounts& after) const {
  for (const Resource r : all_resources) {
    const std::int64_t capacity = chip_->capacity(r);
    if (after[r] > capacity) return Shortage{r, after[r] - used_[r], capacity - used_[r], {}};
  }
  if (auto shortage = lacks_table(unit, after)) return shortage;
  if (unit.memories.empty()) return std::nullopt;
  auto memories = memories_;
  memories.insert(memories.end(), unit.memories.begin(), unit.memories.end());
  if (!fits_stateful(memories, *chip_)) {
    std::int64_t rams = 0;
    for (const auto& m : unit.memories) rams += m.rams;
    return Shortage{Resource::map_ram, rams, rams_left(unit),
                    fmt::format("{} RAMs cannot be brought beside one ALU", rams)};
  }
  return std::nullopt;
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

/// Hash functions and tables in TCAM, of which a stage has a number.
std::optional<Shortage> Stage::lacks_table(const Unit& unit, const Amounts& after) const {
  // p4c 34b86e9, backends/tofino/bf-p4c: mau/tofino/input_xbar.cpp allocHashDist.
  constexpr std::int64_t units_per_function = 3;
  const std::int64_t most_functions = chip_->stage.hash_functions;
  const std::int64_t most_ternary = chip_->stage.ternary_tables;
  const std::int64_t functions = hash_functions_ + unit.hash_functions +
                                 divide_up(after[Resource::hash_dist], units_per_function);
  if (functions > most_functions) {
    return Shortage{
        Resource::hash_bits, 1, 0,
        fmt::format("{} hash functions needed, a stage has {}", functions, most_functions)};
  }
  if (ternary_tables_ + unit.ternary_tables > most_ternary) {
    return Shortage{Resource::logical_table, 1,
                    chip_->capacity(Resource::logical_table) - used_[Resource::logical_table],
                    fmt::format("a stage has {} ternary tables", most_ternary)};
  }
  return std::nullopt;
}

bool Stage::takes(const Unit& unit) {
  const Amounts after = with(unit);
  if (lacks(unit, after)) return false;
  put(unit, after);
  return true;
}

void Stage::put(const Unit& unit, const Amounts& after) {
  used_ = after;
  const std::size_t thread = thread_of(unit);
  ++units_;
  hash_functions_ += unit.hash_functions;
  ternary_tables_ += unit.ternary_tables;
  join(exact_[thread], unit.exact_reads);
  join(ternary_[thread], unit.ternary_reads);
  for (const auto& instruction : unit.instructions) {
    if (instruction.no_op) continue;
    ++instructing_;
    single_writes_ &= instruction.writes.size() <= 1;
    if (instruction.writes.size() != 1) continue;
    most_writers_ = std::max(most_writers_, ++writers_[thread][instruction.writes.front()]);
  }
  append(instructions_, unit);
  for (const auto& a : unit.addresses) addresses_[thread].try_emplace(a.key, a);
  memories_.insert(memories_.end(), unit.memories.begin(), unit.memories.end());
}

}  // namespace horae::dataplane
