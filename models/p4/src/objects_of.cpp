#include "objects_of.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "condition_of.hpp"

namespace horae::p4 {
namespace {

using dataplane::Resource;

constexpr std::uint32_t most_accesses = 16;  ///< of a register

std::vector<std::string> fields_of(const std::map<std::string, std::uint32_t>& reads) {
  std::vector<std::string> out;
  // "ingress::hdr.ipv4.ttl": fields of the two gresses are different ones anyway.
  for (const auto& [name, bits] : reads) {
    const auto colons = name.find("::");
    out.push_back(colons == std::string::npos ? name : name.substr(colons + 2));
  }
  return out;
}

std::uint32_t bits_of(const std::map<std::string, std::uint32_t>& reads) {
  std::uint32_t sum = 0;
  for (const auto& [name, bits] : reads) sum += bits;
  return sum;
}

class Mapper {
 public:
  Mapper(const CompilerReport& report, const NamedTables& tables, const dataplane::ChipSpec& chip)
      : report_(report), tables_(tables), chip_(chip) {
    out_.of_node.resize(report.graph.nodes.size());
  }

  ProgramObjects run() {
    const auto& nodes = report_.graph.nodes;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i].kind == "condition")
        add_condition(i);
      else
        add_table(i);
    }
    return std::move(out_);
  }

 private:
  void note(const std::string& object, std::string text, bool left_out = false) {
    out_.notes.push_back({object, std::move(text), left_out});
  }

  /// A new object for a node; objects' names are unique, whatever the compiler's.
  std::size_t add(std::size_t node, std::string name, dataplane::ObjectSpec spec,
                  std::vector<std::string> stands_for) {
    const auto& n = report_.graph.nodes[node];
    std::string unique = name;
    for (int i = 2; !taken_.insert(unique).second; ++i) unique = fmt::format("{}#{}", name, i);
    const std::size_t index = out_.objects.size();
    out_.objects.push_back({unique, n.gress, std::move(spec), {}, n.where});
    out_.names.push_back(std::move(stands_for));
    out_.of_node[node].push_back(index);
    return index;
  }

  void add_condition(std::size_t i) {
    const auto& node = report_.graph.nodes[i];
    const auto reads = tables_.reads(node.name, false);
    const std::uint32_t bits = reads.empty() ? 8 : bits_of(reads);
    auto condition = condition_of(node.condition, bits, chip_);
    condition.spec.reads = fields_of(reads);
    if (!condition.exact) {
      note(node.name, fmt::format("condition '{}' taken as a comparison of {} bits", node.condition,
                                  condition.spec.bits));
    }
    add(i, node.name, condition.spec, {node.name});
  }

  void add_table(std::size_t i) {
    const auto& node = report_.graph.nodes[i];
    const ProgramTable* table = tables_.table(node.name, node.gress);
    if (table == nullptr) {
      note(node.name, "not in the assembler file: the compiler took it away later", true);
      return;
    }
    if (!table->first->keys.empty())
      add_match(i, *table);
    else if (table->first->kind == "hash_action")
      add_hash_action(i, *table);
    else
      add_keyless(i, *table);
  }

  std::vector<std::string> names_of_table(const std::string& name,
                                          const ProgramTable& table) const {
    std::vector<std::string> names = {name, name + "$action", name + "$tind",
                                      table.first->internal + "-gateway"};
    return names;
  }

  /// Actions that do something: one VLIW instruction each.
  static std::uint32_t working_actions(const ProgramTable& table) {
    return static_cast<std::uint32_t>(
        std::count_if(table.actions.begin(), table.actions.end(),
                      [](const auto& a) { return a.instructions > 0; }));
  }

  /// Bits of the widest container that has the field in the table's stage; 0: not in the file.
  std::uint32_t container_bits(const AssemblerTable& table, const AssemblerTable::Key& key) const {
    std::uint32_t out = 0;
    for (const auto& field : report_.headers.fields) {
      if (field.gress != table.gress || field.name != key.name) continue;
      for (const auto& part : field.parts) {
        const auto stage = static_cast<int>(table.stage);
        const bool here = part.first < 0 || (part.first <= stage && stage <= part.last);
        if (!here || part.low >= key.bits) continue;
        const auto size = part.container.find_first_of("BHW");  // after M, D or T
        if (size == std::string::npos) continue;
        out = std::max(out, part.container[size] == 'W'   ? 32u
                            : part.container[size] == 'H' ? 16u
                                                          : 8u);
      }
    }
    return out;
  }

  /// How the compiler implements the table, and how much of its key is a range.
  void take_kind(const std::string& name, const AssemblerTable& table, dataplane::MatchSpec& spec) {
    std::vector<std::uint32_t> said, ranges, containers;
    bool prefix = false;
    spec.key_bits = 0;
    for (const auto& key : table.keys) {
      spec.key_bits += key.bits;
      prefix |= key.match == "lpm";
      if (key.match != "range") continue;
      said.push_back(key.bits);
      ranges.push_back(std::min(key.bits, dataplane::most_range_bits));
      containers.push_back(container_bits(table, key));
    }
    if (table.kind == "ternary_match") {
      spec.kind = prefix ? dataplane::MatchKind::lpm : dataplane::MatchKind::ternary;
      if (!ranges.empty()) {
        spec.kind = dataplane::MatchKind::range;
        note(name,
             fmt::format("a range of {} bits: a quarter of the entries taken for ranges that are "
                         "no prefixes",
                         fmt::join(said, ", ")));
        spec.ranges = std::move(ranges);
        if (std::ranges::find(containers, 0u) == containers.end())
          spec.range_containers = std::move(containers);
      }
      spec.ternary = spec.kind == dataplane::MatchKind::ternary;
    } else if (table.kind != "exact_match") {
      note(name, fmt::format("{} taken as an exact match table", table.kind));
    }
  }

  void take_actions(const ProgramTable& table, dataplane::MatchSpec& spec) {
    spec.actions = 0;
    spec.miss = dataplane::MissAction::no_op;
    for (const auto& a : table.actions) {
      spec.data_bits = std::max(spec.data_bits, a.data_bits);
      if (a.name == table.default_action && a.hit) spec.miss = dataplane::MissAction::listed;
      if (a.name == table.default_action && !a.hit && a.instructions > 0)
        spec.miss = dataplane::MissAction::own;
      if (!a.hit) continue;
      ++spec.actions;
      spec.writes.push_back(a.instructions == 0 ? "" : fmt::format("{}", fmt::join(a.writes, " ")));
    }
    if (spec.actions == 0) {
      spec.actions = 1;
      spec.no_ops = 1;
    }
  }

  void add_match(std::size_t i, const ProgramTable& table) {
    const auto& node = report_.graph.nodes[i];
    dataplane::MatchSpec spec;
    take_kind(node.name, *table.first, spec);
    spec.entries = std::max<std::uint64_t>(1, table.first->size);
    take_actions(table, spec);
    if (table.idle_bits == 1 || table.idle_bits == 2 || table.idle_bits == 3 ||
        table.idle_bits == 6) {
      spec.idle_bits = table.idle_bits;
    }
    spec.reads = fields_of(tables_.reads(node.name, true));
    const std::size_t index = add(i, node.name, spec, names_of_table(node.name, table));
    attach_all(i, index, table);
  }

  void attach_all(std::size_t i, std::size_t host, const ProgramTable& table) {
    for (const auto& a : report_.graph.nodes[i].attached) {
      const AssemblerTable* memory = tables_.memory(a.name);
      if (memory == nullptr) continue;  // action data, the RAMs behind TCAMs: in the table's price
      attach(i, host, table, *memory);
    }
  }

  /// A memory that a table's action uses, at an index or one cell for each entry.
  void attach(std::size_t i, std::size_t host, const ProgramTable& table,
              const AssemblerTable& memory) {
    const std::string name = out_.objects[host].name;
    const auto* reference = tables_.reference(table, memory.name);
    const bool direct = reference != nullptr && reference->direct;
    const std::uint64_t cells = direct ? 0 : std::max<std::uint64_t>(1, memory.size);
    if (memory.kind == "counter") {
      add(i, memory.name, counter(memory, cells, name, direct), {memory.name});
    } else if (memory.kind == "meter") {
      add(i, memory.name, dataplane::MeterSpec{cells, name, direct, meter_kind(memory)},
          {memory.name});
    } else if (memory.kind == "action") {
      const auto& match = std::get<dataplane::MatchSpec>(out_.objects[host].spec);
      add(i, memory.name, dataplane::ProfileSpec{cells, match.data_bits, name}, {memory.name});
    } else if (memory.kind == "selection") {
      add_selector(i, memory, name);
    } else if (!memory.name.ends_with("$salu")) {  // that changes a selector's members
      attach_register(i, memory, host, reference);
    }
  }

  static dataplane::CounterSpec counter(const AssemblerTable& memory, std::uint64_t cells,
                                        const std::string& table, bool direct) {
    const bool both = memory.counts == "packets_and_bytes";
    return {cells, both ? 64u : 32u, table, direct, dataplane::CounterKind::by_width};
  }

  static dataplane::MeterKind meter_kind(const AssemblerTable& memory) {
    if (memory.counts == "lpf") return dataplane::MeterKind::lpf;
    return memory.counts == "red" || memory.counts == "wred" ? dataplane::MeterKind::wred
                                                             : dataplane::MeterKind::meter;
  }

  void add_selector(std::size_t i, const AssemblerTable& memory, const std::string& table) {
    const auto reads = tables_.reads(memory.name, false);
    dataplane::SelectorSpec spec;
    spec.groups = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(memory.size, 1, 1 << 20));
    spec.group_size = std::max(1u, memory.pool_size);
    if (const auto bits = bits_of(reads); bits > 0) spec.input_bits = bits;
    spec.resilient = memory.resilient;
    spec.table = table;
    spec.reads = fields_of(reads);
    add(i, memory.name, spec, {memory.name, memory.name + "$salu"});
  }

  void attach_register(std::size_t i, const AssemblerTable& memory, std::size_t host,
                       const AssemblerTable::Reference* reference) {
    const std::string table = out_.objects[host].name;
    if (registers_.contains(memory.name)) {
      note(memory.name,
           fmt::format("the access in actions of '{}' taken as a keyless table", table));
      return add_register(i, memory, {}, {memory.name});
    }
    auto spec = register_of(memory, tables_.reads(report_.graph.nodes[i].name, false));
    spec.table = table;
    spec.direct = reference != nullptr && reference->direct;
    if (spec.direct) spec.entries = 0;
    // A table without a key has no entries to hold an index: it is one that the program fixes.
    const bool addressed = reference != nullptr && reference->own_address;
    const bool entries = std::holds_alternative<dataplane::MatchSpec>(out_.objects[host].spec);
    spec.index = addressed ? dataplane::IndexSource::field
                 : entries ? dataplane::IndexSource::data
                           : dataplane::IndexSource::constant;
    registers_.emplace(memory.name, add(i, memory.name, spec, {memory.name}));
  }

  /// A register with the fields that are its index, and what its ALU computes with.
  dataplane::RegisterSpec register_of(const AssemblerTable& memory,
                                      std::map<std::string, std::uint32_t> reads) const {
    dataplane::RegisterSpec spec;
    spec.width = memory.cell.empty() ? 32 : memory.cell.front();
    spec.pair = memory.cell.size() > 1;
    spec.entries = std::max<std::uint64_t>(1, memory.size);
    for (const auto& [field, bits] : tables_.reads(memory.name, false))
      reads[field] = std::max(reads[field], bits);
    spec.index_bits = bits_of(reads);
    spec.reads = fields_of(reads);
    return spec;
  }

  /// An access to a register: the first makes the object, the others join it.
  void add_register(std::size_t i, const AssemblerTable& memory,
                    const std::map<std::string, std::uint32_t>& reads,
                    std::vector<std::string> names) {
    const auto known = registers_.find(memory.name);
    if (known != registers_.end()) {
      auto& spec = std::get<dataplane::RegisterSpec>(out_.objects[known->second].spec);
      if (!spec.table.empty()) {
        note(memory.name, fmt::format("the access in actions of '{}' taken as a keyless table",
                                      std::exchange(spec.table, {})));
        spec.index = dataplane::IndexSource::field;
      }
      if (spec.accesses == most_accesses) {
        note(memory.name, fmt::format("more than {} accesses", most_accesses));
      } else {
        ++spec.accesses;
      }
      out_.of_node[i].push_back(known->second);
      auto& all = out_.names[known->second];
      for (auto& n : names) {
        if (std::find(all.begin(), all.end(), n) == all.end()) all.push_back(std::move(n));
      }
      return;
    }
    const std::size_t index = add(i, memory.name, register_of(memory, reads), std::move(names));
    registers_.emplace(memory.name, index);
  }

  void add_hash_action(std::size_t i, const ProgramTable& table) {
    const auto& node = report_.graph.nodes[i];
    const auto reads = tables_.reads(node.name, false);
    bool taken = false;
    for (const auto& a : node.attached) {
      const AssemblerTable* memory = tables_.memory(a.name);
      if (memory == nullptr) continue;
      auto names = names_of_table(node.name, table);
      names.push_back(memory->name);
      if (memory->kind == "stateful") {
        add_register(i, *memory, reads, std::move(names));
      } else if (!taken && (memory->kind == "counter" || memory->kind == "meter")) {
        const auto cells = std::max<std::uint64_t>(1, memory->size);
        dataplane::ObjectSpec array = counter(*memory, cells, {}, false);
        if (memory->kind == "meter")
          array = dataplane::MeterSpec{cells, {}, false, meter_kind(*memory)};
        add(i, memory->name, std::move(array), std::move(names));
      } else {
        note(memory->name, fmt::format("{} of a keyless table", memory->kind), true);
      }
      taken = true;
    }
    if (taken) return;
    const auto delivered = tables_.amount(node.name, "immediate", Resource::hash_bits);
    auto names = names_of_table(node.name, table);
    if (delivered > 0) {
      dataplane::HashSpec spec;
      spec.input_bits = std::max(1u, bits_of(reads));
      spec.output_bits = static_cast<std::uint32_t>(std::min<std::int64_t>(delivered, 64));
      spec.reads = fields_of(reads);
      add(i, node.name, spec, std::move(names));
      return;
    }
    if (table.first->random_bits == 0)
      note(node.name, "a keyless table behind a gateway taken as one that draws a random bit");
    add(i, node.name, dataplane::RandomSpec{std::clamp(table.first->random_bits, 1u, 32u)},
        std::move(names));
  }

  void add_keyless(std::size_t i, const ProgramTable& table) {
    const auto& node = report_.graph.nodes[i];
    dataplane::ActionSpec spec;
    const std::uint32_t actions = working_actions(table);
    spec.instructions = std::clamp(actions, 1u, 64u);
    for (const auto& a : table.actions) {
      for (const auto& field : a.writes) {
        if (std::find(spec.writes.begin(), spec.writes.end(), field) == spec.writes.end())
          spec.writes.push_back(field);
      }
    }
    const std::size_t host = add(i, node.name, spec, names_of_table(node.name, table));
    for (const auto& a : node.attached) {
      const AssemblerTable* memory = tables_.memory(a.name);
      if (memory == nullptr) continue;
      if (memory->kind == "action" || memory->kind == "selection")
        note(memory->name, fmt::format("{} of a keyless table", memory->kind), true);
      else
        attach(i, host, table, *memory);
    }
  }

  const CompilerReport& report_;
  const NamedTables& tables_;
  const dataplane::ChipSpec& chip_;
  ProgramObjects out_;
  std::set<std::string> taken_;
  std::map<std::string, std::size_t> registers_;
};

}  // namespace

ProgramObjects objects_of(const CompilerReport& report, const NamedTables& tables,
                          const dataplane::ChipSpec& chip) {
  return Mapper(report, tables, chip).run();
}

}  // namespace horae::p4
