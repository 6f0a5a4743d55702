#include "horae/params/location.hpp"

#include <fmt/format.h>

namespace horae {

std::string Location::text() const {
  if (!override_key.empty()) return fmt::format("--set {}", override_key);
  if (line == 0) return file;
  return fmt::format("{}:{}:{}", file, line, column);
}

InputError input_error(const Location& where, std::string_view message) {
  const std::string place = where.text();
  return InputError(place.empty() ? std::string(message) : fmt::format("{}: {}", place, message));
}

}  // namespace horae
