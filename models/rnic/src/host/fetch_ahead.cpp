#include "horae/rnic/host/fetch_ahead.hpp"

#include <algorithm>

#include "horae/core/roce.hpp"
#include "horae/rnic/host/pcie_link.hpp"

namespace horae::rnic {
namespace {

/// Time of a packet of MTU size, the shortest that there are: without a RETH.
Picoseconds packet_time(const RnicConfig& config, BitRate line) {
  const Bytes roce = frame_bytes(Opcode::write_middle, config.mtu);
  const Bytes frame =
      config.frames == Frames::roce ? roce : other_frame(config.frames, config.mtu, roce);
  return serialisation_time(l1_bytes(frame), line);
}

}  // namespace

Picoseconds payload_read_time(const RnicConfig& config) {
  const auto bits = static_cast<double>(config.mtu.count()) * 8;
  const double bytes_ps = bits * 1e12 / read_bandwidth(config.pcie, config.mtu);
  return config.memory.round_trip.value + Picoseconds(static_cast<std::int64_t>(bytes_ps));
}

Bytes needed_prefetch(const RnicConfig& config, BitRate line, Picoseconds read) {
  const Picoseconds packet = packet_time(config, line);
  const std::int64_t packets = (read + packet - 1_ps) / packet;
  return config.mtu * (packets + 1);
}

Bytes prefetch_of(const RnicConfig& config, BitRate line) {
  if (config.fetch.prefetch) return *config.fetch.prefetch;
  return std::max(FetchConfig::least_prefetch, needed_prefetch(config, line));
}

}  // namespace horae::rnic
