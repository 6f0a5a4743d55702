// Ports of a chip that are not on its front panel (open-p4studio, bf-drivers: dev_port 68 and 6 of
// a pipe, CPU ports by chip; tna_pktgen: port 6 of Tofino2 is the one that is set up by itself).
#pragma once

#include "horae/core/cxx20.hpp"

namespace horae::p4prog {

/// The lane of each pipe that recirculates, by which its packet generator's packets come as well.
constexpr unsigned recirculation_lane(bool tofino2) { return tofino2 ? 6 : 68; }
constexpr unsigned cpu_port(bool tofino2) { return tofino2 ? 0 : 192; }

}  // namespace horae::p4prog
