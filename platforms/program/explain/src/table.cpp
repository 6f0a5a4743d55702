#include "table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace horae::explain {

std::string number_text(double value) { return fmt::format("{:.4g}", value); }

std::string aligned(const std::vector<Row>& rows, const std::vector<bool>& right,
                    const std::string& indent) {
  std::vector<std::size_t> width;
  for (const auto& row : rows) {
    width.resize(std::max(width.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], row[c].size());
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line = indent;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const bool to_right = c < right.size() ? right[c] : true;
      if (c > 0) line += "  ";
      line += to_right ? fmt::format("{:>{}}", row[c], width[c])
                       : fmt::format("{:<{}}", row[c], width[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
    if (&row == &rows.front() && indent.empty()) {
      std::size_t length = 0;
      for (const auto w : width) length += w + 2;
      out += std::string(length - 2, '-') + "\n";
    }
  }
  return out;
}

}  // namespace horae::explain
