#include "horae/p4/p4info.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <map>
#include <set>

#include "horae/core/error.hpp"
#include "text_file.hpp"
#include "text_message.hpp"

namespace horae::p4 {
namespace {

constexpr std::uint64_t most_bits = 1024;
constexpr std::uint64_t most_size = std::uint64_t{1} << 32;
constexpr std::uint64_t any_id = ~std::uint32_t{0};

class InfoReader {
 public:
  explicit InfoReader(const TextMessage& info) : info_(info) {}

  void read(ImportedDesign& out) {
    out_ = &out;
    for (const auto* action : info_.messages("actions")) actions_.emplace(id_of(*action), action);
    for (const auto* table : info_.messages("tables")) add_table(*table);
    for (const auto* c : info_.messages("direct_counters")) add_direct(*c, true);
    for (const auto* m : info_.messages("direct_meters")) add_direct(*m, false);
    for (const auto* c : info_.messages("counters")) add_array(*c, true);
    for (const auto* m : info_.messages("meters")) add_array(*m, false);
    for (const auto* r : info_.messages("registers")) add_register(*r);
    for (const auto* p : info_.messages("action_profiles")) add_profile(*p);
    for (const auto* e : info_.messages("externs"))
      note(e->text("extern_type_name", "an extern"), "an extern of the architecture", true);
    for (const auto* s : info_.messages("value_sets"))
      note(name_of(*s), "a value set of the parser", true);
  }

 private:
  void note(const std::string& object, std::string text, bool left_out = false) {
    out_->notes.push_back({object, std::move(text), left_out});
  }

  const TextMessage& preamble(const TextMessage& entity) const {
    const auto* found = entity.message("preamble");
    if (found == nullptr) throw input_error(entity.where, "expected a preamble");
    return *found;
  }
  std::uint64_t id_of(const TextMessage& entity) const {
    return preamble(entity).number("id", 0, any_id, 0);
  }
  std::string name_of(const TextMessage& entity) const {
    std::string name = preamble(entity).text("name");
    if (name.empty()) throw input_error(preamble(entity).where, "expected a name");
    return name;
  }

  const std::string& add(const TextMessage& entity, dataplane::ObjectSpec spec) {
    const std::string name = name_of(entity);
    if (!names_.insert(name).second)
      throw input_error(entity.where, fmt::format("'{}' stands twice", name));
    // Egress tables are not told from ingress ones; both gresses share the stages.
    out_->design.objects.push_back(
        {name, dataplane::Gress::ingress, std::move(spec), {}, entity.where});
    return out_->design.objects.back().name;
  }

  void add_table(const TextMessage& table) {
    dataplane::MatchSpec spec;
    spec.key_bits = 0;
    bool lpm = false, ternary = false;
    for (const auto* field : table.messages("match_fields")) {
      const auto bits = static_cast<std::uint32_t>(field->number("bitwidth", 1, most_bits, 32));
      const std::string type = field->text("match_type", "EXACT");
      spec.key_bits += bits;
      lpm |= type == "LPM";
      ternary |= type == "TERNARY" || type == "OPTIONAL";
      if (type == "RANGE") spec.ranges.push_back(std::min(bits, dataplane::most_range_bits));
      if (type != "EXACT" && type != "LPM" && type != "TERNARY" && type != "OPTIONAL" &&
          type != "RANGE") {
        throw input_error(field->find("match_type")->where,
                          fmt::format("match_type: found '{}'; expected EXACT, LPM, TERNARY, RANGE "
                                      "or OPTIONAL",
                                      type));
      }
    }
    std::uint32_t hits = 0;
    for (const auto* ref : table.messages("action_refs")) {
      const auto id = ref->number("id", 0, any_id, 0);
      const auto at = actions_.find(id);
      if (at == actions_.end())
        throw input_error(ref->where, fmt::format("action {} is not in the file", id));
      std::uint64_t data = 0;
      for (const auto* p : at->second->messages("params"))
        data += p->number("bitwidth", 1, most_bits, 32);
      spec.data_bits = std::max(spec.data_bits, static_cast<std::uint32_t>(data));
      if (ref->text("scope") == "DEFAULT_ONLY") continue;
      ++hits;
      if (name_of(*at->second).ends_with("NoAction")) ++spec.no_ops;
      if (table.number("const_default_action_id", 0, any_id, 0) == id)
        spec.miss = dataplane::MissAction::listed;
    }
    spec.actions = std::max(1u, hits);
    if (spec.key_bits == 0) {
      dataplane::ActionSpec action;
      action.instructions = std::min(64u, spec.actions);
      tables_.emplace(id_of(table), add(table, action));
      return;
    }
    spec.entries = table.number("size", 1, most_size, 1024);
    if (table.find("size") == nullptr) note(name_of(table), "no size: taken as 1024 entries");
    if (!spec.ranges.empty()) {
      spec.kind = dataplane::MatchKind::range;
    } else if (ternary || lpm) {
      spec.kind = lpm && !ternary ? dataplane::MatchKind::lpm : dataplane::MatchKind::ternary;
      spec.ternary = spec.kind == dataplane::MatchKind::ternary;
    }
    spec.constant = table.text("is_const_table") == "true";
    if (table.text("idle_timeout_behavior") == "NOTIFY_CONTROL") spec.idle_bits = 3;
    tables_.emplace(id_of(table), add(table, spec));
  }

  const std::string& table_of(const TextMessage& entity, std::uint64_t id) const {
    const auto at = tables_.find(id);
    if (at == tables_.end())
      throw input_error(entity.where, fmt::format("table {} is not in the file", id));
    return at->second;
  }

  static std::uint32_t counter_width(const TextMessage& entity) {
    const auto* spec = entity.message("spec");
    return spec != nullptr && spec->text("unit") == "BOTH" ? 64 : 32;
  }

  void add_direct(const TextMessage& entity, bool counter) {
    const std::string table = table_of(entity, entity.number("direct_table_id", 0, any_id, 0));
    dataplane::ObjectSpec spec = dataplane::MeterSpec{0, table, true, dataplane::MeterKind::meter};
    if (counter) {
      spec = dataplane::CounterSpec{0, counter_width(entity), table, true,
                                    dataplane::CounterKind::by_width};
    }
    add(entity, spec);
  }

  void add_array(const TextMessage& entity, bool counter) {
    const std::uint64_t size = entity.number("size", 1, most_size, 1);
    dataplane::ObjectSpec spec = dataplane::MeterSpec{size, {}, false, dataplane::MeterKind::meter};
    if (counter) {
      spec = dataplane::CounterSpec{
          size, counter_width(entity), {}, false, dataplane::CounterKind::by_width};
    }
    note(add(entity, spec),
         "taken with a keyless table of its own: P4Info does not say who uses it");
  }

  void add_register(const TextMessage& entity) {
    dataplane::RegisterSpec spec;
    spec.entries = entity.number("size", 1, most_size, 1);
    std::vector<std::uint32_t> words;
    if (const auto* type = entity.message("type_spec")) widths(*type, words);
    const std::string name = name_of(entity);
    if (words.empty() || words.size() > 2) {
      note(name, fmt::format("a register of {} fields", words.size()), true);
      return;
    }
    // Cells are as wide as powers of two, from 8 bits on.
    const auto widest = std::max(words.front(), words.back());
    spec.width = widest == 1 ? 1 : std::max(8u, std::bit_ceil(widest));
    spec.pair = words.size() == 2;
    if (spec.width != widest)
      note(name, fmt::format("words of {} bits taken as {}", widest, spec.width));
    add(entity, spec);
  }

  /// The bit widths in a type, in their order.
  static void widths(const TextMessage& type, std::vector<std::uint32_t>& out) {
    for (const auto& f : type.fields) {
      if (f.name == "bitwidth" && f.message == nullptr)
        out.push_back(static_cast<std::uint32_t>(type.number("bitwidth", 1, most_bits, 32)));
      if (f.message != nullptr) widths(*f.message, out);
    }
  }

  void add_profile(const TextMessage& entity) {
    const auto tables = entity.numbers("table_ids");
    const std::string name = name_of(entity);
    if (tables.empty()) return note(name, "an action profile of no table", true);
    if (tables.size() > 1)
      note(name, "an action profile of several tables taken as the first one's");
    const std::string table = table_of(entity, tables.front());
    const auto* match = std::get_if<dataplane::MatchSpec>(&out_->design.find(table)->spec);
    if (match == nullptr) return note(name, "an action profile of a table without a key", true);
    const std::uint64_t size = entity.number("size", 1, most_size, 1);
    add(entity, dataplane::ProfileSpec{size, match->data_bits, table});
    if (entity.text("with_selector") != "true") return;
    dataplane::SelectorSpec selector;
    selector.group_size = static_cast<std::uint32_t>(
        std::max<std::uint64_t>(1, entity.number("max_group_size", 0, 1 << 20, 0)));
    selector.groups = static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(size / selector.group_size, 1, 1 << 20));
    selector.table = table;
    note(name, fmt::format("its selector taken as {} groups of {} members, chosen by a hash of a "
                           "five-tuple",
                           selector.groups, selector.group_size));
    out_->design.objects.push_back(
        {name + ".selector", dataplane::Gress::ingress, selector, {}, entity.where});
  }

  const TextMessage& info_;
  ImportedDesign* out_ = nullptr;
  std::map<std::uint64_t, const TextMessage*> actions_;
  std::map<std::uint64_t, std::string> tables_;
  std::set<std::string> names_;
};

}  // namespace

ImportedDesign import_p4info(const std::string& file, const std::string& chip) {
  const std::string text = read_text_file(file);
  const TextMessage info = parse_text_message(text, file);
  ImportedDesign out;
  out.chip = chip;
  out.design.name = std::filesystem::path(file).stem().native();
  InfoReader(info).read(out);
  if (out.design.objects.empty())
    throw InputError(fmt::format("{}: no table, counter, meter or register: no P4Info", file));
  out.design.check();
  return out;
}

}  // namespace horae::p4
