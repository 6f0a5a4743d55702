// Plug-ins: shared libraries that add entries to the registries.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "horae/params/located.hpp"

namespace horae::config {

/// Keys at the top level of a platform file, above its tables.
struct TopConfig {
  std::vector<Located<std::string>> plugins;
  std::optional<std::vector<Located<std::string>>> plugins_content;
  static const Schema<TopConfig>& schema();
};

/// Loads the plug-ins of a platform, each once in a process, and adds to `effective` which, if
/// there are any. InputError for a file that is missing or no plug-in, was built for another Horae,
/// or registers a name that is there already.
void load_plugins(const Section& root, nlohmann::ordered_json& effective);

}  // namespace horae::config
