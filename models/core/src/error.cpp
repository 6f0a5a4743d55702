#include "horae/core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "horae/core/registry.hpp"

namespace horae {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  const std::size_t limit = std::max<std::size_t>(2, name.size() / 3);
  std::string best;
  std::size_t best_distance = limit + 1;
  for (const auto& candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance && distance < candidate.size()) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string suggestion(std::string_view name, const std::vector<std::string>& candidates) {
  if (const auto near = nearest_name(name, candidates); !near.empty()) {
    return fmt::format(", did you mean '{}'?", near);
  }
  if (candidates.empty()) return "";
  return fmt::format("; expected one of {}", fmt::join(candidates, ", "));
}

void refuse_name(std::string_view what, std::string_view name,
                 const std::vector<std::string>& names) {
  throw InputError(fmt::format("unknown {} '{}'{}", what, name, suggestion(name, names)));
}

void refuse_entry(std::string_view what, std::string_view name, bool is_read) {
  throw InputError(
      is_read ? fmt::format("{} '{}' comes too late: what there is was read before", what, name)
              : fmt::format("{} '{}' is there already", what, name));
}

}  // namespace horae
