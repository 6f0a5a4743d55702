// Prices over values of parameters, and the largest value of one that fits a chip.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "horae/size/search.hpp"
#include "horae/size/size.hpp"

namespace horae::size {

/// One axis: an override's key and the values it takes.
struct Axis {
  std::string key;
  std::vector<std::string> values;
};

struct SizeCurve {
  std::string file;
  std::string key;  ///< what was made as large as it goes
  std::vector<Axis> axes;
  struct Point {
    std::vector<std::string> at;  ///< value of each axis
    Limit limit;
  };
  std::vector<Point> points;  ///< the last axis fastest
};

/// `over`: "KEY=A,B,C" each. InputError for a malformed one or a key that is no parameter.
SizeCurve trace_curve(const SizeRequest& request, const std::string& key,
                      const std::vector<std::string>& over, bool progress);

nlohmann::ordered_json curve_json(const SizeCurve& curve);
std::string curve_text(const SizeCurve& curve);

/// Prices at each point of some axes.
struct PriceTable {
  std::string file;
  std::vector<Axis> axes;
  struct Point {
    std::vector<std::string> at;  ///< value of each axis
    std::vector<SizedDesign> designs;
  };
  std::vector<Point> points;  ///< the last axis fastest
};

/// Each point is priced once, with what its stages stand beside. `over` as above.
PriceTable price_over(const SizeRequest& request, const std::vector<std::string>& over,
                      bool progress);

nlohmann::ordered_json price_table_json(const PriceTable& table);
std::string price_table_text(const PriceTable& table);

}  // namespace horae::size
