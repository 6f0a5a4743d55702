#include <fmt/format.h>

#include "horae/config/network_checks.hpp"
#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/core/telemetry.hpp"

namespace horae::config {
namespace {

/// A NIC's profile that listens to telemetry; none: null.
const std::string* listener(const PlatformConfig& platform) {
  for (const auto& device : platform.devices) {
    const auto* nic = std::get_if<rnic::RnicConfig>(&platform.profiles.at(device.profile));
    if (nic == nullptr) continue;
    if (policy::find_congestion_algorithm(nic->congestion.algorithm).listens.telemetry)
      return &device.profile;
  }
  return nullptr;
}

bool records(const Profile& profile) {
  if (const auto* plain = std::get_if<fabric::SwitchConfig>(&profile))
    return plain->telemetry.value_or(false);
  if (const auto* chip = std::get_if<TofinoProfile>(&profile))
    return chip->program->adds_telemetry();
  return true;  // an end point
}

}  // namespace

void check_telemetry(const PlatformConfig& platform, const Section& root) {
  const std::string* const nic = listener(platform);
  if (nic == nullptr) return;
  const auto& algorithm =
      std::get<rnic::RnicConfig>(platform.profiles.at(*nic)).congestion.algorithm;
  for (const auto& device : platform.devices) {
    const Profile& profile = platform.profiles.at(device.profile);
    if (records(profile)) continue;
    throw root.child(device.profile)
        .error("kind", fmt::format("algorithm = '{}' of profile '{}' listens to telemetry of all "
                                   "switches, and profile '{}' adds none; expected {}",
                                   algorithm, *nic, device.profile,
                                   std::holds_alternative<TofinoProfile>(profile)
                                       ? "a program that does (forward with telemetry = true)"
                                       : "telemetry = true"));
  }
  for (const auto& link : platform.links) {
    if (telemetry_code(link.config.rate) && telemetry_code(link.backward.rate)) continue;
    std::string rates;
    for (const BitRate rate : telemetry_rates) rates += (rates.empty() ? "" : ", ") + to_text(rate);
    throw input_error(link.where, fmt::format("telemetry has no code for a link of {}; expected "
                                              "one of {}",
                                              to_text(link.config.rate), rates));
  }
}

}  // namespace horae::config
