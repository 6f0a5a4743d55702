// Devices and links of a platform file, and what becomes of them: [[device]], [[link]],
// [[impairment]], [routing], [failures].
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "horae/core/units.hpp"
#include "horae/params/located.hpp"

namespace horae::config {

struct OutageConfig {
  Picoseconds from{};
  Picoseconds to{};
  static const Schema<OutageConfig>& schema();
};

/// Values of a link; what is absent is taken from [link_default].
struct LinkSpec {
  std::vector<Located<std::string>> between;
  std::optional<BitRate> rate;
  std::optional<Picoseconds> delay;
  std::optional<double> loss;
  std::vector<OutageConfig> outages;
  static const Schema<LinkSpec>& schema();
};

/// What is different about a link of a generated network.
struct ImpairmentSpec {
  enum class Direction { both, forward };
  std::vector<Located<std::string>> between;
  Direction direction = Direction::both;
  std::optional<BitRate> rate;
  std::optional<double> loss;
  std::vector<OutageConfig> outages;
  std::optional<Picoseconds> converge;
  static const Schema<ImpairmentSpec>& schema();
};

struct LinkDefault {
  BitRate rate = 100_Gbps;
  Picoseconds delay = 500_ns;
  double loss = 0.0;
  static const Schema<LinkDefault>& schema();
};

struct DeviceSpec {
  std::vector<Located<std::string>> names;
  Located<std::string> profile;
  std::optional<std::uint32_t> site;
  static const Schema<DeviceSpec>& schema();
};

/// Which paths plain switches use.
struct RoutingConfig {
  enum class Kind { shortest, ksp };
  Kind kind = Kind::shortest;
  std::uint32_t paths = 8;
  static const Schema<RoutingConfig>& schema();
};

/// Links between switches that fail again and again: in each interval another random set.
struct FailuresConfig {
  double share = 0.01;
  Picoseconds interval = 100_ms;
  Picoseconds start{};
  std::uint32_t seed = 1;
  static const Schema<FailuresConfig>& schema();
};

}  // namespace horae::config
