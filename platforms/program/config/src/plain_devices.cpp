#include "horae/config/plain_devices.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "horae/core/quantity_text.hpp"
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

/// Rates of the ports of a profile that its thresholds leave without marks, where others have some.
std::set<BitRate> unmarked(const PlatformConfig& platform, const std::string& profile,
                           const fabric::SwitchConfig& config) {
  std::set<BitRate> rates;
  if (!config.red.enabled()) return rates;
  const auto look_at = [&](unsigned device, BitRate rate) {
    if (platform.devices[device].profile == profile &&
        !config.red.of(rate, config.reference_rate).enabled())
      rates.insert(rate);
  };
  for (std::size_t i = 0; i < platform.links.size(); ++i) {
    const auto& edge = platform.topology.edges()[i];
    look_at(edge.a, platform.links[i].config.rate);
    look_at(edge.b, platform.links[i].backward.rate);
  }
  return rates;
}

/// Whether anything on the way may mark packets: chips, modules and blocks may, plain switches
/// where they have thresholds.
bool any_marks(const PlatformConfig& platform, const std::set<std::string>& used) {
  if (!platform.modules.empty()) return true;
  return std::any_of(used.begin(), used.end(), [&](const std::string& name) {
    const Profile& profile = platform.profiles.at(name);
    if (const auto* plain = std::get_if<fabric::SwitchConfig>(&profile))
      return plain->red.enabled();
    return !std::holds_alternative<rnic::RnicConfig>(profile);
  });
}

bool unlimited(const fabric::SwitchConfig& config) {
  return config.buffer.count() == 0 && config.queue_limit.count() == 0;
}

}  // namespace

std::string plain_devices(const PlatformConfig& platform) {
  std::set<std::string> used;
  for (const auto& device : platform.devices) used.insert(device.profile);
  Lacking limits, ecn, pfc, congestion, engine;
  std::set<std::string> by_marks;
  const bool marks = any_marks(platform, used);
  std::vector<std::string> unmarked_ports;
  for (const auto& name : used) {
    const Profile& profile = platform.profiles.at(name);
    if (const auto* plain = std::get_if<fabric::SwitchConfig>(&profile)) {
      limits.look_at(name, unlimited(*plain));
      ecn.look_at(name, !plain->red.enabled());
      for (const BitRate rate : unmarked(platform, name, *plain))
        unmarked_ports.push_back(fmt::format("{} ({})", to_text(rate), name));
      pfc.look_at(name, !plain->pfc.enabled());
    } else if (const auto* nic = std::get_if<rnic::RnicConfig>(&profile)) {
      const auto& algorithm = policy::find_congestion_algorithm(nic->congestion.algorithm);
      congestion.look_at(name, !algorithm.controls_rates);
      if (!marks && algorithm.by_marks_alone && nic->congestion.nack_reaction == "ignore")
        by_marks.insert(nic->congestion.algorithm);
      if (nic->spec.empty()) continue;
      engine.look_at(name, !nic->engine);
    }
  }
  std::vector<std::string> switches, parts;
  if (limits.any()) switches.push_back("unlimited buffers" + limits.which());
  if (ecn.any()) switches.push_back("no ECN" + ecn.which());
  if (!unmarked_ports.empty()) {
    switches.push_back(
        fmt::format("no ECN thresholds for ports of {}", fmt::join(unmarked_ports, ", ")));
  }
  if (pfc.any()) switches.push_back("no PFC" + pfc.which());
  if (!switches.empty())
    parts.push_back(fmt::format("switches with {}", fmt::join(switches, ", ")));
  if (congestion.any()) parts.push_back("NICs with no congestion control" + congestion.which());
  if (!by_marks.empty()) {
    parts.push_back(
        fmt::format("{} never acts, since no switch marks", fmt::join(by_marks, " and ")));
  }
  if (engine.any()) parts.push_back("NICs with no limit of packets per second" + engine.which());
  return parts.empty() ? "" : fmt::format("assumed: {}", fmt::join(parts, "; "));
}

}  // namespace horae::config
