#include "horae/params/rules.hpp"

#include <fmt/format.h>

#include <bit>

namespace horae::detail {

std::string choice_type(const std::vector<std::string>& names) {
  std::string out = "choice: ";
  for (const auto& name : names) out += (&name == &names.front() ? "" : "|") + name;
  return out;
}

std::string no_power_of_two(std::uint64_t number, std::string_view text,
                            const std::function<std::string(std::uint64_t)>& text_of) {
  if (number == 0 || std::has_single_bit(number)) return {};
  return fmt::format("{} is no power of two, as {} and {} are", text,
                     text_of(std::bit_floor(number)), text_of(std::bit_ceil(number)));
}

}  // namespace horae::detail
