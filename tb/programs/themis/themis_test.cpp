// Themis-D: which NACKs may pass (packet-spraying paper 4.2 to 4.4 and 5).
#include "themis_parts.hpp"

namespace horae::programs::themis_test {
namespace {

using namespace test;

enum : std::uint8_t { made_nack = 2, made_signal = 3 };
constexpr unsigned back_port = 8;  // where responses to the far sender leave

// A receiver at port 0 whose sender is in another rack.
struct Destination : Tor {
  explicit Destination(const Setup& setup = {}, std::uint32_t first_psn = 0) : Tor(setup) {
    program->connect(connection(far_node, near_node, first_psn));
  }
  // Further requests of a data packet on its way to the NIC.
  std::optional<MirrorRequest> arrives(std::uint32_t psn) {
    const Outcome o = egress(data(far_node, near_node, psn), near_port);
    EXPECT_EQ(o.verdict, Verdict::undecided) << psn;  // data always goes on
    return o.copy;
  }
  void arrive(std::initializer_list<std::uint32_t> psns) {
    for (const auto psn : psns) EXPECT_FALSE(arrives(psn).has_value()) << psn;
  }
  bool nack_passes(std::uint32_t psn) {
    const Outcome o = egress(nack(near_node, far_node, psn), back_port);
    EXPECT_FALSE(o.copy.has_value());
    return !o.dropped();
  }
  void acked(std::uint32_t psn) {
    EXPECT_TRUE(egress(ack(near_node, far_node, psn), back_port).passes());
  }
  std::vector<std::uint64_t> counts() const {
    return {count("nacks_valid"), count("nacks_invalid"), count("nacks_stashed"),
            count("nacks_validated_later"), count("paths_signalled")};
  }
};
using Counts = std::vector<std::uint64_t>;

// Packets 0, 1, 3 arrive and 3 makes the NIC ask for 2, which overtakes the NACK at the switch.
// Then 6 arrives, which came by the path of 4.
TEST(Themis, Figure6) {
  Destination tor({.paths = 2});
  tor.arrive({0, 1, 3, 2});
  EXPECT_FALSE(tor.nack_passes(2));
  EXPECT_EQ(tor.counts(), (Counts{0, 1, 0, 0, 0}));
  tor.arrive({6});
  EXPECT_TRUE(tor.nack_passes(4));
  EXPECT_EQ(tor.counts(), (Counts{1, 1, 0, 0, 0}));
}

// Packet 1 makes the NIC ask for 0, of which nothing can be said until 2 arrives.
TEST(Themis, Figure7) {
  Destination tor({.paths = 2});
  tor.arrive({1});
  EXPECT_FALSE(tor.nack_passes(0));
  EXPECT_EQ(tor.counts(), (Counts{0, 0, 1, 0, 0}));
  const auto copy = tor.arrives(2);
  ASSERT_TRUE(copy.has_value());
  EXPECT_EQ(copy->egress_port, back_port);
  EXPECT_EQ(copy->type, made_nack);
  EXPECT_EQ(copy->header[0], 0u);
  EXPECT_EQ(copy->header[1], 0x55u);
  EXPECT_EQ(tor.counts(), (Counts{0, 0, 1, 1, 0}));
  EXPECT_FALSE(tor.arrives(4).has_value());  // once
}

TEST(Themis, ANackForADeliveredPacketIsDropped) {
  Destination tor;
  tor.arrive({0, 2, 3, 1, 5, 9});
  for (const std::uint32_t psn : {0u, 1u, 2u, 3u}) EXPECT_FALSE(tor.nack_passes(psn)) << psn;
  EXPECT_EQ(tor.counts(), (Counts{0, 4, 0, 0, 0}));
}

// Only a later packet, and only of the same path, shows that one is lost.
TEST(Themis, ALaterPacketOfThePathShowsALoss) {
  for (std::uint32_t later = 1; later < 13; ++later) {
    Destination tor;
    tor.arrive({later});
    EXPECT_EQ(tor.nack_passes(0), later % 4 == 0) << later;
    EXPECT_EQ(tor.count("nacks_valid"), later % 4 == 0 ? 1u : 0u);
    EXPECT_EQ(tor.count("nacks_stashed"), later % 4 == 0 ? 0u : 1u);
  }
  Destination forgets({.more = "lazy_dropping = false"});  // without a stash a NACK is lost
  forgets.arrive({1});
  EXPECT_FALSE(forgets.nack_passes(0));
  EXPECT_EQ(forgets.count("nacks_given_up"), 1u);
  Destination tor;  // earlier ones do not
  tor.arrive({0, 1, 2, 3, 4, 5, 6, 7, 9});
  EXPECT_FALSE(tor.nack_passes(8));
  EXPECT_EQ(tor.count("nacks_stashed"), 1u);
}

// "-infinity", wherever the PSNs begin.
TEST(Themis, NothingHasArrivedAtFirst) {
  for (const std::uint32_t first : {0u, 32u, 0x800000u, 0xfffff0u}) {
    for (std::uint32_t later = 1; later <= 4; ++later) {
      Destination tor({}, first);
      tor.arrive({(first + later) & 0xffffff});
      EXPECT_EQ(tor.nack_passes(first), later == 4) << first << ' ' << later;
    }
  }
}

TEST(Themis, TheKeptPacketSettlesItSilently) {
  Destination tor;
  tor.arrive({1});
  EXPECT_FALSE(tor.nack_passes(0));
  tor.arrive({2, 3, 5, 6, 7});  // other paths say nothing
  tor.arrive({0});
  tor.arrive({4, 8, 12});  // it is settled: later ones ask for nothing
  EXPECT_EQ(tor.counts(), (Counts{0, 0, 1, 0, 0}));
}

TEST(Themis, ALaterNackTakesThePlaceOfTheKeptOne) {
  Destination tor;
  tor.arrive({1});
  EXPECT_FALSE(tor.nack_passes(0));
  tor.arrive({0, 3});
  EXPECT_FALSE(tor.nack_passes(2));
  tor.arrive({4, 5, 7});  // path of 0, which is of no interest any more
  const auto copy = tor.arrives(6);
  ASSERT_TRUE(copy.has_value());
  EXPECT_EQ(copy->header[0], 2u);
  EXPECT_EQ(tor.counts(), (Counts{0, 0, 2, 1, 0}));
}

TEST(Themis, TheMadeNackIsOneOfTheReceiver) {
  Destination tor({.ooo_threshold = 4});
  Packet last = data(far_node, near_node, 4);
  last.traffic_class = 3;
  last.opcode = Opcode::write_last;
  last.ack_request = true;
  last.ecn = Ecn::ce;
  last.retransmission = true;
  last.msn = 5;
  for (const bool signal : {false, true}) {
    const Outcome o = tor.copied(last, {.egress_port = back_port,
                                        .type = signal ? made_signal : made_nack,
                                        .header = {0xfffffe, 0x123456}});
    EXPECT_TRUE(o.passes());
    const Packet& p = o.packet;
    EXPECT_TRUE(p.is_nack());
    EXPECT_EQ(p.opcode, Opcode::acknowledge);
    EXPECT_EQ(p.syndrome, syndrome::nak_psn_sequence);
    EXPECT_EQ(p.src, near_node);
    EXPECT_EQ(p.dst, far_node);
    EXPECT_EQ(p.psn, Psn(0xfffffe));
    EXPECT_EQ(p.dest_qp, Qpn(0x123456));
    EXPECT_EQ(p.msn, 0u);  // no message of this number is acknowledged
    EXPECT_EQ(p.payload, 0);
    EXPECT_EQ(p.frame, frame_bytes(Opcode::acknowledge, 0_B).count());
    EXPECT_EQ(p.ack_request, signal);  // the reserved bit of a path avoidance signal
    EXPECT_NE(p.ecn, Ecn::ce);
    EXPECT_FALSE(p.retransmission);
  }
  EXPECT_EQ(tor.counts(), (Counts{0, 0, 0, 0, 0}));  // no queue pair's data passed
}

// From PSN - SePSN above OOO_THRESHOLD, whatever the path.
TEST(Themis, TooFarBehindIsSignalled) {
  Destination tor({.window = 64, .ooo_threshold = 9});
  tor.arrive({1});
  EXPECT_FALSE(tor.nack_passes(0));
  tor.arrive({2, 3, 5, 6, 7, 9});
  const auto copy = tor.arrives(10);
  ASSERT_TRUE(copy.has_value());
  EXPECT_EQ(copy->type, made_signal);
  EXPECT_EQ(copy->egress_port, back_port);
  EXPECT_EQ(copy->header[0], 0u);
  EXPECT_EQ(copy->header[1], 0x55u);
  EXPECT_EQ(tor.counts(), (Counts{0, 0, 1, 0, 1}));
  tor.arrive({11, 13, 4, 8});  // once
}

TEST(Themis, AThresholdNotReachedIsNoSignal) {
  Destination tor({.window = 64, .ooo_threshold = 9});
  tor.arrive({11, 1, 2, 3});  // far ahead, but nothing is asked for
  EXPECT_FALSE(tor.nack_passes(0));
  tor.arrive({5, 6, 7, 9});
  tor.arrive({0, 14, 15, 13});  // nor any more
  EXPECT_EQ(tor.counts(), (Counts{0, 0, 1, 0, 0}));
}

TEST(Themis, QueuePairsDoNotMix) {
  Destination tor;
  tor.program->connect({far_other, near_node, Qpn(0x55), Qpn(0x77), 0xc001, Psn(0)});
  tor.program->connect({far_node, near_node, Qpn(0x56), Qpn(0x78), 0xc001, Psn(0)});
  tor.arrive({0, 1, 4});
  EXPECT_TRUE(tor.egress(nack(near_node, far_other, 0), back_port).dropped());
  EXPECT_EQ(tor.counts(), (Counts{0, 0, 1, 0, 0}));
  Packet other_qp = nack(near_node, far_node, 1);
  other_qp.dest_qp = Qpn(0x56);
  EXPECT_TRUE(tor.egress(other_qp, 9).dropped());
  EXPECT_EQ(tor.counts(), (Counts{0, 0, 2, 0, 0}));
  tor.arrive({5, 8, 9});
  Packet later = data(far_node, near_node, 5);
  later.dest_qp = Qpn(0x78);
  const auto copy = tor.egress(later, near_port).copy;
  ASSERT_TRUE(copy.has_value());
  EXPECT_EQ(copy->egress_port, 9u);
  EXPECT_EQ(copy->header[0], 1u);
  EXPECT_EQ(copy->header[1], 0x56u);
}

// Everything passes for unknown queue pairs, and without its half.
TEST(Themis, UnknownQueuePairsPass) {
  for (const bool without : {false, true}) {
    Tor tor({.destination = !without});
    if (without) tor.program->connect(connection(far_node, near_node));
    for (const std::uint32_t psn : {0u, 5u, 1u}) {
      EXPECT_TRUE(tor.egress(data(far_node, near_node, psn), near_port).passes());
      EXPECT_TRUE(tor.egress(nack(near_node, far_node, psn), back_port).passes());
      EXPECT_TRUE(tor.egress(ack(near_node, far_node, psn), back_port).passes());
    }
  }
}

}  // namespace
}  // namespace horae::programs::themis_test
