// The units of every stage: resources.json, schema 2.4.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "horae/core/error.hpp"
#include "parts.hpp"
#include "schema_version.hpp"

namespace horae::p4 {
namespace {

using dataplane::Amounts;
using dataplane::Resource;

/// Resources of stages beside those that are priced. Capacities are those of the file's own
/// `size`s; groups of the crossbars: p4c specs/mau_spec.cpp (TofinoIXBarSpec), 16 exact bytes each,
/// and, of pairs, 5 ternary bytes, one between them, and 5 more.
enum Unpriced : std::size_t {
  search_buses,
  result_buses,
  ternary_buses,
  stash_units,
  exact_groups,
  ternary_groups,
  unpriced_count
};
constexpr std::int64_t exact_group_bytes = 16;
constexpr std::int64_t ternary_pair_bytes = 11;

std::vector<UnpricedUse> unpriced_kinds() {
  std::vector<UnpricedUse> out(unpriced_count);
  const auto name = [&](Unpriced of, const char* in_json, const char* title) {
    out[of].name = in_json;
    out[of].title = title;
  };
  name(search_buses, "exact_search_buses", "exact search buses");
  name(result_buses, "exact_result_buses", "exact result buses");
  name(ternary_buses, "ternary_result_buses", "ternary result buses");
  name(stash_units, "stashes", "stashes");
  name(exact_groups, "exact_xbar_groups", "groups of the exact crossbar");
  name(ternary_groups, "ternary_xbar_groups", "groups of the ternary crossbar");
  return out;
}

/// Groups of the ternary crossbar that a byte makes in use: one between two is of either.
std::set<std::int64_t> ternary_groups_of(const std::set<std::int64_t>& bytes) {
  std::set<std::int64_t> out;
  const auto pair_of = [](std::int64_t byte) { return byte / ternary_pair_bytes; };
  const auto in_pair = [](std::int64_t byte) { return byte % ternary_pair_bytes; };
  constexpr std::int64_t between = ternary_pair_bytes / 2;
  for (const auto byte : bytes)
    if (in_pair(byte) != between) out.insert(2 * pair_of(byte) + (in_pair(byte) > between ? 1 : 0));
  for (const auto byte : bytes) {
    if (in_pair(byte) == between && !out.contains(2 * pair_of(byte) + 1))
      out.insert(2 * pair_of(byte));
  }
  return out;
}

class StageReader {
 public:
  StageReader(StageUsage& out, unsigned stage) : out_(out), stage_(stage) {}

  void read(const Json& s) {
    count(Resource::sram, s.at("rams").at("srams"));
    count(Resource::map_ram, s.at("map_rams").at("maprams"));
    count(Resource::tcam, s.at("tcams").at("tcams"));
    count(Resource::stateful_alu, s.at("meter_alus").at("meters"));
    count(Resource::statistics_alu, s.at("statistic_alus").at("stats"));
    count(Resource::gateway, s.at("gateways").at("gateways"));
    count(Resource::hash_dist, s.at("hash_distribution_units").at("units"));
    for (const Json& byte : s.at("xbar_bytes").at("bytes").list()) {
      const Json& type = byte.at("byte_type");
      const bool ternary = type.text() == "ternary";
      if (!ternary && type.text() != "exact") {
        throw input_error(type.where(),
                          fmt::format("{}: expected exact or ternary", type.described()));
      }
      count_one(ternary ? Resource::ternary_xbar : Resource::exact_xbar, byte);
      read_fields(byte);
    }
    std::set<std::int64_t> functions;
    for (const Json& bit : s.at("hash_bits").at("bits").list()) {
      functions.insert(bit.whole_at("hash_function", 0, 1 << 16));
      used(Resource::hash_bits) += 1;
      by(bit.at("used_by_table").text(), bit.text_at("used_for", "hash"))[Resource::hash_bits] += 1;
    }
    out_.hash_functions[stage_] = static_cast<unsigned>(functions.size());
    for (const Json& word : s.at("vliw").at("instructions").list()) {
      used(Resource::vliw) += 1;
      std::set<std::string> names;
      for (const Json& colour : word.at("color_usages").list()) {
        for (const Json& usage : colour.at("usages").list()) {
          if (names.insert(usage.at("used_by").text()).second)
            by(usage.at("used_by").text(), "instruction")[Resource::vliw] += 1;
        }
      }
    }
    for (const Json& table : s.at("logical_tables").at("ids").list()) {
      const std::string& name = table.at("table_name").text();
      used(Resource::logical_table) += 1;
      by(name, "logical_table")[Resource::logical_table] += 1;
      auto& stages = out_.tables[name];
      if (stages.empty() || stages.back() != stage_) stages.push_back(stage_);
    }
    read_unpriced(s);
    for (const Json& byte : s.at("action_bus_bytes").at("bytes").list()) {
      used(Resource::action_data_bus) += 1;
      for (const Json& name : byte.at("used_by_tables").list())
        by(name.text(), "action_bus")[Resource::action_data_bus] += 1;
    }
  }

 private:
  void read_unpriced(const Json& s) {
    const auto count_units = [](const Json& units) {
      return std::ranges::count_if(
          units.list(), [](const Json& unit) { return !unit.at("usages").list().empty(); });
    };
    constexpr std::int64_t most = 1 << 16;
    const auto buses = [&](Unpriced of, const char* key) {
      const Json* const bus = s.find(key);
      if (bus != nullptr) note(of, count_units(bus->at("ids")), bus->whole_at("size", 0, most));
    };
    buses(search_buses, "exm_search_buses");
    buses(result_buses, "exm_result_buses");
    buses(ternary_buses, "tind_result_buses");
    if (const Json* const stashes = s.find("stashes"); stashes != nullptr) {
      note(stash_units, count_units(stashes->at("stashes")),
           stashes->whole_at("nRows", 0, most) * stashes->whole_at("nUnits", 0, most));
    }
    const Json& crossbar = s.at("xbar_bytes");
    const Json* const exact_size = crossbar.find("exact_size");
    const Json* const ternary_size = crossbar.find("ternary_size");
    if (exact_size == nullptr || ternary_size == nullptr) return;
    const std::int64_t exact_bytes = crossbar.whole_at("exact_size", 0, most);
    const std::int64_t ternary_bytes = crossbar.whole_at("ternary_size", 0, most);
    std::set<std::int64_t> exact, ternary;
    for (const Json& byte : crossbar.at("bytes").list()) {
      if (byte.at("usages").list().empty()) continue;
      const std::int64_t number = byte.whole_at("byte_number", 0, exact_bytes + ternary_bytes);
      if (number < exact_bytes)
        exact.insert(number / exact_group_bytes);
      else
        ternary.insert(number - exact_bytes);
    }
    note(exact_groups, static_cast<std::int64_t>(exact.size()), exact_bytes / exact_group_bytes);
    note(ternary_groups, static_cast<std::int64_t>(ternary_groups_of(ternary).size()),
         2 * ternary_bytes / ternary_pair_bytes);
  }
  void note(Unpriced of, std::int64_t n, std::int64_t capacity) {
    UnpricedUse& use = out_.unpriced[of];
    use.used += n;
    use.capacity = std::max(use.capacity, capacity);
    if (n < use.fullest || (n == use.fullest && use.stage <= stage_)) return;
    use.fullest = n;
    use.stage = stage_;
  }

  std::int64_t& used(Resource r) { return out_.stages[stage_][r]; }
  Amounts& by(const std::string& name, const std::string& purpose) {
    return out_.by_name[name][stage_].by_purpose[purpose];
  }
  void count(Resource r, const Json& units) {
    for (const Json& unit : units.list()) count_one(r, unit);
  }
  /// A unit that several share counts once for the stage and once for each of them.
  void count_one(Resource r, const Json& unit) {
    const auto& usages = unit.at("usages").list();
    if (usages.empty()) return;
    used(r) += 1;
    std::set<std::string> names;
    for (const Json& usage : usages) {
      const std::string& name = usage.at("used_by").text();
      if (names.insert(name).second) by(name, usage.at("used_for").text())[r] += 1;
    }
  }

  /// A byte may hold bits of several fields, and a field may reach the crossbar more than once.
  void read_fields(const Json& byte) {
    for (const Json& usage : byte.at("usages").list()) {
      auto& reads =
          out_.by_name[usage.at("used_by").text()][stage_].reads[usage.at("used_for").text()];
      for (const Json& slice : usage.list_at("slices")) {
        constexpr std::int64_t most = 1 << 20;
        const std::int64_t low = slice.whole_at("lsb", 0, most);
        const std::int64_t high = slice.whole_at("msb", low, most);
        reads[slice.at("field_name").text()] += static_cast<std::uint32_t>(high - low + 1);
      }
    }
  }

  StageUsage& out_;
  unsigned stage_;
};

}  // namespace

Amounts NamedUse::total() const {
  Amounts sum;
  for (const auto& [purpose, amounts] : by_purpose) sum += amounts;
  return sum;
}

Amounts StageUsage::total() const {
  Amounts sum;
  for (const auto& stage : stages) sum += stage;
  return sum;
}

StageUsage read_stage_usage(const Json& file) {
  check_schema(file, "resources", 2, 4);
  constexpr std::int64_t most_stages = 64;
  StageUsage out;
  out.unpriced = unpriced_kinds();
  std::set<std::int64_t> seen;
  const auto& stages = file.at("resources").at("mau").at("mau_stages").list();
  for (const Json& stage : stages) {
    const std::int64_t number = stage.whole_at("stage_number", 0, most_stages - 1);
    if (!seen.insert(number).second)
      throw input_error(stage.where(), fmt::format("stage {} stands twice", number));
    const auto size = std::max(out.stages.size(), static_cast<std::size_t>(number) + 1);
    out.stages.resize(size);
    out.hash_functions.resize(size);
    StageReader(out, static_cast<unsigned>(number)).read(stage);
  }
  // Units that the file does not mention have no capacity.
  std::erase_if(out.unpriced, [](const UnpricedUse& use) { return use.capacity == 0; });
  for (auto& [name, of_table] : out.tables) std::sort(of_table.begin(), of_table.end());
  return out;
}

}  // namespace horae::p4
