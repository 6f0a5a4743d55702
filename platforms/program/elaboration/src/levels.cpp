#include "horae/elaboration/levels.hpp"

#include <fmt/format.h>

#include "horae/core/error.hpp"
#include "horae/rtl/ordering.hpp"

namespace horae::elaboration {

namespace {

/// Where a difference is written to, beside those of other devices.
std::string folder_of(const std::string& device) {
  return rtl::LockstepOptions().folder + "/" + device;
}

}  // namespace

void Levels::choose(rnic::rnic& nic, const rnic::RnicConfig& config) {
  choose_ordering(nic, config);
  choose_entropy(nic, config);
}

void Levels::choose(fabric::output_queued_switch& sw, const fabric::SwitchConfig& config,
                    std::uint64_t seed) {
  const std::string name = sw.name();
  auto balancer = rtl::make_balancer({config.balance, config.balancing}, seed, name + ".balance",
                                     folder_of(name));
  if (!balancer) return;
  if (const auto* both = dynamic_cast<const rtl::BalancerLockstep*>(balancer.get()))
    balancers_.push_back(both);
  sw.set_balancer(std::move(balancer));
  sw.stay_with_kernel();
}

void Levels::choose(tofino::tofino_switch& sw, const config::TofinoProfile& profile) {
  for (const config::RegisterHardware& wanted : profile.rtl) {
    std::vector<std::string> names;
    bool found = false;
    for (unsigned pipeline = 0; pipeline < sw.config().pipelines; ++pipeline) {
      for (dataplane::Object* object : sw.objects(pipeline).objects()) {
        auto* seat = dynamic_cast<dataplane::AluSeat*>(object);
        if (seat == nullptr || seat->action_names().empty()) continue;
        names.push_back(object->short_name());
        if (names.back() != wanted.name.value) continue;
        found = true;
        if (wanted.level == "model") continue;
        try {
          registers_.push_back(std::make_unique<rtl::RegisterRtl>(
              rtl::find_register_block(wanted.block, wanted.name, seat->action_names()),
              object->name(), wanted.level == "both", folder_of(object->name())));
        } catch (const InputError& e) {
          throw input_error(wanted.name.where, e.what());
        }
        seat->set_alu(*registers_.back());
        sw.stay_with_kernel();
      }
    }
    if (found) continue;
    throw input_error(
        wanted.name.where,
        fmt::format("register = '{}': the program of '{}' has no such register with "
                    "actions{}",
                    wanted.name.value, sw.name(), suggestion(wanted.name.value, names)));
  }
}

void Levels::choose_entropy(rnic::rnic& nic, const rnic::RnicConfig& config) {
  const std::string level = rtl::entropy_level(config.entropy);
  if (level == "model") return;
  const auto sources =
      std::make_shared<rtl::EntropySources>(config.entropy, folder_of(nic.name()) + "/entropy");
  entropies_.push_back({&nic, sources, level == "both"});
  nic.stay_with_kernel();
  nic.set_entropy([sources](std::size_t qp, policy::EntropyContext&& about) {
    return sources->make(qp, std::move(about));
  });
}

void Levels::choose_ordering(rnic::rnic& nic, const rnic::RnicConfig& config) {
  if (config.ordering.level == "model") return;
  rtl::LockstepOptions options;
  options.folder = folder_of(nic.name());
  auto engine = rtl::make_ordering(config.ordering, options);
  if (auto* both = dynamic_cast<rtl::OrderingLockstep*>(engine.get())) {
    locksteps_.push_back(both);
    hardware_.emplace_back(&nic, &both->hardware());
  } else if (auto* alone = dynamic_cast<rtl::OrderingRtl*>(engine.get())) {
    hardware_.emplace_back(&nic, alone);
  }
  nic.set_ordering(std::move(engine));
  nic.stay_with_kernel();
}

void Levels::check(const config::PlatformConfig& platform) const {
  const auto require = [&](const rnic::rnic& nic, std::string_view block, const char* of,
                           std::uint32_t room) {
    if (nic.queue_pairs() <= room) return;
    const auto& device =
        platform.devices[static_cast<std::size_t>(platform.topology.find(nic.name()))];
    throw input_error(
        device.where,
        fmt::format("'{}' has {} queue pairs, the RTL '{}' of its {} room for {} connections",
                    device.name, nic.queue_pairs(), block, of, room));
  };
  for (const auto& [nic, rtl] : hardware_)
    require(*nic, rtl->name(), "ordering layer", rtl->connections());
  for (const auto& [nic, sources, both] : entropies_) {
    const rtl::EntropyBlock& block = sources->block();
    if (block.connections > 0) require(*nic, block.name, "entropy scheme", block.connections);
  }
}

Levels::Compared Levels::compared() const {
  Compared sum{.nics = locksteps_.size(), .switches = balancers_.size()};
  for (const auto* lockstep : locksteps_) sum.requests += lockstep->requests();
  for (const auto* balancer : balancers_) sum.choices += balancer->requests();
  for (const Entropies& of_nic : entropies_) {
    if (!of_nic.both) continue;
    sum.queue_pairs += of_nic.sources->queue_pairs();
    sum.entropy_requests += of_nic.sources->requests();
  }
  for (const auto& alu : registers_) {
    if (!alu->both()) continue;
    ++sum.registers;
    sum.accesses += alu->accesses();
  }
  return sum;
}

Levels::Compared& Levels::Compared::operator+=(const Compared& other) {
  nics += other.nics;
  requests += other.requests;
  switches += other.switches;
  choices += other.choices;
  queue_pairs += other.queue_pairs;
  entropy_requests += other.entropy_requests;
  registers += other.registers;
  accesses += other.accesses;
  return *this;
}

void Levels::compare() const {
  for (const auto* lockstep : locksteps_) lockstep->compare_whole();
}

}  // namespace horae::elaboration
