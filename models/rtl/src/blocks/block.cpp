#include "horae/rtl/block.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "horae/core/error.hpp"

namespace horae::rtl {

std::string not_built(std::string_view key, const std::string& name,
                      const std::vector<std::string>& names) {
  for (const RefusedBlock& block : refused_blocks()) {
    if (block.name == name)
      return fmt::format("{} = '{}': it was not built: {}", key, name, block.refused);
  }
  return fmt::format("{} = '{}' was not built{}", key, name, suggestion(name, names));
}

void check_level(std::string_view key, const std::string& level) {
  if (level == "model" || level == "rtl" || level == "both") return;
  throw InputError(fmt::format("{} = '{}' is unknown{}", key, level,
                               suggestion(level, {"model", "rtl", "both"})));
}

std::vector<std::string> settings_of(std::string_view model) {
  std::istringstream blanks{std::string(model)};
  std::vector<std::string> words;
  for (std::string word; blanks >> word;) words.push_back(word);
  return words;
}

std::string first_other(const nlohmann::ordered_json& ours, const nlohmann::ordered_json& asked) {
  for (const auto& [key, value] : ours.items()) {
    if (!asked.contains(key)) return fmt::format("no {}, expected {}", key, value.dump());
    if (asked.at(key) != value)
      return fmt::format("{} = {}, expected {}", key, asked.at(key).dump(), value.dump());
  }
  for (const auto& [key, value] : asked.items()) {
    if (!ours.contains(key)) return fmt::format("{} = {}, expected none", key, value.dump());
  }
  return {};
}

}  // namespace horae::rtl
