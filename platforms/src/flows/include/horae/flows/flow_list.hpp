// Flow lists on a platform: which NIC sends what to which, when, and after what.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "horae/flows/open_loop.hpp"

namespace horae::flows {

/// What became of a flow list.
struct PlacedList {
  traffic::ListFormat format = traffic::ListFormat::automatic;
  std::vector<PlacedMessage> messages;  ///< in the order of time; those of triggers come last
  Bytes bytes{};                        ///< of the messages
  std::uint64_t listed = 0;             ///< flows in the file
  std::uint64_t outside = 0;  ///< of those, not between `from` and `to`, or after the run's end
  std::uint64_t folded = 0;   ///< of those, ended where they began on fewer nodes
  bool triggers = false;      ///< some are started by others
};

/// Reads the list of traffic table `table` and places its flows on the platform's NICs. InputError,
/// mostly at a line of the list, where it cannot be read or not be done.
std::shared_ptr<const PlacedList> place_list(const config::PlatformConfig& platform,
                                             std::size_t table, const FlowListTraffic& config);

/// A row per flow list of the platform: its file and what became of it.
nlohmann::ordered_json flow_list_rows(const config::PlatformConfig& platform);

}  // namespace horae::flows
