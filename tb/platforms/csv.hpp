// Tables of comma-separated values that the program writes.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace horae::test {

/// Values by the names of their columns.
using Row = std::map<std::string, std::string>;

/// The lines below the heading. One with more or fewer values than the heading fails the test.
inline std::vector<Row> rows_of(const std::string& csv) {
  std::vector<std::string> heading;
  std::vector<Row> rows;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> cells(1);
    for (const char c : line) {
      if (c == ',') {
        cells.emplace_back();
      } else {
        cells.back() += c;
      }
    }
    if (heading.empty()) {
      heading = cells;
      continue;
    }
    EXPECT_EQ(cells.size(), heading.size()) << line;
    Row& row = rows.emplace_back();
    for (std::size_t i = 0; i < heading.size() && i < cells.size(); ++i) row[heading[i]] = cells[i];
  }
  return rows;
}

}  // namespace horae::test
