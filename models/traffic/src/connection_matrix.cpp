// Connection matrices of htsim, as Broadcom/csg-htsim reads them (ConnectionMatrix::load in
// sim/datacenter/connection_matrix.cpp): start times in picoseconds, sizes in bytes; what triggers
// do is in sim/trigger.cpp. `msg` is of ultraethernet/uet-htsim (-conn_reuse), in the same
// function.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include "horae/core/quantity_text.hpp"
#include "list_formats.hpp"

namespace horae::traffic {
namespace {

constexpr std::uint32_t most_ids = 0x7fffffff;

class Htsim final : public FlowList {
 public:
  Htsim(std::unique_ptr<ListLines> lines, const ListNodes& nodes)
      : opened_(std::move(lines)), lines_(*opened_), nodes_(nodes) {}

  ListFormat format() const override { return ListFormat::htsim; }
  const std::vector<ListedTrigger>& triggers() const override { return triggers_; }

  std::optional<ListedFlow> next() override {
    // The first line has been read already.
    while (started_ ? lines_.next() : (started_ = true)) {
      const auto& words = lines_.words();
      const std::string_view first = words.front().text;
      if (first.find("->") != std::string_view::npos) return connection(words);
      if (first == "trigger") {
        trigger(words);
      } else if (first == "failure") {
        throw lines_.error(1, "failures of links; expected them as [[impairment]] of the platform");
      } else {
        heading(words);
      }
    }
    check_end();
    return std::nullopt;
  }

 private:
  struct Heading {
    std::uint64_t value = 0;
    std::uint32_t line = 0;  ///< 0: not given
  };

  void heading(const std::vector<Word>& words) {
    static const std::vector<std::string> titles = {"Nodes", "Connections", "Triggers", "Failures"};
    const std::string name(words.front().text);
    const auto it = std::find(titles.begin(), titles.end(), name);
    if (it == titles.end()) {
      auto known = titles;
      known.insert(known.end(), {"trigger", "FROM->TO"});
      throw lines_.error(words.front().column, fmt::format("unknown line '{}'{}", printable(name),
                                                           suggestion(name, known)));
    }
    if (words.size() != 2)
      throw lines_.error(1, fmt::format("{}; expected {} N", printable(lines_.text()), name));
    auto& entry = headings_[static_cast<std::size_t>(it - titles.begin())];
    if (entry.line != 0)
      throw lines_.error(1, fmt::format("{} is given on line {} already", name, entry.line));
    entry = {lines_.whole(words[1], name, 0, most_ids), lines_.line()};
    if (name == "Failures" && entry.value != 0) {
      throw lines_.error(words[1].column,
                         "failures of links; expected them as [[impairment]] of the platform");
    }
  }

  /// A node, which the file's own number of nodes bounds too.
  NodeTable::Node node(const Word& word, std::string_view what) const {
    const Heading& nodes = headings_[0];
    const std::uint64_t number = lines_.whole(word, what, 0, most_ids);
    if (nodes.line != 0 && number >= nodes.value) {
      throw lines_.error(word.column, fmt::format("{} = {}; expected less than the {} nodes of "
                                                  "line {}",
                                                  what, number, nodes.value, nodes.line));
    }
    return nodes_.numbered(lines_, word, what);
  }

  ListedFlow connection(const std::vector<Word>& words) {
    ++connections_;
    const Word ends = words.front();
    const std::size_t arrow = ends.text.find("->");
    const Word from{ends.text.substr(0, arrow), ends.column};
    const Word to{ends.text.substr(arrow + 2), ends.column + static_cast<std::uint32_t>(arrow + 2)};
    ListedFlow flow;
    flow.line = lines_.line();
    const auto source = node(from, "source"), destination = node(to, "destination");
    set_ends(flow, lines_, source, destination);

    const std::vector<std::string> keys = {
        "id", "start", "size", "trigger", "send_done_trigger", "recv_done_trigger", "prio", "msg"};
    std::vector<std::uint32_t> given(keys.size());
    std::uint32_t connection = 0;
    for (std::size_t i = 1; i < words.size(); i += 2) {
      const Word key = words[i];
      if (key.text == "addon")
        throw lines_.error(key.column, "'addon' is not supported; expected a flow of its own");
      const auto it = std::find(keys.begin(), keys.end(), key.text);
      if (it == keys.end()) {
        throw lines_.error(key.column, fmt::format("unknown word '{}'{}", printable(key.text),
                                                   suggestion(key.text, keys)));
      }
      auto& column = given[static_cast<std::size_t>(it - keys.begin())];
      if (column != 0) throw lines_.error(key.column, fmt::format("a second '{}'", key.text));
      column = key.column;
      if (key.text == "msg") {
        // Its number may be left out.
        if (i + 1 < words.size() && std::isdigit(static_cast<unsigned char>(words[i + 1].text[0])))
          lines_.whole(words[i + 1], "msg", 1, most_ids);
        else
          --i;
        continue;
      }
      if (i + 1 == words.size())
        throw lines_.error(key.column, fmt::format("'{}' without its value", key.text));
      value(*it, words[i + 1], flow);
      if (key.text == "id")
        connection = static_cast<std::uint32_t>(lines_.whole(words[i + 1], "id", 1, most_ids));
    }
    const std::uint32_t start = given[1], size = given[2], by_trigger = given[3];
    if (size == 0) throw lines_.error(ends.column, "a connection without its 'size'");
    if (start == 0 && by_trigger == 0)
      throw lines_.error(ends.column, "a connection with neither 'start' nor 'trigger'");
    if (start != 0 && by_trigger != 0)
      throw lines_.error(by_trigger, "a connection with both 'start' and 'trigger'");
    if (given[7] != 0) {
      if (connection == 0)
        throw lines_.error(given[7], "a message (msg) without the 'id' of its connection");
      if (flow.endless)
        throw lines_.error(given[7], "a message (msg) of size 0; expected 1 byte or more");
      flow.connection = connection;
    }
    const std::uint32_t fires = std::max(given[4], given[5]);
    if (flow.endless && fires != 0) {
      throw lines_.error(fires,
                         fmt::format("'{}' of a flow without end (size 0), which never fires",
                                     keys[fires == given[4] ? 4 : 5]));
    }
    return flow;
  }

  void value(const std::string& key, const Word& word, ListedFlow& flow) {
    const auto id = [&] {
      return static_cast<std::uint32_t>(lines_.whole(word, key, 1, most_ids));
    };
    const auto trigger_id = [&] {
      const std::uint32_t number = id();
      used_.emplace(number, lines_.line());  // keeps the first
      return number;
    };
    if (key == "start") flow.at = lines_.time(word, key, 0);
    // htsim's sources of size 0 never end.
    if (key == "size") {
      flow.bytes = lines_.size(word);
      flow.endless = flow.bytes == 0_B;
    }
    if (key == "trigger") flow.trigger = trigger_id();
    if (key == "send_done_trigger") flow.fires_at_sender = trigger_id();
    if (key == "recv_done_trigger") flow.fires_at_receiver = trigger_id();
    if (key == "prio")
      flow.priority = static_cast<std::uint32_t>(lines_.whole(word, key, 0, most_ids));
  }

  void trigger(const std::vector<Word>& words) {
    ListedTrigger trigger;
    trigger.line = lines_.line();
    bool typed = false;
    std::uint32_t counted = 0;
    for (std::size_t i = 1; i < words.size(); ++i) {
      const Word word = words[i];
      const bool valued = word.text == "id" || word.text == "count";
      if (valued && i + 1 == words.size())
        throw lines_.error(word.column, fmt::format("'{}' without its value", word.text));
      if (word.text == "id") {
        trigger.id = static_cast<std::uint32_t>(lines_.whole(words[++i], "id", 1, most_ids));
        continue;
      }
      if (word.text == "count") {
        counted = word.column;
        trigger.count = static_cast<std::uint32_t>(lines_.whole(words[++i], "count", 1, most_ids));
        continue;
      }
      using Kind = ListedTrigger::Kind;
      static const std::map<std::string, Kind, std::less<>> kinds = {
          {"oneshot", Kind::oneshot}, {"multishot", Kind::multishot}, {"barrier", Kind::barrier}};
      const auto it = kinds.find(word.text);
      if (it == kinds.end()) {
        throw lines_.error(
            word.column,
            fmt::format("unknown word '{}'{}", printable(word.text),
                        suggestion(word.text, {"id", "count", "oneshot", "multishot", "barrier"})));
      }
      if (typed) throw lines_.error(word.column, "a second kind of the same trigger");
      typed = true;
      trigger.kind = it->second;
    }
    if (trigger.id == 0) throw lines_.error(1, "a trigger without its 'id'");
    if (!typed) throw lines_.error(1, "a trigger without oneshot, multishot or barrier");
    if ((trigger.kind == ListedTrigger::Kind::barrier) != (counted != 0)) {
      throw counted != 0 ? lines_.error(counted, "a 'count' of a trigger that is no barrier")
                         : lines_.error(1, "a barrier without its 'count'");
    }
    const auto [it, added] = defined_.emplace(trigger.id, trigger.line);
    if (!added) {
      throw lines_.error(
          1, fmt::format("trigger {} is defined on line {} already", trigger.id, it->second));
    }
    triggers_.push_back(trigger);
  }

  void check_end() const {
    const auto check = [&](const Heading& heading, const char* name, std::uint64_t found) {
      if (heading.line == 0 ? name != std::string_view("Connections") && found == 0
                            : heading.value == found) {
        return;
      }
      if (heading.line == 0)
        throw lines_.error_at(0, fmt::format("no line '{} {}'; expected one", name, found));
      throw lines_.error_at(heading.line,
                            fmt::format("{} {}; the file has {}", name, heading.value, found));
    };
    check(headings_[1], "Connections", connections_);
    check(headings_[2], "Triggers", triggers_.size());
    for (const auto& [id, line] : used_) {
      if (defined_.contains(id)) continue;
      throw lines_.error_at(
          line, fmt::format("trigger {} has no line; expected 'trigger id {} oneshot' or the like",
                            id, id));
    }
  }

  std::unique_ptr<ListLines> opened_;
  ListLines& lines_;
  NodeTable nodes_;
  bool started_ = false;
  std::array<Heading, 4> headings_{};  ///< Nodes, Connections, Triggers, Failures
  std::uint64_t connections_ = 0;
  std::vector<ListedTrigger> triggers_;
  std::map<std::uint32_t, std::uint32_t> used_, defined_;  ///< trigger to the first such line
};

}  // namespace

std::unique_ptr<FlowList> open_htsim(std::unique_ptr<ListLines> lines, const ListNodes& nodes) {
  return std::make_unique<Htsim>(std::move(lines), nodes);
}

}  // namespace horae::traffic
