// Switches as the platform describes them.
#pragma once

#include <memory>
#include <vector>

#include "horae/config/platform.hpp"
#include "horae/fabric/context.hpp"
#include "horae/fabric/devices/output_queued_switch.hpp"
#include "horae/tofino/tofino_switch.hpp"

namespace horae::elaboration {

/// The Tofino switch at a vertex of the platform, without links; `ledgers` as tofino_switch's.
std::unique_ptr<tofino::tofino_switch> build_tofino(const config::PlatformConfig& platform,
                                                    unsigned vertex, fabric::sim_context& context,
                                                    const std::vector<fabric::RouteTable>& routes,
                                                    dataplane::Ledgers* ledgers = nullptr);
/// Likewise the output-queued switch there, routing by shortest paths; InputError where PFC leaves
/// it no buffer.
std::unique_ptr<fabric::output_queued_switch> build_switch(
    const config::PlatformConfig& platform, unsigned vertex, fabric::sim_context& context,
    const std::vector<fabric::RouteTable>& routes);

}  // namespace horae::elaboration
