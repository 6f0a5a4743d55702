// Tables and attached memories of the assembler file (NAME.bfa): what the JSON files do not say:
// keys, sizes, actions, widths of cells. The text's form: bf-asm/README.md and asm_output.cpp of
// the back end.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "indented.hpp"
#include "parts.hpp"
#include "text_file.hpp"

namespace horae::p4 {
namespace {

constexpr std::array<std::string_view, 15> table_kinds = {
    "exact_match", "ternary_match", "hash_action", "proxy_hash",       "atcam_match",
    "gateway",     "phase0_match",  "stateful",    "counter",          "meter",
    "selection",   "action",        "idletime",    "ternary_indirect", "hash_match"};

class Reader {
 public:
  explicit Reader(const std::string& file) : file_(file) {}

  void read(const std::vector<IndentedLine>& lines, std::vector<AssemblerTable>& out) {
    bool any = false;
    for (const auto& line : lines) {
      if (!line.text.starts_with("stage ")) continue;
      any = true;
      read_stage(line, out);
    }
    if (!any)
      throw input_error({file_, 0, 0, {}}, "no line 'stage N gress:', so no assembler file");
  }

 private:
  [[noreturn]] void refuse(const IndentedLine& line, const std::string& expected) const {
    throw input_error(place(line), fmt::format("found '{}', expected {}",
                                               printable(std::string(line.text)), expected));
  }
  Location place(const IndentedLine& line) const { return {file_, line.line, line.column, {}}; }

  std::uint64_t number(const IndentedLine& line, std::string_view text, std::uint64_t most) const {
    std::uint64_t n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error != std::errc{} || end != text.data() + text.size() || n > most)
      refuse(line, fmt::format("a whole number up to {}", most));
    return n;
  }

  void read_stage(const IndentedLine& line, std::vector<AssemblerTable>& out) {
    // "stage 3 ingress:"
    std::string_view rest = line.text.substr(6);
    const auto space = rest.find(' ');
    const std::string expected = "'stage N ingress:' or 'stage N egress:'";
    if (space == std::string_view::npos || !rest.ends_with(':')) refuse(line, expected);
    const std::string_view gress = rest.substr(space + 1, rest.size() - space - 2);
    if (gress == "ghost") return;
    if (gress != "ingress" && gress != "egress") refuse(line, expected);
    const auto stage = static_cast<unsigned>(number(line, rest.substr(0, space), 63));
    const auto g = gress == "egress" ? dataplane::Gress::egress : dataplane::Gress::ingress;
    for (const auto& below : line.below) {
      const std::string_view head = below.key();
      const auto end = head.find(' ');
      if (end == std::string_view::npos) continue;  // "dependency: match"
      const std::string_view kind = head.substr(0, end);
      if (std::find(table_kinds.begin(), table_kinds.end(), kind) == table_kinds.end())
        refuse(below, fmt::format("a table ({})", fmt::join(table_kinds, ", ")));
      AssemblerTable table;
      table.kind = kind;
      std::string_view name = head.substr(end + 1);
      if (const auto id = name.find(' '); id != std::string_view::npos) name = name.substr(0, id);
      table.internal = name;
      table.name = name;
      table.stage = stage;
      table.gress = g;
      table.where = place(below);
      read_table(below, table);
      out.push_back(std::move(table));
    }
  }

  void read_table(const IndentedLine& line, AssemblerTable& out) {
    for (const auto& below : line.below) {
      const std::string_view key = below.key();
      if (key == "p4")
        read_p4(below, out);
      else if (key == "p4_param_order" && out.kind != "action")
        read_keys(below, out);
      else if (key == "actions")
        read_actions(below, out);
      else if (key == "gateway")
        read_gateway(below, out);
      else if (key == "idletime")
        read_idle_timer(below, out);
      else if (key == "default_action" || key == "default_only_action")
        out.default_action = below.value();
      else if (key == "mode")
        out.resilient = below.value().starts_with("resilient");
      else if (key == "pool_sizes")
        read_pools(below, out);
      else if (key == "count")
        out.counts = below.value();
      else if (key == "format" && out.kind == "stateful")
        read_cell(below, out);
      else if (key == "action_bus")
        read_random(below, out);
      else if (key == "name" && out.kind == "gateway")
        out.gateway = below.value();
      else if (key == "stats" || key == "stateful" || key == "meter" || key == "selector" ||
               key == "action" || key == "indirect")
        read_reference(below, out);
    }
  }

  void read_p4(const IndentedLine& line, AssemblerTable& out) {
    const auto take = [&](std::string_view key, std::string_view value) {
      if (key == "name") out.name = value;
      if (key == "size") out.size = number(line, value, std::uint64_t{1} << 40);
    };
    for (const auto& [key, value] : map_entries(line.value())) take(key, value);
    for (const auto& below : line.below) take(below.key(), below.value());
  }

  void read_keys(const IndentedLine& line, AssemblerTable& out) {
    for (const auto& below : line.below) {
      AssemblerTable::Key key{std::string(below.key()), 0, {}};
      for (const auto& [name, value] : map_entries(below.value())) {
        if (name == "size") key.bits = static_cast<std::uint32_t>(number(below, value, 1 << 16));
        if (name == "type") key.match = value;
      }
      if (key.bits == 0) refuse(below, "a field with its size");
      out.keys.push_back(std::move(key));
    }
  }

  /// "Ig.set(0, 1):" and, beside it, its "- " lines.
  void read_actions(const IndentedLine& line, AssemblerTable& out) {
    for (const auto& below : line.below) {
      if (!below.text.starts_with("- ")) {
        std::string_view name = below.key();
        name = name.substr(0, name.find('('));
        out.actions.push_back({std::string(name), 0, 0, true, {}});
        continue;
      }
      if (out.actions.empty()) refuse(below, "the name of an action before it");
      read_operation(below, out.actions.back());
    }
  }

  void read_operation(const IndentedLine& line, AssemblerAction& action) {
    const std::string_view text = trimmed(line.text.substr(2));
    constexpr std::string_view order = "p4_param_order:";
    if (text.starts_with(order)) {
      for (const auto& [name, bits] : map_entries(text.substr(order.size())))
        action.data_bits += static_cast<std::uint32_t>(number(line, bits, 1 << 16));
      return;
    }
    constexpr std::string_view allowed = "hit_allowed:";
    if (text.starts_with(allowed)) {
      for (const auto& [key, value] : map_entries(text.substr(allowed.size()))) {
        if (key == "allowed") action.hit = value == "true";
      }
      return;
    }
    if (text.starts_with("default_only_action:")) action.hit = false;
    // "set MW0, v" is an operation; "handle: 1", "{ v: x }" and "register(action, index)" are none.
    const auto end = text.find(' ');
    if (end == std::string_view::npos) return;
    const std::string_view name = text.substr(0, end);
    const bool operation = std::all_of(name.begin(), name.end(), [](unsigned char c) {
      return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '-' || c == '.' || c == '_';
    });
    if (!operation) return;
    ++action.instructions;
    std::string_view to = trimmed(text.substr(end));
    to = to.substr(0, to.find_first_of(",("));
    const std::string field(trimmed(to));
    auto& writes = action.writes;
    if (!field.empty() && std::find(writes.begin(), writes.end(), field) == writes.end())
      writes.push_back(field);
  }

  void read_gateway(const IndentedLine& line, AssemblerTable& out) {
    const auto* name = line.find("name");
    if (name != nullptr) out.gateway = name->value();
  }

  void read_idle_timer(const IndentedLine& line, AssemblerTable& out) {
    out.idle_bits = 3;  // the back end's default
    if (const auto* bits = line.find("precision"))
      out.idle_bits = static_cast<std::uint32_t>(number(*bits, bits->value(), 6));
  }

  /// "[16, 32]"
  void read_pools(const IndentedLine& line, AssemblerTable& out) {
    std::string_view rest = line.value();
    while (!rest.empty()) {
      const auto digits = rest.find_first_of("0123456789");
      if (digits == std::string_view::npos) return;
      rest = rest.substr(digits);
      const auto end = std::min(rest.find_first_not_of("0123456789"), rest.size());
      out.pool_size = std::max(
          out.pool_size, static_cast<std::uint32_t>(number(line, rest.substr(0, end), 1 << 20)));
      rest = rest.substr(end);
    }
  }

  void read_cell(const IndentedLine& line, AssemblerTable& out) {
    for (const auto& [word, bits] : map_entries(line.value()))
      out.cell.push_back(static_cast<std::uint32_t>(number(line, bits, 128)));
  }

  /// "{ 32..33 : rng(0, 0..15) }"
  void read_random(const IndentedLine& line, AssemblerTable& out) {
    for (const auto& [bytes, source] : map_entries(line.value())) {
      if (!source.starts_with("rng(")) continue;
      const auto dots = source.rfind("..");
      if (dots == std::string_view::npos || !source.ends_with(')')) continue;
      const std::string_view high = source.substr(dots + 2, source.size() - dots - 3);
      const auto bits = static_cast<std::uint32_t>(number(line, high, 64)) + 1;
      out.random_bits = std::max(out.random_bits, bits);
    }
  }

  /// "stats: t2_0$stats.Ig.dc2($DIRECT, $DEFAULT)"
  static void read_reference(const IndentedLine& line, AssemblerTable& out) {
    const std::string_view value = line.value();
    const auto open = value.find('(');
    AssemblerTable::Reference reference{std::string(line.key()), std::string(value.substr(0, open)),
                                        false, false};
    if (open != std::string_view::npos) {
      const std::string_view arguments = value.substr(open + 1);
      reference.direct = arguments.starts_with("$DIRECT");
      reference.own_address = arguments.starts_with("hash_dist");
    }
    out.references.push_back(std::move(reference));
  }

  std::string file_;
};

}  // namespace

std::vector<AssemblerTable> read_assembler_file(const std::string& path) {
  const std::string text = read_text_file(path);
  std::vector<AssemblerTable> out;
  Reader(path).read(parse_indented(text), out);
  return out;
}

}  // namespace horae::p4
