// The arguments of `horae replay`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "horae/replay/options.hpp"

namespace horae::cli {

/// As they are typed.
struct ReplayArguments {
  replay::ReplayOptions replay;
  std::string platform;
  std::vector<std::string> traces;
  std::vector<std::string> filters;
  std::optional<std::string> port;
  std::vector<std::string> overrides;
  std::optional<std::string> out;
  std::optional<std::string> scale;
  std::optional<std::string> unknown;
  std::string registers;
  std::optional<std::string> limit;
  bool no_packets = false;
  bool no_ports = false;
  bool json = false;
  bool no_progress = false;
};

/// As the replay takes them. InputError for one that is malformed, or goes with another.
replay::ReplayOptions options_of(const ReplayArguments& o);

/// A result folder is replaced as a whole, and with it what it holds of the input: InputError.
void keep_inputs(const std::string& out, const std::string& platform,
                 const replay::ReplayOptions& options);

}  // namespace horae::cli
