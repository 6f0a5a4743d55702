// The names of results: what `horae run` gives and observations may be of.
#pragma once

#include <string>
#include <vector>

#include "horae/core/cxx20.hpp"

namespace horae::run {

/// A result by its name. A part of a name in angle brackets stands for others: `<traffic>` the name
/// of a [[traffic]] table, `<size>` nothing or a size bin, `<site>` intra, inter or all, `<chip>`
/// and `<module>` the name of a device.
struct ResultName {
  std::string name, unit, meaning;

  /// Whether a result has this name.
  bool fits(const std::string& result) const;
};

/// Every result that the code names. What programs and modules count has names of its own.
const std::vector<ResultName>& result_names();

/// Null: a counter of a device, or none.
const ResultName* find_result_name(const std::string& result);

}  // namespace horae::run
