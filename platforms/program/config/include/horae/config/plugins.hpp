// Plug-ins: shared libraries that add entries to the registries.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "horae/params/located.hpp"

namespace horae::p4prog {
struct CompiledProgram;
}

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

/// The P4 program in a library made of what `horae p4 compile` prints. It lasts as long as the
/// process. InputError, at the name, for a file that is missing or has none, or was built for
/// another Horae.
const p4prog::CompiledProgram& load_p4_program(const Located<std::string>& name);

}  // namespace horae::config
