// Changes that make a design fit, and the largest value of a parameter that does.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "horae/size/size.hpp"

namespace horae::size {

/// A parameter that can be changed, as an override's key, with its value.
struct Adjustable {
  std::string key;
  std::int64_t value = 0;
  std::int64_t least = 1;
  std::int64_t most = 0;
  std::string why_most = {};  ///< nothing larger makes sense, whatever the chip; empty: a guess
  std::string object;         ///< of an objects file: whose it is
};
/// Whole-number parameters of the designs of a request.
std::vector<Adjustable> adjustables(const SizeRequest& request);

/// A change of parameters with which everything fits.
struct Remedy {
  std::vector<std::pair<Adjustable, std::int64_t>> changes;  ///< parameter and its new value
};
/// Finds changes by trying them, so many at most: of one parameter, the nearest value that fits; if
/// there is none, of two. `progress`: with a line that says how far it is.
std::vector<Remedy> find_remedies(const SizeRequest& request, bool progress = false);

/// The largest value of a parameter with which everything fits, and what one more would lack.
struct Limit {
  std::int64_t value = 0;  ///< 0: not even the least fits
  std::string binding;     ///< resource, or "stages"
  std::string object;      ///< that lacks it
  std::string why;
};
/// `key` may be a pattern (*, ?) over keys as they are or with an object's name for its number
/// ("register[*].entries", "register[path_*].entries"): all that it means take the same value.
/// InputError when that is no whole-number parameter.
Limit find_limit(const SizeRequest& request, const std::string& key);

}  // namespace horae::size
