// NACKs that come while one is served: which of them are served, and when.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "horae/policy/retransmit/parameters.hpp"
#include "recovery.hpp"

namespace horae::rnic::recovery_merge_test {
namespace {

using policy::Merge;
using policy::SendKind;
using test::Backlog;
using test::sent;
using test::Sent;
using test::serving;
using test::with_host;

struct Merging {
  Merge merge;
  std::vector<std::uint32_t> first;  // PSNs sent again when the wire is free
  std::uint64_t served, stale, merged, services;
};

// Four NACKs: the first is served, three come while it is. What is fetched for one leaves before
// the next is served, and nothing new in between. Each acknowledges what lies before it, so of
// those that wait only the last is not stale.
TEST(Recovery, NacksDuringAServiceMerge) {
  const std::vector<Merging> rows = {
      {Merge::every, {80, 100, 84, 100, 88, 100, 92, 100, 101}, 2, 2, 0, 4},
      {Merge::one_pending, {80, 100, 92, 100, 101}, 2, 0, 2, 2},
      {Merge::ignore, {80, 100, 101}, 1, 0, 3, 1}};
  fabric::sim_context context;
  std::vector<Backlog> lines;
  for (unsigned i = 0; i < rows.size(); ++i) {
    RnicConfig config = serving(with_host(), {"blocking_fetch"});
    config.retransmit.parameters.of<policy::BlockingFetch>().merge = rows[i].merge;
    lines.emplace_back(context, config, i);
    for (std::uint32_t n = 0; n < 4; ++n) {
      lines[i].nack_at(lines[i].middle(100) + 100_ns * n, 80 + 4 * n);
    }
  }
  test::run_on(context, 60_us);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Backlog& b = lines[i];
    const RnicCounters& c = b.line.nic->counters();
    EXPECT_EQ(c.nacks_received, 4u);
    EXPECT_EQ(c.nacks_served, rows[i].served) << i;
    EXPECT_EQ(c.nacks_stale, rows[i].stale) << i;
    EXPECT_EQ(c.nacks_merged, rows[i].merged) << i;
    EXPECT_EQ(c.services, rows[i].services) << i;
    std::vector<std::uint32_t> again;
    for (const Sent& s : b.from(101, rows[i].first.size())) again.push_back(s.psn);
    EXPECT_EQ(again, rows[i].first) << i;
    // One service after the other, and nothing but them on the host's link.
    const Picoseconds stall = b.host.read(64_B) * 2 + b.host.read(1024_B, 2);
    EXPECT_EQ(c.service_time, stall * static_cast<std::int64_t>(rows[i].services)) << i;
  }
}

// The NACK that waits turns stale by an ACK: nothing is served for it, and the wire goes on.
TEST(Recovery, AStaleNackIsSkipped) {
  fabric::sim_context context;
  std::vector<Backlog> lines;
  const std::vector<std::vector<std::string>> policies = {
      {"blocking_fetch"}, {"firmware_event"}, {"recovery_handshake"}};
  for (unsigned i = 0; i < policies.size(); ++i) {
    RnicConfig config = serving(with_host(), policies[i]);
    lines.emplace_back(context, config, i);
    Backlog& b = lines[i];
    b.nack_at(b.middle(100), 80);
    b.nack_at(b.middle(101), 90);
    b.ack_at(b.middle(102) + config.nack_reaction, 101);  // taken during the first service
  }
  test::run_on(context, 150_us);  // the handshake waits for its guard: the ACK was not of all
  for (const Backlog& b : lines) {
    const RnicCounters& c = b.line.nic->counters();
    EXPECT_EQ(c.nacks_served, 1u);
    EXPECT_EQ(c.nacks_stale, 1u);
    EXPECT_EQ(c.services, 1u);
    EXPECT_EQ(sent(*b.line.nic, SendKind::expected), 1u);
    EXPECT_EQ(sent(*b.line.nic, SendKind::last), 1u);
    EXPECT_EQ(c.sent[0], 101u + 512u);  // up to the window, nothing is stuck
  }
}

// ... but `every` serves it all the same, and sends again what it names.
TEST(Recovery, EveryServesAStaleNackBlindly) {
  fabric::sim_context context;
  RnicConfig config = serving(with_host(), {"blocking_fetch"});
  config.retransmit.parameters.of<policy::BlockingFetch>().merge = Merge::every;
  Backlog b(context, config);
  b.nack_at(b.middle(100), 80);
  b.nack_at(b.middle(101), 90);
  b.ack_at(b.middle(110), 98);
  test::run_on(context, 80_us);
  const RnicCounters& c = b.line.nic->counters();
  EXPECT_EQ(c.services, 2u);
  EXPECT_EQ(c.nacks_stale, 1u);
  std::vector<std::uint32_t> again;
  for (const Sent& s : b.from(101, 5)) again.push_back(s.psn);
  EXPECT_EQ(again, (std::vector<std::uint32_t>{80, 100, 90, 100, 101}));
}

TEST(Recovery, QueuePairsWaitForTheOneServerInTurn) {
  fabric::sim_context context;
  Backlog b(context, serving(with_host(), {"blocking_fetch"}), 0, Bytes(1 << 20), 3);
  const Picoseconds t = b.middle(150);
  for (std::uint32_t qp = 0; qp < 3; ++qp) {
    b.nack_at(t + 100_ns * qp, 20 + qp, qp);
    b.nack_at(t + 400_ns + 100_ns * qp, 30 + qp, qp);  // takes its place, or waits
  }
  test::run_on(context, 60_us);
  const RnicCounters& c = b.line.nic->counters();
  EXPECT_EQ(c.services, 4u);  // 20, then the last of each
  EXPECT_EQ(c.nacks_merged, 2u);
  std::vector<std::pair<unsigned, std::uint32_t>> expected;
  for (const auto& s : b.line.far->seen) {
    if (s.data() && s.packet.retransmission && s.psn() < 40) {
      expected.emplace_back(s.packet.entropy - 0xc000u, s.psn());
    }
  }
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(expected,
            (std::vector<std::pair<unsigned, std::uint32_t>>{{0, 20}, {0, 30}, {1, 31}, {2, 32}}));
}

}  // namespace
}  // namespace horae::rnic::recovery_merge_test
