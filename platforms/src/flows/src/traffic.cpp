#include "horae/flows/traffic.hpp"

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>

#include "horae/flows/nic_demands.hpp"
#include "horae/flows/traffic_kind.hpp"

namespace horae::flows {

Traffic::Traffic(const TrafficSection& table) : kind_(table.kind), number_(table.number) {}

void Traffic::flows(const config::PlatformConfig& /*platform*/, const FlowSink& /*sink*/) const {}

void Traffic::packets(const config::PlatformConfig& /*platform*/,
                      const PacketSink& /*sink*/) const {}

Picoseconds Traffic::arrivals_end(const config::PlatformConfig& /*platform*/) const { return {}; }

void Traffic::ask(const config::PlatformConfig& platform, NicDemands& demands) const {
  const bool of_any_size = measure() == Measure::messages || measure() == Measure::queries;
  flows(platform, [&](const Flow& f) {
    Bytes memory = f.message;
    // Few different sizes: what is translated are pages.
    if (of_any_size)
      memory = Bytes(
          static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(f.message.count()))));
    demands.add(f.from, 1, f.count == 0 ? f.depth : std::min(f.depth, f.count), memory);
    demands.add(f.to, 1, 0, memory);
  });
}

void Traffic::add_rows(nlohmann::ordered_json& /*rows*/) const {}

const Traffic& traffic_of(const config::PlatformConfig& platform, std::size_t table) {
  return static_cast<const Traffic&>(*platform.traffic[table]);
}

}  // namespace horae::flows
