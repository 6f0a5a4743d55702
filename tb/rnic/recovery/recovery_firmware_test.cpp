// NACKs that firmware serves, and NACKs that a receiver holds back (hypotheses 7 and 8).
#include <gtest/gtest.h>

#include <vector>

#include "horae/policy/retransmit/parameters.hpp"
#include "recovery.hpp"

namespace horae::rnic::recovery_firmware_test {
namespace {

using test::Backlog;
using test::decisions;
using test::idle_time;
using test::NicAndPeer;
using test::odd_latencies;
using test::odd_link;
using test::packet_time;
using test::serving;
using test::train;

TEST(Recovery, FirmwareTakesOneEventAtATime) {
  fabric::sim_context context;
  RnicConfig config = serving(odd_latencies(), {"firmware_event"});
  config.reth_on_every_packet = true;
  config.retransmit.parameters.of<policy::FirmwareEvent>().event = 5'000'003_ps;
  Backlog b(context, config, 0, Bytes(1 << 20), 2);
  const Picoseconds t = b.middle(100), event = 5'000'003_ps;
  b.nack_at(t, 20, 0);
  b.nack_at(t + 1_us, 30, 1);
  test::run_on(context, 40_us);
  const RnicCounters& c = b.line.nic->counters();
  EXPECT_EQ(c.services, 2u);
  EXPECT_EQ(c.service_time, event * 2);
  const auto at = decisions(b.line);
  std::vector<Picoseconds> again;
  for (std::size_t k = 0; k < at.size(); ++k) {
    const auto& p = b.line.far->seen[k].packet;
    // The wire is never idle: there is always the other one.
    ASSERT_EQ(at[k], b.slot(static_cast<std::int64_t>(k)));
    if (at[k] > t && at[k] < t + event) {
      EXPECT_EQ(p.entropy, 0xc001u) << k;
    }
    if (at[k] > t + event + packet_time && at[k] < t + event * 2) {
      EXPECT_EQ(p.entropy, 0xc000u) << k;
    }
    if (p.psn == Psn(20) && p.retransmission) again.push_back(at[k] - t - event);
    if (p.psn == Psn(30) && p.retransmission) again.push_back(at[k] - t - event * 2);
  }
  ASSERT_EQ(again.size(), 2u);
  for (const Picoseconds late : again) {
    EXPECT_GE(late, 0_ps);
    EXPECT_LE(late, packet_time * 2);  // the packet on the wire, and the other one's turn
  }
  EXPECT_EQ(idle_time(*b.line.nic, IdleCause::retransmit), 0_ps);
}

TEST(Recovery, AFirmwareEventStallsWhatItIsToldTo) {
  using policy::Scope;
  const std::vector<Scope> rows = {Scope::none, Scope::queue_pair, Scope::port};
  fabric::sim_context context;
  std::vector<Backlog> lines;
  for (unsigned i = 0; i < rows.size(); ++i) {
    RnicConfig config = serving(odd_latencies(), {"firmware_event"});
    config.reth_on_every_packet = true;
    config.retransmit.parameters.of<policy::FirmwareEvent>().stall = rows[i];
    lines.emplace_back(context, config, i);
    lines[i].nack_at(lines[i].middle(100), 90);
  }
  test::run_on(context, 30_us);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Backlog& b = lines[i];
    const Picoseconds over = b.middle(100) + 5_us;
    EXPECT_EQ(idle_time(*b.line.nic, IdleCause::retransmit),
              rows[i] == Scope::none ? 0_ps : over - b.slot(101));
    if (rows[i] == Scope::none) {
      const auto k = static_cast<std::size_t>((over - b.first) / packet_time);
      EXPECT_EQ(b.from(k + 1, 1), train(b.slot(static_cast<std::int64_t>(k) + 1), {90}));
    } else {
      EXPECT_EQ(b.from(101, 3), train(over, {90, 100, 101}));
    }
  }
}

// PSN 1 before 0: a NACK at 1 us. Then 3 before 2, so that the next one is due: at 4 us, `later`
// after the first, and 5 us after that.
void out_of_order(test::peer& far, Picoseconds later) {
  far.data(1_us, 1);
  far.data(2_us, 0);
  far.data(4_us, 3);
  far.data(1_us + later, 4);
  far.data(1_us + later + 5_us, 5);
}

TEST(Recovery, ASuppressedNackComesWithTheNextPacketOutOfOrder) {
  const Picoseconds interval = 10'000'019_ps;
  fabric::sim_context context;
  std::vector<NicAndPeer> lines;
  RnicConfig config = serving(odd_latencies(), {"nack_rate_limit"});
  config.retransmit.parameters.of<policy::NackRateLimit>().interval = interval;
  const Picoseconds wire = test::wire_time(Opcode::write_middle, 1024_B);
  for (unsigned i = 0; i < 2; ++i) {
    lines.emplace_back(context, config, odd_link, i);
    lines[i].queue_pair(nullptr);
    out_of_order(*lines[i].far, i == 0 ? interval : interval - 1_ps);
  }
  test::run_on(context, 100_us);
  const Picoseconds decided = wire + odd_link.delay + config.rx_latency + config.nack_delay;
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& seen = lines[i].far->seen;
    ASSERT_EQ(seen.size(), 2u);
    EXPECT_EQ(seen[0].psn(), 0u);
    EXPECT_EQ(lines[i].decided(seen[0]), 1_us + decided);
    EXPECT_EQ(seen[1].psn(), 2u);
    // In time, or brought by the packet 5 us later.
    const Picoseconds by = 1_us + (i == 0 ? interval : interval - 1_ps + 5_us);
    EXPECT_EQ(lines[i].decided(seen[1]), by + decided);
    EXPECT_EQ(lines[i].nic->counters().nacks_suppressed, i == 0 ? 1u : 2u);
    EXPECT_EQ(lines[i].nic->counters().nacks_sent, 2u);
  }
}

// PSN 0 never comes. The first packet out of order brings its NACK, and the first one that arrives
// no sooner than `nack_again` after the last NACK brings another.
TEST(Recovery, AnExpectedPacketIsNackedAgainAfterSoLong) {
  for (const char* transport : {"go_back_n", "rnic_sr"}) {
    const std::string seen = test::in_child([&] {
      const Picoseconds again = 4'000'007_ps;
      fabric::sim_context context;
      RnicConfig config = odd_latencies();
      config.transport = transport;
      std::vector<NicAndPeer> lines;
      std::string text;
      for (unsigned i = 0; i < 3; ++i) {
        config.reliability.nack_again.reset();
        if (i > 0) config.reliability.nack_again = again;
        lines.emplace_back(context, config, odd_link, i);
        lines[i].queue_pair(nullptr);
        lines[i].far->data(1_us, 1);
        lines[i].far->data(1_us + again - (i == 1 ? 1_ps : 0_ps), 2);
        lines[i].far->data(10_us, 3);
      }
      test::run_on(context, 100_us);
      for (auto& line : lines) {
        for (const auto& answer : line.far->seen) {
          text += fmt::format("{}@{} ", answer.psn(), (line.decided(answer) - 1_us).count());
        }
        text += "| ";
      }
      return text;
    });
    const Picoseconds decided = test::wire_time(Opcode::write_middle, 1024_B) + odd_link.delay +
                                odd_latencies().rx_latency + odd_latencies().nack_delay;
    const auto at = [&](Picoseconds later) { return (decided + later).count(); };
    EXPECT_EQ(seen, fmt::format("0@{0} | 0@{0} 0@{2} | 0@{0} 0@{1} 0@{2} | ", at(0_ps),
                                at(4'000'007_ps), at(9_us)))
        << transport;
  }
}

}  // namespace
}  // namespace horae::rnic::recovery_firmware_test
