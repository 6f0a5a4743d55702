// Queue pairs without a NIC around them, for tests of the NIC's parts.
#pragma once

#include <cstdint>
#include <memory>

#include "horae/policy/transport/transport.hpp"
#include "horae/rnic/parts/queue_pair.hpp"
#include "horae/traffic/source.hpp"

namespace horae::test {

inline constexpr std::uint32_t part_window = 64;

/// A queue pair (RNIC-SR, MTU 1024 B, PSNs from 0) with one message of `packets`, posted at 0; no
/// packets: a responder. `config` says the rest.
inline std::unique_ptr<rnic::QueuePair> make_queue_pair(std::uint32_t packets,
                                                        rnic::QueuePairConfig config = {},
                                                        std::uint32_t window = part_window) {
  if (packets > 0) {
    config.source = std::make_unique<traffic::ConstantSource>(
        traffic::ConstantSource::Config{.bytes = 1024_B * packets, .count = 1});
  }
  policy::TransportConfig transport;
  transport.window = window;
  auto qp = std::make_unique<rnic::QueuePair>(std::move(config), policy::find_transport("rnic_sr"),
                                              transport, 1024_B);
  qp->post_due(0_ps);
  return qp;
}

/// Its next `packets` go on the wire.
inline void send(rnic::QueuePair& qp, std::uint32_t packets) {
  for (std::uint32_t n = 0; n < packets; ++n) qp.sender().next(0_ps);
}

/// Everything before `next_expected` is acknowledged.
inline void acknowledge(rnic::QueuePair& qp, std::uint32_t next_expected) {
  qp.acknowledged(qp.sender().on_ack(Psn(next_expected), 0_ps).newly_acked, 0_ps);
}

}  // namespace horae::test
