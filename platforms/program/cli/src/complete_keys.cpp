#include "horae/cli/complete_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "horae/cli/catalogue.hpp"
#include "horae/config/effective.hpp"
#include "horae/fabric/module_kind.hpp"
#include "horae/fabric/topology_kind.hpp"
#include "horae/params/schema.hpp"
#include "horae/policy/catalogue.hpp"
#include "horae/rnic/memory_module.hpp"
#include "horae/rnic/nic_spec.hpp"
#include "horae/traffic/workload.hpp"
#include "horae/workload/traffic_kind.hpp"

namespace horae::cli {
namespace {

using nlohmann::ordered_json;

/// Parameters by full key.
using Parameters = std::map<std::string, ParamInfo>;

void add(Parameters& out, const std::string& prefix, const std::vector<ParamInfo>& described) {
  for (const auto& p : described) {
    if (p.type == "table" || p.type == "tables" || p.path.find("[]") != std::string::npos) continue;
    out.emplace(prefix + p.path, p);
  }
}

Parameters parameters_of(const config::PlatformConfig& platform) {
  Parameters out;
  add(out, "sim.", config::SimConfig::schema().describe());
  add(out, "link_default.", config::LinkDefault::schema().describe());
  for (const auto& kind : fabric::topology_kinds()) {
    if (platform.effective.contains(kind.name))
      add(out, fmt::format("{}.", kind.name), kind.describe());
  }
  for (const auto& [name, profile] : platform.profiles) {
    if (std::holds_alternative<rnic::RnicConfig>(profile))
      add(out, name + ".", rnic::RnicConfig::schema().describe());
    if (std::holds_alternative<config::TofinoProfile>(profile))
      add(out, name + ".", tofino::ChipConfig::schema().describe());
    if (std::holds_alternative<fabric::SwitchConfig>(profile))
      add(out, name + ".", fabric::SwitchConfig::schema().describe());
    const auto* kind = config::find_value(platform.effective, name + ".kind");
    for (const auto& k : fabric::module_kinds()) {
      if (kind != nullptr && k.end_point && *kind == k.name) add(out, name + ".", k.describe());
    }
  }
  for (std::size_t i = 0; i < platform.modules.size(); ++i) {
    const auto* kind = config::find_value(platform.effective, fmt::format("module[{}].kind", i));
    for (const auto& k : fabric::module_kinds()) {
      if (kind != nullptr && *kind == k.name) add(out, fmt::format("module[{}].", i), k.describe());
    }
  }
  for (std::size_t i = 0; i < platform.memories.size(); ++i) {
    const auto& kind =
        *config::find_value(platform.effective, fmt::format("host_memory[{}].kind", i));
    for (const auto& k : rnic::memory_kinds()) {
      if (kind == k.name) add(out, fmt::format("host_memory[{}].", i), k.describe());
    }
  }
  for (std::size_t i = 0; i < platform.traffic.size(); ++i) {
    add(out, fmt::format("traffic[{}].", i), workload::traffic_of(platform, i).kind().describe());
  }
  return out;
}

bool is_table(const ordered_json& value) {
  return value.is_object() || (value.is_array() && !value.empty() && value.front().is_object());
}

void flatten(const ordered_json& value, const std::string& prefix, std::set<std::string>& out) {
  for (const auto& [key, inner] : value.items()) {
    const std::string path = prefix + key;
    if (!is_table(inner)) {
      out.insert(path);
    } else if (inner.is_object()) {
      flatten(inner, path + ".", out);
    } else {
      for (std::size_t i = 0; i < inner.size(); ++i)
        flatten(inner[i], fmt::format("{}[{}].", path, i), out);
    }
  }
}

std::vector<std::string> listed(const char* section) {
  std::vector<std::string> names;
  const ordered_json all = catalogue(section, "");
  for (const auto& entry : all.at(section)) names.push_back(entry.at("name"));
  return names;
}

/// Keys whose values are names of a list of the catalogue.
std::vector<std::string> names_for(const std::string& key) {
  for (const auto& seam : policy::policy_seams()) {
    if (!key.ends_with(fmt::format(".{}", seam.key))) continue;
    std::vector<std::string> values;
    for (const auto& p : seam.policies)
      values.push_back(seam.several ? fmt::format("[\"{}\"]", p.name) : std::string(p.name));
    return values;
  }
  if (key.ends_with(".program.name")) return listed("programs");
  if (key.ends_with(".spec")) return listed("nics");
  if (key.ends_with(".workload")) return traffic::SizeDistribution::shipped();
  return {};
}

}  // namespace

std::vector<std::string> keys_of(const config::PlatformConfig& platform) {
  std::set<std::string> keys;
  flatten(platform.effective, "", keys);
  for (const auto& [key, info] : parameters_of(platform)) keys.insert(key);
  return {keys.begin(), keys.end()};
}

std::vector<std::string> values_of(const config::PlatformConfig& platform, const std::string& key) {
  if (auto names = names_for(key); !names.empty()) return names;
  const auto parameters = parameters_of(platform);
  if (const auto it = parameters.find(key); it != parameters.end()) {
    constexpr std::string_view choice = "choice: ";
    std::string_view type = it->second.type;
    if (type == "flag") return {"false", "true"};
    if (type.starts_with(choice)) {
      std::vector<std::string> values;
      for (type.remove_prefix(choice.size()); !type.empty();) {
        const std::size_t end = std::min(type.find('|'), type.size());
        values.emplace_back(type.substr(0, end));
        type.remove_prefix(std::min(end + 1, type.size()));
      }
      return values;
    }
  }
  const ordered_json* now = config::find_value(platform.effective, key);
  if (now == nullptr || now->is_structured()) return {};
  std::string text = now->is_string() ? now->get<std::string>() : now->dump();
  std::erase(text, ' ');
  return {text};
}

std::vector<std::string> nic_keys() {
  Parameters parameters;
  add(parameters, "", rnic::RnicConfig::schema().describe());
  std::vector<std::string> keys;
  for (const auto& [key, info] : parameters) keys.push_back(key);
  return keys;
}

}  // namespace horae::cli
