#include "horae/cli/result_lines.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

namespace horae::cli {
namespace {

using nlohmann::ordered_json;

/// Nothing where nothing was measured: null in a file, not a number before it is written.
std::optional<double> measured(const ordered_json& results, const std::string& name) {
  const auto found = results.find(name);
  if (found == results.end() || !found->at("value").is_number()) return std::nullopt;
  const double value = found->at("value").get<double>();
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

/// Whether the line of another name says the same.
bool repeats(const ordered_json& results, const std::string& name) {
  if (name.ends_with("_l1") || name.ends_with("_l2"))
    return results.contains(name.substr(0, name.size() - 3));
  constexpr std::string_view of_connections = "flows.fct_";
  if (!name.starts_with(of_connections)) return false;
  const auto completed = measured(results, "fct.completed");
  return completed && completed == measured(results, "senders.messages_completed") &&
         results.contains("fct." + name.substr(of_connections.size()));
}

/// "7.5"; of a number that what is unfinished could change what it is at least, "> 2600".
std::string value_text(const ordered_json& result, const std::optional<double>& value) {
  if (value) return fmt::format("{:.6g}", *value);
  const auto bound = result.find("at_least");
  if (bound != result.end()) return fmt::format("> {:.6g}", bound->get<double>());
  return result.contains("none") ? "none" : "-";
}

}  // namespace

std::string result_lines(const ordered_json& results, bool all) {
  std::string text;
  std::size_t left_out = 0;
  for (const auto& [name, result] : results.items()) {
    const auto value = measured(results, name);
    const auto none = result.find("none");
    const bool says = value ? *value != 0 : none != result.end();
    if (!all && (!says || repeats(results, name))) {
      ++left_out;
      continue;
    }
    text += fmt::format("  {:<34} {:>14}  {}{}\n", name, value_text(result, value),
                        result.at("unit").get<std::string>(),
                        none == result.end() ? "" : ": " + none->get<std::string>());
  }
  if (left_out > 0) {
    text += fmt::format("  ({} more that are zero, not measured or said above: --all)\n", left_out);
  }
  return text;
}

}  // namespace horae::cli
