// A report as a design: objects, what they wait for, the compiler's numbers beside them.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "fields_of.hpp"
#include "horae/core/error.hpp"
#include "horae/dataplane/chip_spec.hpp"
#include "horae/p4/imported.hpp"
#include "object_names.hpp"
#include "objects_of.hpp"

namespace horae::p4 {
namespace {

using dataplane::DependencyKind;

std::string chip_of(const CompilerReport& report) {
  // "tofino2u", "tofino2m" ...: parts of the same chip (specs/device.h).
  if (report.target == "tofino") return "tofino1";
  if (report.target.starts_with("tofino2")) return "tofino2";
  throw InputError(fmt::format("{}/manifest.json: target \"{}\": expected tofino or tofino2",
                               report.folder, report.target));
}

/// Dependencies between objects, each kind of a pair once.
class Edges {
 public:
  explicit Edges(std::size_t objects) : next_(objects) {}

  void add(std::size_t from, std::size_t to, DependencyKind kind) {
    if (from != to) next_[from].insert({to, kind});
  }
  void remove(std::size_t from, std::size_t to, DependencyKind kind) {
    next_[from].erase({to, kind});
  }
  const std::set<std::pair<std::size_t, DependencyKind>>& from(std::size_t i) const {
    return next_[i];
  }
  bool reaches(std::size_t from, std::size_t to) const {
    std::vector<bool> seen(next_.size(), false);
    std::vector<std::size_t> open = {from};
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      for (const auto& [n, kind] : next_[at]) {
        if (n == to) return true;
        if (seen[n]) continue;
        seen[n] = true;
        open.push_back(n);
      }
    }
    return false;
  }

 private:
  std::vector<std::set<std::pair<std::size_t, DependencyKind>>> next_;
};

/// Objects that stand for several tables may wait for themselves by way of others: an edge that
/// allows one stage is dropped first, then any.
std::size_t open_circles(Edges& edges, std::size_t objects) {
  std::size_t dropped = 0;
  for (const bool any : {false, true}) {
    for (std::size_t i = 0; i < objects; ++i) {
      const auto all = edges.from(i);
      for (const auto& [to, kind] : all) {
        if (!any && needs_later_stage(kind)) continue;
        if (!edges.reaches(to, i)) continue;
        edges.remove(i, to, kind);
        ++dropped;
      }
    }
  }
  return dropped;
}

/// Dependencies of an object in the words of its kind: an action has no match of its own, and all
/// that a condition reads it matches, whatever the graph calls it.
DependencyKind kind_for(const dataplane::DesignObject& object, DependencyKind kind) {
  if (std::holds_alternative<dataplane::ConditionSpec>(object.spec) && needs_later_stage(kind))
    return DependencyKind::match;
  if (kind == DependencyKind::match && !reads_crossbar(object.spec)) return DependencyKind::action;
  return kind;
}

void order(const CompilerReport& report, ProgramObjects& program, ImportedDesign& out) {
  auto& objects = program.objects;
  Edges edges(objects.size());
  std::set<std::pair<std::size_t, std::size_t>> guarded;
  for (const auto& e : report.graph.edges) {
    for (const std::size_t from : program.of_node[e.from]) {
      for (const std::size_t to : program.of_node[e.to]) {
        if (!host_table(objects[from].spec).empty() || !host_table(objects[to].spec).empty())
          continue;  // in the stage of its table
        edges.add(from, to, e.kind);
        if (e.branch) guarded.insert({from, to});
      }
    }
  }
  for (const auto& of_node : program.of_node) {
    for (std::size_t k = 1; k < of_node.size(); ++k) {
      if (host_table(objects[of_node[k]].spec).empty())
        edges.add(of_node.front(), of_node[k], DependencyKind::control);
    }
  }
  if (const auto dropped = open_circles(edges, objects.size()); dropped > 0) {
    out.notes.push_back({"",
                         fmt::format("{} dependencies between accesses of one register dropped: "
                                     "they are in one stage",
                                     dropped),
                         false});
  }
  for (std::size_t i = 0; i < objects.size(); ++i) {
    for (const auto& [to, kind] : edges.from(i)) {
      auto* condition = std::get_if<dataplane::ConditionSpec>(&objects[i].spec);
      if (kind == DependencyKind::control && condition != nullptr && guarded.contains({i, to})) {
        condition->guards.push_back(objects[to].name);
        continue;
      }
      auto& after = objects[to].after;
      const dataplane::Dependency d{objects[i].name, kind_for(objects[to], kind)};
      if (std::find(after.begin(), after.end(), d) == after.end()) after.push_back(d);
    }
  }
}

/// Two orders of the dependency kinds in an objects file: by its keys.
void sort_as_written(dataplane::DesignObject& object) {
  const bool keyless = !reads_crossbar(object.spec);
  const auto rank = [&](DependencyKind kind) {
    if (keyless && kind == DependencyKind::action) return 0;
    return static_cast<int>(kind) + 1;
  };
  std::stable_sort(object.after.begin(), object.after.end(),
                   [&](const auto& a, const auto& b) { return rank(a.kind) < rank(b.kind); });
}

void add_numbers(const CompilerReport& report, const ProgramObjects& program, ImportedDesign& out) {
  for (std::size_t i = 0; i < program.objects.size(); ++i) {
    CompilerNumbers numbers;
    std::set<unsigned> stages;
    for (const auto& name : program.names[i]) {
      const auto at = report.usage.by_name.find(name);
      if (at == report.usage.by_name.end()) continue;
      for (const auto& [stage, use] : at->second) {
        numbers.amounts += use.total();
        stages.insert(stage);
      }
    }
    numbers.stages.assign(stages.begin(), stages.end());
    out.objects.emplace(program.objects[i].name, std::move(numbers));
  }
  out.total = report.usage.total();
  out.unpriced = report.usage.unpriced;
  out.stages = static_cast<unsigned>(report.usage.stages.size());
  std::set<unsigned> of_gress[2];
  for (const auto& t : report.tables) {
    if (t.kind != "phase0_match") of_gress[static_cast<std::size_t>(t.gress)].insert(t.stage);
  }
  for (const std::size_t g : {0u, 1u})
    out.gress_stages[g] = static_cast<unsigned>(of_gress[g].size());
  out.cycles = report.cycles;
}

}  // namespace

ImportedDesign import_report(const CompilerReport& report) {
  ImportedDesign out;
  out.chip = chip_of(report);
  const auto chip = dataplane::ChipSpec::find({out.chip, {}});
  const NamedTables tables(report);
  ProgramObjects program = objects_of(report, tables, chip);
  out.notes = program.notes;
  order(report, program, out);
  for (auto& object : program.objects) sort_as_written(object);
  add_numbers(report, program, out);
  out.design.name = report.program;
  out.design.objects = std::move(program.objects);
  add_fields(report, chip, out);
  out.pipeline = pipeline_of(report, chip);
  out.design.check();
  out.fits = out.stages <= chip.stages;
  return out;
}

}  // namespace horae::p4
