#include "horae/traffic/flow_list.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "horae/core/quantity_text.hpp"
#include "list_formats.hpp"

namespace horae::traffic {
namespace {

bool digits_only(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

ListFormat format_of(ListLines& lines) {
  const auto& words = lines.words();
  const std::string_view first = words.front().text;
  if (words.size() == 1 && digits_only(first)) return ListFormat::ns3;
  for (const std::string_view heading : {"Nodes", "Connections", "Triggers", "Failures"}) {
    if (first == heading) return ListFormat::htsim;
  }
  if (first.find("->") != std::string_view::npos) return ListFormat::htsim;
  if (lines.text().find(',') != std::string_view::npos) return ListFormat::csv;
  throw lines.error(1,
                    fmt::format("'{}' begins no known flow list; expected a number of flows alone "
                                "(ns3), 'Nodes N' (htsim) or 'start_ns,source,destination,bytes' "
                                "(csv)",
                                printable(first)));
}

}  // namespace

std::string_view name_of(ListFormat format) {
  switch (format) {
    case ListFormat::ns3:
      return "ns3";
    case ListFormat::htsim:
      return "htsim";
    case ListFormat::csv:
      return "csv";
    case ListFormat::automatic:
      break;
  }
  return "auto";
}

const std::vector<ListedTrigger>& FlowList::triggers() const {
  static const std::vector<ListedTrigger> none;
  return none;
}

std::unique_ptr<FlowList> FlowList::open(const std::string& path, ListFormat format,
                                         const ListNodes& nodes) {
  auto lines = std::make_unique<ListLines>(path);
  if (!lines->next()) throw lines->error_at(0, "an empty file; expected a flow list");
  if (format == ListFormat::automatic) format = format_of(*lines);
  if (format == ListFormat::ns3) return open_ns3(std::move(lines), nodes);
  if (format == ListFormat::htsim) return open_htsim(std::move(lines), nodes);
  return open_csv(std::move(lines), nodes);
}

NodeTable::NodeTable(const ListNodes& nodes) : nodes_(nodes) {
  for (std::size_t i = 0; i < nodes_.names.size(); ++i) {
    if (!nodes_.names[i].empty()) by_name_.emplace(nodes_.names[i], static_cast<std::uint32_t>(i));
  }
}

std::uint32_t NodeTable::fold(const ListLines& lines, const Word& word, std::string_view what,
                              std::uint64_t number) const {
  const std::uint64_t n = nodes_.names.size();
  if (number < n || nodes_.fold) {
    const auto node = static_cast<std::size_t>(number % n);
    if (!nodes_.names[node].empty()) return static_cast<std::uint32_t>(node);
    throw lines.error(word.column, fmt::format("{} = {}; node {} of the network is a switch; "
                                               "expected an end point",
                                               what, number, node));
  }
  throw lines.error(word.column,
                    fmt::format("{} = {}; expected a node from 0 to {} (nodes = \"modulo\" takes "
                                "the remainder)",
                                what, number, n - 1));
}

NodeTable::Node NodeTable::numbered(const ListLines& lines, const Word& word,
                                    std::string_view what) const {
  const std::uint64_t number = lines.whole(word, what, 0, 0xffffffff);
  return {word, fold(lines, word, what, number), number};
}

NodeTable::Node NodeTable::named(const ListLines& lines, const Word& word,
                                 std::string_view what) const {
  const auto it = by_name_.find(word.text);
  if (it != by_name_.end()) return {word, it->second, it->second};
  if (digits_only(word.text)) return numbered(lines, word, what);
  const auto near = nearest_name(word.text, nodes_.names);
  throw lines.error(word.column,
                    fmt::format("{} = '{}' is no node; expected a number from 0 to {} or a name{}",
                                what, printable(word.text), nodes_.names.size() - 1,
                                near.empty() ? "" : fmt::format(", did you mean '{}'?", near)));
}

void set_ends(ListedFlow& flow, const ListLines& lines, const NodeTable::Node& from,
              const NodeTable::Node& to) {
  if (from.written == to.written) {
    throw lines.error(to.word.column,
                      fmt::format("a flow from {} to itself; expected another destination",
                                  printable(from.word.text)));
  }
  flow.from = from.number;
  flow.to = to.number;
}

}  // namespace horae::traffic
