#include "horae/build/levels.hpp"

#include <fmt/format.h>

#include "horae/core/error.hpp"
#include "horae/rtl/ordering.hpp"

namespace horae::build {

void Levels::choose(rnic::rnic& nic, const rnic::RnicConfig& config) {
  if (config.ordering.level == "model") return;
  // What differs between model and RTL is written beside other NICs' differences.
  rtl::LockstepOptions options;
  options.folder += std::string("/") + nic.name();
  auto engine = rtl::make_ordering(config.ordering, options);
  if (auto* both = dynamic_cast<rtl::OrderingLockstep*>(engine.get())) {
    locksteps_.push_back(both);
    hardware_.emplace_back(&nic, &both->hardware());
  } else if (auto* alone = dynamic_cast<rtl::OrderingRtl*>(engine.get())) {
    hardware_.emplace_back(&nic, alone);
  }
  nic.set_ordering(std::move(engine));
}

void Levels::check(const config::PlatformConfig& platform) const {
  for (const auto& [nic, rtl] : hardware_) {
    if (nic->queue_pairs() <= rtl->connections()) continue;
    const auto& device =
        platform.devices[static_cast<std::size_t>(platform.topology.find(nic->name()))];
    throw input_error(
        device.where,
        fmt::format("'{}' has {} queue pairs, the RTL '{}' of its ordering layer room "
                    "for {} connections",
                    device.name, nic->queue_pairs(), rtl->name(), rtl->connections()));
  }
}

Levels::Compared Levels::compared() const {
  Compared sum{.nics = locksteps_.size()};
  for (const auto* lockstep : locksteps_) sum.requests += lockstep->requests();
  return sum;
}

void Levels::compare() const {
  for (const auto* lockstep : locksteps_) lockstep->compare_whole();
}

}  // namespace horae::build
