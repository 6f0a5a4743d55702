// Copies as a part: what they take over, and what becomes of their headers.
#include "horae/tofino/mirror_copies.hpp"

#include <gtest/gtest.h>

#include "horae/core/telemetry.hpp"

namespace horae::tofino::mirror_copies_test {
namespace {

using dataplane::Gress;
using dataplane::MirrorHeader;
using dataplane::Pass;

constexpr MirrorHeader header = {1, 2, 3, 4};

struct Copied {
  Packet& copy(const dataplane::MirrorRequest& request) {
    Pass pass(original, {0, Gress::ingress}, 0, 0, 1_us);
    pass.mirror(request);
    return copies.make(pool, pass, 2_us);
  }
  // The header that the copy's egress pass sees.
  MirrorHeader seen(Packet& p) {
    Pass pass(p, {0, Gress::egress}, 1, 0, 3_us);
    copies.take_header(p, pass);
    return pass.mirror_header();
  }

  Packet original;
  fabric::PacketPool pool;
  MirrorCopies copies;
};

TEST(MirrorCopies, ACopyIsThePacketAsItLeavesThePass) {
  Copied c;
  c.original.id = 77;
  c.original.frame = 1000;
  c.original.traffic_class = 2;
  c.original.dst = 9;
  c.original.metadata = 5;
  const Packet& whole = c.copy({.egress_port = 1, .type = 3, .metadata = 6});
  EXPECT_EQ(whole.dst, 9u);
  EXPECT_EQ(whole.frame, 1000);
  EXPECT_EQ(whole.traffic_class, 2);
  EXPECT_EQ(whole.mirror_type, 3);
  EXPECT_EQ(whole.metadata, 6);
  EXPECT_EQ(whole.created, 2_us);
  const Packet& cut = c.copy({.egress_port = 1, .type = 1, .length = 80, .traffic_class = 7});
  EXPECT_EQ(cut.frame, 80);
  EXPECT_EQ(cut.traffic_class, 7);
  const Packet& longer = c.copy({.egress_port = 1, .type = 1, .length = 2000});
  EXPECT_EQ(longer.frame, 1000);
  EXPECT_EQ(c.copies.made(), 3u);
  EXPECT_EQ(c.pool.created(), 3u);
}

// An acknowledgement that a program sends on as a copy still says what its receiver reported. Found
// by random platforms: a sender took the first packet of its window, which was lost, for one that
// had arrived.
TEST(MirrorCopies, ACopyBringsTheFeedbackOfItsPacket) {
  fabric::PacketPool pool;
  pool.carry_feedback();
  MirrorCopies copies;
  Packet& original = pool.create();
  Feedback& said = feedback_of(original);
  said.marked = true;
  said.sent = 7_us;
  said.report.bits = 64;
  said.report.cause = Psn(5);
  said.report.set(3);
  Pass pass(original, {0, Gress::egress}, 0, 0, 1_us);
  pass.mirror({.egress_port = 1, .type = 1});
  const Feedback& heard = feedback_of(copies.make(pool, pass, 2_us));
  EXPECT_TRUE(heard.marked);
  EXPECT_EQ(heard.sent, 7_us);
  EXPECT_EQ(heard.report.bits, 64);
  EXPECT_EQ(heard.report.cause, Psn(5));
  EXPECT_TRUE(heard.report.test(3));
}

TEST(MirrorCopies, EachHasANumberThatNoNodeGives) {
  Copied c;
  const Packet& first = c.copy({.egress_port = 1, .type = 1});
  const Packet& second = c.copy({.egress_port = 1, .type = 1});
  EXPECT_EQ(first.id, std::uint64_t{0xffffff} << 40);
  EXPECT_EQ(second.id, first.id + 1);
}

TEST(MirrorCopies, AHeaderIsTakenOnceByItsCopy) {
  Copied c;
  Packet& copy = c.copy({.egress_port = 1, .type = 1, .header = header});
  Packet& other = c.copy({.egress_port = 1, .type = 1, .header = {9, 9, 9, 9}});
  EXPECT_EQ(c.seen(c.original), MirrorHeader{});
  EXPECT_EQ(c.seen(copy), header);
  EXPECT_EQ(c.seen(copy), MirrorHeader{});
  EXPECT_EQ(c.copies.with_header(), 1u);
  c.copies.forget(other);
  EXPECT_EQ(c.copies.with_header(), 0u);
  EXPECT_EQ(c.seen(other), MirrorHeader{});
}

}  // namespace
}  // namespace horae::tofino::mirror_copies_test
