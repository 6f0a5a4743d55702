// ECN and PFC thresholds by the rate of the port, marks at dequeue, and a class that neither
// counts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fabric_parts.hpp"
#include "horae/fabric/devices/ingress_accounts.hpp"
#include "horae/fabric/devices/output_queued_switch.hpp"

namespace horae::fabric::thresholds_test {
namespace {

using test::link_of;
using test::probe;

constexpr Bytes frame = 1230_B;  // 100 ns at 100 Gbps, preamble and gap included
constexpr Picoseconds frame_time = 100_ns;

/// A sender at port 0 of a switch, and receivers behind ports of the given rates.
struct Ports {
  Ports(sim_context& context, SwitchConfig config, const std::vector<BitRate>& rates)
      : sw("sw", context, with_ports(std::move(config), rates.size() + 1)), sender("in", context) {
    connect(sw, 0, sender, 0, link_of(100_Gbps, 1_us));
    for (unsigned i = 0; i < rates.size(); ++i) {
      out.push_back(std::make_unique<probe>(fmt::format("out{}", i).c_str(), context, 1, i + 1));
      connect(sw, i + 1, *out[i], 0, link_of(rates[i], 1_us));
      sw.routes().set(i + 1, {static_cast<std::uint16_t>(i + 1)});
    }
  }
  static SwitchConfig with_ports(SwitchConfig config, std::size_t ports) {
    config.ports = static_cast<unsigned>(ports);
    config.latency = 0_ps;
    return config;
  }
  /// `n` packets of a class for each receiver, whose port is held back until they are all there.
  void fill(unsigned n, std::uint8_t traffic_class = 0, Picoseconds until = 100_us) {
    for (unsigned i = 0; i < out.size(); ++i) {
      out[i]->send_pause({.at = 0_ps, .traffic_class = traffic_class, .pause = true});
      out[i]->send_pause({.at = until, .traffic_class = traffic_class, .pause = false});
      for (unsigned k = 0; k < n; ++k) {
        sender.send({.at = 5_us, .dst = i + 1, .frame = frame, .traffic_class = traffic_class});
      }
    }
  }
  /// Which packets came with a mark, in the order of their arrival: "..xx".
  std::string marks(unsigned receiver) const {
    std::string s;
    for (const auto& a : out[receiver]->arrivals) s += a.ecn == Ecn::ce ? 'x' : '.';
    return s;
  }
  output_queued_switch sw;
  probe sender;
  std::vector<std::unique_ptr<probe>> out;
};

std::string text(unsigned first, char a, unsigned then, char b) {
  return std::string(first, a) + std::string(then, b);
}

// With pmax = 0 nothing is random: a packet is marked when the queue is above kmax.
RedConfig above(unsigned frames, std::optional<MarkAt> at = {}) {
  return {.kmin = frame, .kmax = frame * frames, .pmax = 0, .at = at};
}

TEST(Thresholds, EcnIsOfThePortsRate) {
  sim_context context;
  RedConfig red = above(5);
  red.by_rate = {{.rate = 100_Gbps, .kmin = frame, .kmax = frame * 10, .pmax = {}},
                 {.rate = 400_Gbps, .kmin = frame, .kmax = frame * 20, .pmax = {}},
                 {.rate = 1600_Gbps, .kmin = frame * 30, .kmax = frame * 40, .pmax = {}}};
  Ports net(context, {.red = red}, {100_Gbps, 400_Gbps, 1600_Gbps, 25_Gbps});
  net.fill(50);
  context.clock.run_to(1_ms);
  // Packet n finds n frames before it.
  EXPECT_EQ(net.marks(0), text(11, '.', 39, 'x'));
  EXPECT_EQ(net.marks(1), text(21, '.', 29, 'x'));
  EXPECT_EQ(net.marks(2), text(41, '.', 9, 'x'));
  EXPECT_EQ(net.marks(3), text(6, '.', 44, 'x'));  // a rate that is not listed
}

TEST(Thresholds, ARateMayHaveAProbabilityOfItsOwn) {
  RedConfig red = {.kmin = 100'000_B, .kmax = 200'000_B, .pmax = 0.2};
  red.by_rate = {{.rate = 400_Gbps, .kmin = 10'000_B, .kmax = 20'000_B, .pmax = 1.0},
                 {.rate = 100_Gbps, .kmin = 10'000_B, .kmax = 20'000_B, .pmax = {}}};
  EXPECT_EQ(red.of(400_Gbps).probability(15'000_B), 0.5);
  EXPECT_EQ(red.of(100_Gbps).probability(15'000_B), 0.1);
  EXPECT_EQ(red.of(25_Gbps).probability(150'000_B), 0.1);
  EXPECT_FALSE(red.of(25_Gbps).probability(100'000_B) > 0);
}

// The same queue of 50: at enqueue the last 39 found more than ten before them; at dequeue the
// first 39 leave more than ten behind.
std::string marks_of_fifty(MarkAt at) {
  return test::in_child([at] {
    sim_context context;
    Ports net(context, {.red = above(10, at)}, {100_Gbps});
    net.fill(50);
    context.clock.run_to(1_ms);
    return net.marks(0) + fmt::format(" {}", net.sw.counters().marked);
  });
}

TEST(Thresholds, AtDequeueWhatIsLeftCounts) {
  EXPECT_EQ(marks_of_fifty(MarkAt::enqueue), text(11, '.', 39, 'x') + " 39");
  EXPECT_EQ(marks_of_fifty(MarkAt::dequeue), text(39, 'x', 11, '.') + " 39");
}

// Marks at dequeue are those of the port, whatever ports are looked at first: by windows of another
// length, one event after another, with a buffer that ports share.
TEST(Thresholds, RandomMarksAtDequeueDoNotDependOnTheSchedule) {
  std::vector<std::string> all;
  for (const time_config& time : {time_config{.window = 100_ns}, time_config{.window = 1_us},
                                  time_config{.mode = scheduling::exact_wake}}) {
    for (const Bytes buffer : {0_B, 10'000'000_B}) {
      all.push_back(test::in_child([&] {
        sim_context context(time, 7);
        SwitchConfig config;
        config.buffer = buffer;
        config.red = above(50, MarkAt::dequeue);
        config.red.pmax = 0.5;
        if (buffer.count() > 0) {
          config.pfc.headroom = 100'000_B;
          config.pfc.alpha = 0.05;
        }
        Ports net(context, config, {100_Gbps, 400_Gbps, 25_Gbps});
        net.fill(60);
        for (unsigned i = 0; i < 3; ++i) net.sender.send({.at = 101_us, .dst = i + 1});
        context.clock.run_to(1_ms);
        return net.marks(0) + net.marks(1) + net.marks(2);
      }));
    }
  }
  for (const auto& marks : all) EXPECT_EQ(marks, all.front());
  EXPECT_NE(all.front().find('x'), std::string::npos);
}

// The class of ACKs and CNPs: it fills no buffer, pauses nobody, is not marked or refused.
void control_class_does_not_count(MarkAt at) {
  sim_context context;
  SwitchConfig config;
  config.buffer = frame * 60;
  config.control_class = 7;
  config.red = above(5, at);
  config.pfc.headroom = frame * 5;
  config.pfc.alpha = 0.125;
  Ports net(context, config, {100_Gbps});
  net.fill(100, 7);
  net.fill(4, 0);
  context.clock.run_to(50_us);
  EXPECT_EQ(net.sw.buffered(), frame * 4);
  EXPECT_EQ(net.sw.port(1).depth(), frame * 104);
  context.clock.run_to(1_ms);
  EXPECT_EQ(net.marks(0), std::string(104, '.'));
  for (unsigned i = 0; i < 100; ++i) EXPECT_EQ(net.out[0]->arrivals[i].traffic_class, 7u);
  EXPECT_TRUE(net.sender.pauses.empty());
  EXPECT_EQ(context.pool.dropped(), 0u);
}

TEST(Thresholds, TheControlClassDoesNotCount) { control_class_does_not_count(MarkAt::enqueue); }
TEST(Thresholds, NorAtDequeue) { control_class_does_not_count(MarkAt::dequeue); }

// The rule of the long-haul paper's simulator at the NICs' rate, to the frame: pause above an
// eighth of what is free, go on 3 KiB below it.
TEST(Thresholds, PauseAtAnEighthOfWhatIsFreeAndResume3KiBBelow) {
  sim_context context;
  const Bytes headroom = 37'500_B;  // 3 x 100 Gbps x 1 us
  const std::int64_t pool = 500'000, own = 4096;
  PfcConfig pfc = {.alpha = 1.0, .hysteresis = 3072_B, .minimum = Bytes(own)};
  pfc.by_rate = {{.rate = 100_Gbps, .alpha = 0.125}};
  Ports net(context,
            {.buffer = Bytes(pool) + (headroom + Bytes(own)) * 2,
             .pfc = pfc,
             .headrooms = {headroom, headroom}},
            {100_Gbps});
  net.fill(60);
  context.clock.run_to(1_ms);

  // Frame n is queued at 5 us + n frames + 1 us. One that fits takes of what is free.
  const std::int64_t size = frame.count();
  const auto fits = [&](std::int64_t n) {
    return 8 * (n * size - own) <= pool - std::max<std::int64_t>((n - 1) * size - own, 0);
  };
  std::int64_t n = 1;
  while (fits(n)) ++n;
  ASSERT_EQ(n, 49);  // (48 frames - 4 KiB) = 54944 <= 55570 = (500000 - 47 frames + 4 KiB) / 8
  ASSERT_EQ(net.sender.pauses.size(), 2u);
  const Picoseconds pause_frame = 6'720_ps;
  EXPECT_EQ(net.sender.pauses[0].at, 5_us + frame_time * 49 + 1_us + pause_frame + 1_us);
  // 60 frames came all the same: 12 of them are in the headroom, and first to be free again. Then
  // frames leave until an eighth of what is free is 3 KiB above.
  std::int64_t gone = 60 - 48, left = 48;
  while (left * size - own + 3072 > (pool - (left * size - own)) / 8) --left, ++gone;
  EXPECT_EQ(left, 46);
  // The n-th to leave starts after n - 1 frames; the switch goes on at 100 us + 1 us + a pause
  // frame.
  EXPECT_EQ(net.sender.pauses[1].at,
            100_us + pause_frame + 1_us + frame_time * (gone - 1) + pause_frame + 1_us);
  EXPECT_EQ(context.pool.dropped(), 0u);
}

// Two senders into one port, no ECN: a headroom of 3 x rate x delay loses nothing, a third of it
// does.
std::uint64_t lost_with(Bytes headroom) {
  sim_context context;
  output_queued_switch sw(
      "sw", context,
      {.ports = 3,
       .latency = 0_ps,
       .buffer = 200'000_B,
       .pfc = {.headroom = headroom, .alpha = 0.125, .hysteresis = 3072_B, .minimum = 4096_B}});
  probe to("to", context, 1, 2), from0("from0", context, 1, 0), from1("from1", context, 1, 1);
  output_queued_switch nic0("nic0", context, {.ports = 2, .latency = 0_ps});
  output_queued_switch nic1("nic1", context, {.ports = 2, .latency = 0_ps});
  connect(sw, 2, to, 0, link_of(100_Gbps, 1_us));
  sw.routes().set(2, {2});
  unsigned port = 0;
  for (auto& [nic, from] : {std::pair{&nic0, &from0}, std::pair{&nic1, &from1}}) {
    connect(*nic, 0, *from, 0, link_of(100_Gbps, 1_us));
    connect(*nic, 1, sw, port++, link_of(100_Gbps, 1_us));
    nic->routes().set(2, {1});
    for (int i = 0; i < 2000; ++i) from->send({.at = 1_us, .dst = 2, .frame = frame});
  }
  context.clock.run_to(1_ms);
  EXPECT_EQ(context.pool.dropped(DropCause::headroom_full), context.pool.dropped());
  EXPECT_GT(sw.counters().pauses_sent, 10u);
  EXPECT_EQ(to.arrivals.size(), 4000 - context.pool.dropped());
  return context.pool.dropped();
}

TEST(Thresholds, TwoToOneIsLosslessWithThreeDelaysOfHeadroom) {
  EXPECT_EQ(lost_with(37'500_B), 0u);
}
TEST(Thresholds, TwoToOneLosesWithOneDelayOfHeadroom) { EXPECT_GT(lost_with(12'500_B), 0u); }

TEST(Thresholds, APortMayTakeMoreThanAnother) {
  const PfcConfig config = {.headroom = 1000_B, .alpha = 1.0, .minimum = 0_B};
  IngressAccounts accounts(config, 102'000_B, 2, 2);
  EXPECT_EQ(accounts.free(), 100'000_B);
  accounts.set_port(0, 0.25, 500_B);
  accounts.set_port(1, 0.5, 11'500_B);
  EXPECT_EQ(accounts.free(), 90'000_B);
  accounts.set_port(1, 0.5, 1'500_B);  // again: in place of the former
  EXPECT_EQ(accounts.free(), 100'000_B);
  EXPECT_TRUE(accounts.takes_freely(0, 25'000));
  EXPECT_FALSE(accounts.takes_freely(0, 25'001));
  EXPECT_TRUE(accounts.takes_freely(1, 50'000));
  EXPECT_FALSE(accounts.takes_freely(1, 50'001));
  EXPECT_TRUE(accounts.add(0, 25'001));
  EXPECT_FALSE(accounts.fits(0, 500 - 25'001 + 1));
}

// Ports of eight classes, of which 3 and 5 pause; 5 has a threshold, bytes and a headroom of its
// own.
TEST(Thresholds, AClassMayTakeMoreThanAnother) {
  const PfcConfig config = {.headroom = 1000_B,
                            .alpha = 0.25,
                            .minimum = 100_B,
                            .priorities = std::vector<std::uint32_t>{3, 5},
                            .by_class = std::vector<PfcOfClass>{
                                {.number = 5, .alpha = 0.5, .minimum = 300_B, .headroom = 2000_B}}};
  EXPECT_EQ(config.reserved(1000_B), Bytes(1000 + 100 + 2000 + 300));
  IngressAccounts accounts(config, 106'800_B, 2, 16);
  EXPECT_EQ(accounts.free(), 100'000_B);
  accounts.set_port(0, 0.125, 500_B);  // of class 3 alone: 5 has its own
  EXPECT_EQ(accounts.free(), 100'500_B);
  accounts.set_port(0, 0.25, 1000_B);
  for (const std::size_t port : {0, 1}) {
    EXPECT_TRUE(accounts.takes_freely(port * 8 + 3, 25'100));
    EXPECT_FALSE(accounts.takes_freely(port * 8 + 3, 25'101));
    EXPECT_TRUE(accounts.takes_freely(port * 8 + 5, 50'300));
    EXPECT_FALSE(accounts.takes_freely(port * 8 + 5, 50'301));
  }
}

TEST(Thresholds, AClassHasFixedOnesOfItsOwn) {
  const PfcConfig config = {
      .xoff = 10'000_B,
      .xon = 4'000_B,
      .headroom = 1000_B,
      .priorities = std::vector<std::uint32_t>{3, 5},
      .by_class = std::vector<PfcOfClass>{{.number = 5, .xoff = 20'000_B, .xon = 0_B}}};
  IngressAccounts accounts(config, 100'000_B, 1, 8);
  EXPECT_EQ(accounts.free(), Bytes(100'000 - 11'000 - 21'000));
  EXPECT_FALSE(accounts.add(3, 10'000));
  EXPECT_TRUE(accounts.add(3, 1));
  EXPECT_FALSE(accounts.add(5, 20'000));
  EXPECT_TRUE(accounts.add(5, 1));
  EXPECT_TRUE(accounts.fits(5, 999));
  EXPECT_FALSE(accounts.fits(5, 1000));
  EXPECT_FALSE(accounts.remove(3, 6'000));
  EXPECT_TRUE(accounts.remove(3, 1));
  EXPECT_FALSE(accounts.remove(5, 20'000));
  EXPECT_TRUE(accounts.remove(5, 1));
}

// One port of half the reference rate: thresholds of classes are halved with the others.
TEST(Thresholds, EcnOfAClassFollowsTheRateToo) {
  const RedConfig config = {.kmin = 10_KiB,
                            .kmax = 40_KiB,
                            .pmax = 0.2,
                            .by_class = std::vector<RedOfClass>{
                                {.number = 5, .kmin = 2_KiB, .kmax = 8_KiB, .pmax = 1.0}}};
  const RedOfPort port = config.of_port(100_Gbps, 200_Gbps);
  EXPECT_EQ(port[0].kmin, 5_KiB);
  EXPECT_EQ(port[0].kmax, 20_KiB);
  EXPECT_EQ(port[5].kmin, 1_KiB);
  EXPECT_EQ(port[5].kmax, 4_KiB);
  EXPECT_EQ(port[5].pmax, 1.0);
}

}  // namespace
}  // namespace horae::fabric::thresholds_test
