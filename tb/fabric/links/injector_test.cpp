// Which packets an injection harms: by ordinal, by PSN and iteration, by queue pair and kind.
#include "horae/fabric/ports/injector.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace horae::fabric::injector_test {
namespace {

Packet data(std::uint32_t psn, std::uint32_t qp = 7) {
  Packet p;
  p.src = 1;
  p.dst = 2;
  p.dest_qp = Qpn(qp);
  p.psn = Psn(psn);
  p.opcode = Opcode::write_middle;
  return p;
}

/// Which of the packets are dropped, by their places from 1.
std::vector<std::size_t> dropped(Injector& injector, const std::vector<Packet>& packets) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < packets.size(); ++i) {
    const auto harm =
        injector.meet(packets[i], Picoseconds(static_cast<std::int64_t>(i)), [](auto) {});
    if (harm.drop) out.push_back(i + 1);
  }
  return out;
}

std::vector<Packet> row_of(std::uint32_t count, std::uint32_t qp = 7) {
  std::vector<Packet> out;
  for (std::uint32_t psn = 0; psn < count; ++psn) out.push_back(data(psn, qp));
  return out;
}

TEST(Injector, TakesPacketsByTheirOrdinal) {
  Injector injector;
  injector.add(3, {.packet = 2, .count = 3, .every = 4});
  EXPECT_EQ(dropped(injector, row_of(20)), (std::vector<std::size_t>{2, 6, 10}));
  const auto met = injector.met();
  ASSERT_EQ(met.size(), 1u);
  EXPECT_EQ(met[0].number, 3u);
  EXPECT_EQ(met[0].packets, 3u);
  EXPECT_EQ(met[0].first, 1_ps);
}

TEST(Injector, CountsEachQueuePairApart) {
  Injector injector;
  injector.add(0, {.packet = 2});
  EXPECT_EQ(dropped(injector, {data(0, 7), data(0, 8), data(1, 8), data(1, 7), data(2, 7)}),
            (std::vector<std::size_t>{3, 4}));
}

TEST(Injector, TakesAPsnAtItsIteration) {
  Injector injector;
  injector.add(0, {.psn = 4, .iteration = 2});
  EXPECT_EQ(dropped(injector, {data(3), data(4), data(5), data(4), data(4), data(5)}),
            (std::vector<std::size_t>{4}));
}

TEST(Injector, PsnsWrap) {
  Injector injector;
  injector.add(0, {.psn = 0xffffff, .count = 2});
  EXPECT_EQ(dropped(injector, {data(0xfffffe), data(0xffffff), data(0), data(1)}),
            (std::vector<std::size_t>{2, 3}));
}

TEST(Injector, TakesTheStreamsAndTheKindThatItNames) {
  Injector injector;
  injector.add(0, {.packets = Injection::Packets::nacks, .streams = {{1, 2, 9}, {1, 2, 8}}});
  Packet nack = data(5, 8);
  nack.opcode = Opcode::acknowledge;
  nack.syndrome = syndrome::nak_psn_sequence;
  Packet ack = nack, cnp = nack, other = nack;
  ack.syndrome = syndrome::ack;
  cnp.opcode = Opcode::cnp;
  other.dest_qp = Qpn(7);
  EXPECT_EQ(dropped(injector, {data(5, 8), ack, cnp, other, nack, nack}),
            (std::vector<std::size_t>{5}));
}

TEST(Injector, AddsWhatSeveralDo) {
  Injector injector;
  injector.add(0, {.action = Injection::Action::delay, .delay = 3_us});
  injector.add(1, {.action = Injection::Action::delay, .delay = 2_us});
  injector.add(2, {.action = Injection::Action::mark});
  injector.add(3, {.action = Injection::Action::duplicate, .delay = 1_us});
  injector.add(4, {.action = Injection::Action::corrupt, .packet = 2});
  std::vector<Injection::Action> told;
  const auto first = injector.meet(data(0), 0_ps, [&](auto action) { told.push_back(action); });
  EXPECT_EQ(first.delay, 5_us);
  EXPECT_TRUE(first.mark);
  EXPECT_EQ(first.copy, 1_us);
  EXPECT_FALSE(first.drop || first.corrupt);
  EXPECT_EQ(told.size(), 4u);
  const auto second = injector.meet(data(1), 0_ps, [](auto) {});
  EXPECT_TRUE(second.corrupt);
  EXPECT_FALSE(second.mark || second.copy || second.delay > 0_ps);
}

TEST(Injector, OnceItIsOverNothingIsAChance) {
  Injector injector;
  injector.add(0, {.packet = 3});
  dropped(injector, row_of(3));
  EXPECT_EQ(injector.chances(), 3u);
  dropped(injector, row_of(3));
  EXPECT_EQ(injector.chances(), 3u);
}

}  // namespace
}  // namespace horae::fabric::injector_test
