// A configuration in effect as the TOML that a user could write.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

namespace horae::fuzz {

/// A value as TOML writes it in one line. JSON's strings, numbers and flags are TOML's too, once
/// everything outside ASCII is escaped.
inline std::string toml_value(const nlohmann::ordered_json& value) {
  std::string out;
  if (value.is_object()) {
    for (const auto& [key, child] : value.items()) {
      if (child.is_null()) continue;  // not given
      out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", nlohmann::ordered_json(key).dump(),
                         toml_value(child));
    }
    return "{" + out + "}";
  }
  if (value.is_array()) {
    for (const auto& child : value)
      out += fmt::format("{}{}", out.empty() ? "" : ", ", toml_value(child));
    return "[" + out + "]";
  }
  return value.dump(-1, ' ', true);
}

inline std::string toml_text(const nlohmann::ordered_json& table) {
  std::string out;
  for (const auto& [key, child] : table.items()) {
    if (!child.is_null())
      out += fmt::format("{} = {}\n", nlohmann::ordered_json(key).dump(), toml_value(child));
  }
  return out;
}

}  // namespace horae::fuzz
