// Kinds of [[traffic]] tables by name, and what one is written with.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "horae/config/network_reader.hpp"
#include "horae/params/schema.hpp"
#include "horae/workload/demand.hpp"
#include "horae/workload/traffic.hpp"

namespace horae::workload {

/// A [[traffic]] table that is being read, and what its kind may look at.
struct TrafficSection {
  const TrafficKind& kind;
  std::size_t number;                      ///< of the table, from 0
  const config::PlatformConfig& platform;  ///< its network is complete; tables before this are read
  const config::NetworkReader& network;
  const Section& section;
  Demand& demand;  ///< of the tables so far; a kind adds its own
};

/// A kind of traffic. `read` checks the table against the platform; an InputError points into the
/// file.
struct TrafficKind {
  std::string_view name;  ///< `kind = "..."`
  std::string doc;
  std::unique_ptr<const Traffic> (*read)(const TrafficSection& table);
  std::vector<ParamInfo> (*describe)();  ///< its parameters
  /// Its messages may be READs: nothing waits for their arrival at the other end.
  bool reads = false;
};

/// All kinds, in the order of `horae list parameters`.
const std::vector<TrafficKind>& traffic_kinds();

/// Traffic whose parameters are a C with a schema; read from the table before a derived class
/// checks them.
template <class C>
class TrafficOf : public Traffic {
 public:
  using Config = C;
  explicit TrafficOf(const TrafficSection& table)
      : Traffic(table),
        config_(table.section.read<C>(std::vector<std::string>{"kind", "name", "service", "verb",
                                                               "verbs", "fence", "words",
                                                               "ecmp_every", "traffic_class"})) {}
  nlohmann::ordered_json dump() const override {
    auto out = C::schema().dump(config_);
    out.update(Mix::schema().dump(mix()));
    return out;
  }

 protected:
  C config_;
};

/// The registry's entry of T, a TrafficOf that a TrafficSection constructs.
template <class T>
TrafficKind traffic_kind(std::string_view name, bool reads = false) {
  const auto& schema = T::Config::schema();
  return {name, schema.doc(),
          [](const TrafficSection& table) -> std::unique_ptr<const Traffic> {
            return std::make_unique<T>(table);
          },
          [] {
            auto all = T::Config::schema().describe();
            const auto mix = Traffic::Mix::schema().describe();
            all.insert(all.end(), mix.begin(), mix.end());
            return all;
          },
          reads};
}

}  // namespace horae::workload
