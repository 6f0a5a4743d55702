#include "rounded_time.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <utility>

namespace horae::cli {

std::string rounded(Picoseconds time) {
  constexpr std::array<std::pair<std::int64_t, const char*>, 5> units = {{{1'000'000'000'000, "s"},
                                                                          {1'000'000'000, "ms"},
                                                                          {1'000'000, "us"},
                                                                          {1'000, "ns"},
                                                                          {1, "ps"}}};
  for (const auto& [ps, name] : units) {
    if (time.count() >= ps)
      return fmt::format("{:.6g} {}", static_cast<double>(time.count()) / static_cast<double>(ps),
                         name);
  }
  return "0 s";
}

}  // namespace horae::cli
