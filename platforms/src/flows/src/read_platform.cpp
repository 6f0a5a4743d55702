#include "horae/flows/read_platform.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "horae/config/file_content.hpp"
#include "horae/config/network_reader.hpp"
#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/flows/demand.hpp"
#include "horae/flows/flow_list.hpp"
#include "horae/params/schema.hpp"
#include "horae/params/shipped_file.hpp"

namespace horae::flows {
namespace {

using nlohmann::ordered_json;

/// Checks that `names` are end points of the right kind.
template <class P>
void check_endpoints(const config::PlatformConfig& platform, const config::NetworkReader& network,
                     const std::vector<Located<std::string>>& names, std::string_view what) {
  for (const auto& name : names) {
    const auto& device = platform.devices[network.find(name)];
    if (!std::holds_alternative<P>(platform.profiles.at(device.profile))) {
      throw input_error(name.where, fmt::format("'{}' is not {}", name.value, what));
    }
  }
}

template <class T, class P>
T read_traffic(const config::PlatformConfig& platform, const config::NetworkReader& network,
               const Section& section, std::string_view what) {
  auto config = section.read<T>(std::vector<std::string>{"kind"});
  check_endpoints<P>(platform, network, config.from, what);
  check_endpoints<P>(platform, network, config.to, what);
  const bool pairs = config.pattern == MessagesConfig::Pattern::pairs;
  if (pairs && (config.from.empty() || config.from.size() != config.to.size())) {
    throw section.error(section.has("from") ? "from" : "kind",
                        fmt::format("pattern pairs: {} senders in 'from' and {} receivers in 'to'; "
                                    "expected as many of each, at least one",
                                    config.from.size(), config.to.size()));
  }
  if (!pairs && !(config.from.empty() && config.to.empty())) {
    throw section.error(config.from.empty() ? "to" : "from",
                        "pattern permutation takes no 'from' and 'to'");
  }
  for (std::size_t i = 0; i < config.from.size(); ++i) {
    if (config.from[i].value == config.to[i].value) {
      throw input_error(config.to[i].where,
                        fmt::format("'{}' would send to itself", config.to[i].value));
    }
  }
  if (!pairs) {
    const auto eligible = std::count_if(
        platform.devices.begin(), platform.devices.end(),
        [&](const auto& d) { return std::holds_alternative<P>(platform.profiles.at(d.profile)); });
    if (eligible < 2)
      throw section.error("pattern",
                          "pattern permutation needs at least two end points of its kind");
  }
  return config;
}

/// Reads a [[traffic]] table, asks its demand of the devices and adds it to the platform; returns
/// its values in effect.
ordered_json read_table(config::PlatformConfig& platform, const config::NetworkReader& network,
                        const Section& section, Demand& demand) {
  const std::string kind = section.get_string("kind");
  ordered_json dump = {{"kind", kind}};
  if (kind == "messages") {
    const auto config = read_traffic<MessagesConfig, rnic::RnicConfig>(platform, network, section,
                                                                       "a NIC (kind rnic)");
    demand.add(config, section);
    dump.update(MessagesConfig::schema().dump(config));
    platform.traffic.push_back(std::make_shared<TypedTraffic>(config));
  } else if (kind == "packets") {
    const auto config = read_traffic<PacketsConfig, config::HostProfile>(platform, network, section,
                                                                         "a host (kind host)");
    demand.add(config, section);
    dump.update(PacketsConfig::schema().dump(config));
    platform.traffic.push_back(std::make_shared<TypedTraffic>(config));
  } else if (kind == "collective") {
    const auto config = section.read<CollectiveTraffic>({"kind"});
    check_endpoints<rnic::RnicConfig>(platform, network, config.members, "a NIC (kind rnic)");
    config::check_at(section, section.has("groups") ? "groups" : "kind",
                     [&] { demand.add(place_collective(platform, config), section); });
    dump.update(CollectiveTraffic::schema().dump(config));
    platform.traffic.push_back(std::make_shared<TypedTraffic>(config));
  } else if (kind == "flows" || kind == "incast") {
    const auto add = [&](auto config) {
      if constexpr (requires { config.workload; }) {
        if (config.workload.value.ends_with(".toml")) {
          config::take_content(find_file(config.workload, "workload"), config.content);
        } else if (config.content) {
          throw input_error(config.content->where,
                            fmt::format("content is of a file; '{}' is a shipped workload",
                                        config.workload.value));
        }
      }
      check_endpoints<rnic::RnicConfig>(platform, network, config.members, "a NIC (kind rnic)");
      // Several tables: each has random streams of its own.
      const std::size_t number = platform.traffic.size();
      std::vector<PlacedMessage> flows;
      config::check_at(section, "kind", [&] { flows = place_messages(platform, number, config); });
      demand.add(flows, section, section.has("duration") ? "duration" : "kind");
      dump.update(std::decay_t<decltype(config)>::schema().dump(config));
      platform.traffic.push_back(std::make_shared<TypedTraffic>(config));
    };
    if (kind == "flows") {
      add(section.read<FlowTraffic>({"kind"}));
    } else {
      add(section.read<IncastTraffic>({"kind"}));
    }
  } else if (kind == "flow_list") {
    auto config = section.read<FlowListTraffic>({"kind"});
    check_endpoints<rnic::RnicConfig>(platform, network, config.members, "a NIC (kind rnic)");
    if (config.to && *config.to <= config.from) {
      throw section.error("to", fmt::format("to = {} is not above from = {}", to_text(*config.to),
                                            to_text(config.from)));
    }
    config::take_content(find_file(config.file, "file"), config.content);
    config.placed = place_list(platform, platform.traffic.size(), config);
    demand.add(config.placed->messages, section, "file");
    dump.update(FlowListTraffic::schema().dump(config));
    platform.traffic.push_back(std::make_shared<TypedTraffic>(config));
  } else {
    throw section.error("kind", fmt::format("unknown kind '{}'{}", kind,
                                            suggestion(kind, {"messages", "packets", "collective",
                                                              "flows", "incast", "flow_list"})));
  }
  return dump;
}

}  // namespace

config::PlatformConfig read_platform(const Document& document) {
  std::optional<Demand> demand;
  return config::read_platform(
      document, [&](config::PlatformConfig& platform, const config::NetworkReader& network,
                    const Section& section) {
        if (!demand) demand.emplace(platform);
        return read_table(platform, network, section, *demand);
      });
}

}  // namespace horae::flows
