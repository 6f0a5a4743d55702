// Several runs of one platform, and published numbers beside them: [sweep].
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "horae/params/located.hpp"

namespace horae::config {

/// One run of a sweep: overrides on top of the file's and the command line's.
struct SweepPoint {
  Located<std::string> label;
  std::vector<std::string> set;
  static const Schema<SweepPoint>& schema();
};

/// A column of the result table.
struct ColumnSpec {
  Located<std::string> title;
  Located<std::string> metric;
  std::uint32_t digits = 3;
  static const Schema<ColumnSpec>& schema();
};

/// A published number, and the result it is to be compared with.
struct PublishedSpec {
  Located<std::string> id;
  Located<std::string> point;  ///< label of the sweep point
  Located<std::string> metric;
  double value = 0;
  std::string unit;
  std::string source;
  static const Schema<PublishedSpec>& schema();
};

struct SweepConfig {
  std::string title;
  std::string label_title = "point";
  std::vector<SweepPoint> points;
  std::vector<ColumnSpec> columns;
  std::vector<PublishedSpec> published;
  static const Schema<SweepConfig>& schema();
};

/// InputError for what could not be told apart, or not be found, in the sweep's table and in the
/// folders of its points.
void check_sweep(const SweepConfig& sweep);

}  // namespace horae::config
