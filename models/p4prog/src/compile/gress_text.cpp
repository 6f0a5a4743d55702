#include "gress_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "horae/p4prog/layout.hpp"
#include "word_uses.hpp"

namespace horae::p4prog {
namespace {

/// Instructions that may be executed behind one, in the same function.
std::vector<std::uint32_t> next_of(const GressCode& code, std::uint32_t at) {
  const Instruction& i = code.code[at];
  switch (i.op) {
    case Op::end:
    case Op::give_back:
      return {};
    case Op::jump:
      return {i.n};
    case Op::open_cell:
      return {at + 2};  // what closes it is of the same statement
    case Op::select: {
      std::vector<std::uint32_t> out;
      for (const CaseCode& c : code.selects[i.n].cases) out.push_back(c.next);
      return out;
    }
    default:
      if (is_jump(i.op)) return {i.n, at + 1};
      return {at + 1};
  }
}

std::vector<std::uint32_t> reached_from(const GressCode& code, std::uint32_t entry) {
  std::set<std::uint32_t> seen;
  std::vector<std::uint32_t> open = {entry};
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    if (!seen.insert(at).second) continue;
    for (const std::uint32_t next : next_of(code, at)) open.push_back(next);
  }
  return {seen.begin(), seen.end()};
}

std::string number(std::uint64_t value) {
  return value < 10 ? fmt::format("{}ull", value) : fmt::format("{:#x}ull", value);
}

class GressText {
 public:
  explicit GressText(const GressCode& code) : code_(code) {
    for (const auto& [word, value] : code.constants) constants_[word] = value;
    constants_[0] = 0;
    find_functions();
    owner_ = own_words(code, functions_);
  }

  std::string text() {
    for (const CodeFunction& f : functions_) line("bool f{}({});", f.entry, parameters(f));
    for (std::size_t f = 0; f < functions_.size(); ++f) function(f);
    line("void run(Machine& machine, std::uint32_t at) {{");
    line("  CompiledPass p(machine);");
    line("  Word* const w = p.words();");
    line("  switch (at) {{");
    for (const std::uint32_t entry : run_from_)
      line("    case {}: f{}(p, w); return;", entry, entry);
    line("    default: f{}(p, w, at);", code_.parser);
    line("  }}");
    line("}}");
    return std::move(out_);
  }

 private:
  template <class... Values>
  void line(fmt::format_string<Values...> text, Values&&... values) {
    fmt::format_to(std::back_inserter(out_), text, std::forward<Values>(values)...);
    out_ += '\n';
  }

  /// Functions are what is called, and what a machine runs.
  void find_functions() {
    std::set<std::uint32_t> entries = {code_.control, code_.deparser};
    if (code_.ghost) entries.insert(*code_.ghost);
    for (const ExternCode& e : code_.externs) {
      if (e.kind != ExternKind::register_action) continue;
      entries.insert(e.entry);
      if (e.overflow != 0) entries.insert(e.overflow);
    }
    entries.erase(code_.parser);
    run_from_ = entries;
    for (const Instruction& i : code_.code) {
      if (i.op == Op::call) entries.insert(i.n);
    }
    for (const TableCode& table : code_.tables) {
      for (const ActionCode& a : table.actions) {
        if (runs(a)) entries.insert(a.entry);
      }
    }
    entries.insert(code_.parser);
    for (const std::uint32_t entry : entries)
      functions_.push_back({entry, reached_from(code_, entry)});
  }
  bool runs(const ActionCode& a) const {
    return !a.only_copies && code_.code[a.entry].op != Op::give_back;
  }
  /// The parser may begin behind its first instruction.
  std::string_view parameters(const CodeFunction& f) const {
    return f.entry == code_.parser ? "CompiledPass& p, Word* const w, std::uint32_t at"
                                   : "CompiledPass& p, Word* const w";
  }

  void function(std::size_t number) {
    const CodeFunction& f = functions_[number];
    function_ = static_cast<std::uint32_t>(number + 1);
    targets_.clear();
    bool rounds = false;
    for (const std::uint32_t at : f.instructions) {
      const Instruction& i = code_.code[at];
      for (const std::uint32_t next : next_of(code_, at)) {
        if (i.op == Op::select || (is_jump(i.op) && next == i.n)) targets_.insert(next);
        rounds = rounds || next <= at;
      }
    }
    const bool parses = f.entry == code_.parser;
    const bool has_second_entry = parses && code_.code[f.entry].op == Op::extract;
    if (has_second_entry) targets_.insert(f.entry + 1);
    if (f.instructions.front() != f.entry) targets_.insert(f.entry);
    line("bool f{}([[maybe_unused]] CompiledPass& p, [[maybe_unused]] Word* const w{}) {{", f.entry,
         parses ? ", [[maybe_unused]] std::uint32_t at" : "");
    for (std::size_t word = 0; word < owner_.size(); ++word) {
      if (owner_[word] == function_) line("  [[maybe_unused]] Word t{} = 0;", word);
    }
    if (rounds) line("  Word rounds = 0;");
    if (has_second_entry) line("  if (at == {}) goto L{};", f.entry + 1, f.entry + 1);
    if (f.instructions.front() != f.entry) line("  goto L{};", f.entry);
    for (std::size_t n = 0; n < f.instructions.size(); ++n) {
      const std::uint32_t at = f.instructions[n];
      if (targets_.contains(at)) line("L{}:", at);
      instruction(at);
      const auto next = next_of(code_, at);
      const bool goes_on =
          !next.empty() && code_.code[at].op != Op::jump && code_.code[at].op != Op::select;
      if (goes_on && (n + 1 == f.instructions.size() || f.instructions[n + 1] != next.back()))
        line("  goto L{};", next.back());
    }
    line("}}");
  }

  // Words.
  bool is_constant(std::uint32_t word) const { return constants_.contains(word); }
  bool is_own(std::uint32_t word) const { return owner_[word] == function_; }
  std::string place(std::uint32_t word) const {
    return fmt::format(fmt::runtime(is_own(word) ? "t{}" : "w[{}]"), word);
  }
  std::string value(std::uint32_t word) const {
    const auto found = constants_.find(word);
    return found != constants_.end() ? number(found->second) : place(word);
  }
  /// Words of a plan, one behind the other.
  std::vector<std::string> packed(const PackPlan& plan) const {
    std::vector<std::string> out;
    std::size_t at = 0;
    for (const std::uint32_t end : plan.ends) {
      std::string word;
      for (; at < end; ++at) {
        const PackPlan::Step& s = plan.steps[at];
        std::string step = value(s.word);
        if (s.rotation != 0) step = fmt::format("std::rotl<Word>({}, {})", step, s.rotation);
        if (s.mask != ~std::uint64_t{0}) step = fmt::format("({} & {})", step, number(s.mask));
        word += (word.empty() ? "" : " | ") + step;
      }
      out.push_back(word.empty() ? "0" : word);
    }
    out.resize(std::max<std::size_t>(out.size(), std::max(plan.words, 1u)), "0");
    return out;
  }
  std::string array(const PackPlan& plan) const {
    return fmt::format("const Word key[] = {{{}}};", fmt::join(packed(plan), ", "));
  }
  static std::string masked(const std::string& text, std::uint64_t mask) {
    return mask == ~std::uint64_t{0} ? text : fmt::format("({}) & {}", text, number(mask));
  }

  // Instructions.
  void give(const Instruction& i, const std::string& text) { line("  {} = {};", place(i.d), text); }
  void give_bits(const Instruction& i, const std::string& text) { give(i, masked(text, i.mask)); }
  void go(const Instruction& i, const std::string& condition) {
    line("  if ({}) goto L{};", condition, i.n);
  }

  void instruction(std::uint32_t at) {
    const Instruction& i = code_.code[at];
    const std::string a = operand(i.a), b = operand(i.b);
    const auto two = [&](const char* op) { return fmt::format("{} {} {}", a, op, b); };
    const auto compared = [&](const char* op) { return fmt::format("({}) ? 1 : 0", two(op)); };
    const auto signs = [&](const char* op) {
      return fmt::format("p.as_signed({}, {}) {} p.as_signed({}, {}) ? 1 : 0", a, i.width, op, b,
                         i.width);
    };
    switch (i.op) {
      case Op::add:
        return give_bits(i, two("+"));
      case Op::subtract:
        return give_bits(i, two("-"));
      case Op::multiply:
        return give_bits(i, two("*"));
      case Op::divide:
        return give(i, fmt::format("p.divided({}, {}, {})", a, b, number(i.mask)));
      case Op::modulo:
        return give(i, fmt::format("{} == 0 ? {} : {} % {}", b, a, a, b));
      case Op::saturating_add:
        return give(i, fmt::format("p.saturating_add({}, {}, {})", a, b, number(i.mask)));
      case Op::saturating_subtract:
        return give(i, fmt::format("{} > {} ? {} - {} : 0", a, b, a, b));
      case Op::bit_and:
        return give(i, two("&"));
      case Op::bit_or:
        return give(i, two("|"));
      case Op::bit_xor:
        return give(i, two("^"));
      case Op::complement:
        return give_bits(i, "~" + a);
      case Op::negate:
        return give_bits(i, "0 - " + a);
      case Op::shift_left:
        return give_bits(i, fmt::format("{} < {} ? {} << {} : 0", b, i.width, a, b));
      case Op::shift_right:
        return give(i, fmt::format("{} < {} ? {} >> {} : 0", b, i.width, a, b));
      case Op::signed_shift_right:
        return give_bits(i, fmt::format("static_cast<Word>(p.as_signed({}, {}) >> "
                                        "std::min<Word>({}, 63))",
                                        a, i.width, b));
      case Op::equal:
        return give(i, compared("=="));
      case Op::not_equal:
        return give(i, compared("!="));
      case Op::less:
        return give(i, compared("<"));
      case Op::less_equal:
        return give(i, compared("<="));
      case Op::signed_less:
        return give(i, signs("<"));
      case Op::signed_less_equal:
        return give(i, signs("<="));
      case Op::logical_not:
        return give(i, a + " == 0 ? 1 : 0");
      case Op::slice:
        return give_bits(i, fmt::format("{} >> {}", a, i.n));
      case Op::insert:
        return give(i, fmt::format("({} & {}) | ({} & {}) << {}", place(i.d),
                                   number(~(i.mask << i.n)), a, number(i.mask), i.n));
      case Op::concatenate:
        return give(i, fmt::format("{} << {} | {}", a, i.n, b));
      case Op::extend_sign:
        return give_bits(i, fmt::format("static_cast<Word>(p.as_signed({}, {}))", a, i.n));
      case Op::constant:
        return give(i, number(i.n));
      case Op::move_word:
        return give(i, a);
      case Op::move:
        return line("  std::copy_n(w + {}, {}, w + {});", i.a, i.n, i.d);
      case Op::move_from:
        return line("  std::copy_n(w + {} + {}, {}, w + {});", i.a, b, i.n, i.d);
      case Op::move_to:
        return line("  std::copy_n(w + {}, {}, w + {} + {});", i.a, i.n, i.d, b);
      case Op::equal_words:
        return give(i,
                    fmt::format("std::equal(w + {}, w + {}, w + {}) ? 1 : 0", i.a, i.a + i.n, i.b));
      case Op::element_offset:
        return give(i, fmt::format("std::min<Word>({}, {}) * {}", a, i.width - 1, i.n));
      case Op::next_offset:
      case Op::last_offset:
        line("  {} = {}{};", place(i.d), a, i.op == Op::next_offset ? "" : " - 1");
        line("  if ({} >= {}) return p.beyond_stack();", place(i.d), i.width);
        return line("  {} *= {};", place(i.d), i.n);
      case Op::advance_next:
        return line("  ++{};", place(i.a));
      case Op::jump:
        if (i.n <= at) line("  p.next_round(rounds);");
        return line("  goto L{};", i.n);
      case Op::jump_if:
        return go(i, a + " != 0");
      case Op::jump_unless:
        return go(i, a + " == 0");
      case Op::jump_equal:
        return go(i, two("=="));
      case Op::jump_not_equal:
        return go(i, two("!="));
      case Op::jump_less:
        return go(i, two("<"));
      case Op::jump_less_equal:
        return go(i, two("<="));
      case Op::call:
        return line("  if (!f{}(p, w)) return false;", i.n);
      case Op::give_back:
        return line("  return true;");
      case Op::end:
        return line("  return false;");
      case Op::table:
        return table(i);
      case Op::select:
        return select(at, code_.selects[i.n]);
      case Op::error:
        return line("  if ({} == 0) return p.fail({});", a, i.n);
      case Op::extern_call:
        return line("  if (!p.extern_call({})) return false;", i.n);
      case Op::hash: {
        const PackPlan& plan = code_.externs[i.n].packed;
        line("  {{ {}", array(plan));
        return line(
            "    {} = {}; }}", place(i.d),
            masked(fmt::format("p.hash({}, key, {}, {})", i.n, plan.words, plan.bits), i.mask));
      }
      case Op::count:
        return line("  p.count({}, {});", i.n, a);
      case Op::update_checksum:
        return update_checksum(i);
      case Op::open_cell:
        return cell(at);
      case Op::extract:
      case Op::look_ahead:
        return extract(at);
      case Op::look_ahead_bits:
        return line("  if (!p.look_ahead_bits({}, w + {})) return false;", i.width, i.d);
      case Op::advance:
        return line("  if (!p.advance({})) return false;", a);
      case Op::packet_length:
        return give(i, "p.packet_length()");
      case Op::emit:
        line("  {{ const Word* const header = w + {}{};", i.d, offset(i));
        return emit(i, code_.headers[i.n]);
      default:
        return line("  p.value_op({});", at);
    }
  }
  /// Some instructions have other numbers there.
  std::string operand(std::uint32_t word) const {
    return word < owner_.size() ? value(word) : std::string();
  }
  std::string offset(const Instruction& i) const {
    return i.a == 0 ? std::string() : " + " + value(i.a);
  }

  void select(std::uint32_t at, const SelectCode& s) {
    const auto back = [&](const CaseCode& c) { return c.next <= at; };
    if (std::ranges::any_of(s.cases, back)) line("  p.next_round(rounds);");
    if (s.short_cases.empty()) {
      std::set<std::uint32_t> all;
      for (const CaseCode& c : s.cases) all.insert(c.next);
      line("  switch (p.select({})) {{", code_.code[at].n);
      for (const std::uint32_t next : all) line("    case {}: goto L{};", next, next);
      return line("    default: return false; }}");
    }
    line("  {{ {}", array(s.packed));
    for (const SelectCode::Short& c : s.short_cases) {
      if (c.mask == 0) return line("    goto L{}; }}", c.next);
      line("    if (({}) == {}) goto L{};", masked("*key", c.mask), number(c.value & c.mask),
           c.next);
    }
    line("    return p.no_match(); }}");
  }

  void table(const Instruction& i) {
    const TableSite& site = code_.sites[i.n];
    if (site.keys.empty()) {
      line("  {{ {} = 0;", place(i.d));
      line("    const auto& call = p.only({});", i.n);
    } else {
      line("  {{ {}", array(site.packed_keys));
      line("    Word hit;");
      line("    const auto& call = p.lookup({}, key, hit);", i.n);
      line("    {} = hit;", place(i.d));
    }
    line("    {} = call.action;", place(i.d + 1));
    line("    switch (call.action) {{");
    const auto& actions = code_.tables[site.table].actions;
    for (std::size_t n = 0; n < actions.size(); ++n) {
      const ActionCode& a = actions[n];
      if (!runs(a) && a.copies.empty() && a.data_words.empty()) continue;
      line("      case {}:", n);
      if (a.only_copies) {
        for (const ActionCode::Copy& c : a.copies)
          line("        {} = {};", place(c.to),
               c.data ? fmt::format("p.data(call, {})", c.from) : value(c.from));
      } else {
        for (std::size_t d = 0; d < a.data_words.size(); ++d)
          line("        {} = p.data(call, {});", place(a.data_words[d]), d);
        if (runs(a)) line("        if (!f{}(p, w)) return false;", a.entry);
      }
      line("        break;");
    }
    line("      default: break;");
    line("    }} }}");
  }

  void update_checksum(const Instruction& i) {
    const ExternCode& e = code_.externs[i.n];
    std::string sum;
    for (const std::string& word : packed(e.packed))
      sum += fmt::format("{}p.halves({})", sum.empty() ? "" : " + ", word);
    std::string absent;
    for (const std::uint32_t valid : e.validity)
      absent += fmt::format("{}{} == 0", absent.empty() ? "" : " || ", value(valid));
    sum = fmt::format("p.folded({})", sum);
    if (!absent.empty()) sum = fmt::format("{} ? p.sum_of_valid({}) : {}", absent, i.n, sum);
    line("  {{ const Word sum = ~({}) & 0xffff;", sum);
    const bool has_second =
        e.argument_begins.size() > 1 && e.argument_begins[1] < e.arguments.size() &&
        (e.argument_begins.size() < 3 || e.argument_begins[1] < e.argument_begins[2]);
    const std::string ones = has_second ? value(e.arguments[e.argument_begins[1]].word) : "0";
    line("    {} = {}; }}", place(i.d),
         masked(fmt::format("sum == 0 && {} != 0 ? 0xffff : sum", ones), i.mask));
  }

  void cell(std::uint32_t at) {
    const Instruction &open = code_.code[at], &close = code_.code[at + 1];
    const ExternCode& e = code_.externs[open.n];
    line("  if (horae::p4prog::Cell* const cell = p.open_cell({}, {})) {{", open.n, value(open.a));
    if (open.b != 0) line("    w[{}] = 0;", open.b);
    if (open.width > 1) {
      for (const std::uint32_t output : e.outputs) line("    w[{}] = 0;", output);
    }
    line("    w[{}] = cell->low;", open.d);
    if (close.b != 0) line("    w[{}] = cell->high;", close.b);
    line("    if (!f{}(p, w)) return false;", e.entry);
    line("    cell->low = w[{}];", close.d);
    if (close.b != 0) line("    cell->high = w[{}];", close.b);
    line("  }}");
  }

  void emit(const Instruction& i, const HeaderCode& header) {
    if (!header.written.empty() && code_.emits_at_once)
      return line("    if (*header != 0) p.emit({}, header); }}", i.n);
    line("    if (*header != 0) p.keep_or_emit({}, header, {}, {}); }}", i.n, header.fixed_bits,
         !header.written.empty());
  }

  void extract(std::uint32_t at) {
    const Instruction& i = code_.code[at];
    const HeaderCode& header = code_.headers[i.n];
    const bool goes_on = i.op == Op::extract;
    const std::string slow = fmt::format("if (!p.extract({}, {})) return false;", at, goes_on);
    line("  {{ Word* const to = w + {}{};", i.d, offset(i));
    if (header.in_windows && header.has_origin) {
      line("    if (p.holds({})) {{", header.fixed_bits);
      if (!header.named_windows.windows.empty())
        line("      const std::uint8_t* const from = p.here();");
      std::size_t part = 0;
      for (const FieldWindows::Window& window : header.named_windows.windows) {
        line("      {{ const Word word = p.word_at(from + {});", window.byte);
        for (; part < window.end; ++part) {
          const FieldWindows::Part& field = header.named_windows.parts[part];
          line("        to[{}] = {};", field.offset,
               masked(fmt::format("word >> {}", field.behind), field.mask));
        }
        line("      }}");
      }
      line("      to[{}] = p.origin();", origin_word);
      if (goes_on) line("      p.go_on({});", header.fixed_bits);
      line("    }} else {}", slow);
    } else {
      line("    {}", slow);
    }
    if (goes_on || i.width == 1) line("    *to = 1;");
    line("  }}");
  }

  const GressCode& code_;
  std::map<std::uint32_t, std::uint64_t> constants_;
  std::vector<CodeFunction> functions_;
  std::set<std::uint32_t> run_from_;
  std::vector<std::uint32_t> owner_;
  std::uint32_t function_ = 0;  ///< 1 + the one that is being written
  std::set<std::uint32_t> targets_;
  std::string out_;
};

}  // namespace

std::string gress_text(const GressCode& code) { return GressText(code).text(); }

}  // namespace horae::p4prog
