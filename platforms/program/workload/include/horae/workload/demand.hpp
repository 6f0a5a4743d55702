// How many queue pairs, and sources of packets, the traffic of a platform asks of its devices.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "horae/config/platform.hpp"
#include "horae/workload/traffic.hpp"

namespace horae::workload {

/// Queue pairs of the devices, in the platform's order: one at either end of each flow.
std::vector<std::uint64_t> queue_pairs_of(const Traffic& traffic,
                                          const config::PlatformConfig& platform);

/// Demand of the traffic tables read so far on each device.
class Demand {
 public:
  explicit Demand(const config::PlatformConfig& platform)
      : platform_(platform),
        queue_pairs_(platform.devices.size()),
        sends_(platform.devices.size()) {}

  /// `n` more queue pairs of the device. InputError at `key`, which the user would change, where
  /// they are more than the 65,536 of a NIC.
  void ask(std::size_t device, std::uint64_t n, const Section& section, std::string_view key);
  /// So many of each device.
  void ask(const std::vector<std::uint64_t>& queue_pairs, const Section& section,
           std::string_view key);
  /// A source of packets. InputError at `where` when the host has one already.
  void ask_source(std::size_t device, const Location& where);

 private:
  const config::PlatformConfig& platform_;
  std::vector<std::uint64_t> queue_pairs_;
  std::vector<bool> sends_;
};

}  // namespace horae::workload
