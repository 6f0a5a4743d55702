// Triggers of a flow list: which flow waits for how many others, at which NIC.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flow_list.hpp"
#include "horae/traffic/flow_list.hpp"

namespace horae::workload {

/// Gives each message that a trigger starts the number of firings it waits for. `lines` are those
/// of the messages in the file at `path`; messages are in its order.
///
/// A trigger lies in one NIC, that of the flows it starts, which must see what fires it: a message
/// of its own completed, or another's received. InputError at a line where that is not so, or where
/// a flow would never start.
void resolve_triggers(const config::PlatformConfig& platform, const FlowListConfig& config,
                      const std::string& path, const std::vector<traffic::ListedTrigger>& triggers,
                      const std::vector<std::uint32_t>& lines, std::vector<Flow>& flows);

}  // namespace horae::workload
