// How many queue pairs, and sources of packets, the traffic of a platform asks of its devices.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "horae/flows/collective.hpp"
#include "horae/flows/open_loop.hpp"
#include "horae/flows/traffic_config.hpp"

namespace horae::flows {

/// What the traffic tables read so far ask of each device. Each add() is an InputError where a
/// device cannot do it: more than 65,536 queue pairs of a NIC, more than one destination of a host.
class Demand {
 public:
  explicit Demand(const config::PlatformConfig& platform)
      : platform_(platform),
        queue_pairs_(platform.devices.size()),
        sends_(platform.devices.size()) {}

  void add(const MessagesConfig& config, const Section& section);
  void add(const std::vector<PlacedFlow>& flows, const Section& section);
  /// `key` is what the user would change.
  void add(const std::vector<PlacedMessage>& flows, const Section& section, std::string_view key);
  void add(const PacketsConfig& config, const Section& section);

 private:
  void ask(std::size_t device, std::uint64_t n, const Section& section, std::string_view key);
  std::size_t index_of(const std::string& name) const;

  const config::PlatformConfig& platform_;
  std::vector<std::uint64_t> queue_pairs_;
  std::vector<bool> sends_;
};

}  // namespace horae::flows
