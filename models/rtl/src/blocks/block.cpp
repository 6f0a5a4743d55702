#include "horae/rtl/block.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "horae/core/error.hpp"
#include "horae/rtl/ordering.hpp"

namespace horae::rtl {

std::string not_built(std::string_view key, const std::string& name,
                      const std::vector<std::string>& names) {
  for (const RefusedBlock& block : refused_blocks()) {
    if (block.name == name)
      return fmt::format("{} = '{}': it was not built: {}", key, name, block.refused);
  }
  return fmt::format("{} = '{}' was not built{}", key, name, suggestion(name, names));
}

void need_rtl(const Wanted& wanted) {
  if (built_with_rtl()) return;
  throw InputError(fmt::format(
      "{0} = '{1}': this program was built without RTL; expected {0} = 'model', or scripts/build "
      "--rtl first",
      wanted.level_key, wanted.level));
}

void refuse_model(const Wanted& wanted, std::string_view model, const std::string& found) {
  throw InputError(fmt::format("{} = '{}' is \"{}\"; found {}", wanted.rtl_key,
                               wanted.name.value_or(""), model, found));
}

void refuse_missing(const Wanted& wanted, const std::vector<std::string>& names) {
  if (wanted.name) throw InputError(not_built(wanted.rtl_key, *wanted.name, names));
  throw InputError(
      fmt::format("{} = '{}': no {} in RTL was built that fits {} (scripts/rtl add DIR builds one)",
                  wanted.level_key, wanted.level, wanted.what, wanted.fits));
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
