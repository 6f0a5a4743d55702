// Open-loop messages: which NIC sends what to which, and how long it would take alone.
#pragma once

#include <vector>

#include "horae/flows/traffic_config.hpp"

namespace horae::flows {

/// A message between devices of the platform (indices), on a connection of its own.
struct PlacedMessage {
  unsigned from = 0, to = 0;
  Picoseconds at{};
  Bytes bytes{};
  std::uint32_t query = 0;  ///< of incast
  Psn first_psn;
  // Triggers of a flow list, by number; 0: none.
  std::uint32_t trigger = 0;            ///< starts it in place of `at` ...
  std::uint64_t after = 0;              ///< ... when it has been fired so often
  std::uint32_t fires_at_sender = 0;    ///< fired when it is completed
  std::uint32_t fires_at_receiver = 0;  ///< fired when it has arrived
};

/// Members of open-loop traffic as device indices; `names` empty: all NICs.
std::vector<unsigned> members_of(const config::PlatformConfig& platform,
                                 const std::vector<Located<std::string>>& names);

/// InputError, without a place, where a message has more packets than PSNs can tell apart.
void check_psns(const config::PlatformConfig& platform, unsigned from, Bytes message);

/// All messages of traffic table `table`, in the order of time. InputError, without a place in the
/// file, with fewer than two members (of incast: than its fan-in and one), or where a message has
/// more packets than PSNs can tell apart.
std::vector<PlacedMessage> place_messages(const config::PlatformConfig& platform, std::size_t table,
                                          const FlowTraffic& config);
std::vector<PlacedMessage> place_messages(const config::PlatformConfig& platform, std::size_t table,
                                          const IncastTraffic& config);

/// Completion times without anybody else: from posting to the last acknowledgement, on a shortest
/// path, at line rate, with no window, rate or host memory in the way.
class IdealTimes {
 public:
  explicit IdealTimes(const config::PlatformConfig& platform);
  /// Of a message between two NICs (device indices).
  Picoseconds completion(unsigned from, unsigned to, Bytes bytes) const;

 private:
  struct Hop {
    BitRate rate{};
    Picoseconds before{};  ///< from the last bit received (or the decision) to the first bit sent
    Picoseconds delay{};
  };
  std::vector<Hop> path(unsigned from, unsigned to) const;

  const config::PlatformConfig& platform_;
  std::vector<fabric::RouteTable> routes_;
  std::vector<std::vector<std::size_t>> links_;  ///< by device and port: the link there
};

}  // namespace horae::flows
