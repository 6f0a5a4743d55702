// A sweep as a table of text.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "horae/config/sweep_config.hpp"
#include "horae/run/sweep.hpp"

namespace horae::run {

std::string table_text(const config::PlatformConfig& platform,
                       const nlohmann::ordered_json& summary) {
  const config::SweepConfig& sweep = platform.sweep;
  // Published values stand in a column of their own, right of the metric they belong to.
  std::vector<std::vector<std::string>> grid(1);
  grid[0].push_back(sweep.label_title);
  std::map<std::string, bool> has_published;
  for (const auto& p : sweep.published) has_published[p.metric.value] = true;
  for (const auto& column : sweep.columns) {
    grid[0].push_back(column.title);
    if (has_published[column.metric.value]) grid[0].push_back("published");
  }
  const nlohmann::ordered_json& rows = summary["rows"]["sweep"];
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<std::string> line = {sweep.points[i].label};
    for (const auto& column : sweep.columns) {
      const nlohmann::ordered_json& value = rows[i][column.title.value];
      line.push_back(value.is_null() ? "-"
                                     : fmt::format("{:.{}f}", value.get<double>(), column.digits));
      if (!has_published[column.metric.value]) continue;
      std::string published = "-";
      for (const auto& p : sweep.published) {
        if (p.point.value == sweep.points[i].label.value && p.metric.value == column.metric.value) {
          published = fmt::format("{:.{}f}", p.value, column.digits);
        }
      }
      line.push_back(published);
    }
    if (rows[i]["verdict"] != "complete")
      line.back() += fmt::format("  ({})", rows[i]["verdict"].get<std::string>());
    grid.push_back(std::move(line));
  }
  std::vector<std::size_t> width(grid[0].size());
  for (const auto& line : grid) {
    for (std::size_t c = 0; c < line.size(); ++c) width[c] = std::max(width[c], line[c].size());
  }
  std::string text = sweep.title.empty() ? "" : sweep.title + "\n\n";
  for (std::size_t r = 0; r < grid.size(); ++r) {
    std::string line;
    for (std::size_t c = 0; c < grid[r].size(); ++c) {
      line += fmt::format("{}{:>{}}", c == 0 ? "" : "  ", grid[r][c], width[c]);
    }
    text += line + "\n";
    if (r == 0) text += std::string(line.size(), '-') + "\n";
  }
  return text;
}

}  // namespace horae::run
