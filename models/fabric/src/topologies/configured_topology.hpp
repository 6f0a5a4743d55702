// Shared by all topologies of the registry: a struct of parameters makes a kind.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "horae/fabric/topology_kind.hpp"
#include "horae/params/schema.hpp"

namespace horae::fabric {

/// Nodes and links that the topology file of another simulator may have, more than any run of one
/// process holds.
constexpr std::uint64_t most_nodes = 131072, most_links = 1'048'576;

/// A generator whose parameters are a `Config`:
///
///     static const Schema<Config>& schema();        // the table, named like the topology
///     void check(const Section& table) const;       // InputError for what a schema cannot refuse
///     void generate(NetworkBuilder& network, const Section& table) const;
///     std::optional<std::string> note;              // if it may have one (TopologyGenerator)
template <class Config>
class ConfiguredTopology final : public TopologyGenerator {
 public:
  explicit ConfiguredTopology(const Section& table) : table_(table), config_(table.read<Config>()) {
    config_.check(table_);
  }
  void generate(NetworkBuilder& network) const override { config_.generate(network, table_); }
  nlohmann::ordered_json config() const override { return Config::schema().dump(config_); }
  std::string note() const override {
    if constexpr (requires { config_.note; }) return config_.note.value_or("");
    return {};
  }

 private:
  Section table_;
  Config config_;
};

/// The registry's entry for it.
template <class Config>
TopologyKind topology_kind() {
  return {Config::schema().name(), Config::schema().doc(),
          [](const Section& table) -> std::unique_ptr<TopologyGenerator> {
            return std::make_unique<ConfiguredTopology<Config>>(table);
          },
          [] { return Config::schema().describe(); }};
}

}  // namespace horae::fabric
