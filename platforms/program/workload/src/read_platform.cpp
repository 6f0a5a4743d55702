#include "horae/workload/read_platform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "horae/core/error.hpp"
#include "horae/workload/demand.hpp"
#include "horae/workload/traffic_kind.hpp"

namespace horae::workload {
namespace {

const TrafficKind& kind_of(const Section& section) {
  const std::string name = section.get_string("kind");
  const auto& kinds = traffic_kinds();
  const auto kind =
      std::find_if(kinds.begin(), kinds.end(), [&](const auto& k) { return k.name == name; });
  if (kind != kinds.end()) return *kind;
  std::vector<std::string> names;
  for (const auto& k : kinds) names.emplace_back(k.name);
  throw section.error("kind", fmt::format("unknown kind '{}'{}", name, suggestion(name, names)));
}

}  // namespace

config::PlatformConfig read_platform(const Document& document) {
  std::optional<Demand> demand;
  return config::read_platform(
      document, [&](config::PlatformConfig& platform, const config::NetworkReader& network,
                    const Section& section) {
        if (!demand) demand.emplace(platform);
        const TrafficKind& kind = kind_of(section);
        std::shared_ptr<const Traffic> traffic =
            kind.read({kind, platform.traffic.size(), platform, network, section, *demand});
        nlohmann::ordered_json dump = {{"kind", kind.name}};
        dump.update(traffic->dump());
        platform.traffic.push_back(std::move(traffic));
        return dump;
      });
}

}  // namespace horae::workload
