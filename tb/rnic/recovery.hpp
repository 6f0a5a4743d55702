// Shared by tests of the service of NACKs: a sender that always has data, NACKs at exact times,
// and what leaves it then.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <vector>

#include "host_parts.hpp"

namespace horae::test {

/// A backlogged sender whose packet k begins at `first` + k packets, and NACKs that are taken
/// (receive and reaction behind them) in the middle of packet 100.
struct Backlog {
  Backlog(fabric::sim_context& context, const rnic::RnicConfig& config, unsigned index = 0,
          Bytes bytes = Bytes(1 << 20), unsigned queue_pairs = 1)
      : host(config), line(context, config, odd_link, index) {
    for (unsigned i = 0; i < queue_pairs; ++i) line.queue_pair(messages(bytes));
    if (config.host == rnic::HostModel::pcie) first = host.first_packet(1024_B);
  }
  /// Begin of the n-th packet, while nothing holds the wire up.
  Picoseconds slot(std::int64_t n) const { return first + packet_time * n; }
  Picoseconds middle(std::int64_t n) const { return slot(n) + 45'017_ps; }
  /// A NACK whose service begins at `t`, an ACK of all before `psn` that is known at `t`.
  void nack_at(Picoseconds t, std::uint32_t psn, std::uint32_t qp = 0) {
    line.far->nack(line.response_known_at(t - line.nic->config().nack_reaction), psn, qp);
  }
  void ack_at(Picoseconds t, std::uint32_t next, std::uint32_t qp = 0) {
    line.far->ack(line.response_known_at(t), next, qp);
  }
  /// The packets from the n-th on, as "PSN at begin" relative to `t`.
  struct Sent {
    std::uint32_t psn;
    Picoseconds at;
    bool operator==(const Sent&) const = default;
  };
  std::vector<Sent> from(std::size_t n, std::size_t count) const {
    const auto at = decisions(line);
    const auto psns = line.far->psns_seen();
    std::vector<Sent> all;
    for (std::size_t i = n; i < at.size() && i < n + count; ++i) all.push_back({psns[i], at[i]});
    return all;
  }

  HostTimes host;
  NicAndPeer line;
  Picoseconds first{};
};
using Sent = Backlog::Sent;
inline void PrintTo(const Sent& s, std::ostream* out) { *out << s.psn << " at " << s.at.count(); }

/// PSNs one after the other from `at` on.
inline std::vector<Sent> train(Picoseconds at, const std::vector<std::uint32_t>& psns) {
  std::vector<Sent> all;
  for (std::size_t i = 0; i < psns.size(); ++i) {
    all.push_back({psns[i], at + packet_time * static_cast<std::int64_t>(i)});
  }
  return all;
}

}  // namespace horae::test
