#include "horae/config/plain_devices.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <vector>

#include "horae/policy/congestion/congestion.hpp"

namespace horae::config {
namespace {

/// Profiles of one kind that devices have, and those of them that do without something.
class Lacking {
 public:
  void look_at(const std::string& profile, bool lacks) {
    ++profiles_;
    if (lacks) lacking_.push_back(profile);
  }
  bool any() const { return !lacking_.empty(); }
  /// " (a, b)" where it is only so for some.
  std::string which() const {
    return lacking_.size() == profiles_ ? "" : fmt::format(" ({})", fmt::join(lacking_, ", "));
  }

 private:
  std::size_t profiles_ = 0;
  std::vector<std::string> lacking_;
};

bool unlimited(const fabric::SwitchConfig& config) {
  return config.buffer.count() == 0 && config.queue_limit.count() == 0;
}

}  // namespace

std::string plain_devices(const PlatformConfig& platform) {
  std::set<std::string> used;
  for (const auto& device : platform.devices) used.insert(device.profile);
  Lacking limits, ecn, pfc, congestion, engine;
  for (const auto& name : used) {
    const Profile& profile = platform.profiles.at(name);
    if (const auto* plain = std::get_if<fabric::SwitchConfig>(&profile)) {
      limits.look_at(name, unlimited(*plain));
      ecn.look_at(name, !plain->red.enabled());
      pfc.look_at(name, !plain->pfc.enabled());
    } else if (const auto* nic = std::get_if<rnic::RnicConfig>(&profile)) {
      const auto& algorithm = policy::find_congestion_algorithm(nic->congestion.algorithm);
      congestion.look_at(name, !algorithm.controls_rates);
      if (nic->spec.empty()) continue;
      engine.look_at(name, !nic->engine);
    }
  }
  std::vector<std::string> switches, parts;
  if (limits.any()) switches.push_back("unlimited buffers" + limits.which());
  if (ecn.any()) switches.push_back("no ECN" + ecn.which());
  if (pfc.any()) switches.push_back("no PFC" + pfc.which());
  if (!switches.empty())
    parts.push_back(fmt::format("switches with {}", fmt::join(switches, ", ")));
  if (congestion.any()) parts.push_back("NICs with no congestion control" + congestion.which());
  if (engine.any()) parts.push_back("NICs with no limit of packets per second" + engine.which());
  return parts.empty() ? "" : fmt::format("assumed: {}", fmt::join(parts, "; "));
}

}  // namespace horae::config
