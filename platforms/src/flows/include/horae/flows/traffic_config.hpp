// [[traffic]] tables of a platform file, by kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "horae/config/platform.hpp"
#include "horae/params/located.hpp"
#include "horae/traffic/collective.hpp"
#include "horae/traffic/flow_list.hpp"

namespace horae::flows {

/// Messages between NICs: perftest's stream, or a finite number each.
struct MessagesConfig {
  enum class Pattern { pairs, permutation };
  Pattern pattern = Pattern::pairs;
  std::vector<Located<std::string>> from, to;
  Bytes message = 64_KiB;
  std::uint32_t depth = 128;
  std::uint32_t qps = 1;
  std::uint32_t count = 0;
  Picoseconds start{};
  std::uint32_t first_psn = 0;
  static const Schema<MessagesConfig>& schema();
};

/// Open-loop packets between hosts without a transport.
struct PacketsConfig {
  MessagesConfig::Pattern pattern = MessagesConfig::Pattern::permutation;
  std::vector<Located<std::string>> from, to;
  Bytes payload = 4_KiB;
  double load = 1.0;
  std::uint32_t count = 0;
  Picoseconds start{};
  static const Schema<PacketsConfig>& schema();
};

/// Collective operations of groups of NICs.
struct CollectiveTraffic {
  traffic::Operation operation = traffic::Operation::all_reduce;
  Bytes size = 1_MiB;
  std::uint32_t slices = 1;
  std::uint32_t groups = 1;
  std::vector<Located<std::string>> members;
  Picoseconds start{};
  Picoseconds stagger{};
  Picoseconds compute{};
  std::uint32_t depth = 128;
  std::uint32_t first_psn = 0;
  static const Schema<CollectiveTraffic>& schema();
};

/// When messages of open-loop traffic come, and between whom.
struct ArrivalConfig {
  double load = 0.5;
  double oversubscription = 1.0;
  Picoseconds start{};
  Picoseconds duration = 1_ms;
  std::vector<Located<std::string>> members;
  bool random_first_psn = false;
};

/// Messages of a workload, each a connection of its own, from every member to any other one.
struct FlowTraffic : ArrivalConfig {
  Located<std::string> workload{"alistorage2019", {}};
  /// Of a workload file of the user's own: what its bytes are (content_hash).
  std::optional<Located<std::string>> content;
  static const Schema<FlowTraffic>& schema();
};

/// Queries: many send to one at the same time, each on a connection of its own.
struct IncastTraffic : ArrivalConfig {
  std::uint32_t fan_in = 50;
  Bytes size{40'000};
  static const Schema<IncastTraffic>& schema();
};

struct PlacedList;

/// Messages of a flow list, each a connection of its own.
struct FlowListTraffic {
  enum class Nodes { refuse, modulo };
  enum class Priorities { refuse, ignore };
  enum class Triggers { local, on_receipt };
  Located<std::string> file;
  traffic::ListFormat format = traffic::ListFormat::automatic;
  std::optional<Located<std::string>> content;  ///< what its bytes are (content_hash)
  std::vector<Located<std::string>> members;
  Nodes nodes = Nodes::refuse;
  Picoseconds from{};
  std::optional<Picoseconds> to;
  double scale_time = 1.0;
  double scale_bytes = 1.0;
  Picoseconds start{};
  Priorities priorities = Priorities::refuse;
  Triggers send_done = Triggers::local;
  bool random_first_psn = false;
  /// Read with the platform.
  std::shared_ptr<const PlacedList> placed;
  static const Schema<FlowListTraffic>& schema();
};

using TrafficConfig = std::variant<MessagesConfig, PacketsConfig, CollectiveTraffic, FlowTraffic,
                                   IncastTraffic, FlowListTraffic>;

/// A [[traffic]] table of one of these kinds.
struct TypedTraffic : config::TrafficTable {
  explicit TypedTraffic(TrafficConfig c) : config(std::move(c)) {}
  TrafficConfig config;
};

/// Table number `table` of the platform.
const TrafficConfig& traffic_of(const config::PlatformConfig& platform, std::size_t table);

}  // namespace horae::flows
