#include "horae/policy/hardware_choice.hpp"

#include <fmt/format.h>

#include "horae/params/schema.hpp"

namespace horae::policy {

const std::vector<std::pair<std::string, std::string>>& hardware_levels() {
  static const std::vector<std::pair<std::string, std::string>> all = {
      {"model", "model"}, {"rtl", "rtl"}, {"both", "both"}};
  return all;
}

namespace {
/// `does`: what the hardware does; `compared`: at what both are compared.
Schema<HardwareChoice> schema_of_keys(const std::string& level, const std::string& rtl,
                                      std::string_view does, std::string_view compared) {
  return Schema<HardwareChoice>("hardware", fmt::format("Which hardware description {}.", does))
      .choice(level, &HardwareChoice::level, hardware_levels(),
              {.doc = fmt::format("what {}: the model in C++, the hardware description, or both, "
                                  "compared at every {}. Absent: model",
                                  does, compared)})
      .field(rtl, &HardwareChoice::rtl,
             {.doc = fmt::format("{} rtl, both: name of the hardware description, a block of your "
                                 "own (scripts/rtl). Absent: the first that fits",
                                 level)});
}
}  // namespace

const Schema<HardwareChoice>& entropy_hardware() {
  static const auto s = schema_of_keys("level", "rtl", "gives entropy values", "packet");
  return s;
}
const Schema<HardwareChoice>& balance_hardware() {
  static const auto s = schema_of_keys("balance_level", "balance_rtl", "balances", "choice");
  return s;
}

}  // namespace horae::policy
