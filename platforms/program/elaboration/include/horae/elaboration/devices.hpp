// The devices of a platform as SystemC modules.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "horae/config/platform.hpp"
#include "horae/elaboration/levels.hpp"
#include "horae/elaboration/memory_meter.hpp"
#include "horae/fabric/context.hpp"
#include "horae/fabric/devices/open_loop_host.hpp"
#include "horae/fabric/devices/output_queued_switch.hpp"
#include "horae/fabric/module_joint.hpp"
#include "horae/rnic/memory_module.hpp"
#include "horae/rnic/rnic.hpp"
#include "horae/tofino/tofino_switch.hpp"

namespace horae::elaboration {

/// All devices in the order of the platform, and likewise by what they are.
struct Devices {
  std::vector<std::unique_ptr<fabric::device>> all;
  std::vector<rnic::rnic*> nics;
  std::vector<fabric::open_loop_host*> hosts;
  std::vector<tofino::tofino_switch*> tofinos;
  std::vector<fabric::output_queued_switch*> switches;
  std::vector<fabric::output_queued_switch*> learning;  ///< of those: told of connections
  /// Modules of a user's, on links; in the order of the platform.
  std::vector<std::unique_ptr<fabric::module_joint>> modules;
  /// Likewise of a user's, in the place of NICs' host memory.
  std::vector<std::unique_ptr<rnic::memory_module>> memories;

  /// Device number `device` of the platform, which is a NIC.
  rnic::rnic& nic(std::size_t device) const { return dynamic_cast<rnic::rnic&>(*all[device]); }
};

/// Builds and links them. `routes`: shortest paths, by device; `paths`: for switches that route by
/// paths, or null; `silent`: hosts without a transport send nothing; `meter`: charged for devices,
/// by what they are, and links; or null. InputError where a device cannot be built.
Devices build_devices(const config::PlatformConfig& platform, fabric::sim_context& context,
                      const std::vector<fabric::RouteTable>& routes,
                      const std::shared_ptr<const fabric::PathTable>& paths, Levels& levels,
                      bool silent = false, MemoryMeter* meter = nullptr);

}  // namespace horae::elaboration
