#include "horae/p4prog/stf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <deque>
#include <map>
#include <optional>
#include <set>

#include "horae/core/error.hpp"
#include "stf_expected.hpp"
#include "stf_lines.hpp"

namespace horae::p4prog {

namespace {

class StfRunner {
 public:
  StfRunner(P4Switch& chip, const std::string& file, StfObserver* observer)
      : chip_(chip), file_(file), observer_(observer) {}

  StfResult run(const std::string& text) {
    const auto lines = stf_lines(file_, text);
    leave_out_loops(lines);
    for (const StfLine& line : lines) {
      line_ = &line;
      at_ = 0;
      command();
    }
    compare(true);
    return std::move(result_);
  }

 private:
  // Words of a line.
  [[noreturn]] void refuse(const std::string& what) const {
    throw InputError(fmt::format("{}:{}:{}: {}", file_, line_->number, at_ + 1, what));
  }
  void skip() {
    while (at_ < line_->text.size() &&
           std::isspace(static_cast<unsigned char>(line_->text[at_])) != 0)
      ++at_;
  }
  bool more() {
    skip();
    return at_ < line_->text.size();
  }
  /// Up to blanks or one of `stops`.
  std::string word(std::string_view stops = "") {
    skip();
    const std::size_t from = at_;
    while (at_ < line_->text.size() &&
           std::isspace(static_cast<unsigned char>(line_->text[at_])) == 0 &&
           stops.find(line_->text[at_]) == std::string_view::npos)
      ++at_;
    return line_->text.substr(from, at_ - from);
  }
  bool take(char c) {
    skip();
    if (at_ >= line_->text.size() || line_->text[at_] != c) return false;
    ++at_;
    return true;
  }
  void need(char c) {
    if (!take(c)) refuse(fmt::format("'{}' is expected", c));
  }
  /// Digits behind a 0 are octal, as in the vendor's scripts.
  std::uint64_t number(const std::string& text) {
    if (text.size() > 1 && text.size() < 22 && text[0] == '0' &&
        text.find_first_not_of("01234567") == std::string::npos)
      return std::stoull(text, nullptr, 8);
    try {
      return number_of(text, 64).at(0);
    } catch (const InputError& e) {
      refuse(e.what());
    }
  }
  std::uint64_t number() { return number(word("),")); }

  /// Work of the control plane: its messages get a place.
  template <class F>
  decltype(auto) placed(F&& work) {
    try {
      return work();
    } catch (const InputError& e) {
      at_ = 0;
      refuse(e.what());
    }
  }

  /// Broken rules of the hardware are refused at the line.
  template <class F>
  auto passed(F&& work) {
    try {
      return placed(work);
    } catch (const ModelError& e) {
      at_ = 0;
      refuse(e.what());
    }
  }

  void command() {
    std::string name = word();
    std::ranges::transform(name, name.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    static const std::map<std::string, void (StfRunner::*)()> commands = {
        {"packet", &StfRunner::packet},
        {"expect", &StfRunner::expect},
        {"no_packet", &StfRunner::no_packet},
        {"add", &StfRunner::add},
        {"selector", &StfRunner::selector},
        {"ghost", &StfRunner::ghost},
        {"pktgen", &StfRunner::packet_generator},
        {"port_down", &StfRunner::port_down},
        {"setdefault", &StfRunner::set_default},
        {"remove", &StfRunner::remove},
        {"wait", &StfRunner::wait},
        {"check_counter", &StfRunner::check_counter},
        {"check_register", &StfRunner::check_register},
        {"mirroring_add", &StfRunner::mirroring_add},
        {"mc_mgrp_create", &StfRunner::group_create},
        {"mc_node_create", &StfRunner::node_create},
        {"mc_node_associate", &StfRunner::node_associate},
    };
    const auto found = commands.find(name);
    if (found == commands.end()) {
      std::vector<std::string> names;
      for (const auto& [n, f] : commands) names.push_back(n);
      at_ = 0;
      refuse(fmt::format("'{}' is no command{}", name, suggestion(name, names)));
    }
    (this->*found->second)();
    if (more()) refuse(fmt::format("'{}' is left over", line_->text.substr(at_)));
  }

  /// A port where the case expects packets leads out of the chip.
  void leave_out_loops(const std::vector<StfLine>& lines) {
    std::set<unsigned> loops = chip_.options().loopback;
    for (const StfLine& line : lines) {
      line_ = &line;
      at_ = 0;
      if (word() != "expect" || !more()) continue;
      unsigned port = 0;
      const std::string text = word();
      std::from_chars(text.data(), text.data() + text.size(), port);
      loops.erase(port);
    }
    chip_.set_loopback(std::move(loops));
  }

  unsigned port() {
    const std::uint64_t n = number();
    if (n > 511) refuse(fmt::format("port {}, expected 0 to 511", n));
    return static_cast<unsigned>(n);
  }

  /// The bits of a byte behind its dot.
  std::string byte_of_bits(const std::string& text) {
    if (text.size() != bits_of_byte + 1 || text.find_first_not_of("01*", 1) != std::string::npos)
      refuse(fmt::format("'{}', expected a dot and eight of 0, 1 and *", text));
    return text;
  }

  std::string digits(bool stars) {
    std::string out;
    while (more()) {
      const std::string text = word();
      if (stars && text.starts_with(".")) {
        out += byte_of_bits(text);
        continue;
      }
      for (const char c : text) {
        const auto lower = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        if (std::isxdigit(static_cast<unsigned char>(c)) != 0 || (stars && (c == '*' || c == '$')))
          out += lower;
        else
          refuse(fmt::format("'{}' is no hexadecimal digit", c));
      }
    }
    return out;
  }

  void packet() {
    const unsigned in = port();
    const std::string text = digits(false);
    if (text.size() % 2 != 0) refuse("an odd number of digits");
    Bytes8 bytes;
    for (std::size_t i = 0; i < text.size(); i += 2)
      bytes.push_back(static_cast<std::uint8_t>(std::stoul(text.substr(i, 2), nullptr, 16)));
    ++result_.packets;
    now_ += Picoseconds(1'000'000);
    auto outputs = passed([&] { return chip_.inject(in, bytes, now_); });
    if (observer_ != nullptr) observer_->packet(line_->number, in, bytes, chip_.passes(), outputs);
    take(std::move(outputs));
  }

  void take(std::vector<P4Switch::Output> outputs) {
    for (P4Switch::Output& o : outputs)
      came_[o.port].push_back({line_->number, std::move(o.bytes)});
  }

  void generated(std::vector<P4Switch::Output> outputs) {
    if (observer_ != nullptr) observer_->generated(line_->number, chip_.passes(), outputs);
    take(std::move(outputs));
  }

  void packet_generator() {
    const auto app = static_cast<unsigned>(number());
    std::optional<unsigned> pipe;
    if (more()) pipe = static_cast<unsigned>(number());
    now_ += Picoseconds(1'000'000);
    generated(passed([&] { return chip_.fire_timer(app, pipe, now_); }));
  }

  void port_down() {
    const unsigned which = port();
    now_ += Picoseconds(1'000'000);
    generated(passed([&] { return chip_.port_down(which, now_); }));
  }

  void expect() {
    if (!more()) refuse("a port is expected");
    const unsigned out = port();
    StfExpected e{line_->number, digits(true)};
    if (const std::size_t end = e.digits.find('$'); end != std::string::npos) {
      e.whole = true;
      e.digits.erase(end);
    }
    ++result_.expected;
    e.any = e.digits.empty() && !e.whole;
    if (e.any) anything_.insert(out);
    expected_[out].push_back(std::move(e));
  }

  void no_packet() {
    ++result_.expected;
    compare(true);
  }
  void wait() { compare(false); }

  /// Output is compared in the order of each port. `all`: nothing else may have come, and
  /// nothing may be missing.
  void compare(bool all) {
    for (auto& [port, waiting] : expected_) {
      auto& came = came_[port];
      while (!waiting.empty() && !came.empty()) {
        const std::string text = hex(came.front().bytes);
        if (!matches(waiting.front(), text))
          fault(waiting.front().line,
                fmt::format("port {}: expected {}{}, came {} (of the packet in line {})", port,
                            waiting.front().digits, waiting.front().whole ? "$" : "", text,
                            came.front().line));
        waiting.pop_front();
        came.pop_front();
      }
      for (const StfExpected& e : waiting)
        fault(e.line, fmt::format("port {}: expected {}{}, nothing came", port,
                                  e.any ? "any packet" : e.digits, e.whole ? "$" : ""));
      waiting.clear();
    }
    if (!all) return;
    for (const unsigned port : anything_) came_[port].clear();
    for (auto& [port, came] : came_) {
      for (const StfCame& c : came)
        fault(c.line, fmt::format("port {}: nothing was expected, came {}", port, hex(c.bytes)));
      came.clear();
    }
  }

  void fault(std::size_t line, std::string message) {
    result_.faults.push_back({line, std::move(message)});
  }

  std::vector<NamedValue> parameters() {
    std::vector<NamedValue> out;
    if (!take('(')) return out;
    if (take(')')) return out;
    do {
      NamedValue v;
      v.name = word(":,)");
      v.script = true;
      if (take(':'))
        v.value = word(",)");
      else
        std::swap(v.name, v.value);
      if (v.value.empty()) refuse("a value is expected");
      out.push_back(std::move(v));
    } while (take(',') || (more() && line_->text[at_] != ')'));
    need(')');
    return out;
  }

  void add() {
    const std::string table = word();
    std::optional<std::int64_t> priority;
    std::vector<NamedValue> keys;
    std::string action;
    while (action.empty()) {
      if (!more()) refuse("an action is expected");
      const std::size_t before = at_;
      const std::string name = word(":(=");
      if (at_ < line_->text.size() && line_->text[at_] == ':') {
        ++at_;
        keys.push_back({name, word(), true});
      } else if (keys.empty() && !priority && !name.empty() &&
                 std::ranges::all_of(name, [](unsigned char c) { return std::isdigit(c) != 0; })) {
        priority = static_cast<std::int64_t>(number(name));
      } else {
        if (name.empty()) {
          at_ = before;
          refuse("an action is expected");
        }
        action = name;
      }
    }
    const auto data = parameters();
    std::string alias;
    if (take('=')) alias = word();
    if (keys.empty() && priority && chip_.control_plane().has_profile(table)) {
      placed([&] {
        chip_.control_plane().set_member(table, static_cast<std::uint64_t>(*priority), action,
                                         data);
      });
      return;
    }
    placed([&] {
      if (const auto reference = reference_of(table, data))
        chip_.control_plane().add(table, priority, keys, *reference);
      else
        chip_.control_plane().add(table, priority, keys, action, data);
      if (!alias.empty()) aliases_[alias] = chip_.control_plane().place_of(table, priority, keys);
    });
  }

  /// An entry of vendors' scripts names the bits that its table has for a selector: the group's
  /// place in the RAM, in meter_addr, and whether it uses the selector, in the highest bit of
  /// meter_pfe. In action_addr is the place of a member, or of the one that a group's members count
  /// from.
  std::optional<Reference> reference_of(const std::string& table,
                                        const std::vector<NamedValue>& data) {
    std::optional<std::uint64_t> enabled;
    std::uint64_t group = 0, member = 0;
    for (const NamedValue& v : data) {
      if (v.name == "meter_pfe") enabled = number(v.value);
      if (v.name == "meter_addr") group = number(v.value);
      if (v.name == "action_addr") member = number(v.value);
    }
    if (!enabled) return std::nullopt;
    ControlPlane& control = chip_.control_plane();
    if (*enabled != 0) group /= control.group_address_step(table);
    member /= control.member_address_step(table);
    if (*enabled == 0) return Reference{Reference::To::member, member};
    return Reference{Reference::To::group, group, member};
  }

  void selector() {
    const std::string name = word();
    const std::uint64_t group = number();
    if (const std::string verb = word(); verb != "add")
      refuse(fmt::format("'{}' is no change of a group, expected add", verb));
    std::vector<std::uint64_t> members;
    while (more()) members.push_back(number());
    placed([&] { chip_.control_plane().add_to_group(name, group, members); });
  }

  /// The depths of queues, and a pass of the ghost thread for each.
  void ghost() {
    if (const std::string verb = word(); verb != "run")
      refuse(fmt::format("'{}', expected run", verb));
    if (!more()) refuse("QUEUE:DEPTH is expected");
    while (more()) {
      const std::uint64_t queue = number(word(":"));
      need(':');
      const std::uint64_t depth = number();
      now_ += Picoseconds(1'000'000);
      placed([&] { chip_.run_ghost(static_cast<unsigned>(queue), depth, now_); });
    }
  }

  void set_default() {
    const std::string table = word(), action = word("(");
    const auto data = parameters();
    placed([&] { chip_.control_plane().set_default(table, action, data); });
  }

  void remove() {
    if (word() != "all") refuse("'all' is expected: single entries are not removed");
    chip_.control_plane().clear_tables();
  }

  std::uint64_t index() {
    need('(');
    std::uint64_t out = 0;
    const std::string text = word(")");
    if (text.starts_with("$")) {
      const auto found = aliases_.find(text.substr(1));
      if (found == aliases_.end()) refuse(fmt::format("no entry is named {}", text));
      out = found->second;
    } else {
      out = number(text);
    }
    need(')');
    return out;
  }

  std::string comparison() {
    skip();
    const std::size_t from = at_;
    while (at_ < line_->text.size() &&
           std::string_view("=!<>").find(line_->text[at_]) != std::string_view::npos)
      ++at_;
    return line_->text.substr(from, at_ - from);
  }

  bool holds(std::uint64_t a, const std::string& op, std::uint64_t b) {
    if (op == "=" || op == "==") return a == b;
    if (op == "!=") return a != b;
    if (op == "<") return a < b;
    if (op == "<=") return a <= b;
    if (op == ">") return a > b;
    if (op == ">=") return a >= b;
    refuse(fmt::format("'{}' is no comparison, expected ==, !=, <, <=, > or >=", op));
  }

  void check_counter() {
    const std::string name = word("(");
    const std::uint64_t at = index();
    std::string what = "packets", op = "==";
    std::uint64_t wanted = 0;
    if (more()) {
      what = word("=!<>");
      op = comparison();
      wanted = number();
    }
    if (what != "packets" && what != "bytes") refuse("'packets' or 'bytes' is expected");
    ++result_.expected;
    compare(false);
    const auto count = placed([&] { return chip_.control_plane().read_counter(name, at); });
    const std::uint64_t value = what == "packets" ? count.packets : count.bytes;
    if (!holds(value, op, wanted))
      fault(line_->number, fmt::format("counter {}({}): expected {} {} {}, it is {}", name, at,
                                       what, op, wanted, value));
  }

  void check_register() {
    const std::string name = word("(");
    const std::uint64_t at = index();
    std::string which = "lo";
    if (more() && std::isalpha(static_cast<unsigned char>(line_->text[at_])) != 0)
      which = word("=!<>");
    if (which != "lo" && which != "hi") refuse("'lo' or 'hi' is expected");
    const std::string op = comparison();
    const std::uint64_t wanted = number();
    ++result_.expected;
    compare(false);
    const auto words = placed([&] { return chip_.control_plane().read_register(name, at); });
    const std::uint64_t value = which == "lo" ? words.front() : words.size() > 1 ? words[1] : 0;
    if (!holds(value, op, wanted))
      fault(line_->number, fmt::format("register {}({}): expected {} {} {:#x}, it is {:#x}", name,
                                       at, which, op, wanted, value));
  }

  void mirroring_add() {
    const auto session = static_cast<unsigned>(number());
    if (session == 0) refuse("mirror session 0 is reserved");
    chip_.manager().sessions[session] = {port()};
  }
  void group_create() { chip_.manager().groups[static_cast<unsigned>(number())]; }
  void node_create() {
    const auto rid = static_cast<unsigned>(number());
    nodes_.emplace_back();
    while (more()) nodes_.back().push_back({port(), rid});
  }
  void node_associate() {
    auto& group = chip_.manager().groups[static_cast<unsigned>(number())];
    const std::uint64_t node = number();
    if (node >= nodes_.size()) refuse(fmt::format("there is no node {}", node));
    group.insert(group.end(), nodes_[node].begin(), nodes_[node].end());
  }

  P4Switch& chip_;
  const std::string& file_;
  StfObserver* observer_;
  const StfLine* line_ = nullptr;
  std::size_t at_ = 0;
  Picoseconds now_{};
  std::map<unsigned, std::deque<StfExpected>> expected_;
  std::set<unsigned> anything_;  ///< ports where more packets than are expected may come
  std::map<unsigned, std::deque<StfCame>> came_;
  std::map<std::string, std::uint64_t> aliases_;
  std::vector<std::vector<Replica>> nodes_;
  StfResult result_;
};

}  // namespace

StfResult run_stf(P4Switch& chip, const std::string& name, const std::string& text,
                  StfObserver* observer) {
  return StfRunner(chip, name, observer).run(text);
}

}  // namespace horae::p4prog
