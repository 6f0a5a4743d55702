// The ledger of packets.
#include "horae/fabric/packet_pool.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "horae/core/random.hpp"

namespace horae::fabric::packet_pool_test {
namespace {

void expect_balance(const PacketPool& pool, std::size_t held) {
  EXPECT_EQ(pool.live(), held);
  EXPECT_EQ(pool.outstanding(), held);
  EXPECT_EQ(pool.created(), pool.delivered() + pool.dropped() + pool.live());
}

TEST(PacketPool, BalancesAtEveryMoment) {
  PacketPool pool;
  RandomStream random(1, "pool");
  std::vector<Packet*> held;
  std::uint64_t created = 0, delivered = 0;
  std::array<std::uint64_t, drop_causes> dropped{};
  for (int i = 0; i < 20000; ++i) {
    if (held.empty() || random.below(2) == 0) {
      held.push_back(&pool.create());
      ++created;
    } else {
      std::swap(held[random.below(static_cast<std::uint32_t>(held.size()))], held.back());
      if (random.below(2) == 0) {
        pool.deliver(*held.back());
        ++delivered;
      } else {
        const auto cause = random.below(static_cast<std::uint32_t>(drop_causes));
        pool.drop(*held.back(), static_cast<DropCause>(cause));
        ++dropped[cause];
      }
      held.pop_back();
    }
    if (i % 100 == 0) expect_balance(pool, held.size());
  }
  expect_balance(pool, held.size());
  EXPECT_EQ(pool.created(), created);
  EXPECT_EQ(pool.delivered(), delivered);
  for (std::size_t c = 0; c < drop_causes; ++c) {
    EXPECT_EQ(pool.dropped(static_cast<DropCause>(c)), dropped[c]);
  }
}

TEST(PacketPool, LivePacketsAreDistinctAndAligned) {
  PacketPool pool;
  std::set<Packet*> live;
  for (int i = 0; i < 1000; ++i) {
    Packet& p = pool.create();
    EXPECT_TRUE(live.insert(&p).second);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&p) % 64, 0u);
  }
  expect_balance(pool, 1000);
}

TEST(PacketPool, ReusesAndResetsWhatCameBack) {
  PacketPool pool;
  Packet& first = pool.create();
  first.dst = 77;
  first.ecn = Ecn::ce;
  first.traffic_class = 5;
  first.retransmission = true;
  pool.drop(first, DropCause::program);
  Packet& second = pool.create();
  EXPECT_EQ(&second, &first);
  EXPECT_EQ(second.dst, 0u);
  EXPECT_EQ(second.ecn, Ecn::not_ect);
  EXPECT_EQ(second.traffic_class, 0);
  EXPECT_FALSE(second.retransmission);
  EXPECT_EQ(pool.created(), 2u);
  expect_balance(pool, 1);
}

// The ledger says one thing, the free list another: that is how a double release shows.
TEST(PacketPool, ADoubleReleaseShows) {
  PacketPool pool;
  pool.create();
  Packet& twice = pool.create();
  pool.deliver(twice);
  pool.drop(twice, DropCause::queue_full);
  pool.create();
  EXPECT_EQ(pool.live(), 1u);
  EXPECT_EQ(pool.outstanding(), 1u);
  EXPECT_EQ(&pool.create(), &twice);  // handed out twice: the reason why nobody may do this
}

TEST(PacketPool, PacketsGoOnInAnotherProcess) {
  PacketPool here, there;
  Packet& p = here.create();
  p.id = 7;
  p.dst = 3;
  Packet& copy = there.take_over(p);
  here.give_away(p);
  EXPECT_EQ(copy.id, 7u);
  EXPECT_EQ(copy.dst, 3u);
  EXPECT_EQ(here.live(), 0u);
  EXPECT_EQ(here.outstanding(), 0u);
  EXPECT_EQ(there.live(), 1u);
  EXPECT_EQ(there.outstanding(), 1u);
  there.deliver(copy);
  EXPECT_EQ(there.live(), 0u);
  EXPECT_EQ(here.created(), there.delivered());
  EXPECT_EQ(here.given_away(), there.taken_over());
}

TEST(PacketPool, FeedbackIsFreshWithEachPacketAndGoesWithIt) {
  PacketPool here, there;
  here.carry_feedback();
  there.carry_feedback();
  std::vector<Packet*> packets;
  for (unsigned i = 0; i < 600; ++i) {  // more than a block
    packets.push_back(&here.create());
    feedback_of(*packets.back()).sent = Picoseconds(i);
    feedback_of(*packets.back()).hops = 3;
  }
  for (unsigned i = 0; i < 600; ++i) EXPECT_EQ(feedback_of(*packets[i]).sent, Picoseconds(i));
  Packet& copy = there.take_over(*packets[77], &feedback_of(*packets[77]));
  EXPECT_EQ(feedback_of(copy).sent, 77_ps);
  EXPECT_EQ(feedback_of(copy).hops, 3);
  here.deliver(*packets[5]);
  EXPECT_EQ(feedback_of(here.create()).hops, 0);
}

TEST(PacketPool, FeedbackIsAskedForBeforeTheFirstPacket) {
  PacketPool pool;
  EXPECT_FALSE(pool.carries_feedback());
  pool.create();
  EXPECT_THROW(pool.carry_feedback(), ModelError);
}

TEST(PacketPool, EveryCauseHasItsOwnName) {
  std::set<std::string_view> names;
  for (std::size_t c = 0; c < drop_causes; ++c) {
    EXPECT_TRUE(names.insert(name_of(static_cast<DropCause>(c))).second);
  }
}

}  // namespace
}  // namespace horae::fabric::packet_pool_test
