// One result of a run, as summary.json has it.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "horae/core/cxx20.hpp"

namespace horae::run {

/// a / b; zero when there is nothing to divide by.
inline double ratio(double a, double b) { return b == 0 ? 0.0 : a / b; }

/// No number: JSON's null.
inline constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

struct NamedResult {
  std::string name;
  double value = 0;  ///< NaN: none
  std::string unit;
  std::string none = {};  ///< why there is none, where that is not plain
  /// Where there is none: what the number is at least, whatever becomes of what is unfinished; NaN:
  /// not known.
  double at_least = no_value;
};

/// A number over all of a population of which a part may be unfinished.
struct Figure {
  double value = no_value;     ///< NaN: what is unfinished could change it
  double at_least = no_value;  ///< then: what it is at least
};

/// "90 of 200 messages unfinished": why a figure is none.
inline std::string unfinished_text(std::uint64_t unfinished, std::uint64_t all,
                                   std::string_view what) {
  return fmt::format("{} of {} {} unfinished", unfinished, all, what);
}

/// A figure over `all` of which so many are unfinished, as a result.
inline NamedResult over_all(std::string name, const Figure& figure, std::string unit,
                            std::uint64_t unfinished, std::uint64_t all, std::string_view what) {
  return {std::move(name), figure.value, std::move(unit),
          unfinished > 0 ? unfinished_text(unfinished, all, what) : std::string(), figure.at_least};
}

}  // namespace horae::run
