// A platform as its TOML file says it: checked against itself, not yet built.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "horae/config/command_config.hpp"
#include "horae/config/flow_name.hpp"
#include "horae/config/network_config.hpp"
#include "horae/config/profile.hpp"
#include "horae/config/sim_config.hpp"
#include "horae/config/sweep_config.hpp"
#include "horae/fabric/module_kind.hpp"
#include "horae/fabric/topology.hpp"
#include "horae/params/located.hpp"
#include "horae/rnic/memory_module.hpp"

namespace horae::config {

/// A device of the platform: its vertex of the topology and its profile.
struct DeviceInstance {
  std::string name;
  std::string profile;
  Location where;
  std::optional<unsigned> site{};  ///< of several data centres, from 0; absent: no such platform
  std::optional<std::uint32_t> number{};  ///< of the node in the file that its network is from
  /// A NIC's GPU in its scale-up domain: messages to NICs of the same domain go from `end` to
  /// theirs.
  struct ScaleUp {
    unsigned end = 0;  ///< the GPU's end there, a device of its own
    std::uint32_t domain = 0;
  };
  std::optional<ScaleUp> scale_up{};
  std::optional<std::uint32_t> end_of_domain{};  ///< of such an end: its domain
};

struct LinkInstance {
  fabric::LinkConfig config;    ///< from the edge's first device to its second
  fabric::LinkConfig backward;  ///< the other direction
  Location where;
  bool halved = false;  ///< a module is in its middle

  /// The longest time by which devices may run ahead of each other over it: its delay, or the
  /// shorter half of it.
  Picoseconds reach() const {
    const Picoseconds delay = std::min(config.delay, backward.delay);
    return halved ? delay / 2 : delay;
  }
};

/// A SystemC module in the middle of a link, or an end point at the second device of one.
struct ModuleInstance {
  std::string name;
  Location where;
  std::size_t link = 0;
  bool forward = true;  ///< its side 0 is towards the first device of the edge
  std::shared_ptr<const fabric::ModuleFactory> factory;
  bool end_point = false;
};

/// A SystemC module in the place of NICs' host memory.
struct MemoryInstance {
  std::string name;
  Location where;
  std::vector<unsigned> nics;  ///< devices that it serves, in the order of its ports
  std::shared_ptr<const rnic::MemoryFactory> factory;
};

/// Harm to chosen packets that one direction of a link carries.
struct EventInstance {
  Location where;
  std::string title;  ///< what it does and where, for the user
  std::size_t link = 0;
  bool forward = true;           ///< from the first device of the edge to its second
  std::optional<FlowName> flow;  ///< absent: every queue pair
  Location flow_where;
  fabric::Injection injection;  ///< without streams: queue pairs are not numbered yet
};

struct PlatformConfig;

/// A [[traffic]] table as read. What it may be is not this room's business: kinds of traffic derive
/// theirs (horae/workload).
struct TrafficTable {
  virtual ~TrafficTable() = default;
  /// Gives who sends to whom, by their places among the platform's devices; pairs may come again.
  using PairSink = std::function<void(unsigned from, unsigned to)>;
  virtual void pairs(const PlatformConfig& /*platform*/, const PairSink& /*sink*/) const {}
};

/// Routing withdraws a link, or takes it back.
struct RouteChange {
  Picoseconds at{};
  std::size_t link = 0;
  bool withdrawn = false;
  bool drain = false;  ///< switches drop what is queued for the link
};

/// The whole platform. Vertices of `topology` are `devices` in the same order, edges are `links`.
struct PlatformConfig {
  AboutConfig about;
  SimConfig sim;
  std::map<std::string, Profile> profiles;
  fabric::Topology topology;
  std::vector<DeviceInstance> devices;
  std::vector<LinkInstance> links;
  std::vector<ModuleInstance> modules;   ///< a link has one at most
  std::vector<MemoryInstance> memories;  ///< a NIC has one at most
  std::vector<EventInstance> events;     ///< as the file has them
  std::vector<std::string> notes;        ///< lines for the user: how the network was taken
  RoutingConfig routing;
  ClassCodes codes;                        ///< of traffic classes, in all frames
  std::vector<RouteChange> route_changes;  ///< in the order of time
  bool detours = false;  ///< changed routes may lead over ports that were on no shortest path
  std::vector<std::shared_ptr<const TrafficTable>> traffic;
  SweepConfig sweep;
  SizeConfig size;
  ExplainConfig explain;
  /// Every value in effect, including defaults.
  nlohmann::ordered_json effective;

  /// Whether there are end points in different sites.
  bool has_sites() const;
};

class NetworkReader;

/// Reads one [[traffic]] table of a platform whose network is complete, adds it to the platform,
/// and returns its values in effect.
using ReadTraffic = std::function<nlohmann::ordered_json(
    PlatformConfig& platform, const NetworkReader& network, const Section& section)>;

/// Reads and checks a platform. InputError on anything that cannot be built.
PlatformConfig read_platform(const Document& document, const ReadTraffic& read_traffic);

}  // namespace horae::config
