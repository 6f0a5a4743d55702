// Interface of the NIC's decisions to the host: reads, writes and doorbells with their times.
#pragma once

#include <cstdint>

#include "horae/core/units.hpp"
#include "horae/rnic/host/open_accesses.hpp"

namespace horae::rnic {

/// Access to host memory. Calls come with non-decreasing `now`; each answers with the time at which
/// it will be done and reserves what it takes on the way; or with `never`, where that is not known
/// yet: when_known() says who is told.
class HostPort {
 public:
  virtual ~HostPort() = default;
  /// When the last byte of a DMA read that is issued at `now` is on the NIC.
  virtual Picoseconds read(Picoseconds now, std::uint64_t address, Bytes size) = 0;
  /// When a posted DMA write that is issued at `now` is in memory.
  virtual Picoseconds write(Picoseconds now, std::uint64_t address, Bytes size) = 0;
  /// After a call that returned `never`, before any other: `then` is called when the time is known.
  virtual void when_known(HostThen /*then*/) {}
  /// When an 8-byte MMIO write that the CPU issues at `now` is on the NIC.
  virtual Picoseconds doorbell(Picoseconds now) = 0;
};

}  // namespace horae::rnic
