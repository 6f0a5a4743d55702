// Flow lists with a line of columns per flow: those of ns-3 simulators, and CSV.
#include <fmt/format.h>

#include <array>

#include "horae/core/heading.hpp"
#include "horae/core/quantity_text.hpp"
#include "list_formats.hpp"

namespace horae::traffic {
namespace {

/// HPCC's reader takes `src dst pg dport size start` from a line (alibaba-edu/
/// High-Precision-Congestion-Control, traffic_gen/traffic_gen.py writes "%d %d 3 100 %d %.9f"),
/// ConWeave's the same without the port (conweave-project/conweave-ns3, traffic_gen/traffic_gen.py:
/// "%d %d 3 %d %.9f"). Bytes, and seconds. The first line says how many there are: HPCC's simulator
/// (simulation/scratch/third.cc) reads so many and nothing of what follows, and its own
/// simulation/mix/flow.txt announces 2 of 256 flows and ends in an explanation.
class Ns3List final : public FlowList {
 public:
  Ns3List(std::unique_ptr<ListLines> lines, const ListNodes& nodes)
      : opened_(std::move(lines)), lines_(*opened_), nodes_(nodes) {
    const auto& words = lines_.words();
    announced_ = lines_.whole(words.front(), "number of flows", 0, 0xffffffff);
    announced_at_ = lines_.line();
    if (words.size() == 1) return;
    throw lines_.error(words[1].column,
                       fmt::format("'{}' after the number of flows; expected nothing more",
                                   printable(words[1].text)));
  }

  ListFormat format() const override { return ListFormat::ns3; }
  std::uint32_t surplus() const override { return surplus_; }

  std::optional<ListedFlow> next() override {
    if (surplus_ != 0) return std::nullopt;
    if (!lines_.next()) {
      if (read_ == announced_) return std::nullopt;
      throw lines_.error_at(
          announced_at_, fmt::format("{} flows are announced; the file has {}", announced_, read_));
    }
    if (read_ == announced_) {
      surplus_ = lines_.line();
      return std::nullopt;
    }
    const auto& words = lines_.words();
    const bool first = columns_ == 0;
    if (first && (words.size() == 5 || words.size() == 6)) columns_ = words.size();
    if (words.size() != columns_) {
      throw lines_.error(
          1, fmt::format("{} columns; expected {}", words.size(),
                         columns_ == 5   ? "5, as before: src dst pg size start"
                         : columns_ == 6 ? "6, as before: src dst pg dport size start"
                                         : "src dst pg dport size start, or without dport"));
    }
    ++read_;
    std::size_t at = 0;
    const Word from = words[at++], to = words[at++];
    ListedFlow flow;
    flow.line = lines_.line();
    const auto source = nodes_.numbered(lines_, from, "src");
    const auto destination = nodes_.numbered(lines_, to, "dst");
    set_ends(flow, lines_, source, destination);
    flow.priority = static_cast<std::uint32_t>(lines_.whole(words[at++], "pg", 0, 7));
    if (columns_ == 6) lines_.whole(words[at++], "dport", 0, 65535);
    flow.bytes = lines_.size(words[at++]);
    flow.at = lines_.time(words[at], "start", 12);
    return flow;
  }

 private:
  std::unique_ptr<ListLines> opened_;
  ListLines& lines_;
  NodeTable nodes_;
  std::size_t columns_ = 0;
  std::uint64_t announced_ = 0, read_ = 0;
  std::uint32_t announced_at_ = 0, surplus_ = 0;
};

class CsvList final : public FlowList {
 public:
  CsvList(std::unique_ptr<ListLines> lines, const ListNodes& nodes)
      : opened_(std::move(lines)), lines_(*opened_), nodes_(nodes) {
    std::vector<HeadingCell> heading;
    for (const Word& cell : lines_.cells(','))
      heading.push_back({printable(cell.text), cell.column});
    place_ = columns_of(heading, titles, 0, [&](std::uint32_t column, const std::string& message) {
      throw lines_.error(column, message);
    });
  }

  ListFormat format() const override { return ListFormat::csv; }

  std::optional<ListedFlow> next() override {
    if (!lines_.next()) return std::nullopt;
    const auto& cells = lines_.cells(',');
    if (cells.size() != titles.size()) {
      throw lines_.error(
          1, fmt::format("{} cells; expected {}, as in the heading", cells.size(), titles.size()));
    }
    const Word from = cells[place_[1]], to = cells[place_[2]];
    ListedFlow flow;
    flow.line = lines_.line();
    flow.at = lines_.time(cells[place_[0]], "start_ns", 3);
    const auto source = nodes_.named(lines_, from, "source");
    const auto destination = nodes_.named(lines_, to, "destination");
    set_ends(flow, lines_, source, destination);
    flow.bytes = lines_.size(cells[place_[3]]);
    return flow;
  }

 private:
  static constexpr std::array<std::string_view, 4> titles = {"start_ns", "source", "destination",
                                                             "bytes"};
  std::unique_ptr<ListLines> opened_;
  ListLines& lines_;
  NodeTable nodes_;
  std::vector<std::size_t> place_;  ///< of each title in a line
};

}  // namespace

std::unique_ptr<FlowList> open_ns3(std::unique_ptr<ListLines> lines, const ListNodes& nodes) {
  return std::make_unique<Ns3List>(std::move(lines), nodes);
}

std::unique_ptr<FlowList> open_csv(std::unique_ptr<ListLines> lines, const ListNodes& nodes) {
  return std::make_unique<CsvList>(std::move(lines), nodes);
}

}  // namespace horae::traffic
