#include "path_wiring.hpp"

#include <variant>

#include "horae/policy/balance/load_balancer.hpp"

namespace horae::config {

const Profile& profile_of(const PlatformConfig& platform, unsigned vertex) {
  return platform.profiles.at(platform.devices[vertex].profile);
}

std::optional<programs::SourcePortControl> control_of(const PlatformConfig& platform,
                                                      unsigned vertex) {
  const auto* chip = std::get_if<TofinoProfile>(&profile_of(platform, vertex));
  if (chip == nullptr || chip->program == nullptr) return std::nullopt;
  return chip->program->source_port_control();
}

std::optional<LinearHash> hash_of_switch(const PlatformConfig& platform, unsigned vertex) {
  if (const auto* plain = std::get_if<fabric::SwitchConfig>(&profile_of(platform, vertex))) {
    const auto& balancer = policy::find_load_balancer(plain->balance);
    if (balancer.linear_hash == nullptr) return std::nullopt;
    return LinearHash(balancer.linear_hash(plain->balancing));
  }
  const auto control = control_of(platform, vertex);
  return control ? std::optional(LinearHash(control->hash)) : std::nullopt;
}

InputError at_device(const PlatformConfig& platform, unsigned vertex, const std::string& what) {
  return input_error(platform.devices[vertex].where, "path_control = \"source_port\": " + what);
}

}  // namespace horae::config
