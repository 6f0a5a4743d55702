// The configuration in effect as JSON and as text, and the answers to many points.
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <istream>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "horae/cli/effective_config.hpp"
#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/params/location.hpp"
#include "horae/results/exit_code.hpp"
#include "horae/results/version.hpp"

namespace horae::cli {
namespace {

using nlohmann::ordered_json;

std::string_view name_of(ConfigKind kind) {
  switch (kind) {
    case ConfigKind::run:
      return "run";
    case ConfigKind::size:
      return "size";
    case ConfigKind::explain:
      break;
  }
  return "explain";
}

void add_lines(const std::string& key, const ordered_json& value, std::string& out) {
  if (value.is_object() && !value.empty()) {
    for (const auto& [name, item] : value.items())
      add_lines(key.empty() ? name : key + "." + name, item, out);
  } else if (value.is_array() && !value.empty() && value.front().is_structured()) {
    for (std::size_t i = 0; i < value.size(); ++i)
      add_lines(fmt::format("{}[{}]", key, i), value[i], out);
  } else {
    out += fmt::format("{} = {}\n", key, value.dump());
  }
}

/// A line for each rank: its share of the expected load, its devices.
void add_partition(const ordered_json& partition, std::string& out) {
  const auto links = partition["cut_links"].get<std::size_t>();
  out += links == 0 ? std::string("# no link between ranks\n")
                    : fmt::format("# {} links between ranks, which exchange every {}\n", links,
                                  to_text(Picoseconds(partition["period_ps"].get<std::int64_t>())));
  for (std::size_t i = 0; i < partition["ranks"].size(); ++i) {
    const auto& rank = partition["ranks"][i];
    std::string names;
    for (const auto& name : rank["devices"]) names += " " + name.get<std::string>();
    out += fmt::format("# rank {}: {:.1f} % of the expected load, {} devices:{}\n", i,
                       100 * rank["share"].get<double>(), rank["devices"].size(), names);
  }
}

/// Whether brackets are in each other deeper than any override needs: a reader that calls itself
/// for each would run out of stack.
bool too_deep(const std::string& json) {
  constexpr int most = 64;
  int depth = 0;
  bool text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (text && c == '\\') ++i;
    if (c == '"') text = !text;
    if (text) continue;
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (depth > most) return true;
  }
  return false;
}

/// The overrides of a line of points.
std::vector<std::string> overrides_of(const std::string& line, const Location& where) {
  if (too_deep(line)) {
    throw input_error(where, fmt::format("found '{}' with lists in each other more than 64 deep",
                                         printable(line, 40)));
  }
  const auto object = ordered_json::parse(line, nullptr, false);
  if (object.is_discarded() || !object.is_object()) {
    throw input_error(where, fmt::format("found '{}', expected a JSON object of overrides, such as "
                                         "{{\"nic.mtu\": \"4 KiB\"}}",
                                         line.substr(0, 40)));
  }
  std::vector<std::string> out;
  for (const auto& [key, value] : object.items()) {
    if (value.is_null() || value.is_object()) {
      throw input_error(where, fmt::format("\"{}\": found {}, expected a text, a number, true or "
                                           "false, or a list of those",
                                           key, value.is_null() ? "null" : "an object"));
    }
    out.push_back(key + "=" + (value.is_string() ? value.get<std::string>() : value.dump()));
  }
  return out;
}

}  // namespace

ordered_json config_json(const ConfigRequest& request, const EffectiveConfig& effective) {
  ordered_json out = {{"schema", 1},
                      {"file", request.file},
                      {"kind", name_of(request.kind)},
                      {"version", results::version()},
                      {"config_hash", effective.hash},
                      {"files", effective.files},
                      {"config", effective.config}};
  if (!effective.partition.is_null()) out["partition"] = effective.partition;
  return out;
}

std::string config_text(const ConfigRequest& request, const EffectiveConfig& effective) {
  std::string out =
      fmt::format("# horae {} {}\n# version {}\n# config_hash {}\n", name_of(request.kind),
                  request.file, results::version(), effective.hash);
  for (const auto& [name, hash] : effective.files.items())
    out += fmt::format("# {} {}\n", name, hash.get<std::string>());
  if (!effective.partition.is_null()) add_partition(effective.partition, out);
  add_lines("", effective.config, out);
  return out;
}

void config_points(const ConfigRequest& request, std::istream& in, const std::string& name,
                   std::ostream& out) {
  std::string line;
  Location where;
  where.file = name;
  while (std::getline(in, line)) {
    ++where.line;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    where.column = 1;
    ConfigRequest point = request;
    const auto more = overrides_of(line, where);
    point.overrides.insert(point.overrides.end(), more.begin(), more.end());
    ordered_json answer;
    try {
      answer["config_hash"] = effective_config(point).hash;
    } catch (const InputError& e) {
      answer = {{"error", e.what()}, {"exit", static_cast<int>(results::exit_bad_input)}};
    }
    out << answer.dump(-1, ' ', false, ordered_json::error_handler_t::replace) << '\n';
  }
  if (in.bad()) throw InputError(fmt::format("{}: cannot be read", name));
}

}  // namespace horae::cli
