// Packets that a switch hands over before they start, and takes back when something overtakes them:
// exact_wake never does so, and both say the same at any time.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "fabric_parts.hpp"
#include "horae/core/random.hpp"
#include "horae/fabric/devices/output_queued_switch.hpp"

namespace horae::fabric::reserved_test {
namespace {

using test::in_child;
using test::link_of;
using test::probe;

constexpr unsigned senders = 3;

struct Case {
  unsigned classes = 1;
  unsigned pauses = 0;  ///< by the receiver, of random classes, each with its resume
  bool marks = false;
  Bytes queue_limit{};
  Bytes buffer{};
  const char* balance = "spray";
  bool drains = false;  ///< the port's queue is dropped now and then
  std::optional<Bytes> trim{};
};

// Three senders at 100 Gbps through a switch to two links of 100 Gbps.
struct Star {
  Star(sim_context& context, const Case& c, std::uint64_t seed)
      : random(seed, "reserved"),
        sw("sw", context,
           {.ports = senders + 2,
            .latency = 300_ns,
            .queue_limit = c.queue_limit,
            .buffer = c.buffer,
            .trim = c.trim,
            .red = c.marks ? RedConfig{.kmin = 5_KiB, .kmax = 30_KiB, .pmax = 0.5} : RedConfig{},
            .balance = c.balance}),
        sink("sink", context, 2, senders) {
    for (unsigned i = 0; i < senders; ++i) {
      from.push_back(std::make_unique<probe>(fmt::format("from{}", i).c_str(), context, 1, i));
      connect(*from[i], 0, sw, i, link_of(100_Gbps, 500_ns));
      plan(*from[i], c.classes);
    }
    for (const unsigned port : {0u, 1u})
      connect(sw, senders + port, sink, port, link_of(100_Gbps, 400_ns + 100_ns * port));
    sw.routes().set(senders, {senders, senders + 1});
    for (unsigned i = 0; i < c.pauses; ++i) {
      const Picoseconds at{random.below(60'000'000)};
      const unsigned port = random.below(2), of = random.below(c.classes);
      sink.send_pause({.at = at, .port = port, .traffic_class = of, .pause = true});
      sink.send_pause({.at = at + Picoseconds(random.below(3'000'000)),
                       .port = port,
                       .traffic_class = of,
                       .pause = false});
    }
  }

  void plan(probe& sender, unsigned classes) {
    Picoseconds at{};
    for (int i = 0; i < 300; ++i) {
      if (random.below(20) == 0) at = at + Picoseconds(random.below(5'000'000));
      at = at + Picoseconds(random.below(4) == 0 ? 0 : random.below(300'000));
      sender.send({.at = at,
                   .dst = senders,
                   .frame = Bytes(64 + random.below(1400)),
                   .traffic_class = static_cast<std::uint8_t>(random.below(classes))});
    }
  }

  std::string now(const sim_context& context) const {
    std::string text;
    for (const unsigned i : {senders, senders + 1}) {
      const TxCounters& c = sw.tx(i).counters();
      text +=
          fmt::format("{}/{}/{}/{}/{} ", c.packets, c.frame_bytes, sw.tx(i).busy_until().count(),
                      sw.port(i).depth().count(), sw.port(i).packets());
      for (unsigned q = 0; q < OutputPort::classes; ++q)
        text += fmt::format("{},", sw.port(i).depth(q).count());
    }
    return text + fmt::format("{} {} {} {} {} {} {}\n", sw.held(), sink.held(),
                              sw.buffered().count(), sw.most_buffered().count(),
                              sw.counters().dropped, sw.counters().marked, context.pool.live());
  }

  RandomStream random;
  output_queued_switch sw;
  probe sink;
  std::vector<std::unique_ptr<probe>> from;
};

std::string outcome(scheduling mode, const Case& c, std::uint64_t seed) {
  return in_child([&]() -> std::string {
    sim_context context({.mode = mode});
    Star star(context, c, seed);
    std::string text;
    unsigned reserved = 0;
    for (Picoseconds t = 1_us; t < 120_us; t = t + 1'234'567_ps) {
      context.clock.run_to(t);
      text += star.now(context);
      for (const unsigned port : {senders, senders + 1})
        reserved += star.sw.port(port).has_reserved() ? 1 : 0;
      if (c.drains && star.random.below(8) == 0) star.sw.drain(senders + star.random.below(2), t);
    }
    // With several classes packets mostly wait in queues.
    if (mode == scheduling::exact_wake) {
      EXPECT_EQ(reserved, 0u);
    } else if (c.classes == 1) {
      EXPECT_GT(reserved, 0u);
    }
    for (const auto& a : star.sink.arrivals) {
      text += fmt::format("{} {} {:x} {} {} {}\n", a.at.count(), a.port, a.id,
                          static_cast<int>(a.ecn), a.traffic_class, a.frame);
    }
    return text;
  });
}

TEST(Reserved, NobodySeesIt) {
  const Case cases[] = {
      {},
      {.classes = 3},
      {.pauses = 40},
      {.classes = 3, .pauses = 60},
      {.marks = true, .balance = "ecmp"},
      {.classes = 2, .pauses = 20, .marks = true},
      {.queue_limit = 20_KiB},
      {.classes = 2, .queue_limit = 20_KiB, .buffer = 30_KiB},
      {.buffer = 25_KiB, .balance = "po2"},
      {.classes = 3, .pauses = 30, .buffer = 25_KiB, .drains = true},
      {.classes = 2, .queue_limit = 10_KiB, .trim = 64_B},
  };
  for (const Case& c : cases) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      const std::string windowed = outcome(scheduling::windowed, c, seed);
      EXPECT_GT(windowed.size(), 10'000u) << windowed;
      EXPECT_EQ(windowed, outcome(scheduling::exact_wake, c, seed))
          << "case " << &c - cases << ", seed " << seed;
    }
  }
}

}  // namespace
}  // namespace horae::fabric::reserved_test
