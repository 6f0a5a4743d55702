// Counters of a NIC: differences and sums of all of them, and the parts of its report.
#include "horae/rnic/counters.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "horae/core/stats.hpp"
#include "horae/fabric/observer.hpp"
#include "horae/rnic/nic_observer.hpp"
#include "nic_parts.hpp"

namespace horae::rnic::counters_test {
namespace {

// They are numbers of 64 bits and nothing else, so that none can be forgotten here.
TEST(RnicCounters, AddAndSubtractEachOfTheirNumbers) {
  static_assert(std::is_trivially_copyable_v<RnicCounters>);
  using Numbers = std::array<std::int64_t, sizeof(RnicCounters) / 8>;
  Numbers a{}, b{};
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<std::int64_t>(100'000 + 7 * i);
    b[i] = static_cast<std::int64_t>(1 + i);
  }
  const auto x = std::bit_cast<RnicCounters>(a), y = std::bit_cast<RnicCounters>(b);
  const auto sum = std::bit_cast<Numbers>(x + y), difference = std::bit_cast<Numbers>(x - y);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(sum[i], a[i] + b[i]) << "number " << i;
    EXPECT_EQ(difference[i], a[i] - b[i]) << "number " << i;
  }
}

// Each class that queue pairs send in has its part; one class alone is the NIC's.
TEST(RnicStatistics, ClassesAreGroups) {
  const auto report = [](bool two) {
    return test::in_child([&] {
      fabric::sim_context context;
      test::NicAndPeer line(context, test::odd_latencies());
      for (const std::uint8_t c : {3, 5}) {
        QueuePairConfig config;
        config.remote = Qpn(0x77);
        config.peer = test::peer::node;
        config.traffic_class = two ? c : std::uint8_t{3};
        config.source = test::messages(Bytes(1024) * std::int64_t{c});
        line.nic->add_queue_pair(std::move(config));
      }
      context.clock.run_to(20_us);
      StatTree tree;
      line.nic->statistics(tree);
      std::string lines;
      tree.for_each([&](const std::string& name, double number, const std::string&) {
        if (name.starts_with("class") && name.ends_with(".sent"))
          lines += fmt::format("{} {} ", name, number);
      });
      return lines;
    });
  };
  EXPECT_EQ(report(true), "class3.sent 3 class5.sent 5 ");
  EXPECT_EQ(report(false), "");
}

struct Notes final : fabric::observer, nic_observer {
  void timed_out(const rnic&, std::size_t qp, Psn oldest, Picoseconds at) override {
    told += fmt::format("{} {} {} ", qp, oldest.value(), at.count());
  }
  void stepped(const rnic&, std::optional<std::size_t>, Picoseconds) override { ++steps; }
  std::string told;
  std::uint64_t steps = 0;
};

TEST(RnicWatchers, AreToldOfTimeouts) {
  RnicConfig config = test::odd_latencies();
  config.reliability.rto = 100_us;
  fabric::sim_context context;
  Notes notes;
  context.watcher = &notes;
  test::NicAndPeer line(context, config);
  line.nic->watch(&notes);
  line.queue_pair(nullptr);
  line.queue_pair(test::messages(Bytes(2048), 1, 1_us));
  line.far->ack(20_us, 1, 1);
  test::run_on(context, 150_us);
  // The timer of what is left runs from the acknowledgement on.
  const Picoseconds known = 20_us + test::ack_time() + line.link.delay + config.rx_latency;
  EXPECT_EQ(notes.told, fmt::format("1 1 {} ", (known + 100_us).count()));
  EXPECT_EQ(notes.steps, line.nic->events_handled());
}

// A simulation that is watched may have NICs that nobody watches closely.
TEST(RnicWatchers, AreNotNeeded) {
  fabric::sim_context context;
  Notes notes;
  context.watcher = &notes;
  test::NicPair pair(context, test::odd_latencies());
  test::connect_queue_pairs(*pair.a, *pair.b, {.a_to_b = test::messages(4_KiB)});
  context.clock.run_to(100_us);
  EXPECT_TRUE(pair.a->finished());
  EXPECT_EQ(notes.steps, 0u);
}

// Who has something to send, or waits for an acknowledgement, is among what is stuck.
TEST(RnicQueues, AreDescribedWhileThereIsWork) {
  fabric::sim_context context;
  test::NicAndPeer line(context, test::odd_latencies());
  line.queue_pair(nullptr);
  line.queue_pair(test::messages(2_KiB, 1, 1_us));
  line.queue_pair(test::messages(1_KiB, 1, 1_us));
  line.far->ack(20_us, 2, 1);
  context.clock.run_to(10_us);
  auto lines = line.nic->describe_queues();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_NE(lines[0].find("1 messages outstanding, 0 packets unsent, 2 unacknowledged"),
            std::string::npos)
      << lines[0];
  context.clock.run_to(30_us);
  lines = line.nic->describe_queues();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("0 packets unsent, 1 unacknowledged"), std::string::npos) << lines[0];
}

}  // namespace
}  // namespace horae::rnic::counters_test
