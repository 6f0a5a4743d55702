// The traffic manager as a part: who is admitted and marked, and what is free when. How it behaves
// in a chip is in traffic_manager_test.cpp.
#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "fabric_parts.hpp"
#include "horae/tofino/traffic_manager.hpp"

namespace horae::tofino::admission_test {
namespace {

using fabric::DropCause;

// A traffic manager of two ports whose wires are always free: what is served is just taken out.
struct Queues {
  explicit Queues(const ChipConfig& config)
      : device("device", context, 2), manager(config, RandomStream(1, "test.red")) {
    for (unsigned i = 0; i < 2; ++i) manager.add_port(device.tx(i));
  }
  Packet& packet(std::uint16_t frame, std::uint8_t traffic_class = 0) {
    Packet& p = packets.emplace_back();
    p.id = packets.size() - 1;
    p.frame = frame;
    p.traffic_class = traffic_class;
    p.ecn = Ecn::ect0;
    return p;
  }
  // Why a packet was refused; nothing if it is queued.
  std::optional<DropCause> put(Packet& p, unsigned port = 0, Picoseconds t = 0_ps) {
    const auto refusal = manager.admit<false>(p, port, 0, t);
    if (!refusal) manager.join<false>(p, port, 0, t);
    return refusal;
  }
  std::optional<DropCause> put_own(Packet& p, unsigned queue) {
    const auto refusal = manager.admit<true>(p, 0, queue, 0_ps);
    if (!refusal) manager.join<true>(p, 0, queue, 0_ps);
    return refusal;
  }
  // The packets that leave a port, by id.
  std::vector<std::uint64_t> serve(unsigned port = 0) {
    std::vector<std::uint64_t> ids;
    manager.serve<false>(port, 1_us, [&](Packet& p, Picoseconds) { ids.push_back(p.id); });
    return ids;
  }

  fabric::sim_context context;
  test::probe device;
  std::deque<Packet> packets;  // they outlive the queues that link them
  TrafficManager manager;
};

TEST(Admission, APacketHoldsItsCellsUntilItIsServed) {
  Queues q({});
  EXPECT_FALSE(q.put(q.packet(177)));
  EXPECT_FALSE(q.put(q.packet(64), 1));
  EXPECT_EQ(q.manager.buffer().used(), 3);
  EXPECT_EQ(q.manager.packets(), 2u);
  EXPECT_EQ(q.serve(0), std::vector<std::uint64_t>{0});
  EXPECT_EQ(q.manager.buffer().used(), 1);
  EXPECT_EQ(q.serve(1), std::vector<std::uint64_t>{1});
  EXPECT_EQ(q.manager.buffer().used(), 0);
  EXPECT_EQ(q.manager.buffer().most_used(), 3);
  EXPECT_EQ(q.manager.packets(), 0u);
}

TEST(Admission, AFullBufferRefusesWhateverTheWay) {
  ChipConfig config;
  config.cells = 3;
  config.queues_per_port = 16;
  Queues q(config);
  EXPECT_FALSE(q.put(q.packet(352)));
  EXPECT_EQ(q.put(q.packet(177)), DropCause::buffer_full);
  EXPECT_EQ(q.put_own(q.packet(177), 9), DropCause::buffer_full);
  EXPECT_EQ(q.manager.admit_to_loopback(q.packet(177), 0_ps), DropCause::buffer_full);
  EXPECT_EQ(q.manager.buffer().used(), 2);  // what is refused takes nothing
  EXPECT_EQ(q.manager.admit_to_loopback(q.packet(176), 0_ps), std::nullopt);
  EXPECT_EQ(q.put(q.packet(64), 1), DropCause::buffer_full);
  EXPECT_EQ(q.manager.counters().dropped_buffer, 4u);
  EXPECT_EQ(q.manager.counters().dropped_queue, 0u);
  EXPECT_EQ(q.manager.buffer().used(), 3);
}

TEST(Admission, ALimitIsThatOfAPortAndAllOfItsQueues) {
  ChipConfig config;
  config.queue_limit = 1000_B;
  config.queues_per_port = 16;
  Queues q(config);
  EXPECT_FALSE(q.put(q.packet(400, 3)));
  EXPECT_FALSE(q.put_own(q.packet(400), 9));
  EXPECT_EQ(q.put(q.packet(201)), DropCause::queue_full);
  EXPECT_FALSE(q.put(q.packet(200)));
  EXPECT_EQ(q.put_own(q.packet(64), 10), DropCause::queue_full);
  EXPECT_FALSE(q.put(q.packet(64), 1));  // another port
  EXPECT_EQ(q.manager.counters().dropped_queue, 2u);
  EXPECT_EQ(q.manager.counters().dropped_buffer, 0u);
}

// A packet is marked by what is in the queue that it joins, and if it joins.
TEST(Admission, MarksByTheDepthOfItsOwnQueue) {
  ChipConfig config;
  config.queues_per_port = 16;
  config.ecn_kmin = config.ecn_kmax = 300_B;
  config.ecn_pmax = 1.0;
  config.queue_limit = 2000_B;
  Queues q(config);
  Packet& first = q.packet(400, 2);
  Packet& behind = q.packet(400, 2);
  Packet& other_class = q.packet(400, 1);
  Packet& own = q.packet(400, 2);
  Packet& behind_own = q.packet(400, 2);
  Packet& refused = q.packet(400, 2);
  q.put(first);
  q.put(behind);
  q.put(other_class);
  q.put_own(own, 8);
  q.put_own(behind_own, 8);
  EXPECT_EQ(q.put(refused), DropCause::queue_full);
  EXPECT_EQ(first.ecn, Ecn::ect0);
  EXPECT_EQ(behind.ecn, Ecn::ce);
  EXPECT_EQ(other_class.ecn, Ecn::ect0);
  EXPECT_EQ(own.ecn, Ecn::ect0);
  EXPECT_EQ(behind_own.ecn, Ecn::ce);
  EXPECT_EQ(refused.ecn, Ecn::ect0);
  EXPECT_EQ(q.manager.counters().marked, 2u);
}

TEST(Admission, AHeldQueueKeepsWhatItHas) {
  ChipConfig config;
  config.queues_per_port = 16;
  Queues q(config);
  q.manager.hold(0, 9);
  q.put_own(q.packet(176), 9);
  q.put(q.packet(176));
  EXPECT_EQ(q.serve(), std::vector<std::uint64_t>{1});
  EXPECT_EQ(q.manager.buffer().used(), 1);
  q.manager.release(0, 9, 0_ps);
  EXPECT_EQ(q.serve(), std::vector<std::uint64_t>{0});
  EXPECT_EQ(q.manager.counters().holds, 1u);
  EXPECT_EQ(q.manager.counters().releases, 1u);
}

TEST(Admission, APausedClassWaits) {
  Queues q({});
  q.put(q.packet(64, 3));
  q.put(q.packet(64, 1));
  q.manager.pause(0, 3);
  EXPECT_EQ(q.serve(), std::vector<std::uint64_t>{1});
  q.manager.resume(0, 3, 500_ns);
  EXPECT_EQ(q.manager.port(0).next_start(), 500_ns);
  EXPECT_EQ(q.serve(), std::vector<std::uint64_t>{0});
}

TEST(Admission, ProgramsHaveTheQueuesBehindThoseOfTheClasses) {
  ChipConfig config;
  config.queues_per_port = 16;
  const Queues q(config);
  EXPECT_FALSE(q.manager.is_own_queue(0, 7));
  EXPECT_TRUE(q.manager.is_own_queue(0, 8));
  EXPECT_TRUE(q.manager.is_own_queue(1, 15));
  EXPECT_FALSE(q.manager.is_own_queue(1, 16));
  EXPECT_FALSE(q.manager.is_own_queue(2, 8));
}

}  // namespace
}  // namespace horae::tofino::admission_test
