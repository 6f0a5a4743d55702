// The configuration in effect, as JSON: looking values up, its hash, names of folders.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "horae/core/cxx20.hpp"

namespace horae::config {

/// The value in effect under a dotted key such as "traffic[0].qps", or null.
const nlohmann::ordered_json* find_value(const nlohmann::ordered_json& effective,
                                         std::string_view key);

/// The folder of a sweep point's results, below `points`.
std::string folder_name(const std::string& label);

/// Name-based UUID (RFC 4122) of a configuration.
std::string hash_of(const nlohmann::ordered_json& effective);

}  // namespace horae::config
