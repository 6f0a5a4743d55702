#include <algorithm>
#include <nlohmann/json.hpp>

#include "horae/policy/own_parameters.hpp"

namespace horae::policy {

ParameterSchema schema_of(const std::vector<OwnParameters>& parameters) {
  ParameterSchema all("parameters", "Parameters of policies.");
  std::vector<OwnParameters> seen;
  for (const OwnParameters& own : parameters) {
    if (std::find(seen.begin(), seen.end(), own) != seen.end()) continue;
    seen.push_back(own);
    all.include(
        own.keys(), [](auto& all_of_them) -> auto& { return all_of_them; });
  }
  return all;
}

std::optional<IdleParameter> find_idle_parameter(const NamedParameters& policies,
                                                 std::string_view chosen,
                                                 const PolicyParameters& given) {
  std::vector<std::string> in_force;
  for (const auto& [name, parameters] : policies) {
    if (name == chosen) in_force = schema_of(parameters).field_names();
  }
  for (const auto& [name, parameters] : policies) {
    const ParameterSchema schema = schema_of(parameters);
    const auto defaults = schema.dump({}), now = schema.dump(given);
    for (const std::string& key : schema.field_names()) {
      if (std::find(in_force.begin(), in_force.end(), key) != in_force.end()) continue;
      // An absent optional value is not dumped.
      const bool set = now.contains(key);
      if (set != defaults.contains(key) || (set && now.at(key) != defaults.at(key)))
        return IdleParameter{key, std::string(name)};
    }
  }
  return std::nullopt;
}

}  // namespace horae::policy
