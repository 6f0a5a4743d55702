#include "objects_of.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "condition_of.hpp"

namespace horae::p4 {
namespace {

using dataplane::Resource;

constexpr std::uint32_t most_actions = 16;   ///< of a match table in an objects file
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
    const auto reads = tables_.reads(node.name);
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
    for (const auto& a : node.attached) {
      if (a.type == "idletime" || table->first->idle_timeout) {
        note(node.name, "idle timeout: its Map RAM is not priced");
        break;
      }
    }
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

  void add_match(std::size_t i, const ProgramTable& table) {
    const auto& node = report_.graph.nodes[i];
    dataplane::MatchSpec spec;
    spec.ternary = table.first->kind == "ternary_match";
    if (table.first->kind == "atcam_match")
      note(node.name, "algorithmic TCAM taken as an exact match table");
    else if (!spec.ternary && table.first->kind != "exact_match")
      note(node.name, fmt::format("{} taken as an exact match table", table.first->kind));
    spec.key_bits = 0;
    bool range = false;
    for (const auto& key : table.first->keys) {
      spec.key_bits += key.bits;
      range |= key.match == "range";
    }
    if (range) note(node.name, "range match taken as a ternary one");
    spec.entries = std::max<std::uint64_t>(1, table.first->size);
    for (const auto& a : table.actions) spec.data_bits = std::max(spec.data_bits, a.data_bits);
    spec.actions = std::max(1u, working_actions(table));
    if (spec.actions > most_actions) {
      note(node.name, fmt::format("{} actions taken as {}", spec.actions, most_actions));
      spec.actions = most_actions;
    }
    const auto reads = tables_.reads(node.name);
    spec.reads = fields_of(reads);
    auto names = names_of_table(node.name, table);
    struct Later {
      const AssemblerTable* memory;
      std::string type;
    };
    std::vector<Later> later;
    for (const auto& a : node.attached) {
      const AssemblerTable* memory = tables_.memory(a.name);
      if (memory == nullptr) continue;  // action data, the RAMs behind TCAMs: in the table's price
      const auto* reference = tables_.reference(table, a.name);
      const bool direct = reference != nullptr && reference->direct;
      if (memory->kind == "counter" && direct) {
        spec.counter = memory->counts == "packets_and_bytes"
                           ? dataplane::DirectCounter::packets_and_bytes
                           : dataplane::DirectCounter::packets;
        names.push_back(a.name);
      } else if (memory->kind == "meter" && direct) {
        spec.meter = true;
        names.push_back(a.name);
      } else {
        later.push_back({memory, a.type});
      }
    }
    const std::string host = out_.objects[add(i, node.name, spec, names)].name;
    for (const auto& l : later) attach(i, host, *l.memory);
  }

  /// A memory that a match table's action uses at an index.
  void attach(std::size_t i, const std::string& host, const AssemblerTable& memory) {
    const auto cells = std::max<std::uint64_t>(1, memory.size);
    if (memory.kind == "counter") {
      add(i, memory.name,
          dataplane::CounterSpec{cells, memory.counts == "packets_and_bytes" ? 64u : 32u, host},
          {memory.name});
    } else if (memory.kind == "meter") {
      add(i, memory.name, dataplane::MeterSpec{cells, host}, {memory.name});
    } else if (memory.kind == "selection") {
      note(memory.name, "action selector taken as meters of its table, one for each member");
      add(i, memory.name, dataplane::MeterSpec{cells, host}, {memory.name, memory.name + "$salu"});
    } else if (memory.name.ends_with("$salu")) {
      return;  // how a selector's members are switched: no memory of its own
    } else {
      note(memory.name, fmt::format("a register in an action of '{}' taken with a keyless table of "
                                    "its own after it",
                                    host));
      add_register(i, memory, {}, {memory.name});
    }
  }

  /// An access to a register: the first makes the object, the others join it.
  void add_register(std::size_t i, const AssemblerTable& memory,
                    const std::map<std::string, std::uint32_t>& reads,
                    std::vector<std::string> names) {
    const auto known = registers_.find(memory.name);
    if (known != registers_.end()) {
      auto& spec = std::get<dataplane::RegisterSpec>(out_.objects[known->second].spec);
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
    dataplane::RegisterSpec spec;
    spec.width = memory.cell.empty() ? 32 : memory.cell.front();
    spec.pair = memory.cell.size() > 1;
    spec.entries = std::max<std::uint64_t>(1, memory.size);
    spec.index_bits = bits_of(reads);
    spec.reads = fields_of(reads);
    const std::size_t index = add(i, memory.name, spec, std::move(names));
    registers_.emplace(memory.name, index);
  }

  void add_hash_action(std::size_t i, const ProgramTable& table) {
    const auto& node = report_.graph.nodes[i];
    const auto reads = tables_.reads(node.name);
    bool taken = false;
    for (const auto& a : node.attached) {
      const AssemblerTable* memory = tables_.memory(a.name);
      if (memory == nullptr) continue;
      auto names = names_of_table(node.name, table);
      names.push_back(memory->name);
      if (memory->kind == "stateful") {
        add_register(i, *memory, reads, std::move(names));
      } else if (!taken) {
        const auto cells = std::max<std::uint64_t>(1, memory->size);
        if (memory->kind == "counter") {
          add(i, memory->name,
              dataplane::CounterSpec{cells, memory->counts == "packets_and_bytes" ? 64u : 32u, {}},
              std::move(names));
        } else {
          if (memory->kind == "selection") note(memory->name, "action selector taken as meters");
          add(i, memory->name, dataplane::MeterSpec{cells, {}}, std::move(names));
        }
      } else {
        note(memory->name, fmt::format("a second memory of '{}'", node.name), true);
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
    const std::string host =
        out_.objects[add(i, node.name, spec, names_of_table(node.name, table))].name;
    for (const auto& a : node.attached) {
      if (const AssemblerTable* memory = tables_.memory(a.name)) attach(i, host, *memory);
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
