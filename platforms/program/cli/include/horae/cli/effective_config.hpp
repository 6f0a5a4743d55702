// `horae config`: what a command would work on, every default and file included, without running
// anything.
#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "horae/config/platform.hpp"

namespace horae::cli {

/// Whose configuration: a command leaves out what it does not depend on.
enum class ConfigKind { run, size, explain };

struct ConfigRequest {
  std::string file;
  bool objects = false;  ///< `file` is an objects file; of `size` only
  ConfigKind kind = ConfigKind::run;
  std::vector<std::string> overrides;       ///< KEY=VALUE
  std::optional<std::string> point;         ///< label of a sweep point; of `run` only
  std::optional<std::string> chip;          ///< in place of the file's; of `size` only
  std::optional<std::string> observations;  ///< in place of the platform's; of `explain` only
  std::optional<std::string> hypotheses;    ///< likewise
  unsigned ranks = 0;  ///< how they would share the devices is asked as well; of `run` only
};

struct EffectiveConfig {
  nlohmann::ordered_json config;
  /// Files that the configuration names, as it names them, with a name-based UUID of their content.
  nlohmann::ordered_json files;
  /// Hash of `config` and `files`; of `config` alone where it names no file, which for a run is the
  /// `config_hash` of its summary.
  std::string hash;
  /// {"period_ps", "cut_links", "ranks": [{"share", "devices"}]}; null where it was not asked for.
  /// No part of the configuration, as results do not depend on it.
  nlohmann::ordered_json partition;
};

/// The platform of a request of kind run, at its sweep point. InputError as below.
config::PlatformConfig platform_of(const ConfigRequest& request);

/// InputError for what the command would refuse to read.
EffectiveConfig effective_config(const ConfigRequest& request);

/// {"schema", "file", "kind", "version", "config_hash", "files", "config"}.
nlohmann::ordered_json config_json(const ConfigRequest& request, const EffectiveConfig& effective);
/// The same as text: a line per value.
std::string config_text(const ConfigRequest& request, const EffectiveConfig& effective);

/// Reads one JSON object of overrides a line ({"nic.mtu": "4 KiB", "traffic[0].qps": 4}), which
/// come after those of the request, and writes a line for each: {"config_hash"}, or {"error",
/// "exit"} for a point that cannot be read, which does not stop the others. `name` stands for the
/// input in messages: InputError for a line that is no such object.
void config_points(const ConfigRequest& request, std::istream& in, const std::string& name,
                   std::ostream& out);

}  // namespace horae::cli
