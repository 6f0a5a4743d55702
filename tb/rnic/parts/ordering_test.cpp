// An ordering engine in the NIC: what it says on the wire, when, and what it holds.
#include <gtest/gtest.h>

#include "host_parts.hpp"
#include "nic_parts.hpp"

namespace horae::rnic::ordering_test {
namespace {

using policy::OrderingAnswer;
using policy::OrderingPacket;
using policy::WriteLast;
using test::Connection;
using test::NicAndPeer;
using test::peer;
using test::TappedPair;

RnicConfig with_engine(const std::string& engine) {
  RnicConfig config = test::odd_latencies();
  config.transport = "go_back_n";
  config.reliability.ack_every = 1;
  config.reliability.ack_request_every = 0;
  config.ordering.engine = engine;
  return config;
}

/// Tracks as the ideal engine does, and says that each packet took so many clocks.
class Slow final : public policy::OrderingEngine {
 public:
  explicit Slow(std::uint32_t cycles) : cycles_(cycles) {}
  OrderingAnswer on_packet(const OrderingPacket& packet) override {
    OrderingAnswer answer = ideal_->on_packet(packet);
    answer.ops.cycles = cycles_;
    return answer;
  }
  void close(policy::ConnectionId connection) override { ideal_->close(connection); }
  policy::OrderingMemory memory() const override { return ideal_->memory(); }
  Bytes provided(std::uint32_t connections) const override { return ideal_->provided(connections); }

 private:
  std::uint32_t cycles_;
  std::unique_ptr<policy::OrderingEngine> ideal_ =
      policy::make_ordering_engine({.engine = "ideal"});
};

/// Responses at the peer: "ack 4", "sack 2 of 5", "nack 2".
std::vector<std::string> responses(const peer& far) {
  std::vector<std::string> out;
  for (const auto& seen : far.seen) {
    const Packet& p = seen.packet;
    if (p.opcode != Opcode::acknowledge) continue;
    if (syndrome::is_sack(p.syndrome)) {
      out.push_back(fmt::format("sack {} of {}", p.psn.value(), (p.psn + p.bth_reserved).value()));
    } else {
      out.push_back(fmt::format("{} {}", p.is_nack() ? "nack" : "ack",
                                p.is_nack() ? p.psn.value() : (p.psn + 1).value()));
    }
  }
  return out;
}

TEST(Ordering, AcksSacksAndNacksSayWhatBecameOfAPacket) {
  fabric::sim_context context;
  RnicConfig config = with_engine("static");
  config.ordering.parameters.of<policy::BitmapReach>().bits = 8;
  NicAndPeer n(context, config);
  n.queue_pair(nullptr);
  Picoseconds t = 1_us;
  for (const std::uint32_t psn : {0u, 2u, 3u, 9u, 10u, 1u, 9u}) n.far->data(t += 1_us, psn);
  test::run_on(context, 100_us);
  const std::vector<std::string> expected = {"ack 1",  "sack 1 of 2", "sack 1 of 3",
                                             "nack 1", "ack 4",       "sack 4 of 9"};
  EXPECT_EQ(responses(*n.far), expected);
  const RnicCounters& c = n.nic->counters();
  EXPECT_EQ(c.acks_sent, 2u);
  EXPECT_EQ(c.sacks_sent, 3u);
  EXPECT_EQ(c.nacks_sent, 1u);
  EXPECT_EQ(c.rejected[static_cast<std::size_t>(policy::Rejection::reach)], 2u);
  EXPECT_EQ(c.discarded, 2u);
  EXPECT_EQ(c.delivered_bytes, 5u * 1024);
  for (const auto& seen : n.far->seen)
    EXPECT_EQ(seen.packet.frame, syndrome::is_sack(seen.packet.syndrome) ? 70 : 66);
}

TEST(Ordering, DataCarriesTheFirstPsnAndMarksTheLastPacketPosted) {
  fabric::sim_context context;
  NicAndPeer n(context, with_engine("ideal"));
  n.queue_pair(test::messages(2500_B, 2));
  test::run_on(context, 20_us);
  std::vector<bool> last;
  for (const auto& seen : n.far->seen) {
    const Packet& p = seen.packet;
    EXPECT_EQ(p.msn, 0u);  // its queue pair begins with PSN 0
    EXPECT_EQ(p.frame, frame_bytes(p.opcode, Bytes(p.payload)).count() + 4);
    last.push_back((p.bth_reserved >> 14 & 1) != 0);
  }
  EXPECT_EQ(last, (std::vector<bool>{false, false, false, false, false, true}));
}

TEST(Ordering, ASackRecoversNothingAndANackGoesBack) {
  for (const bool nack : {false, true}) {
    const std::string seen = test::in_child([&] {
      fabric::sim_context context;
      RnicConfig config = with_engine("ideal");
      config.reliability.rto = 1_ms;
      NicAndPeer n(context, config);
      n.queue_pair(test::messages(4096_B));
      Packet p;
      n.far->nack(n.response_known_at(30_us), 1);
      if (!nack) {
        // The same acknowledgement as a SACK of PSN 3.
        n.far->make_last_shot([](Packet& shot) {
          shot.syndrome = syndrome::sack;
          shot.bth_reserved = 2;
        });
      }
      test::run_on(context, 100_us);
      EXPECT_EQ(n.nic->counters().sacks_received, nack ? 0u : 1u);
      EXPECT_EQ(n.nic->queue_pair(0).sender().unacked(), 3u);
      return fmt::format("{}", fmt::join(n.far->psns_seen(), " "));
    });
    EXPECT_EQ(seen, nack ? "0 1 2 3 1 2 3" : "0 1 2 3");
  }
}

TEST(Ordering, TheEngineIsOneServerAtItsClock) {
  // Two packets arrive closer together than the engine needs for one.
  const auto acks_at = [](std::uint32_t cycles) {
    return test::in_child([cycles] {
      fabric::sim_context context;
      RnicConfig config = with_engine("ideal");
      config.ordering.clock = Hertz(250'000'000);
      NicAndPeer n(context, config);
      n.nic->set_ordering(std::make_unique<Slow>(cycles));
      n.queue_pair(nullptr);
      n.far->data(1_us, 0);
      n.far->data(1_us, 1);
      test::run_on(context, 100_us);
      EXPECT_EQ(n.nic->counters().ordering_cycles, 2u * cycles);
      return fmt::format("{} {} {}", n.far->seen.at(0).at.count(), n.far->seen.at(1).at.count(),
                         n.nic->counters().ordering_wait.count());
    });
  };
  const auto numbers = [](const std::string& text) {
    std::int64_t a = 0, b = 0, c = 0;
    EXPECT_EQ(std::sscanf(text.c_str(), "%ld %ld %ld", &a, &b, &c), 3);
    return std::array{a, b, c};
  };
  const auto at_once = numbers(acks_at(0));
  const auto slow = numbers(acks_at(50));
  const std::int64_t work = 50 * 4000;  // ps
  const std::int64_t apart = test::wire_time(Opcode::write_middle, 1024_B).count();
  EXPECT_EQ(at_once[2], 0);
  EXPECT_EQ(slow[0] - at_once[0], work);
  EXPECT_EQ(slow[2], work - apart);
  EXPECT_EQ(slow[1] - at_once[1], 2 * work - apart);
}

TEST(Ordering, AHeldWriteCostsOneRoundTrip) {
  const auto completion = [](WriteLast write_last) {
    return std::stoll(test::in_child([write_last] {
      fabric::sim_context context;
      RnicConfig config = with_engine("ideal");
      config.ordering.write_last = write_last;
      test::NicPair pair(context, config);
      test::connect_queue_pairs(*pair.a, *pair.b, Connection{.a_to_b = test::messages(4096_B)});
      test::run_on(context, 100_us);
      EXPECT_TRUE(pair.a->finished());
      return std::to_string(pair.a->queue_pair(0).progress().last_completion.count());
    }));
  };
  const RnicConfig c = with_engine("ideal");
  // From the last bit of the last but one to the first bit of the last.
  const Picoseconds round_trip =
      test::one_way(c, test::odd_link) + test::ack_return(c, test::odd_link);
  EXPECT_EQ(completion(WriteLast::sender) - completion(WriteLast::immediate), round_trip.count());
  EXPECT_EQ(completion(WriteLast::receiver), completion(WriteLast::immediate));
}

TEST(Ordering, AWritesLastPacketOutOfOrderIsCopiedWhenAllIsThere) {
  const auto written = [](WriteLast write_last, bool in_order) {
    return std::stoll(test::in_child([write_last, in_order] {
      fabric::sim_context context;
      RnicConfig config = with_engine("ideal");
      config.host = HostModel::pcie;
      config.ordering.write_last = write_last;
      NicAndPeer n(context, config);
      n.queue_pair(nullptr);
      n.far->data(in_order ? 1_us : 5_us, 0, Opcode::write_first);
      n.far->data(in_order ? 5_us : 1_us, 1, Opcode::write_last);
      test::run_on(context, 100_us);
      const bool held = write_last == WriteLast::receiver && !in_order;
      EXPECT_EQ(n.nic->counters().writes_held, held ? 1u : 0u);
      EXPECT_EQ(n.nic->counters().delivered_bytes, 2048u);
      return std::to_string(n.nic->queue_pair(0).written_until.count());
    }));
  };
  EXPECT_EQ(written(WriteLast::receiver, true), written(WriteLast::immediate, true));
  // A read of host memory and a write more, one after the other.
  const RnicConfig config;
  EXPECT_GT(written(WriteLast::receiver, false) - written(WriteLast::immediate, false),
            config.memory.round_trip.value.count());
}

/// Behind PCIe with an engine that takes `cycles` of 1 ns for each packet.
RnicConfig slow_behind_pcie(WriteLast write_last) {
  RnicConfig config = test::with_host();
  config.transport = "go_back_n";
  config.reliability.ack_every = 1;
  config.reliability.ack_request_every = 0;
  config.ordering.engine = "ideal";
  config.ordering.write_last = write_last;
  config.ordering.clock = Hertz(1'000'000'000);
  return config;
}

TEST(Ordering, PayloadIsWrittenWhenTheEngineIsDoneWithIt) {
  // The engine takes 2 us for each of two packets that come one behind the other.
  fabric::sim_context context;
  const RnicConfig config = slow_behind_pcie(WriteLast::immediate);
  NicAndPeer n(context, config);
  n.nic->set_ordering(std::make_unique<Slow>(2000));
  n.queue_pair(nullptr);
  n.far->data(1_us, 0);
  n.far->data(1_us, 1);
  test::run_on(context, 100_us);
  const Picoseconds arrived =
      1_us + test::wire_time(Opcode::write_middle, 1024_B) + n.link.delay + config.rx_latency;
  const test::HostTimes host(config);
  EXPECT_EQ(n.nic->queue_pair(0).written_until,
            arrived + 4_us + host.write_time(1024_B) + host.write_latency());
}

TEST(Ordering, RequestsThatComeWhileTheEngineWorksGoFirst) {
  // The NIC sends a message while the engine works on what it has received: its doorbell, WQEs and
  // payload reach the link long before the payload that was received is written.
  fabric::sim_context context;
  const RnicConfig config = slow_behind_pcie(WriteLast::receiver);
  NicAndPeer n(context, config), alone(context, config, test::odd_link, 1);
  n.nic->set_ordering(std::make_unique<Slow>(20'000));
  for (NicAndPeer* const line : {&n, &alone}) {
    line->queue_pair(test::messages(4096_B, 1, 10_us));
    line->queue_pair(nullptr);
  }
  n.far->data(1_us, 1, Opcode::write_last, false, 1);
  n.far->data(1_us, 0, Opcode::write_first, false, 1);
  test::run_on(context, 200_us);
  EXPECT_EQ(test::decisions(n), test::decisions(alone));
  EXPECT_EQ(n.nic->counters().writes_held, 1u);
  EXPECT_EQ(n.nic->counters().delivered_bytes, 2048u);
}

TEST(Ordering, ACopyIsAReadAndAWriteOneAfterTheOther) {
  fabric::sim_context context;
  const RnicConfig config = slow_behind_pcie(WriteLast::receiver);
  NicAndPeer n(context, config);
  n.nic->set_ordering(std::make_unique<Slow>(2000));
  n.queue_pair(nullptr);
  // Two messages of two packets; the first packet comes last of all.
  n.far->data(1_us, 1, Opcode::write_last);
  n.far->data(1_us, 2, Opcode::write_first);
  n.far->data(1_us, 3, Opcode::write_last);
  n.far->data(1_us, 0, Opcode::write_first);
  test::run_on(context, 100_us);
  const Picoseconds arrived =
      1_us + test::wire_time(Opcode::write_middle, 1024_B) + n.link.delay + config.rx_latency;
  const test::HostTimes host(config);
  const Picoseconds write = host.write_time(1024_B) + host.write_latency();
  EXPECT_EQ(n.nic->counters().writes_held, 2u);
  EXPECT_EQ(n.nic->host()->counters().writes, 6u * 1024 / 256);
  EXPECT_EQ(n.nic->queue_pair(0).written_until,
            arrived + 8_us + write + (host.read(1024_B) + write) * 2);
}

TEST(Ordering, MessagesThatArriveLetOthersGoWhenTheirCopyIsInMemory) {
  // Two NICs; each message of b waits for one of a. What is copied is told of later, by a read and
  // a write.
  const auto posted = [](WriteLast write_last) {
    return std::stoll(test::in_child([write_last] {
      fabric::sim_context context;
      const RnicConfig config = slow_behind_pcie(write_last);
      NicAndPeer n(context, config);
      QueuePairConfig receiver;
      receiver.remote = Qpn(0x77);
      receiver.peer = peer::node;
      receiver.receive_packets = 2;
      receiver.exchange = 0;
      receiver.source = std::make_unique<traffic::ConstantSource>(
          traffic::ConstantSource::Config{.bytes = 64_B, .count = 1, .after = 1});
      n.nic->add_queue_pair(std::move(receiver));
      n.far->data(1_us, 1, Opcode::write_last);
      n.far->data(5_us, 0, Opcode::write_first);
      test::run_on(context, 100_us);
      EXPECT_EQ(test::decisions(n).size(), 1u);
      return std::to_string(test::decisions(n).at(0).count());
    }));
  };
  const test::HostTimes host(slow_behind_pcie(WriteLast::receiver));
  EXPECT_EQ(posted(WriteLast::receiver) - posted(WriteLast::immediate),
            (host.read(1024_B) + host.write_time(1024_B) + host.write_latency()).count());
}

TEST(Ordering, MemoryIsFollowedOverTime) {
  fabric::sim_context context;
  RnicConfig config = with_engine("eunomia");
  NicAndPeer n(context, config);
  n.queue_pair(nullptr);
  n.far->data(1_us, 0);
  n.far->data(11_us, 2);   // 48 + 3 bytes of metadata and one block
  n.far->data(31_us, 40);  // two more blocks
  test::run_on(context, 51_us);
  const Picoseconds way =
      n.link.delay + config.rx_latency + test::wire_time(Opcode::write_middle, 1024_B);
  const auto share = [&](Picoseconds from, Picoseconds to) {
    return static_cast<double>((to - from).count()) / 51e6;
  };
  const auto use = n.nic->ordering_use(51_us);
  EXPECT_EQ(use.most, Bytes(4 + 51 + 6));
  EXPECT_NEAR(use.mean_bitmap_bytes,
              2 * share(11_us + way, 31_us + way) + 6 * share(31_us + way, 51_us), 1e-9);
  EXPECT_NEAR(use.mean_bytes,
              use.mean_bitmap_bytes + 51 * share(11_us + way, 51_us) + 4 * share(1_us + way, 51_us),
              1e-9);
}

// An engine of a user's own comes before queue pairs do, and where there is an ordering layer.
TEST(OrderingEngine, IsReplacedBeforeThereAreQueuePairs) {
  fabric::sim_context context;
  NicAndPeer with(context, with_engine("ideal")),
      without(context, with_engine("none"), test::odd_link, 1);
  EXPECT_THROW(without.nic->set_ordering(std::make_unique<Slow>(1)), ModelError);
  EXPECT_NO_THROW(with.nic->set_ordering(std::make_unique<Slow>(1)));
  with.queue_pair(nullptr);
  EXPECT_THROW(with.nic->set_ordering(std::make_unique<Slow>(1)), ModelError);
}

}  // namespace
}  // namespace horae::rnic::ordering_test
