#include "horae/dataplane/price/ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

namespace horae::dataplane {
namespace {

double percent(std::int64_t used, std::int64_t capacity) {
  return capacity == 0 ? 0.0 : 100.0 * static_cast<double>(used) / static_cast<double>(capacity);
}

/// Capacity of the used stages, no more than the chip's.
std::int64_t capacity_of_used(const Ledger& ledger, Resource r) {
  return ledger.capacity[r] * std::int64_t{std::min(ledger.stages_used(), ledger.chip_stages)};
}

/// "0-3, 5"
std::string ranges(const std::vector<unsigned>& stages) {
  std::string out;
  for (std::size_t i = 0; i < stages.size();) {
    std::size_t j = i;
    while (j + 1 < stages.size() && stages[j + 1] == stages[j] + 1) ++j;
    if (!out.empty()) out += ", ";
    out += i == j ? fmt::format("{}", stages[i]) : fmt::format("{}-{}", stages[i], stages[j]);
    i = j + 1;
  }
  return out;
}

/// Columns of the per-object and per-stage tables.
constexpr std::array<std::pair<Resource, const char*>, 11> columns = {{
    {Resource::sram, "SRAM"},
    {Resource::map_ram, "Map RAM"},
    {Resource::tcam, "TCAM"},
    {Resource::stateful_alu, "ALU"},
    {Resource::statistics_alu, "stats"},
    {Resource::gateway, "gateway"},
    {Resource::vliw, "VLIW"},
    {Resource::logical_table, "tables"},
    {Resource::hash_bits, "hash bits"},
    {Resource::hash_dist, "hash dist"},
    {Resource::exact_xbar, "xbar B"},
}};

std::string row_of(const Amounts& amounts) {
  std::string out;
  for (const auto& [r, title] : columns) {
    const auto width = std::string_view(title).size() + 2;
    out += amounts[r] == 0 ? fmt::format("{:>{}}", "-", width)
                           : fmt::format("{:>{}}", amounts[r], width);
  }
  return out;
}

}  // namespace

Amounts LedgerObject::total() const {
  Amounts sum;
  for (const auto& part : parts) sum += part.amounts;
  return sum;
}

std::vector<unsigned> LedgerObject::stages() const {
  std::set<unsigned> all;
  for (const auto& part : parts) all.insert(part.stage);
  return {all.begin(), all.end()};
}

double Ledger::percent_used_stages(Resource r) const {
  return percent(total[r], capacity_of_used(*this, r));
}

double Ledger::percent_chip(Resource r) const {
  return percent(total[r], capacity[r] * std::int64_t{chip_stages});
}

Ledger make_ledger(const Design& design, const ChipSpec& chip, const Placement& placement) {
  Ledger ledger;
  ledger.name = design.name;
  ledger.chip = chip.name;
  ledger.chip_stages = chip.stages;
  for (const Resource r : all_resources) ledger.capacity[r] = chip.capacity(r);
  ledger.stages = placement.stages;
  ledger.total = placement.total();
  ledger.refused = placement.refused;
  std::set<unsigned> stages_of[2];
  for (const auto& object : design.objects) {
    LedgerObject o{object.name, std::string(kind_name(object.spec)), object.gress, {}, false};
    o.refused =
        std::any_of(placement.refused.begin(), placement.refused.end(), [&](const Refusal& r) {
          return r.object == object.name || r.object.starts_with(object.name + "[");
        });
    ledger.objects.push_back(std::move(o));
    const auto* array = std::get_if<RegisterSpec>(&object.spec);
    if (array != nullptr && array->unchecked) ledger.unchecked.push_back(object.name);
  }
  for (const auto& placed : placement.units) {
    stages_of[static_cast<std::size_t>(placed.unit.gress)].insert(placed.stage);
    for (const auto& share : placed.unit.shares) {
      auto& parts = ledger.objects[share.object].parts;
      if (parts.empty() || parts.back().stage != placed.stage) parts.push_back({placed.stage, {}});
      parts.back().amounts += share.amounts;
    }
  }
  for (auto& o : ledger.objects) {
    // In another's table, or beyond the chip: not there either.
    o.refused |= o.parts.empty() || o.parts.back().stage >= chip.stages;
  }
  for (const std::size_t g : {0u, 1u}) {
    ledger.latency[g] = placement.latency[g];
    ledger.gress_stages[g] = static_cast<unsigned>(stages_of[g].size());
  }
  auto whole = pipeline_use(design, chip, placement);
  ledger.pipeline = std::move(whole.amounts);
  ledger.refused.insert(ledger.refused.end(), whole.refused.begin(), whole.refused.end());
  // Which size a field is cut into is ours to choose: of containers only their bits can be short.
  auto firm = ledger.pipeline;
  std::erase_if(firm, [](const PipelineAmount& a) {
    return a.name.starts_with("tagalong_") || (a.name.starts_with("phv_") && a.name != "phv_bits");
  });
  ledger.tightest = by_tightness(ledger.total, ledger.stages_used(), chip, firm);
  return ledger;
}

nlohmann::ordered_json pipeline_json(const std::vector<PipelineAmount>& pipeline) {
  auto out = nlohmann::ordered_json::object();
  for (const auto& amount : pipeline) {
    auto& of = out[amount.name] = {{"used", amount.used}};
    if (amount.most != amount.used) of["unshared"] = amount.most;
    if (amount.capacity == 0) continue;
    of["capacity"] = amount.capacity;
    of["percent"] = amount.percent();
  }
  return out;
}

nlohmann::ordered_json tightest_json(const std::vector<Tightness>& tightest) {
  constexpr std::size_t most = 3;
  auto out = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < std::min(tightest.size(), most); ++i)
    out.push_back({{"resource", tightest[i].resource}, {"percent", tightest[i].percent}});
  return out;
}

nlohmann::ordered_json ledger_json(const Ledger& ledger, bool objects_by_stage) {
  using nlohmann::ordered_json;
  ordered_json out = {
      {"name", ledger.name},
      {"stages_used", ledger.stages_used()},
      {"stages", ledger.chip_stages},
      {"gress_stages", {{"ingress", ledger.gress_stages[0]}, {"egress", ledger.gress_stages[1]}}},
      {"latency_cycles",
       {{"ingress", ledger.latency[0].count()}, {"egress", ledger.latency[1].count()}}}};
  for (const Resource r : all_resources) {
    out["resources"][std::string(resource_name(r))] = {
        {"used", ledger.total[r]},
        {"capacity", capacity_of_used(ledger, r)},
        {"percent", ledger.percent_used_stages(r)},
        {"chip_capacity", ledger.capacity[r] * std::int64_t{ledger.chip_stages}},
        {"chip_percent", ledger.percent_chip(r)}};
  }
  if (!ledger.pipeline.empty()) out["pipeline_resources"] = pipeline_json(ledger.pipeline);
  out["tightest"] = tightest_json(ledger.tightest);
  const auto amounts_json = [](const Amounts& amounts, ordered_json& to) {
    for (const Resource r : all_resources) to[std::string(resource_name(r))] = amounts[r];
  };
  if (!ledger.unchecked.empty()) out["unchecked"] = ledger.unchecked;
  out["by_stage"] = ordered_json::array();
  const auto stage_json = [&](std::size_t stage, const Amounts& amounts) {
    ordered_json in_stage = {{"stage", stage}};
    amounts_json(amounts, in_stage);
    return in_stage;
  };
  for (std::size_t s = 0; s < ledger.stages.size(); ++s)
    out["by_stage"].push_back(stage_json(s, ledger.stages[s]));
  out["objects"] = ordered_json::array();
  for (const auto& object : ledger.objects) {
    ordered_json o = {{"name", object.name},
                      {"kind", object.kind},
                      {"gress", gress_name(object.gress)},
                      {"stages", object.stages()}};
    amounts_json(object.total(), o);
    if (objects_by_stage) {
      o["by_stage"] = ordered_json::array();
      for (const auto& part : object.parts)
        o["by_stage"].push_back(stage_json(part.stage, part.amounts));
    }
    out["objects"].push_back(std::move(o));
  }
  return out;
}

nlohmann::ordered_json refusals_json(const std::vector<Refusal>& refused) {
  auto out = nlohmann::ordered_json::array();
  for (const auto& r : refused) {
    nlohmann::ordered_json entry = {{"object", r.object}, {"resource", r.resource}};
    if (r.stage >= 0) entry["stage"] = r.stage;
    entry["need"] = r.need;
    entry["have"] = r.have;
    entry["why"] = r.why;
    if (!r.rewrite.empty()) entry["rewrite"] = r.rewrite;
    out.push_back(std::move(entry));
  }
  return out;
}

std::string refusals_text(const std::vector<Refusal>& refused) {
  std::size_t widest = 6;
  for (const auto& r : refused) widest = std::max(widest, r.object.size());
  std::string out = fmt::format("  {:<{}}  {:<14}  {:>5}  {:>8}  {:>8}  {:>9}  {}\n", "object",
                                widest, "resource", "stage", "need", "have", "shortfall", "why");
  for (const auto& r : refused) {
    out += fmt::format("  {:<{}}  {:<14}  {:>5}  {:>8}  {:>8}  {:>9}  {}\n", r.object, widest,
                       r.resource, r.stage < 0 ? "any" : fmt::format("{}", r.stage), r.need, r.have,
                       r.need - r.have, r.why);
    if (!r.rewrite.empty()) out += fmt::format("  {:<{}}  instead: {}\n", "", widest, r.rewrite);
  }
  return out;
}

std::string pipeline_text(const std::vector<PipelineAmount>& pipeline) {
  if (pipeline.empty()) return {};
  const bool shared = std::ranges::any_of(pipeline, [](const auto& a) { return a.most != a.used; });
  std::string out = fmt::format("\n  {:<30} {:>6} {:>10} {:>10} {:>10}\n", "of the whole pipeline",
                                "used", shared ? "unshared" : "", "of chip", "per cent");
  for (const auto& a : pipeline) {
    out += fmt::format("  {:<30} {:>6} {:>10}", a.title, a.used,
                       a.most == a.used ? "" : fmt::format("{}", a.most));
    out += a.capacity == 0 ? "    not known\n"
                           : fmt::format(" {:>10} {:>9.2f}%\n", a.capacity, a.percent());
  }
  return out;
}

std::string tightest_text(const std::string& of, const std::vector<Tightness>& tightest) {
  constexpr std::size_t most = 3;
  std::string out;
  for (std::size_t i = 0; i < std::min(tightest.size(), most); ++i) {
    out +=
        fmt::format("{}{} {:.1f} %", i == 0 ? "" : ", ", tightest[i].resource, tightest[i].percent);
  }
  return out.empty() ? out : fmt::format("  {}, of the chip: {}\n", of, out);
}

std::string ledger_text(const Ledger& ledger, bool by_stage) {
  std::string out = fmt::format("{} on {}: {} of {} stages; MAU {} cycles ingress, {} egress\n\n",
                                ledger.name, ledger.chip, ledger.stages_used(), ledger.chip_stages,
                                ledger.latency[0].count(), ledger.latency[1].count());
  out += fmt::format("  {:<26} {:>6} {:>10} {:>10} {:>10} {:>10}\n", "per pipeline", "used",
                     "of stages", "per cent", "of chip", "per cent");
  for (const Resource r : all_resources) {
    out +=
        fmt::format("  {:<26} {:>6} {:>10} {:>9.2f}% {:>10} {:>9.2f}%\n", resource_title(r),
                    ledger.total[r], capacity_of_used(ledger, r), ledger.percent_used_stages(r),
                    ledger.capacity[r] * std::int64_t{ledger.chip_stages}, ledger.percent_chip(r));
  }
  out += pipeline_text(ledger.pipeline);
  out += tightest_text("tightest", ledger.tightest);
  std::size_t widest = 6;
  for (const auto& o : ledger.objects) widest = std::max(widest, o.name.size());
  std::string header;
  for (const auto& [r, title] : columns) header += fmt::format("  {}", title);
  out += fmt::format("\n  {:<{}}  {:<11}  {:<7}  {:<9}{}\n", "object", widest, "kind", "gress",
                     "stages", header);
  for (const auto& o : ledger.objects) {
    out += fmt::format("  {:<{}}  {:<11}  {:<7}  {:<9}{}\n", o.name, widest, o.kind,
                       gress_name(o.gress), o.parts.empty() ? "none" : ranges(o.stages()),
                       row_of(o.total()));
  }
  out += "  (VLIW of an object: instructions; two share a word)\n";
  if (!ledger.unchecked.empty()) {
    out += fmt::format("  (unchecked functions in place of actions of the stateful ALU: {})\n",
                       fmt::join(ledger.unchecked, ", "));
  }
  if (!by_stage) return out;
  out += fmt::format("\n  {:<{}}{}\n", "stage", widest + 33, header);
  for (std::size_t s = 0; s < ledger.stages.size(); ++s)
    out += fmt::format("  {:<{}}{}\n", s, widest + 33, row_of(ledger.stages[s]));
  return out;
}

}  // namespace horae::dataplane
