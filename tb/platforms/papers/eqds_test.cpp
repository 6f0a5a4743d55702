// EQDS on platforms: the rate that a receiver pulls, its shares, queues of an incast, lost pulls,
// and what is refused. Closed forms count whole packets on the wire.
#include <gtest/gtest.h>

#include <string>

#include "horae/capture/reader.hpp"
#include "horae/core/codec.hpp"
#include "program.hpp"

namespace horae::test::eqds_test {
namespace {

constexpr double line = 100e9;
/// On the wire, with preamble, gap, and the four bytes of the announcement.
constexpr double full_packet = 4096 + 62 + 4 + 20 + 16 * 0;

/// NICs 0 to 8 on one leaf. Start credits are 12 packets, near a bandwidth-delay product.
struct Star : Workplace {
  explicit Star(const std::string& flows) {
    write("star.toml", R"([platform]
name = "star"
[sim]
duration = "50 ms"
stop = "finished"
[nic]
kind = "rnic"
transport = "spray_sr"
mtu = "4 KiB"
tx_latency = "0 ns"
rx_latency = "0 ns"
nack_delay = "0 ns"
nack_reaction = "0 ns"
ack_traffic_class = 7
reliability = { window = 4096, ack_every = 1, rto = "200 us" }
congestion = { algorithm = "eqds", eqds = { start_credit = "49152 B", pull_share = 0.99 } }
[switch]
kind = "switch"
latency = "0 ns"
[leaf_spine]
leaves = 1
spines = 1
hosts_per_leaf = 9
host = "nic"
leaf = "switch"
spine = "switch"
[link_default]
rate = "100 Gbps"
delay = "1 us"
[[traffic]]
kind = "flow_list"
file = "flows.txt"
)");
    write("flows.txt", flows);
  }
  Ended run(const Words& settings, const Words& more = {}) const {
    Words words = with_settings({"run", "star.toml", "--json", "--no-progress"}, settings);
    words.insert(words.end(), more.begin(), more.end());
    return test::run(*this, words);
  }
  ordered_json results(const Words& settings) const {
    const Ended ended = run(settings);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.json()["verdict"], "complete");
    return ended.json()["results"];
  }
};

double value(const ordered_json& results, const char* name) {
  return results.at(name).at("value").get<double>();
}

/// `n` flows of so many packets from NICs 1 to n to NIC 0, at time 0.
std::string incast(int n, int packets) {
  std::string text = fmt::format("{}\n", n);
  for (int i = 1; i <= n; ++i) text += fmt::format("{} 0 3 {} {} 0\n", i, i, packets * 4096);
  return text;
}

double us(double packets, double share) { return packets * full_packet * 8 / line / share * 1e6; }

// At half of the line credit never piles up: all but the start credit goes at the pace of pulls.
TEST(EqdsPlatform, OneSenderHasTheShareThatIsPulled) {
  const Star star(incast(1, 600));
  const auto r = star.results({"nic.congestion.eqds.pull_share=0.5"});
  // The first pull leaves when the first packet has arrived, and its packet takes a round trip.
  const double first = 2 + 2 * us(1, 1), round_trip = 4 + 4 * us(1, 1);
  EXPECT_NEAR(value(r, "fct.max"), first + round_trip + us(588, 0.5), 1.5);
  EXPECT_EQ(value(r, "receivers.pulls_sent"), 588);
  EXPECT_EQ(value(r, "senders.retransmitted_timeout"), 0);
}

TEST(EqdsPlatform, TheRateIsTheLineTimes99Percent) {
  const Star star(incast(1, 4000));
  const auto r = star.results({"nic.congestion.eqds.start_credit=4096B"});
  // A start credit of one packet: another one per pull, and never more than pulls let go.
  EXPECT_NEAR(value(r, "fct.max"), us(4000, 0.99), 10);
  EXPECT_GT(value(r, "fct.max"), us(4000, 0.99));
}

TEST(EqdsPlatform, SendersShareEvenly) {
  for (const int n : {2, 5, 8}) {
    const Star star(incast(n, 400));
    const auto r = star.results({});
    // Start credits go at the line's rate, all the rest is pulled in turn.
    EXPECT_NEAR(value(r, "fct.max"), us(n * 400, 0.99), 14) << n;
    EXPECT_NEAR(value(r, "flows.fct_p50"), value(r, "fct.max"), us(3 * n, 0.99)) << n;
  }
}

// Eight into one: beyond the start credits the queue at the receiver does not grow, so that a limit
// of as much drops nothing, however long it lasts. A fixed window of as much fills it no less.
TEST(EqdsPlatform, AnIncastQueuesTheStartCreditsAndNoMore) {
  const Star star(incast(8, 500));
  const auto limit = [](double packets) {
    return fmt::format("switch.queue_limit={}B", static_cast<int>(packets * 4170));
  };
  EXPECT_EQ(value(star.results({limit(8 * 12)}), "senders.timeouts"), 0);
  EXPECT_GT(value(star.results({limit(8 * 12 * 0.7)}), "senders.timeouts"), 0);
}

// With switches that trim all that is cut is pulled again, and no timer runs out.
TEST(EqdsPlatform, TrimmedPacketsArePulledAgain) {
  const Star star(incast(8, 200));
  const auto r = star.results({"switch.queue_limit=40KB", "switch.trim=64B"});
  EXPECT_GT(value(r, "senders.retransmitted_trimmed"), 30);
  EXPECT_EQ(value(r, "senders.timeouts"), 0);
  EXPECT_NEAR(value(r, "receivers.pulls_sent"),
              8 * (200 - 12) + value(r, "senders.retransmitted_trimmed"), 16);
}

// Without trimming, timers recover: of packets that are lost, and where pulls are.
TEST(EqdsPlatform, LostPacketsAndPullsDelayButDoNotStopIt) {
  const Star star(incast(3, 200));
  const auto r = star.results({"link_default.loss=0.02"});
  EXPECT_GT(value(r, "senders.retransmitted_timeout"), 10);
  EXPECT_EQ(value(r, "fct.completed"), 3);
}

TEST(EqdsPlatform, MessagesOneByOneFindTheStartCreditAgain) {
  // Each begins when the one before it is over.
  const Star star("3\n1 0 3 1 40000 0\n1 0 3 2 40000 0.001\n1 0 3 3 40000 0.002\n");
  const auto r = star.results({});
  EXPECT_EQ(value(r, "receivers.pulls_sent"), 0) << "less than the start credit";
  EXPECT_NEAR(value(r, "fct.max"), value(r, "fct.p50"), 1e-6);
}

TEST(EqdsPlatform, CapturesShowPullsAndAnnouncements) {
  const Star star(incast(1, 40));
  const Ended ended = star.run({}, {"--out", "o", "--pcap", "leaf0:0"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  capture::CaptureReader reader((star.path() / "o/ports/leaf0_0.pcap").string());
  std::size_t pulls = 0, data = 0;
  std::uint32_t granted = 0;
  for (capture::CapturedFrame f; reader.next(f);) {
    const RoceFrame frame = decode(f.bytes);
    EXPECT_TRUE(frame.icrc_valid);
    const Packet p = packet_of(frame, {});
    if (p.opcode == Opcode::pull) {
      ++pulls;
      granted += 4096;
      EXPECT_EQ(p.msn, granted);
      EXPECT_EQ(frame_bytes(frame), 66_B);
    } else if (p.is_data()) {
      ++data;
      ASSERT_GE(frame.payload.size(), 4u);
      const std::uint32_t needed = std::uint32_t{frame.payload[0]} << 24 | frame.payload[1] << 16 |
                                   frame.payload[2] << 8 | frame.payload[3];
      EXPECT_EQ(needed, 28u * 4096);
    }
  }
  EXPECT_EQ(pulls, 28u);
  EXPECT_EQ(data, 40u);
}

TEST(EqdsPlatform, HowItIsRunDoesNotShow) {
  const Star star(incast(8, 60));
  for (const Words& network : {Words{"switch.queue_limit=40KB", "switch.trim=64B"},
                               Words{"switch.queue_limit=90KB", "link_default.loss=0.01"}}) {
    const auto results = [&](const std::string& how) {
      Words settings = network;
      settings.push_back(how);
      return star.results(settings).dump(1);
    };
    const std::string windowed = results("sim.window=1us");
    EXPECT_EQ(results("sim.window=137ns"), windowed);
    EXPECT_EQ(results("sim.scheduling=exact_wake"), windowed);
  }
}

TEST(EqdsPlatform, IsRefusedWithTransportsThatKnowNoSinglePackets) {
  const Star star(incast(1, 10));
  const Ended ended = star.run({"nic.transport=irn"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_NE(ended.err.find("algorithm = 'eqds' grants single packets, which transport = 'irn' does "
                           "not know; expected 'spray_sr'"),
            std::string::npos)
      << ended.err;
  EXPECT_EQ(ended.err.find('\n'), ended.err.size() - 1) << ended.err;
}

}  // namespace
}  // namespace horae::test::eqds_test
