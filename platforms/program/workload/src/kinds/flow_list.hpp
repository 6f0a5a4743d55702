// kind = "flow_list": its parameters, and a list placed on a platform.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "horae/config/platform.hpp"
#include "horae/params/schema.hpp"
#include "horae/traffic/flow_list.hpp"
#include "horae/workload/flow.hpp"

namespace horae::workload {

struct FlowListConfig {
  enum class Nodes : std::uint8_t { refuse, modulo };
  enum class Priorities : std::uint8_t { refuse, ignore, traffic_class };
  enum class Triggers : std::uint8_t { local, on_receipt };
  enum class Shared : std::uint8_t { refuse, own };
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
  std::optional<Shared> shared_connections;
  bool random_first_psn = false;
  static const Schema<FlowListConfig>& schema();
};

/// Outcome of placing a flow list.
struct PlacedList {
  traffic::ListFormat format = traffic::ListFormat::automatic;
  std::vector<Flow> flows;    ///< in the order of time; those of triggers come last
  Bytes bytes{};              ///< of their messages
  std::uint64_t listed = 0;   ///< flows in the file
  std::uint64_t outside = 0;  ///< of those, not between `from` and `to`, or after the run's end
  std::uint64_t folded = 0;   ///< of those, ended where they began on fewer nodes
  std::uint64_t endless = 0;  ///< of those that are placed, send until the run ends
  std::uint32_t surplus = 0;  ///< first line that was not read, behind the flows announced; 0: none
  bool triggers = false;      ///< some are started by others
};

/// Reads the list of traffic table `table`, flow by flow, and places those of the run on the
/// platform's NICs. InputError, mostly at a line of the list, where it cannot be read or not be
/// done.
PlacedList place_list(const config::PlatformConfig& platform, std::size_t table,
                      const FlowListConfig& config);

}  // namespace horae::workload
