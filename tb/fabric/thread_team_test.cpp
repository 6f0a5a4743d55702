// Threads that run the devices of one simulation.
#include "horae/fabric/threads/thread_team.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "fabric_parts.hpp"

namespace horae::fabric::thread_team_test {
namespace {

using test::link_of;
using test::outcome_in_child;
using test::probe;

TEST(MeetingPoint, NobodyIsARoundAhead) {
  constexpr unsigned threads = 3;
  constexpr int rounds = 2000;
  MeetingPoint point(threads);
  std::atomic<int> in_round{0};
  std::atomic<bool> ahead{false};
  const auto walk = [&] {
    for (int round = 0; round < rounds; ++round) {
      ++in_round;
      point.meet();
      if (in_round.load() != static_cast<int>(threads) * (round + 1)) ahead = true;
      point.meet();
    }
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i) others.emplace_back(walk);
  walk();
  for (auto& t : others) t.join();
  EXPECT_FALSE(ahead);
}

/// Says which thread ran it, and fails if it is told to.
class running final : public device {
 public:
  running(sc_core::sc_module_name name, sim_context& context, Picoseconds fails = never)
      : device(name, context, 1), fails_(fails) {}
  std::set<std::thread::id> by;

 protected:
  void begin() override {
    for (int i = 0; i < 20; ++i) schedule(1_us * (i + 1), device_events, 0, 0);
  }
  void handle(const Event& e) override {
    by.insert(std::this_thread::get_id());
    if (e.time >= fails_) throw ModelError(std::string(name()) + " fails");
  }

 private:
  Picoseconds fails_;
};

TEST(ThreadTeam, EachDeviceHasOneThreadAndSystemcsHasWhatStays) {
  sim_context context({.threads = {.count = 2, .from = 0}});
  std::vector<std::unique_ptr<running>> all;
  for (int i = 0; i < 8; ++i)
    all.push_back(std::make_unique<running>(("d" + std::to_string(i)).c_str(), context));
  for (std::size_t i = 0; i < 8; i += 2)
    connect(*all[i], 0, *all[i + 1], 0, link_of(100_Gbps, 1_us));
  all[3]->stay_with_kernel();
  all[6]->stay_with_kernel();
  context.clock.run_to(30_us);
  std::set<std::thread::id> threads;
  std::size_t here = 0;
  for (const auto& d : all) {
    ASSERT_EQ(d->by.size(), 1u) << d->name();
    threads.insert(d->by.begin(), d->by.end());
    here += *d->by.begin() == std::this_thread::get_id() ? 1 : 0;
  }
  EXPECT_EQ(threads.size(), 2u);
  EXPECT_EQ(here, 4u);  // half of them, those that stay included
  for (const std::size_t stays : {3u, 6u})
    EXPECT_EQ(*all[stays]->by.begin(), std::this_thread::get_id());
}

// Each window has one event of each device, or none.
TEST(ThreadTeam, MeetsWhereThereIsWorkEnough) {
  for (const auto& [from, threads] : {std::pair(4u, 2u), std::pair(5u, 1u)}) {
    EXPECT_EQ(outcome_in_child([&] {
                sim_context context({.threads = {.count = 2, .from = from}});
                running a("a", context), b("b", context), c("c", context), d("d", context);
                connect(a, 0, b, 0, link_of(100_Gbps, 1_us));
                connect(c, 0, d, 0, link_of(100_Gbps, 1_us));
                context.clock.run_to(30_us);
                std::set<std::thread::id> all;
                for (const auto* one : {&a, &b, &c, &d}) all.insert(one->by.begin(), one->by.end());
                EXPECT_EQ(all.size(), threads);
              }),
              "accepted");
  }
}

TEST(ThreadTeam, ThereIsNoneWithOneThreadOrExactWakes) {
  for (const time_config& time :
       {time_config{.threads = {.count = 1, .from = 0}},
        time_config{.mode = scheduling::exact_wake, .threads = {.count = 4, .from = 0}}}) {
    EXPECT_EQ(outcome_in_child([&] {
                sim_context context(time);
                running a("a", context), b("b", context);
                connect(a, 0, b, 0, link_of(100_Gbps, 1_us));
                context.clock.run_to(30_us);
                EXPECT_EQ(context.clock.team(), nullptr);
                EXPECT_EQ(a.by, b.by);
              }),
              "accepted");
  }
}

// One thread runs the last constructed first.
TEST(ThreadTeam, OfSeveralFailuresOneThreadsIsTold) {
  for (const unsigned threads : {1u, 2u, 4u}) {
    for (int again = 0; again < 3; ++again) {
      EXPECT_EQ(outcome_in_child([&] {
                  sim_context context({.threads = {.count = threads, .from = 0}});
                  running a("a", context, 5_us), b("b", context, 5_us), c("c", context, 5_us),
                      d("d", context);
                  connect(a, 0, b, 0, link_of(100_Gbps, 1_us));
                  connect(c, 0, d, 0, link_of(100_Gbps, 1_us));
                  context.clock.run_to(30_us);
                }),
                "ModelError: c fails")
          << threads;
    }
  }
}

// All packets begin in one lane and end in the other: free memory goes back.
TEST(ThreadTeam, PacketsThatEndElsewhereTakeNoNewMemory) {
  PacketPool from, to;
  std::set<Packet*> places;
  for (int round = 0; round < 50; ++round) {
    for (std::size_t i = 0; i < 4 * PacketPool::block_size; ++i) {
      Packet& p = from.create();
      places.insert(&p);
      to.deliver(p);
    }
    to.give_places(from, to.free_places() / 2);
  }
  PacketCounts sum = from.counts();
  sum += to.counts();
  EXPECT_EQ(sum.created, 50u * 4 * PacketPool::block_size);
  EXPECT_EQ(sum.outstanding, 0u);
  EXPECT_EQ(sum.live(), 0u);
  EXPECT_LE(places.size(), 8 * PacketPool::block_size);

  sim_context context({.threads = {.count = 2, .from = 0}});
  probe a("a", context), b("b", context);
  connect(a, 0, b, 0, link_of(100_Gbps, 1_us));
  for (int i = 0; i < 20'000; ++i) a.send({.at = 10_ns * i, .frame = 64_B});
  b.stay_with_kernel();
  context.clock.run_to(1_ms);
  EXPECT_EQ(b.arrivals.size(), 20'000u);
  const PacketCounts packets = context.packets();
  EXPECT_EQ(packets.created, 20'000u);
  EXPECT_EQ(packets.delivered, 20'000u);
  EXPECT_EQ(packets.outstanding, 0u);
}

}  // namespace
}  // namespace horae::fabric::thread_team_test
