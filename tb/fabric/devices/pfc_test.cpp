// Priority flow control: when pauses are sent, what they stop, and that nothing is lost.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "fabric_parts.hpp"
#include "horae/fabric/devices/open_loop_host.hpp"
#include "horae/fabric/devices/output_queued_switch.hpp"
#include "leaf_spine.hpp"

namespace horae::fabric::pfc_test {
namespace {

using test::in_child;
using test::link_of;
using test::ListSource;
using test::probe;
using test::value_in;

constexpr Picoseconds delay = 500_ns;
constexpr Picoseconds latency = 600_ns;
constexpr Picoseconds pause_frame = 6'720_ps;  // 64 bytes, preamble and gap at 100 Gbps
// 1230 bytes with preamble and gap take 100 ns at 100 Gbps.
constexpr Bytes frame = 1230_B;
constexpr Picoseconds frame_time = 100_ns;

SwitchConfig lossless_switch(unsigned ports, Bytes xoff, Bytes xon, Bytes headroom) {
  return {
      .ports = ports, .latency = latency, .pfc = {.xoff = xoff, .xon = xon, .headroom = headroom}};
}

// Probe 0 sends through the switch to probe 1, which holds the switch's port back from the start.
struct Blocked {
  explicit Blocked(sim_context& context, const SwitchConfig& config)
      : sw("sw", context, config), sender("sender", context), receiver("receiver", context) {
    connect(sw, 0, sender, 0, link_of(100_Gbps, delay));
    connect(sw, 1, receiver, 0, link_of(100_Gbps, delay));
    sw.routes().set(0, {0});
    sw.routes().set(1, {1});
    for (unsigned c = 0; c < OutputPort::classes; ++c) {
      receiver.send_pause({.at = 0_ps, .traffic_class = c, .pause = true});
    }
  }
  void release(Picoseconds at, unsigned traffic_class) {
    receiver.send_pause({.at = at, .traffic_class = traffic_class, .pause = false});
  }
  output_queued_switch sw;
  probe sender, receiver;
};

// Sixteen pauses, one of each class and its resume, go out in front of a frame.
TEST(Pfc, PauseFramesTakeTheirTimeOnTheWire) {
  sim_context context;
  output_queued_switch sw("sw", context, {.ports = 2, .latency = latency});
  probe sender("sender", context), receiver("receiver", context);
  connect(sw, 0, sender, 0, link_of(100_Gbps, delay));
  connect(sw, 1, receiver, 0, link_of(100_Gbps, delay));
  sw.routes().set(0, {0});
  sw.routes().set(1, {1});
  for (unsigned c = 0; c < OutputPort::classes; ++c) {
    for (const bool pause : {true, false})
      sender.send_pause({.at = 1_us, .traffic_class = c, .pause = pause});
  }
  sender.send({.at = 1_us + 1_ps, .dst = 1, .frame = frame});
  context.clock.run_to(20_us);
  ASSERT_EQ(receiver.arrivals.size(), 1u);
  EXPECT_EQ(receiver.arrivals[0].at,
            1_us + pause_frame * 16 + frame_time + delay + latency + frame_time + delay);
}

TEST(Pfc, PausesAboveXoffAndResumesAtXon) {
  sim_context context;
  Blocked net(context, lossless_switch(2, frame * 10, frame * 4, frame * 20));
  for (int i = 0; i < 12; ++i) net.sender.send({.at = 10_us, .dst = 1, .frame = frame});
  net.release(50_us, 0);
  // Frame n is queued at 10 us + (n + 1) frames + delay + latency. The eleventh crosses xoff.
  const Picoseconds crossed = 10_us + frame_time * 11 + delay + latency;
  const probe::Pause pause{crossed + pause_frame + delay, 0, 0, true};
  context.clock.run_to(pause.at);
  EXPECT_TRUE(net.sender.pauses.empty());
  context.clock.run_to(pause.at + 1_ps);
  EXPECT_EQ(net.sender.pauses, std::vector{pause});
  context.clock.run_to(50_us);
  EXPECT_EQ(net.sender.pauses.size(), 1u);  // once, whatever else arrives
  // Twelve wait. When the eighth starts, four are left: xon.
  const Picoseconds drained = 50_us + pause_frame + delay + frame_time * 7;
  const probe::Pause resume{drained + pause_frame + delay, 0, 0, false};
  context.clock.run_to(resume.at);
  EXPECT_EQ(net.sender.pauses.size(), 1u);
  context.clock.run_to(1_ms);
  EXPECT_EQ(net.sender.pauses, (std::vector{pause, resume}));
  EXPECT_EQ(net.receiver.arrivals.size(), 12u);
  EXPECT_EQ(net.sw.counters().pauses_sent, 1u);
  EXPECT_EQ(net.sw.tx(0).counters().pauses, 2u);  // frames: pause and resume
  EXPECT_EQ(context.pool.dropped(), 0u);
}

TEST(Pfc, ExactlyXoffIsNotAboveIt) {
  sim_context context;
  Blocked net(context, lossless_switch(2, frame * 10, frame * 4, frame * 20));
  for (int i = 0; i < 10; ++i) net.sender.send({.at = 10_us, .dst = 1, .frame = frame});
  context.clock.run_to(50_us);
  EXPECT_TRUE(net.sender.pauses.empty());
  EXPECT_EQ(net.sw.held(), 10u);
}

TEST(Pfc, ClassesAndPortsAreCountedApart) {
  sim_context context;
  output_queued_switch sw("sw", context, lossless_switch(3, frame * 10, frame * 4, frame * 20));
  probe a("a", context, 1, 0), b("b", context, 1, 1), receiver("receiver", context);
  for (const auto& [i, p] : {std::pair{0u, &a}, std::pair{1u, &b}, std::pair{2u, &receiver}}) {
    connect(sw, i, *p, 0, link_of(100_Gbps, delay));
  }
  sw.routes().set(2, {2});
  for (const unsigned c : {2u, 3u}) {
    receiver.send_pause({.at = 0_ps, .traffic_class = c, .pause = true});
  }
  // 8 + 8 frames of two classes of a, 8 of b: nobody has more than ten. Three more of a's class 3.
  for (int i = 0; i < 8; ++i) {
    a.send({.at = 10_us, .dst = 2, .frame = frame, .traffic_class = 2});
    a.send({.at = 10_us, .dst = 2, .frame = frame, .traffic_class = 3});
    b.send({.at = 10_us, .dst = 2, .frame = frame, .traffic_class = 3});
  }
  for (int i = 0; i < 3; ++i) {
    a.send({.at = 30_us, .dst = 2, .frame = frame, .traffic_class = 3});
  }
  context.clock.run_to(30_us);
  EXPECT_TRUE(a.pauses.empty());
  EXPECT_TRUE(b.pauses.empty());
  context.clock.run_to(60_us);
  ASSERT_EQ(a.pauses.size(), 1u);
  EXPECT_EQ(a.pauses[0].traffic_class, 3u);
  EXPECT_TRUE(b.pauses.empty());
}

TEST(Pfc, AFrameOnTheWireDelaysThePauseFrame) {
  sim_context context;
  Blocked net(context, lossless_switch(2, frame * 2, frame, frame * 20));
  for (int i = 0; i < 3; ++i) net.sender.send({.at = 10_us, .dst = 1, .frame = frame});
  const Picoseconds crossed = 10_us + frame_time * 3 + delay + latency;
  // A frame of 4980 bytes (400 ns) the other way starts 150 ns before the threshold is crossed.
  const Picoseconds start = crossed - 150_ns;
  net.receiver.send({.at = start - 400_ns - delay - latency, .dst = 0, .frame = 4980_B});
  context.clock.run_to(60_us);
  ASSERT_EQ(net.sender.pauses.size(), 1u);
  EXPECT_EQ(net.sender.pauses[0].at, start + 400_ns + pause_frame + delay);
  ASSERT_EQ(net.sender.arrivals.size(), 1u);
  EXPECT_EQ(net.sender.arrivals[0].at, start + 400_ns + delay);
}

TEST(Pfc, TheHeadroomIsAHardLimit) {
  sim_context context;
  Blocked net(context, lossless_switch(2, frame * 10, frame * 4, frame * 5));
  for (int i = 0; i < 20; ++i) net.sender.send({.at = 10_us, .dst = 1, .frame = frame});
  context.clock.run_to(60_us);
  EXPECT_EQ(net.sw.held(), 15u);
  EXPECT_EQ(context.pool.dropped(DropCause::headroom_full), 5u);
  EXPECT_EQ(context.pool.dropped(), 5u);
}

// A paused host completes the frame on the wire, and starts none from the instant
// of the pause to that of the resume, and the next starts with the resume.
TEST(Pfc, APausedHostStops) {
  sim_context context;
  probe peer("peer", context);
  const Bytes payload = 1024_B;  // 1086 bytes, on the wire 1106: 88.48 ns
  const Picoseconds time = 88'480_ps;
  open_loop_host host("host", context, {.id = 1, .traffic_class = 3},
                      std::make_unique<traffic::ConstantSource>(
                          traffic::ConstantSource::Config{.bytes = payload, .count = 300}));
  connect(peer, 0, host, 0, link_of(100_Gbps, delay));
  // Frame n starts at n * 88.48 ns. The first pause takes effect in the middle of frame 50, the
  // second at the very instant at which a frame would start; others are for other classes.
  const Picoseconds first = time * 50 + 40_ns;
  const Picoseconds resumed = first + 3_us;
  const Picoseconds second = resumed + time * 20;
  const Picoseconds again = second + 2_us;
  const auto plan = [&](Picoseconds effect, unsigned c, bool pause) {
    peer.send_pause({.at = effect - pause_frame - delay, .traffic_class = c, .pause = pause});
  };
  plan(first, 3, true);
  plan(first + 100_ns, 3, true);  // repeated: no change
  plan(resumed, 3, false);
  plan(resumed + 300_ns, 2, true);
  plan(second, 3, true);
  plan(second + 500_ns, 2, false);
  plan(again, 3, false);
  context.clock.run_to(1_ms);
  ASSERT_EQ(peer.arrivals.size(), 300u);
  for (std::size_t n = 0; n < 300; ++n) {
    const auto i = static_cast<std::int64_t>(n);
    const Picoseconds expected = n <= 50   ? time * i
                                 : n <= 70 ? resumed + time * (i - 51)
                                           : again + time * (i - 71);
    ASSERT_EQ(peer.arrivals[n].first_bit(time, delay), expected) << n;
  }
}

// The same of a switch's port, and of one class beside another. The pause takes effect within a
// frame, or at the instant at which one would start.
TEST(Pfc, APausedClassStopsAndAnotherGoesOn) {
  for (const auto& [buffer, offset] : {std::pair{0_B, 50_ns}, std::pair{10'000'000_B, 50_ns},
                                       std::pair{0_B, 0_ns}, std::pair{10'000'000_B, 0_ns}}) {
    const std::string result = in_child([&, buffer = buffer, offset = offset]() -> std::string {
      sim_context context;
      output_queued_switch sw("sw", context, {.ports = 3, .latency = latency, .buffer = buffer});
      probe a("a", context, 1, 0), b("b", context, 1, 1), receiver("receiver", context);
      for (const auto& [i, p] : {std::pair{0u, &a}, std::pair{1u, &b}, std::pair{2u, &receiver}}) {
        connect(sw, i, *p, 0, link_of(100_Gbps, delay));
      }
      sw.routes().set(2, {2});
      for (int i = 0; i < 100; ++i) {
        a.send({.at = 50_ns, .dst = 2, .frame = frame, .traffic_class = 5});
        b.send({.at = 0_ps, .dst = 2, .frame = frame, .traffic_class = 3});
      }
      // Both queues fill at line rate from 1.2 us on. A frame of class 3 has the wire first; from
      // then on one of class 5 always waits, and goes first.
      const Picoseconds base = frame_time + delay + latency;
      const Picoseconds pause = base + frame_time * 30 + offset, resume = pause + 2_us;
      receiver.send_pause({.at = pause - pause_frame - delay, .traffic_class = 5, .pause = true});
      receiver.send_pause({.at = resume - pause_frame - delay, .traffic_class = 5, .pause = false});
      context.clock.run_to(1_ms);
      EXPECT_EQ(receiver.arrivals.size(), 200u);
      std::size_t during = 0;
      for (std::size_t n = 0; n < receiver.arrivals.size(); ++n) {
        const auto& x = receiver.arrivals[n];
        const Picoseconds start = x.first_bit(frame_time, delay);
        EXPECT_EQ(start, base + frame_time * static_cast<std::int64_t>(n));  // the wire never idles
        const bool paused = start >= pause && start < resume;
        during += paused;
        // Class 5 alone but for the pause, when it is class 3 alone.
        if (start < resume) {
          EXPECT_EQ(x.traffic_class, n == 0 || paused ? 3u : 5u) << n;
        }
      }
      EXPECT_EQ(during, 20u);
      return "done";
    });
    EXPECT_EQ(result, "done");
  }
}

// N senders at line rate to one receiver, which sends back at line rate to all of them so that
// pause frames wait behind the largest frames.
struct Incast {
  unsigned senders;
  BitRate rate;
  Picoseconds link_delay;
  Picoseconds switch_latency;
  std::int64_t payload;
};

struct IncastResult {
  std::uint64_t lost, delivered, pauses;
};

IncastResult run_incast(const Incast& in, double share_of_headroom) {
  const std::string text = in_child([&] {
    sim_context context;
    const Bytes largest = frame_bytes(Opcode::write_middle, Bytes(in.payload));
    const Bytes headroom = pfc_headroom(in.rate, in.link_delay, largest, in.switch_latency);
    const auto reserved =
        static_cast<std::int64_t>(static_cast<double>(headroom.count()) * share_of_headroom);
    output_queued_switch sw(
        "sw", context,
        {.ports = in.senders + 1,
         .latency = in.switch_latency,
         .pfc = {.xoff = largest * 4, .xon = largest * 2, .headroom = Bytes(reserved)}});
    std::vector<std::unique_ptr<open_loop_host>> hosts;
    for (unsigned i = 0; i <= in.senders; ++i) {
      std::vector<traffic::TrafficItem> items;
      for (unsigned n = 0; n < 20'000; ++n) {
        const NodeId dst = i == in.senders ? n % in.senders : in.senders;
        items.push_back({.at = Picoseconds(i * 777), .dst = dst, .bytes = Bytes(in.payload)});
      }
      hosts.push_back(std::make_unique<open_loop_host>(
          ("h" + std::to_string(i)).c_str(), context, HostConfig{.id = i, .traffic_class = 3},
          std::make_unique<ListSource>(std::move(items))));
      connect(sw, i, *hosts[i], 0, link_of(in.rate, in.link_delay));
      sw.routes().set(i, {static_cast<std::uint16_t>(i)});
    }
    const Picoseconds one = serialisation_time(l1_bytes(largest), in.rate);
    context.clock.run_to(in.link_delay * 60 + one * 3000);
    EXPECT_EQ(context.pool.dropped(), context.pool.dropped(DropCause::headroom_full));
    std::uint64_t stopped = 0;
    for (const auto& h : hosts) stopped += h->counters().sent < 20'000 ? 1 : 0;
    EXPECT_EQ(stopped, in.senders + 1) << "a sender ran out of packets";
    return fmt::format("lost={} delivered={} pauses={}", context.pool.dropped(),
                       hosts.back()->counters().received, sw.counters().pauses_sent);
  });
  return {value_in(text, "lost"), value_in(text, "delivered"), value_in(text, "pauses")};
}

TEST(Pfc, TheComputedHeadroomLosesNothingAndLessDoes) {
  const std::vector<Incast> cases = {
      {2, 100_Gbps, 500_ns, 600_ns, 1024}, {8, 100_Gbps, 500_ns, 600_ns, 4096},
      {16, 100_Gbps, 1_us, 400_ns, 256},   {3, 400_Gbps, 2_us, 600_ns, 4096},
      {5, 25_Gbps, 500_ns, 1_us, 1024},    {4, BitRate(130'000'000'000), 777_ns, 123_ns, 1500},
      {7, 10_Gbps, 100_ns, 100_ns, 4096},  {31, 200_Gbps, 600_ns, 600_ns, 64},
  };
  for (const Incast& in : cases) {
    SCOPED_TRACE(fmt::format("{} senders, {} bps, delay {} ps, payload {}", in.senders,
                             in.rate.count(), in.link_delay.count(), in.payload));
    const IncastResult enough = run_incast(in, 1.0);
    EXPECT_EQ(enough.lost, 0u);
    EXPECT_GE(enough.pauses, in.senders);
    EXPECT_GT(enough.delivered, 2000u);
    // A queue grows by what its sender does not get of the receiver's link: with few senders not
    // all of the headroom is needed.
    EXPECT_GT(run_incast(in, in.senders < 4 ? 0.45 : 0.75).lost, 0u);
  }
}

// Hosts - first switch - second switch - a slow receiver: the second switch pauses the first, the
// first pauses the hosts, and all goes at the slow link's pace without loss.
TEST(Pfc, BackPressureReachesTheSourcesThroughTwoSwitches) {
  sim_context context;
  const Bytes largest = frame_bytes(Opcode::write_middle, 4096_B);
  SwitchConfig config{.ports = 5,
                      .latency = latency,
                      .pfc = {.xoff = 30'000_B,
                              .xon = 20'000_B,
                              .headroom = pfc_headroom(100_Gbps, delay, largest, latency)}};
  output_queued_switch first("first", context, config), second("second", context, config);
  std::vector<std::unique_ptr<open_loop_host>> hosts;
  for (unsigned i = 0; i < 4; ++i) {
    hosts.push_back(std::make_unique<open_loop_host>(
        ("h" + std::to_string(i)).c_str(), context, HostConfig{.id = i, .traffic_class = 3},
        std::make_unique<traffic::ConstantSource>(
            traffic::ConstantSource::Config{.dst = 9, .bytes = 4096_B})));
    connect(first, i, *hosts[i], 0, link_of(100_Gbps, delay));
  }
  connect(first, 4, second, 0, link_of(100_Gbps, delay));
  probe receiver("receiver", context);
  connect(second, 1, receiver, 0, link_of(10_Gbps, delay));
  first.routes().set(9, {4});
  second.routes().set(9, {1});
  context.clock.run_to(1_ms);
  EXPECT_EQ(context.pool.dropped(), 0u);
  EXPECT_GT(first.counters().pauses_sent, 10u);
  EXPECT_GT(second.counters().pauses_sent, 10u);
  // 1 ms of 10 Gbps is 299 frames of 4178 bytes.
  EXPECT_GE(receiver.arrivals.size(), 295u);
  EXPECT_LE(receiver.arrivals.size(), 299u);
  const std::int64_t limit = (config.pfc.xoff + config.pfc.headroom).count();
  std::uint64_t sent = 0;
  for (const auto& h : hosts) {
    sent += h->counters().sent;
    EXPECT_GT(h->counters().sent, 60u);  // and every host has its share
  }
  EXPECT_LT(static_cast<std::int64_t>(sent - receiver.arrivals.size()),
            limit * 5 / largest.count());
  // Once the receiver is all that is left to wait for, no wire stands still.
  for (std::size_t i = 1; i < receiver.arrivals.size(); ++i) {
    EXPECT_EQ(receiver.arrivals[i].at - receiver.arrivals[i - 1].at,
              serialisation_time(l1_bytes(largest), 10_Gbps));
  }
}

}  // namespace
}  // namespace horae::fabric::pfc_test
