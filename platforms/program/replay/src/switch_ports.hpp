// Which switch is replayed, and what its ports lead to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "horae/config/platform.hpp"
#include "horae/fabric/ports/tx_port.hpp"

namespace horae::replay {

/// A port of the switch and what it leads to.
struct PortSpec {
  unsigned port = 0;
  std::string neighbour;
  fabric::LinkConfig link;  ///< from the switch
  fabric::LinkConfig back;
};

/// The vertex of the switch to be replayed: the one of that name, or the only one. InputError where
/// there is no such switch, or a name is needed.
unsigned find_device(const config::PlatformConfig& platform,
                     const std::optional<std::string>& name);

/// InputError where the platform pins connections that the switch would balance: packets of a
/// capture do not say which they are.
void refuse_pinned(const config::PlatformConfig& platform, unsigned vertex);
/// By port. Links are perfect: it is the switch that is looked at.
std::vector<PortSpec> ports_of(const config::PlatformConfig& platform, unsigned vertex);

/// A port by its number or by the only neighbour of that name. InputError for anything else.
unsigned find_port(const std::vector<PortSpec>& ports, const std::string& text);

}  // namespace horae::replay
