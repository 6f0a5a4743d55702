#include "horae/core/heading.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "horae/core/error.hpp"

namespace horae {

std::vector<std::size_t> columns_of(
    std::span<const HeadingCell> heading, std::span<const std::string_view> names,
    std::size_t optional,
    const std::function<void(std::uint32_t column, const std::string& message)>& refuse) {
  std::vector<std::size_t> out(names.size(), no_column);
  for (std::size_t i = 0; i < heading.size(); ++i) {
    const auto& [text, column] = heading[i];
    const auto found = std::ranges::find(names, text);
    if (found == names.end()) {
      refuse(column,
             fmt::format("no column '{}'{}", text, suggestion(text, {names.begin(), names.end()})));
    }
    std::size_t& at = out[static_cast<std::size_t>(found - names.begin())];
    if (at != no_column)
      refuse(column, fmt::format("the column '{}' again; expected each once", text));
    at = i;
  }
  for (std::size_t i = 0; i + optional < names.size(); ++i) {
    if (out[i] == no_column) refuse(1, fmt::format("the column '{}' is missing", names[i]));
  }
  return out;
}

}  // namespace horae
