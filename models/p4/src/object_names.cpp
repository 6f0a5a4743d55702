#include "object_names.hpp"

#include <algorithm>

namespace horae::p4 {

NamedTables::NamedTables(const CompilerReport& report) : report_(report) {
  for (const auto& t : report.tables) internal_.emplace(t.internal, &t);
  for (const auto& t : report.tables) {
    const bool profile = t.kind == "action" && t.size > 0 && !t.name.ends_with("$action");
    if (t.kind == "stateful" || t.kind == "counter" || t.kind == "meter" || t.kind == "selection" ||
        profile) {
      memories_.emplace(t.name, &t);
      continue;
    }
    if (t.kind == "ternary_indirect" || t.kind == "action" || t.kind == "idletime" ||
        t.kind == "gateway" || t.kind == "phase0_match") {
      continue;
    }
    auto& table = tables_[{static_cast<int>(t.gress), t.name}];
    if (table.first == nullptr) table.first = &t;
    const auto take = [&](const AssemblerTable& from) {
      for (const auto& a : from.actions) {
        const bool known = std::any_of(table.actions.begin(), table.actions.end(),
                                       [&](const auto& b) { return a.name == b.name; });
        if (!known) table.actions.push_back(a);
      }
      for (const auto& r : from.references) table.references.push_back(r);
      if (table.default_action.empty()) table.default_action = from.default_action;
      table.idle_bits = std::max(table.idle_bits, from.idle_bits);
    };
    take(t);
    // A ternary table keeps its actions with the RAMs behind its TCAMs.
    for (const auto& r : t.references) {
      const auto at = internal_.find(r.to);
      if (r.role == "indirect" && at != internal_.end()) take(*at->second);
    }
  }
}

const ProgramTable* NamedTables::table(const std::string& name, dataplane::Gress gress) const {
  const auto at = tables_.find({static_cast<int>(gress), name});
  return at == tables_.end() ? nullptr : &at->second;
}

const AssemblerTable* NamedTables::memory(const std::string& name) const {
  const auto at = memories_.find(name);
  return at == memories_.end() ? nullptr : at->second;
}

const AssemblerTable::Reference* NamedTables::reference(const ProgramTable& table,
                                                        const std::string& memory) const {
  for (const auto& r : table.references) {
    const auto at = internal_.find(r.to);
    if (at != internal_.end() && at->second->name == memory) return &r;
  }
  return nullptr;
}

std::map<std::string, std::uint32_t> NamedTables::reads(const std::string& name, bool match) const {
  std::map<std::string, std::uint32_t> out;
  const auto at = report_.usage.by_name.find(name);
  if (at == report_.usage.by_name.end()) return out;
  for (const auto& [stage, use] : at->second) {
    for (const auto& [purpose, fields] : use.reads) {
      if (purpose.ends_with("_match") != match) continue;
      for (const auto& [field, bits] : fields) out[field] = std::max(out[field], bits);
    }
    if (!out.empty()) break;
  }
  return out;
}

std::int64_t NamedTables::amount(const std::string& name, std::string_view purpose,
                                 dataplane::Resource r) const {
  const auto at = report_.usage.by_name.find(name);
  if (at == report_.usage.by_name.end()) return 0;
  std::int64_t sum = 0;
  for (const auto& [stage, use] : at->second) {
    for (const auto& [what, amounts] : use.by_purpose) {
      if (what.starts_with(purpose)) sum += amounts[r];
    }
  }
  return sum;
}

}  // namespace horae::p4
