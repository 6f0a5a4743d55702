#include "table_of.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace horae::p4price {
namespace {

using dataplane::MatchKind;
using p4lang::Block;
using p4lang::Expr;
using p4lang::ExprKind;
using p4lang::ExternObject;

/// Entries of a table without `size` (p4c backends/tofino/bf-p4c, SetDefaultSize).
constexpr std::uint64_t default_entries = 512;

std::uint64_t number(const Expr* e, std::uint64_t otherwise) {
  return e == nullptr || e->kind != ExprKind::constant ? otherwise
                                                       : static_cast<std::uint64_t>(e->value);
}

/// The number of an annotation: 1 where it has none, 0 where it has a word that is no number, as
/// constants of the source are not put in there.
std::optional<std::uint64_t> annotated(const p4lang::Table& table, std::string_view name) {
  for (const auto& a : table.annotations) {
    if (a.name != name) continue;
    if (a.words.empty()) return 1;
    std::uint64_t n = 0;
    const std::string& word = a.words.front();
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), n);
    return error == std::errc{} ? n : 0;
  }
  return std::nullopt;
}

class TableReader {
 public:
  TableReader(const p4lang::Program& program, const Block& block, const p4lang::Table& table,
              const Piece& piece, const ActionDataRules& data)
      : program_(program), block_(block), table_(table), piece_(piece), data_(data) {}

  TableOf run(const Sizes& sizes, const std::string& pipe) {
    auto& spec = out_.spec;
    spec.entries = entries_of(table_);
    if (const auto given = sizes.find(without_pipe(table_.name, pipe)); given != sizes.end())
      spec.entries = given->second;
    spec.constant = table_.const_entries;
    take_keys();
    take_actions();
    take_properties(pipe);
    take_algorithm();
    return std::move(out_);
  }

 private:
  /// Whether a pragma says that a key finds the partition of an algorithmic table.
  bool is_partition_index(const p4lang::Key& key) const {
    return std::ranges::any_of(table_.annotations, [&](const auto& a) {
      return a.name == "atcam_partition_index" && !a.words.empty() &&
             (a.words.front() == key.name || a.words.front() == '"' + key.name + '"');
    });
  }

  void take_keys() {
    auto& spec = out_.spec;
    spec.key_bits = 0;
    bool prefix = false, ternary = false;
    for (std::size_t i = 0; i < table_.keys.size(); ++i) {
      const auto& key = table_.keys[i];
      if (key.match_kind == "selector") {
        std::vector<Use> reads;
        const std::uint32_t bits = std::max(1u, width_of(*key.value.type));
        selector_bits_ += bits;
        if (const std::string name = name_of(piece_.keys[i], block_); !name.empty())
          selector_reads_.push_back(name);
        continue;
      }
      const std::uint32_t bits = std::max(1u, width_of(*key.value.type));
      if (key.match_kind == "atcam_partition_index" || is_partition_index(key)) {
        partition_bits_ = bits;
        continue;
      }
      // A constant matches nothing that the crossbar brings.
      if (piece_.keys[i].kind == ExprKind::constant) continue;
      spec.key_bits += bits;
      prefix |= key.match_kind == "lpm";
      ternary |= key.match_kind == "ternary" || key.match_kind == "optional";
      if (key.match_kind != "exact") masked_bits_ += bits;
      if (key.match_kind != "range") continue;
      spec.ranges.push_back(std::min(bits, dataplane::most_range_bits));
    }
    spec.key_bits = std::max(1u, spec.key_bits);
    for (const Use& u : piece_.key_reads) {
      if (std::ranges::find(selector_reads_, u.bits.field) != selector_reads_.end()) continue;
      if (std::ranges::find(spec.reads, u.bits.field) == spec.reads.end())
        spec.reads.push_back(u.bits.field);
    }
    spec.kind = !spec.ranges.empty() ? MatchKind::range
                : ternary            ? MatchKind::ternary
                : prefix             ? MatchKind::lpm
                                     : MatchKind::exact;
    spec.ternary = spec.kind == MatchKind::ternary;
  }

  void take_actions() {
    auto& spec = out_.spec;
    spec.actions = 0;
    spec.miss = dataplane::MissAction::no_op;
    for (std::size_t i = 0; i < piece_.actions.size(); ++i) {
      const auto& action = piece_.actions[i];
      const auto& of = table_.actions[i];
      const DataBits given = data_.parameters(action), constant = data_.constants(action);
      spec.data_bits = std::max(spec.data_bits, given.bits + constant.bits);
      spec.slot_bits = std::max(spec.slot_bits, given.slots + constant.slots);
      spec.narrow_bits = std::max(spec.narrow_bits, given.narrow);
      std::string writes;
      std::vector<std::string> fields;
      for (const Use& u : action.writes) {
        if (std::ranges::find(fields, u.bits.field) == fields.end()) fields.push_back(u.bits.field);
      }
      for (const auto& f : fields) writes += (writes.empty() ? "" : " ") + f;
      const bool works = !action.writes.empty() || !action.externs.empty();
      const bool is_default = table_.default_action.action == i;
      if (works && writes.empty()) writes = action.name;
      if (is_default && !of.default_only) spec.miss = dataplane::MissAction::listed;
      if (is_default && of.default_only && works) spec.miss = dataplane::MissAction::own;
      if (of.default_only) continue;
      ++spec.actions;
      spec.writes.push_back(works ? writes : "");
    }
    if (spec.actions == 0) {
      spec.actions = 1;
      spec.no_ops = 1;
    }
  }

  void take_properties(const std::string& pipe) {
    for (const auto& p : table_.properties) {
      if (p.name == "idle_timeout") {
        const bool on = p.value.kind != ExprKind::constant || p.value.value != 0;
        if (on) out_.spec.idle_bits = idle_bits();
      }
      if (p.value.kind != ExprKind::instance) continue;
      const ExternObject& object = program_.externs.at(p.value.index);
      const std::string& type = object.type->name;
      const std::string label = without_pipe(object.name, pipe);
      if (type == "Alpm") {
        alpm(object);
      } else if (type == "Atcam") {
        out_.spec.kind = MatchKind::atcam;
        out_.spec.partitions =
            static_cast<std::uint32_t>(number(object.argument("number_partitions"), 1024));
      } else if (type == "ActionProfile") {
        profile(label, object);
      } else if (type == "ActionSelector") {
        selector(label, object, pipe);
      }
    }
  }

  /// Bits of an idle timer unless a pragma says otherwise (p4c: IDLETIME precision 3).
  std::uint32_t idle_bits() const {
    const auto bits = annotated(table_, "idletime_precision");
    return bits && (*bits == 1 || *bits == 2 || *bits == 3 || *bits == 6)
               ? static_cast<std::uint32_t>(*bits)
               : 3;
  }

  void alpm(const ExternObject& object) {
    out_.spec.kind = MatchKind::alpm;
    out_.spec.partitions =
        static_cast<std::uint32_t>(number(object.argument("number_partitions"), 1024));
    out_.spec.subtrees =
        static_cast<std::uint32_t>(number(object.argument("subtrees_per_partition"), 2));
  }

  void profile(const std::string& label, const ExternObject& object) {
    dataplane::ProfileSpec spec;
    spec.entries = std::max<std::uint64_t>(1, number(object.argument("size"), 1));
    spec.data_bits = out_.spec.data_bits;
    out_.attached.emplace_back(label, spec);
  }

  void selector(const std::string& label, const ExternObject& object, const std::string& pipe) {
    dataplane::SelectorSpec spec;
    spec.groups = static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(number(object.argument("num_groups"), 1), 1, 1 << 20));
    spec.group_size = static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(number(object.argument("max_group_size"), 120), 1, 119040));
    if (selector_bits_ > 0) spec.input_bits = selector_bits_;
    spec.reads = selector_reads_;
    const Expr* mode = object.argument("mode");
    if (mode != nullptr && mode->kind == ExprKind::constant) {
      for (const auto& m : mode->type->members)
        spec.resilient |= m.value == mode->value && m.name == "RESILIENT";
    }
    const Expr* of = object.argument("action_profile");
    if (of != nullptr && of->kind == ExprKind::instance) {
      const ExternObject& members = program_.externs.at(of->index);
      profile(without_pipe(members.name, pipe), members);
    } else {
      profile(label + ".members", object);
    }
    out_.attached.emplace_back(label, spec);
  }

  void take_algorithm() {
    auto& spec = out_.spec;
    if (annotated(table_, "alpm") && spec.kind == MatchKind::lpm) {
      spec.kind = MatchKind::alpm;
      spec.partitions =
          static_cast<std::uint32_t>(annotated(table_, "alpm_partitions").value_or(1024));
      spec.subtrees =
          static_cast<std::uint32_t>(annotated(table_, "alpm_subtrees_per_partition").value_or(2));
    }
    if (partition_bits_ > 0) {
      spec.kind = MatchKind::atcam;
      if (spec.partitions == 0) {
        spec.partitions = static_cast<std::uint32_t>(
            annotated(table_, "atcam_number_partitions")
                .value_or(std::uint64_t{1} << std::min(partition_bits_, 20u)));
      }
    }
    if (spec.kind == MatchKind::alpm || spec.kind == MatchKind::atcam) {
      spec.ternary = false;
      spec.ranges.clear();
      spec.partitions = std::max(1u, spec.partitions);
      spec.masked_bits = std::min(masked_bits_, spec.key_bits);
    }
  }

  const p4lang::Program& program_;
  const Block& block_;
  const p4lang::Table& table_;
  const Piece& piece_;
  const ActionDataRules& data_;
  TableOf out_;
  std::uint32_t partition_bits_ = 0, selector_bits_ = 0, masked_bits_ = 0;
  std::vector<std::string> selector_reads_;
};

}  // namespace

std::uint64_t entries_of(const p4lang::Table& table) {
  const std::uint64_t written = table.entries.size();
  // So few that a gateway may hold them; else the source's size stands, as in the reports
  // (precision: 512 of its constant entries' table, of which fewer are written).
  constexpr std::uint64_t most_in_gateway = 4;
  if (table.const_entries && (!table.size || written <= most_in_gateway))
    return std::max<std::uint64_t>(1, written);
  return std::max<std::uint64_t>({1, table.size.value_or(default_entries), written});
}

TableOf table_of(const p4lang::Program& program, const Block& block, const p4lang::Table& table,
                 const Piece& piece, const ActionDataRules& data, const Sizes& sizes,
                 const std::string& pipe) {
  return TableReader(program, block, table, piece, data).run(sizes, pipe);
}

dataplane::CounterSpec counter_of(const ExternObject& object, std::uint64_t cells,
                                  const std::string& table, bool direct) {
  const Expr* type = object.argument("type");
  std::string counts;
  if (type != nullptr && type->kind == ExprKind::constant) {
    for (const auto& m : type->type->members)
      if (m.value == type->value) counts = m.name;
  }
  dataplane::CounterSpec out;
  out.entries = cells;
  out.table = table;
  out.direct = direct;
  const std::uint32_t width =
      object.type->type_arguments.empty() ? 64 : width_of(*object.type->type_arguments[0]);
  out.width = width > 32 ? 64 : 32;
  out.kind = counts == "PACKETS_AND_BYTES" ? dataplane::CounterKind::packets_and_bytes
                                           : dataplane::CounterKind::one;
  return out;
}

}  // namespace horae::p4price
