// Name of a platform, duration and method of a run: [platform] and [sim].
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "horae/core/roce.hpp"
#include "horae/fabric/window_clock.hpp"
#include "horae/params/located.hpp"

namespace horae::config {

/// When a run ends.
enum class StopRule {
  duration,  ///< after `duration`
  finished,  ///< when every message is completed and nothing is under way, at the latest after
             ///< `duration`
};

/// Reference that the slowdown of a message is relative to.
enum class IdealTime {
  idle,       ///< its completion time on the same platform, when it is alone
  line_rate,  ///< likewise with nothing but links and fixed latencies in its way
  base_rtt,   ///< round trip of a packet, plus all of it at the sender's rate
};

struct AboutConfig {
  std::string name;
  std::string description;
  std::vector<std::string> assumptions;  ///< printed under the result
  static const Schema<AboutConfig>& schema();
};

struct SimConfig {
  Picoseconds duration = 1_ms;
  Picoseconds warmup{};  ///< excluded from rates and shares
  StopRule stop = StopRule::duration;
  std::uint32_t seed = 1;
  fabric::scheduling scheduling = fabric::scheduling::windowed;
  Picoseconds window{};
  Picoseconds sample{};  ///< interval of series.csv; zero: none
  std::vector<Located<std::string>> sample_devices;
  std::optional<bool> sample_flows;  ///< absent: no
  std::optional<bool> checked;       ///< absent: no
  Picoseconds stuck_after = 20_ms;
  Layer rate_layer = Layer::l1;
  bool nack_trace = false;
  std::vector<Bytes> size_bins = {Bytes(10'000), Bytes(1'000'000)};
  std::optional<IdealTime> ideal;  ///< absent: idle
  static const Schema<SimConfig>& schema();
};

}  // namespace horae::config
