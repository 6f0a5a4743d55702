// Shortest remaining processing time: the queue against its definition, and a switch that has it.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "fabric_parts.hpp"
#include "horae/core/random.hpp"
#include "horae/fabric/devices/output_queued_switch.hpp"
#include "horae/fabric/ports/srpt_queue.hpp"

namespace horae::fabric::srpt_test {
namespace {

using test::in_child;
using test::link_of;
using test::probe;

Packet packet(std::uint64_t id, NodeId src, std::uint32_t qp, std::uint16_t remaining) {
  Packet p;
  p.id = id;
  p.src = src;
  p.dst = 7;
  p.dest_qp = Qpn(qp);
  p.bth_reserved = remaining;
  return p;
}

// The rule as it is written: a scan of everything that is queued.
class Definition {
 public:
  void push(Packet& p) { queued_.push_back(&p); }
  Packet& pop() {
    const auto least = std::min_element(queued_.begin(), queued_.end(), [](auto* a, auto* b) {
      return (a->bth_reserved & remaining_mask) < (b->bth_reserved & remaining_mask);
    });
    const auto flow = [](const Packet& p) { return std::tuple(p.src, p.dst, p.dest_qp.value()); };
    const auto first = std::find_if(queued_.begin(), queued_.end(),
                                    [&](auto* p) { return flow(*p) == flow(**least); });
    Packet& p = **first;
    queued_.erase(first);
    return p;
  }
  bool empty() const { return queued_.empty(); }

 private:
  std::deque<Packet*> queued_;
};

// Eunomia's: what was sent last goes first, so a flow that waits leaves in reverse.
TEST(SrptQueue, ByPacketTheLeastRemainingGoesWhateverItsFlow) {
  SrptQueue queue;
  queue.serve(RemainingOrder::packet);
  std::deque<Packet> packets;
  std::uint64_t id = 0;
  // Three packets of a flow, two of another, one that ties with it and came later.
  for (const auto& [src, remaining] : std::vector<std::pair<NodeId, std::uint16_t>>{
           {1, 30}, {1, 29}, {1, 28}, {2, 29}, {2, 2}, {3, 2}}) {
    packets.push_back(packet(id++, src, 0, remaining));
    queue.push(packets.back());
  }
  std::vector<std::uint64_t> order;
  while (!queue.empty()) order.push_back(queue.pop().id);
  EXPECT_EQ(order, (std::vector<std::uint64_t>{4, 5, 2, 1, 3, 0}));
  EXPECT_EQ(queue.size(), 0u);
}

// Flows whose numbers fall, rise (sent again) and tie, that end and come back; queues that are
// nearly empty and ones that are never, where what left out of turn must not pile up.
TEST(SrptQueue, DoesWhatItsDefinitionSays) {
  for (const std::uint32_t depth : {3u, 40u, 600u}) {
    RandomStream random(1, "srpt" + std::to_string(depth));
    std::deque<Packet> packets;
    SrptQueue queue;
    Definition definition;
    std::size_t size = 0;
    for (std::uint64_t i = 0; i < 6000; ++i) {
      if (size < depth && (size == 0 || random.below(8) < 5)) {
        const NodeId src = random.below(60);
        const auto high = static_cast<std::uint16_t>(random.below(2) << 14);  // another's bit
        packets.push_back(packet(i, src, random.below(3),
                                 static_cast<std::uint16_t>(high | (1 + random.below(50)))));
        // The two hold the packet in different ways; only the queue uses its hook.
        queue.push(packets.back());
        definition.push(packets.back());
        ++size;
      } else {
        ASSERT_EQ(queue.pop().id, definition.pop().id) << i;
        --size;
      }
      ASSERT_EQ(queue.size(), size);
      ASSERT_EQ(queue.empty(), size == 0);
    }
    while (!queue.empty()) ASSERT_EQ(queue.pop().id, definition.pop().id);
    EXPECT_TRUE(definition.empty());
  }
}

TEST(SrptQueue, WithoutNumbersItIsAFifo) {
  std::vector<Packet> packets;
  for (std::uint64_t i = 0; i < 100; ++i) {
    packets.push_back(packet(i, static_cast<NodeId>(i * 7 % 11), 0, 0));
  }
  SrptQueue queue;
  for (auto& p : packets) queue.push(p);
  for (std::uint64_t i = 0; i < 100; ++i) ASSERT_EQ(queue.pop().id, i);
}

// A switch whose port 3 is busy with a long frame while the rest comes in.
std::string order(QueueSchedule schedule, Bytes buffer) {
  return in_child([&] {
    sim_context context;
    output_queued_switch sw("sw", context, {.ports = 4, .buffer = buffer, .schedule = schedule});
    std::vector<std::unique_ptr<probe>> probes;
    for (unsigned i = 0; i < 4; ++i) {
      probes.push_back(std::make_unique<probe>(("p" + std::to_string(i)).c_str(), context, 1, i));
      connect(sw, i, *probes[i], 0, link_of(100_Gbps, 500_ns));
    }
    sw.routes().set(3, {3});
    probes[0]->send({.at = 0_ps, .dst = 3, .frame = 9000_B, .remaining = 1});
    // A flow of three with 9, 8, 7 left, one of two with 8, 2 left, an acknowledgement at last, and
    // a packet of a higher class with much left.
    for (int i = 0; i < 3; ++i) {
      probes[1]->send({.at = 810_ns + 20_ns * i,
                       .dst = 3,
                       .frame = 64_B,
                       .entropy = static_cast<std::uint16_t>(10 + i),
                       .remaining = static_cast<std::uint16_t>(9 - i)});
    }
    for (int i = 0; i < 2; ++i) {
      probes[2]->send({.at = 815_ns + 20_ns * i,
                       .dst = 3,
                       .frame = 64_B,
                       .entropy = static_cast<std::uint16_t>(20 + i),
                       .remaining = static_cast<std::uint16_t>(8 - 6 * i)});
    }
    probes[2]->send(
        {.at = 870_ns, .dst = 3, .frame = 64_B, .entropy = 30, .opcode = Opcode::acknowledge});
    probes[1]->send({.at = 880_ns,
                     .dst = 3,
                     .frame = 64_B,
                     .traffic_class = 1,
                     .entropy = 40,
                     .remaining = 500});
    context.clock.run_to(20_us);
    std::string text;
    for (const auto& a : probes[3]->arrivals) text += std::to_string(a.entropy) + " ";
    return text;
  });
}

TEST(Srpt, ASwitchSendsTheShortestFlowFirstAndAcknowledgementsBeforeIt) {
  for (const Bytes buffer : {0_B, 1'000'000_B}) {  // started lazily, and by events
    EXPECT_EQ(order(QueueSchedule::fifo, buffer), "0 40 10 20 11 21 12 30 ");
    EXPECT_EQ(order(QueueSchedule::srpt, buffer), "0 40 30 20 21 10 11 12 ");
  }
}

}  // namespace
}  // namespace horae::fabric::srpt_test
