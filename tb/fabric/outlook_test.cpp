// Events that can still happen to plain switches and links, whom queues wait for, and what is
// counted as an event.
#include "horae/fabric/outlook.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fabric_parts.hpp"
#include "horae/fabric/devices/output_queued_switch.hpp"
#include "horae/fabric/observer.hpp"
#include "horae/fabric/ports/pause_waits.hpp"

namespace horae::fabric::outlook_test {
namespace {

using test::in_child;
using test::link_of;
using test::probe;

constexpr Bytes frame = 1230_B;  // 100 ns at 100 Gbps
constexpr Picoseconds wire = 100_ns, delay = 1_us, nothing{-1};

/// A switch with a probe at each port, as node of the port's number.
struct Star {
  explicit Star(SwitchConfig config, const LinkConfig& link = link_of(100_Gbps, delay),
                observer* watcher = nullptr) {
    context.watcher = watcher;
    sw = std::make_unique<output_queued_switch>("sw", context, config);
    for (unsigned i = 0; i < config.ports; ++i) {
      hosts.push_back(std::make_unique<probe>(("h" + std::to_string(i)).c_str(), context, 1, i));
      connect(*hosts[i], 0, *sw, i, link);
      sw->routes().set(i, {static_cast<std::uint16_t>(i)});
    }
  }
  Outlook outlook() const {
    Outlook out;
    sw->add_outlook(out);
    return out;
  }
  sim_context context;
  std::unique_ptr<output_queued_switch> sw;
  std::vector<std::unique_ptr<probe>> hosts;
};

TEST(Outlook, AQueuesNextStartIsExpected) {
  Star s({.ports = 3, .latency = 0_ns});
  for (unsigned h : {0u, 1u}) {
    for (int i = 0; i < 2; ++i) s.hosts[h]->send({.at = 5_us, .dst = 2, .frame = frame});
  }
  s.context.clock.run_to(5_us);
  EXPECT_EQ(s.outlook().until, nothing);
  // Two packets have come and two are on their way; then three wait, the next for the first.
  const Picoseconds first = 5_us + wire + delay;
  s.context.clock.run_to(first + 1_ps);
  EXPECT_EQ(s.outlook().until, first + wire);
  s.context.clock.run_to(first + wire + 1_ps);
  EXPECT_EQ(s.outlook().until, first + wire * 2);
  s.context.clock.run_to(first + wire * 3 + 1_ps);
  EXPECT_EQ(s.outlook().until, nothing);
  EXPECT_EQ(s.sw->held(), 0u);
}

// A packet lost at random may come through another time; a link that loses all delivers none.
TEST(Outlook, RandomLossIsAChance) {
  for (const double loss : {0.5, 1.0}) {
    const std::string chances = in_child([&] {
      Star s({.ports = 2, .latency = 0_ns}, link_of(100_Gbps, delay, loss));
      for (int i = 0; i < 400; ++i) s.hosts[0]->send({.at = 5_us, .dst = 1, .frame = frame});
      s.context.clock.run_to(100_us);
      const auto& lost = s.sw->tx(1).counters().lost;
      EXPECT_EQ(lost > 0, loss < 1);  // with all lost none gets as far
      EXPECT_EQ(s.outlook().chances, lost);
      Outlook of_host;
      s.hosts[0]->add_outlook(of_host);
      EXPECT_EQ(of_host.chances, loss < 1 ? s.hosts[0]->tx(0).counters().lost : 0u);
      return std::to_string(of_host.chances > 0);
    });
    EXPECT_EQ(chances, loss < 1 ? "1" : "0");
  }
}

// Likewise bit errors.
TEST(Outlook, RandomBitErrorsAreAChance) {
  for (const double errors : {0.5, 1.0}) {
    const std::string chances = in_child([&] {
      LinkConfig link = link_of(100_Gbps, delay);
      link.bit_errors = errors;
      Star s({.ports = 2, .latency = 0_ns}, link);
      for (int i = 0; i < 100; ++i) s.hosts[0]->send({.at = 5_us, .dst = 1, .frame = frame});
      s.context.clock.run_to(100_us);
      const auto spoilt = s.hosts[0]->tx(0).counters().corrupted;
      EXPECT_GT(spoilt, 0u);
      Outlook of_host;
      s.hosts[0]->add_outlook(of_host);
      EXPECT_EQ(of_host.chances, errors < 1 ? spoilt : 0u);
      return std::string("done");
    });
    EXPECT_EQ(chances, "done");
  }
}

// A queue that a pause holds is no prospect, and says which sender is paused for its sake.
TEST(Outlook, APausedQueueWaits) {
  SwitchConfig config{.ports = 4, .latency = 0_ns, .buffer = 1'000'000_B};
  config.pfc = {.xoff = frame * 2, .xon = frame, .headroom = frame * 20};
  Star s(config);
  s.hosts[3]->send_pause({.at = 0_ps, .traffic_class = 2, .pause = true});
  for (int i = 0; i < 5; ++i)
    s.hosts[0]->send({.at = 5_us, .dst = 3, .frame = frame, .traffic_class = 2});
  s.hosts[1]->send({.at = 5_us, .dst = 3, .frame = frame, .traffic_class = 2});
  s.hosts[1]->send({.at = 5_us, .dst = 3, .frame = frame, .traffic_class = 1});
  s.context.clock.run_to(20_us);
  EXPECT_EQ(s.hosts[3]->arrivals.size(), 1u);
  EXPECT_EQ(s.outlook().until, nothing);
  PauseWaits waits;
  s.sw->add_waits(waits);
  const std::uint32_t self = s.sw->number();
  EXPECT_EQ(waits.held, (std::vector<PortClass>{{self, 3, 2}}));
  EXPECT_EQ(waits.kept_in,
            (std::vector<std::pair<PortClass, PortClass>>{{{self, 0, 2}, {self, 3, 2}}}));
}

// Arrivals alone, also with a buffer that ports share; but one more for each start where somebody
// watches, who is told of starts in their order.
TEST(Events, StartsAreEventsOnlyWhereSomebodyWatches) {
  for (const bool watched : {false, true}) {
    const std::string events = in_child([&] {
      observer watcher;
      Star s({.ports = 3, .latency = 0_ns, .buffer = 1'000'000_B}, link_of(100_Gbps, delay),
             watched ? &watcher : nullptr);
      for (unsigned h : {0u, 1u}) {
        for (int i = 0; i < 20; ++i) s.hosts[h]->send({.at = 5_us, .dst = 2, .frame = frame});
      }
      s.context.clock.run_to(100_us);
      EXPECT_EQ(s.hosts[0]->events_handled(), 20u);  // its shots
      EXPECT_EQ(s.hosts[2]->events_handled(), 40u);
      EXPECT_EQ(s.sw->counters().dropped, 0u);
      return std::to_string(s.sw->events_handled());
    });
    EXPECT_EQ(events, watched ? "80" : "40");
  }
}

TEST(TxCounters, AddAndSubtractEachOfTheirNumbers) {
  const TxCounters a{1, 20, 300, 4000, 50'000, 600'000}, b{2, 30, 400, 5000, 60'000, 700'000};
  TxCounters sum = a;
  sum += b;
  EXPECT_EQ(sum.packets, 3u);
  EXPECT_EQ(sum.frame_bytes, 50u);
  EXPECT_EQ(sum.lost, 700u);
  EXPECT_EQ(sum.cut, 9000u);
  EXPECT_EQ(sum.corrupted, 110'000u);
  EXPECT_EQ(sum.pauses, 1'300'000u);
  const TxCounters back = sum - b;
  EXPECT_EQ(back.packets, a.packets);
  EXPECT_EQ(back.frame_bytes, a.frame_bytes);
  EXPECT_EQ(back.lost, a.lost);
  EXPECT_EQ(back.cut, a.cut);
  EXPECT_EQ(back.corrupted, a.corrupted);
  EXPECT_EQ(back.pauses, a.pauses);
}

}  // namespace
}  // namespace horae::fabric::outlook_test
