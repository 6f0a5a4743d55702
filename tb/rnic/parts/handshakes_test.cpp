// TCP handshakes of NICs: segments of both ends, a switch in between that sends cookies.
#include "horae/rnic/parts/handshakes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <set>
#include <string>

#include "horae/core/codec/tcp_segment.hpp"
#include "horae/core/stats.hpp"
#include "nic_parts.hpp"

namespace horae::rnic {
namespace {

constexpr bool client = true, server = false, of_peer = true, of_switch = false;
constexpr std::size_t qp = 3;

TEST(Handshakes, SynSynAckAck) {
  Handshakes a, b;
  const TcpSegment syn = a.begin(qp);
  EXPECT_EQ(syn.flags, TcpSegment::syn);
  const auto syn_ack = b.receive(qp, server, syn, of_peer);
  ASSERT_TRUE(syn_ack.answer);
  EXPECT_EQ(syn_ack.answer->flags, TcpSegment::syn_ack);
  EXPECT_EQ(syn_ack.answer->acknowledgement, syn.sequence + 1);
  const auto ack = a.receive(qp, client, *syn_ack.answer, of_peer);
  EXPECT_TRUE(ack.connected);
  ASSERT_TRUE(ack.answer);
  EXPECT_EQ(ack.answer->flags, TcpSegment::ack);
  EXPECT_EQ(ack.answer->sequence, syn.sequence + 1);
  EXPECT_EQ(ack.answer->acknowledgement, syn_ack.answer->sequence + 1);
  EXPECT_FALSE(b.receive(qp, server, *ack.answer, of_peer).answer);
  // The same answer once more changes nothing.
  EXPECT_FALSE(a.receive(qp, client, *syn_ack.answer, of_peer).answer);
  EXPECT_EQ(a.counts().connected, 1u);
}

TEST(Handshakes, AfterACookieAndARstItBeginsAgain) {
  Handshakes a;
  const TcpSegment first = a.begin(qp);
  const TcpSegment cookie{TcpSegment::syn_ack, Psn(0xc00c1e), first.sequence + 1};
  const auto ack = a.receive(qp, client, cookie, of_switch);
  ASSERT_TRUE(ack.answer);
  EXPECT_EQ(ack.answer->acknowledgement, Psn(0xc00c1f));
  EXPECT_FALSE(ack.connected);
  EXPECT_TRUE(a.receive(qp, client, {TcpSegment::rst, Psn(0xc00c1f)}, of_switch).again);
  const TcpSegment second = a.begin(qp);
  EXPECT_EQ(a.attempts(qp), 2u);
  EXPECT_NE(second.sequence, first.sequence);
  // An answer to the first SYN is too late.
  EXPECT_FALSE(a.receive(qp, client, cookie, of_switch).answer);
  EXPECT_TRUE(
      a.receive(qp, client, {TcpSegment::syn_ack, Psn(9), second.sequence + 1}, of_peer).connected);
  EXPECT_EQ(a.counts().resets, 1u);
}

TEST(Handshakes, ARstThatAnswersNothingIsIgnored) {
  Handshakes a;
  a.begin(qp);
  EXPECT_FALSE(a.receive(qp, client, {TcpSegment::rst, Psn(1)}, of_peer).again);
  EXPECT_EQ(a.counts().resets, 0u);
}

// An answer to one attempt of one queue pair does not answer another. A SYN takes a sequence number
// (RFC 9293, 3.4), so that the next one is its attempt's as well.
TEST(Handshakes, EveryAttemptHasANumberOfItsOwn) {
  Handshakes a;
  std::set<std::uint32_t> numbers;
  for (std::size_t i = 0; i < 64; ++i) {
    for (int attempt = 0; attempt < 20; ++attempt) {
      const Psn initial = a.begin(i).sequence;
      EXPECT_TRUE(numbers.insert(initial.value()).second) << i << " " << attempt;
      EXPECT_TRUE(numbers.insert((initial + 1).value()).second) << i << " " << attempt;
    }
  }
}

// The SYN goes when the first message is due, or a lead before that, and again when nobody answers.
void asks_at(std::optional<Picoseconds> lead, Picoseconds due, Picoseconds at) {
  const std::string done = test::in_child([&]() -> std::string {
    RnicConfig config = test::odd_latencies();
    config.handshake = true;
    config.handshake_lead = lead;
    fabric::sim_context context;
    test::NicAndPeer line(context, config);
    line.queue_pair(test::messages(1024_B, 1, due));
    test::run_on(context, at + Handshakes::retry + 10_us);
    const auto& seen = line.far->seen;
    EXPECT_EQ(seen.size(), 2u);
    for (std::size_t i = 0; i < seen.size(); ++i) {
      EXPECT_EQ(seen[i].packet.opcode, Opcode::none);
      EXPECT_EQ(TcpSegment::of(seen[i].packet).flags, TcpSegment::syn);
      EXPECT_EQ(line.decided(seen[i]), at + Handshakes::retry * static_cast<std::int64_t>(i));
    }
    return "done";
  });
  EXPECT_EQ(done, "done");
}
// Whoever is connected asks no more, and sends.
TEST(Handshakes, AConnectionIsMadeOnce) {
  RnicConfig config = test::odd_latencies();
  config.handshake = true;
  fabric::sim_context context;
  test::NicPair pair(context, config);
  test::connect_queue_pairs(*pair.a, *pair.b, {.a_to_b = test::messages(4_KiB)});
  test::run_on(context, Handshakes::retry * 3 + 1_ms);
  EXPECT_TRUE(pair.a->finished());
  EXPECT_EQ(pair.b->counters().delivered_bytes, 4096u);
  StatTree of_a, of_b;
  pair.a->statistics(of_a);
  pair.b->statistics(of_b);
  const auto segments = [](const StatTree& tree) {
    std::string out;
    tree.for_each([&](const std::string& name, double number, const std::string&) {
      if (name.starts_with("handshakes.segments")) out += std::to_string(std::lround(number)) + " ";
    });
    return out;
  };
  EXPECT_EQ(segments(of_a), "2 1 ");  // SYN and ACK for a SYN-ACK
  EXPECT_EQ(segments(of_b), "1 2 ");
}

TEST(Handshakes, BeginWhenTheFirstMessageIsDue) { asks_at({}, 10'000'007_ps, 10'000'007_ps); }
TEST(Handshakes, BeginALeadBeforeIt) { asks_at(3_us, 10'000'007_ps, 7'000'007_ps); }
TEST(Handshakes, BeginAtTheStartAtTheEarliest) { asks_at(30_us, 10_us, 0_ps); }

}  // namespace
}  // namespace horae::rnic
