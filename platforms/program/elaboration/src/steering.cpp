#include "steering.hpp"

#include <algorithm>

namespace horae::elaboration {

Steering::Steering(const config::PlatformConfig& platform)
    : platform_(platform),
      trims_(std::any_of(platform.profiles.begin(), platform.profiles.end(), [](const auto& p) {
        if (const auto* const chip = std::get_if<config::TofinoProfile>(&p.second))
          return chip->program->takes_deflected();
        const auto* const sw = std::get_if<fabric::SwitchConfig>(&p.second);
        return sw != nullptr && sw->trims();
      })) {}

rnic::RnicConfig Steering::told(const rnic::RnicConfig& nic, unsigned device) {
  rnic::RnicConfig out = nic;
  out.trimming = trims_;
  if (nic.base_rtt || policy::find_entropy_scheme(nic.entropy.scheme).constant) return out;
  auto [it, first] = longest_.try_emplace(platform_.devices[device].profile);
  if (first) {
    if (!times_) times_.emplace(platform_);
    for (unsigned to = 0; to < platform_.devices.size(); ++to) {
      const auto& profile = platform_.profiles.at(platform_.devices[to].profile);
      if (to == device || !std::holds_alternative<rnic::RnicConfig>(profile)) continue;
      it->second = std::max(it->second, times_->round_trip(device, to));
    }
  }
  if (it->second > 0_ps) out.base_rtt = it->second;
  return out;
}

}  // namespace horae::elaboration
