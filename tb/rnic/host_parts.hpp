// Shared by tests of a NIC with its host: a configuration and the closed forms of its times.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "horae/rnic/host/pcie_link.hpp"
#include "nic_parts.hpp"

namespace horae::test {

/// odd_latencies() with host memory behind PCIe and a RETH on every packet, so that all full
/// packets take `packet_time`.
inline RnicConfig with_host() {
  RnicConfig config = odd_latencies();
  config.reth_on_every_packet = true;
  config.host = rnic::HostModel::pcie;
  config.memory.round_trip.value = 701'003_ps;
  config.memory.write_latency.value = 307'001_ps;
  config.memory.mmio_latency = 203'009_ps;
  return config;
}
inline const Picoseconds packet_time = wire_time(Opcode::write_first, 1024_B);

inline RnicConfig serving(RnicConfig config, const std::vector<std::string>& policies) {
  config.retransmit.policies.clear();
  for (const auto& name : policies) config.retransmit.policies.push_back({name, {}});
  return config;
}

/// Times of the host on an idle link.
class HostTimes {
 public:
  explicit HostTimes(const RnicConfig& config)
      : link_(config.pcie),
        memory_(config.memory.round_trip.value - link_.unloaded_read(64_B)),
        write_latency_(config.memory.write_latency),
        mmio_(config.memory.mmio_latency) {}

  Picoseconds doorbell() const { return mmio_ + link_.wire_time(rnic::tlp::write + 8_B); }
  /// `reads` reads of `size` bytes issued together: one request after the other, so the first one's
  /// request, memory, and then all completions without a gap.
  Picoseconds read(Bytes size, int reads = 1) const {
    Picoseconds t = link_.wire_time(rnic::tlp::read_request) + memory_;
    for (int n = 0; n < reads; ++n) t += completions(size);
    return t;
  }
  /// The completions of a read at an address aligned to max_read_request.
  Picoseconds completions(Bytes size) const {
    const Bytes most = link_.config().max_read_request;
    Picoseconds t{};
    for (Bytes left = size; left > 0_B; left -= most) {
      const Bytes piece = std::min(left, most);
      const std::int64_t tlps = (piece.count() + link_.config().max_payload.value.count() - 1) /
                                link_.config().max_payload.value.count();
      const Bytes words((piece.count() + 3) / 4 * 4);
      t += link_.wire_time(words + rnic::tlp::completion * tlps);
    }
    return t;
  }
  /// Time a write of whole max_payload pieces occupies the link.
  Picoseconds write_time(Bytes size) const {
    const Bytes piece = link_.config().max_payload;
    return link_.wire_time(rnic::tlp::write + piece) * (size / piece);
  }
  Picoseconds write_latency() const { return write_latency_; }

  /// From a post to the decision about its first packet: doorbell, `wqes` WQEs, payload.
  Picoseconds first_packet(Bytes payload, int wqes = 1) const {
    const Picoseconds wqe = doorbell() + read(64_B * wqes);
    return payload > 0_B ? wqe + read(payload) : wqe;
  }

 private:
  rnic::PcieLink link_;
  Picoseconds memory_;  ///< request at the root complex until the first completion
  Picoseconds write_latency_;
  Picoseconds mmio_;
};

inline std::vector<Picoseconds> decisions(const NicAndPeer& line) {
  std::vector<Picoseconds> all;
  for (const auto& s : line.far->seen) {
    if (s.data()) all.push_back(line.decided(s));
  }
  return all;
}

}  // namespace horae::test
