// Shared by tests of PCIe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "horae/core/units.hpp"
#include "horae/rnic/host/pcie_link.hpp"

namespace horae::test {

using rnic::PcieConfig;
using rnic::PcieCounters;
using rnic::PcieLink;
using rnic::PcieWait;

/// Time between the request at the root complex and its completion's first bit, in tests of the
/// link alone.
inline constexpr Picoseconds memory_time = 650'003_ps;

/// A link where neither tags nor credits bind.
inline PcieConfig ample() {
  PcieConfig config;
  config.tags = 1024;
  config.posted_headers = config.non_posted_headers = 2032;
  config.posted_data.value = 32752;
  return config;
}

/// A whole read, cut as the link wants it, from memory that takes `memory`.
inline Picoseconds read(PcieLink& link, Picoseconds now, std::uint64_t address, Bytes size,
                        Picoseconds memory = memory_time) {
  Picoseconds done{};
  while (size.count() > 0) {
    const Bytes piece = link.first_request(address, size);
    const Picoseconds arrival = link.begin_read(now, piece);
    done = std::max(done, link.finish_read(arrival + memory, address, piece));
    address += static_cast<std::uint64_t>(piece.count());
    size -= piece;
  }
  return done;
}

inline Picoseconds waited(const PcieLink& link, PcieWait cause) {
  return link.counters().waited[static_cast<std::size_t>(cause)];
}
inline std::uint64_t waits(const PcieLink& link, PcieWait cause) {
  return link.counters().waits[static_cast<std::size_t>(cause)];
}

}  // namespace horae::test
