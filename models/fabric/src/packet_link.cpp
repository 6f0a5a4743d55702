#include "horae/fabric/packet_link.hpp"

#include <fmt/format.h>

#include "horae/core/error.hpp"

namespace horae::fabric {

void require_picoseconds() {
  if (sc_core::sc_time(1, sc_core::SC_PS).value() == 1) return;
  throw InputError(
      fmt::format("SystemC's time resolution is {}: expected 1 ps, its default (call "
                  "sc_set_time_resolution(1, SC_PS), or do not call it)",
                  sc_core::sc_get_time_resolution().to_string()));
}

}  // namespace horae::fabric
