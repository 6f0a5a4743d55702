// SystemC modules on links: exact times, the book of packets, and that how devices are run never
// shows.
#include "horae/fabric/link_module.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fabric_parts.hpp"
#include "horae/core/registry.hpp"
#include "horae/core/stats.hpp"
#include "horae/fabric/middlebox.hpp"
#include "horae/fabric/module_joint.hpp"
#include "horae/fabric/outlook.hpp"
#include "horae/params/document.hpp"

namespace horae::fabric::link_module_test {
namespace {

using test::in_child;
using test::link_of;
using test::plausible;
using test::probe;

/// A module that does what a test says.
class box : public middlebox {
 public:
  using Act = std::function<void(box&, unsigned side, Packet& p)>;
  box(const sc_core::sc_module_name& name, module_context& c, Act act)
      : middlebox(name), context(c), act_(std::move(act)) {}
  using middlebox::send;

  module_context& context;

 private:
  void arrived(unsigned side, Packet& p) override { act_(*this, side, p); }
  Act act_;
};

class BoxFactory : public ModuleFactory {
 public:
  explicit BoxFactory(box::Act act) : act_(std::move(act)) {}
  std::unique_ptr<link_module> make(const sc_core::sc_module_name& name,
                                    module_context& context) const override {
    return std::make_unique<box>(name, context, act_);
  }
  nlohmann::ordered_json config() const override { return {}; }

 private:
  box::Act act_;
};

void pass(box& b, unsigned side, Packet& p) { b.send(1 - side, p); }

/// As a platform has it: by kind and the text of its table.
std::unique_ptr<ModuleFactory> by_kind(const std::string& kind, const std::string& table) {
  const auto document = Document::parse("[m]\n" + table, "m.toml");
  return find_named(module_kinds(), "kind of module", kind).read(document.root().child("m"), {});
}

/// Two probes, and between them a link with a module.
struct Line {
  Line(const ModuleFactory& factory, const LinkConfig& link, const time_config& time = {})
      : context(time),
        a("a", context, 1, 0),
        b("b", context, 1, 1),
        joint("box", context, factory, {&a, 0, link}, {&b, 0, link}) {}
  sim_context context;
  probe a, b;
  module_joint joint;
};

const LinkConfig link = link_of(100_Gbps, 500'001_ps);  // halves of 250,000 and 250,001 ps
constexpr Picoseconds of_1086 = 88'480_ps;              // 1086 B, preamble and gap

TEST(LinkModule, OneThatTakesNoTimeIsAsTheLinkWithout) {
  Line line(BoxFactory(pass), link);
  for (int i = 0; i < 3; ++i) {
    line.a.send({.at = 1_us});
    line.b.send({.at = 1_us, .frame = 64_B});
  }
  line.a.send_pause({.at = 5_us, .traffic_class = 3, .pause = true});
  const Picoseconds first = 1_us + of_1086 + 500'001_ps;
  line.context.clock.run_to(first);
  EXPECT_EQ(line.b.arrivals.size(), 0u);
  line.context.clock.run_to(first + 1_ps);
  ASSERT_EQ(line.b.arrivals.size(), 1u);
  EXPECT_EQ(line.joint.held(), 0u);  // its own way there is over; the next are the device's
  line.context.clock.run_to(100_us);
  ASSERT_EQ(line.b.arrivals.size(), 3u);
  ASSERT_EQ(line.a.arrivals.size(), 3u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(line.b.arrivals[i].at, 1_us + of_1086 * (i + 1) + 500'001_ps);
    EXPECT_EQ(line.a.arrivals[i].at, 1_us + 6'720_ps * (i + 1) + 500'001_ps);
  }
  const std::vector<probe::Pause> pauses = {{5_us + 6'720_ps + 500'001_ps, 0, 3, true}};
  EXPECT_EQ(line.b.pauses, pauses);
  EXPECT_EQ(line.context.pool.live(), 0u);
}

TEST(LinkModule, ItsWindowIsHalfOfTheLink) {
  Line line(BoxFactory(pass), link);
  line.context.clock.run_to(1_us);
  EXPECT_EQ(line.context.clock.window(), 250_ns);
}

TEST(LinkModule, GetsAPacketAtItsLastBitAndSendsWhenTheWireIsFree) {
  std::vector<sc_core::sc_time> seen;
  std::vector<Packet*> kept;
  Line line(BoxFactory([&](box& b, unsigned side, Packet& p) {
              seen.push_back(sc_core::sc_time_stamp());
              kept.push_back(&p);
              if (kept.size() < 3) return;
              // All at once: the first leaves in 1 us, each other behind the one before.
              for (Packet* k : kept) b.send(1 - side, *k, sc_core::sc_time(1, sc_core::SC_US));
            }),
            link);
  for (int i = 0; i < 3; ++i) line.a.send({.at = Picoseconds(i * 2'000'000)});
  line.context.clock.run_to(4_us + of_1086 + 250_ns);
  EXPECT_EQ(line.joint.held(), 3u);
  EXPECT_FALSE(line.context.clock.idle());
  line.context.clock.run_to(100_us);
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(from_sc_time(seen[0]), of_1086 + 250_ns);
  ASSERT_EQ(line.b.arrivals.size(), 3u);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(line.b.arrivals[i].at, 4_us + of_1086 + 250_ns + 1_us + of_1086 * i + 250'001_ps);
  EXPECT_TRUE(line.context.clock.idle());
}

TEST(LinkModule, MayTurnPacketsBack) {
  Line line(BoxFactory([](box& b, unsigned side, Packet& p) { b.send(side, p); }), link);
  line.a.send({.at = 0_us});
  line.context.clock.run_to(10_us);
  ASSERT_EQ(line.a.arrivals.size(), 1u);
  EXPECT_EQ(line.a.arrivals[0].at, of_1086 + 500_ns);  // twice the half of side 0
}

TEST(LinkModule, WhatItDropsIsInTheBook) {
  int n = 0;
  Line line(BoxFactory([&](box& b, unsigned side, Packet& p) {
              if (++n % 4 == 0) return b.context.drop(p, n % 8 == 0);
              b.send(1 - side, p);
            }),
            link);
  for (int i = 0; i < 16; ++i) line.a.send({.at = 0_us});
  for (const bool pause : {true, false})
    line.b.send_pause({.at = pause ? 50_us : 60_us, .traffic_class = 2, .pause = pause});
  line.context.clock.run_to(100_us);
  const auto& pool = line.context.pool;
  EXPECT_EQ(pool.dropped(DropCause::module), 4u);
  EXPECT_EQ(pool.delivered(), 12u);
  EXPECT_EQ(pool.live(), 0u);
  StatTree tree;
  line.joint.statistics(tree);
  const auto json = tree.to_json();
  EXPECT_EQ(json.at("from_a").at("packets").at("value"), 16);
  EXPECT_EQ(json.at("from_a").at("bytes").at("value"), 16 * 1086);
  EXPECT_EQ(json.at("from_b").at("packets").at("value"), 0);
  EXPECT_EQ(json.at("from_a").at("pauses").at("value"), 0);
  EXPECT_EQ(json.at("from_b").at("pauses").at("value"), 1);  // one begins, and ends
  EXPECT_EQ(json.at("dropped").at("value"), 4);
  Outlook outlook;
  line.joint.add_outlook(outlook);
  EXPECT_EQ(outlook.chances, 2u);  // two of them at random
  EXPECT_LT(outlook.until.count(), 0);
}

TEST(LinkModule, WhatItHoldsMayStillGoOn) {
  Line line(BoxFactory([](box&, unsigned, Packet&) {}), link);
  line.a.send({.at = 0_us});
  line.context.clock.run_to(10_us);
  Outlook outlook;
  line.joint.add_outlook(outlook);
  EXPECT_EQ(outlook.until, 10_us);
  const std::vector<std::string> lines = {"box: 1 packets in the module or before it"};
  EXPECT_EQ(line.joint.describe_queues(), lines);
}

TEST(LinkModule, AnOutageIsOfBothHalves) {
  // The last bit reaches the module before the outage, and would reach b in it.
  const Picoseconds there = of_1086 + 250_ns;
  LinkConfig cut = link;
  cut.outages = {{there + 10_ns, 50_us}};
  Line line(BoxFactory(pass), cut);
  line.a.send({.at = 0_us});
  line.a.send({.at = 60_us});
  line.context.clock.run_to(100_us);
  EXPECT_EQ(line.context.pool.dropped(DropCause::link_down), 1u);
  ASSERT_EQ(line.b.arrivals.size(), 1u);
  EXPECT_EQ(line.b.arrivals[0].at, 60_us + of_1086 + 500'001_ps);
}

std::string refused(box::Act act) {
  return in_child([&] {
    Line line(BoxFactory(std::move(act)), link);
    line.a.send({.at = 0_us});
    try {
      line.context.clock.run_to(10_us);
    } catch (const ModelError& e) {
      return std::string(e.what());
    }
    return std::string();
  });
}

TEST(LinkModule, WhatItMustNotDoIsNamed) {
  EXPECT_EQ(refused([](box& b, unsigned side, Packet& p) { b.send(1 - side, p), b.send(side, p); }),
            "box: the module sends a packet that it does not have");
  EXPECT_EQ(
      refused([](box& b, unsigned side, Packet& p) { b.send(1 - side, p), b.context.drop(p); }),
      "box: the module drops a packet that it does not have");
  EXPECT_EQ(refused([](box& b, unsigned side, Packet& p) {
              packet_phase phase = packet_phase::begin_packet;
              sc_core::sc_time t(338'479, sc_core::SC_PS);
              b.out(1 - side)->nb_transport_fw(p, phase, t);
            }),
            "box: the module sends at 338479 ps, in the past of 338480 ps");
}

/// A module without any of ours but the protocol: a clocked process takes what came, one packet per
/// edge, from whichever side.
class clocked : public link_module, public packet_fw_if, public packet_bw_if {
 public:
  explicit clocked(const sc_core::sc_module_name& name)
      : link_module(name), clock_("clock", 10, sc_core::SC_NS) {
    for (unsigned side = 0; side < 2; ++side) {
      in_[side].bind(static_cast<packet_fw_if&>(*this));
      out_[side].bind(static_cast<packet_bw_if&>(*this));
    }
    SC_HAS_PROCESS(clocked);
    SC_METHOD(edge);
    sensitive << clock_.posedge_event();
    dont_initialize();
  }
  packet_target_socket& in(unsigned side) override { return in_[side]; }
  packet_initiator_socket& out(unsigned side) override { return out_[side]; }

 private:
  tlm::tlm_sync_enum nb_transport_fw(Packet& p, packet_phase&, sc_core::sc_time&) override {
    waiting_.push_back(&p);
    return tlm::TLM_ACCEPTED;
  }
  tlm::tlm_sync_enum nb_transport_bw(Packet&, packet_phase&, sc_core::sc_time&) override {
    return tlm::TLM_ACCEPTED;
  }
  void edge() {
    if (waiting_.empty()) return;
    Packet& p = *waiting_.front();
    waiting_.erase(waiting_.begin());
    packet_phase phase = packet_phase::begin_packet;
    sc_core::sc_time t = sc_core::sc_time_stamp();
    out_[p.src == 0 ? 1 : 0]->nb_transport_fw(p, phase, t);
  }

  packet_target_socket in_[2];
  packet_initiator_socket out_[2];
  sc_core::sc_clock clock_;
  std::vector<Packet*> waiting_;
};

class ClockedFactory : public ModuleFactory {
  std::unique_ptr<link_module> make(const sc_core::sc_module_name& name,
                                    module_context&) const override {
    return std::make_unique<clocked>(name);
  }
  nlohmann::ordered_json config() const override { return {}; }
};

TEST(LinkModule, MayHaveClocksAndSocketsOfItsOwn) {
  Line line(ClockedFactory(), link);
  line.a.send({.at = 0_us});          // at the module at 338,480: the edge of 340,000
  line.a.send({.at = 1'001'520_ps});  // at 1,340,000, an edge: it is for the next one
  line.context.clock.run_to(10_us);
  ASSERT_EQ(line.b.arrivals.size(), 2u);
  EXPECT_EQ(line.b.arrivals[0].at, 340_ns + 250'001_ps);
  EXPECT_EQ(line.b.arrivals[1].at, 1'350_ns + 250'001_ps);
}

/// Everything that arrives, of random traffic both ways through a module.
std::string history(const ModuleFactory& factory, scheduling mode, Picoseconds window = {}) {
  return in_child([&] {
    LinkConfig lossy = link_of(BitRate(130'000'000'000), 500'001_ps, 0.05, {{20_us, 24_us}});
    Line line(factory, lossy, {.mode = mode, .window = window});
    RandomStream random(7, "shots");
    for (int i = 0; i < 400; ++i) {
      // Grid times, so that things meet in one picosecond.
      const Picoseconds at(static_cast<std::int64_t>(random.below(200)) * 250'000);
      const Bytes frame(64 + 250 * static_cast<std::int64_t>(random.below(4)));
      (i % 2 == 0 ? line.a : line.b).send({.at = at, .frame = frame});
      if (i % 20 == 0) line.b.send_pause({.at = at, .traffic_class = 1, .pause = i % 40 == 0});
    }
    line.context.clock.run_to(33'333'333_ps);
    std::string out = fmt::format("held {}\n", line.joint.held());
    line.context.clock.run_to(1_ms);
    for (const probe* p : {&line.a, &line.b}) {
      for (const auto& x : p->arrivals) out += fmt::format("{} {}\n", x.at.count(), x.id);
      for (const auto& x : p->pauses) out += fmt::format("{} {}\n", x.at.count(), x.pause);
    }
    const auto& pool = line.context.pool;
    out += fmt::format("dropped {}\n", pool.dropped(DropCause::module));
    EXPECT_EQ(pool.created(), pool.delivered() + pool.dropped());
    EXPECT_GT(pool.dropped(DropCause::link_loss), 5u);
    EXPECT_GT(pool.dropped(DropCause::link_down), 5u);
    return out;
  });
}

TEST(LinkModule, HowDevicesAreRunDoesNotShow) {
  const std::vector<std::pair<std::string, std::unique_ptr<ModuleFactory>>> all = [] {
    std::vector<std::pair<std::string, std::unique_ptr<ModuleFactory>>> out;
    out.emplace_back("delay", by_kind("delay", "latency = '1 us'\njitter = '2 us'"));
    out.emplace_back("reordering", by_kind("delay", "jitter = '2 us'\nkeep_order = false"));
    out.emplace_back("loss", by_kind("burst_loss", "enter = 0.1\nleave = 0.3"));
    out.emplace_back("clocked", std::make_unique<ClockedFactory>());
    return out;
  }();
  for (const auto& [name, factory] : all) {
    const std::string windows = history(*factory, scheduling::windowed);
    EXPECT_EQ(windows, history(*factory, scheduling::exact_wake)) << name;
    EXPECT_EQ(windows, history(*factory, scheduling::windowed, 12'347_ps)) << name;
    EXPECT_GT(windows.size(), 4000u) << name;
  }
}

TEST(LinkModule, DelayTakesItsLatencyToThePicosecond) {
  Line line(*by_kind("delay", "latency = '300 ns'"), link);
  for (int i = 0; i < 2; ++i) line.a.send({.at = 0_us});
  line.b.send_pause({.at = 0_us, .traffic_class = 2, .pause = true});
  line.context.clock.run_to(10_us);
  ASSERT_EQ(line.b.arrivals.size(), 2u);
  EXPECT_EQ(line.b.arrivals[0].at, of_1086 + 500'001_ps + 300_ns);
  EXPECT_EQ(line.b.arrivals[1].at, of_1086 * 2 + 500'001_ps + 300_ns);
  ASSERT_EQ(line.a.pauses.size(), 1u);
  EXPECT_EQ(line.a.pauses[0].at, 6'720_ps + 500'001_ps + 300_ns);
}

/// Packets that arrive behind one that was sent later.
std::size_t overtaken(const std::string& table, Picoseconds* most) {
  const std::string text = in_child([&] {
    Line line(*by_kind("delay", table), link);
    for (int i = 0; i < 300; ++i) line.a.send({.at = Picoseconds(i * 100'000), .frame = 64_B});
    line.context.clock.run_to(1_ms);
    EXPECT_EQ(line.b.arrivals.size(), 300u);
    std::size_t n = 0;
    std::uint64_t highest = 0;
    Picoseconds longest{};
    for (const auto& x : line.b.arrivals) {
      n += x.shot() < highest ? 1 : 0;
      highest = std::max(highest, x.shot());
      longest =
          std::max(longest, x.at - Picoseconds(static_cast<std::int64_t>(x.shot()) * 100'000));
    }
    return fmt::format("{} {}", n, longest.count());
  });
  const std::size_t space = text.find(' ');
  *most = Picoseconds(std::stoll(text.substr(space)));
  return std::stoul(text.substr(0, space));
}

TEST(LinkModule, JitterReordersUnlessOrderIsKept) {
  Picoseconds most{};
  EXPECT_EQ(overtaken("jitter = '1 us'", &most), 0u);
  EXPECT_LE(most, 6'720_ps + 500'001_ps + 1_us + 6'720_ps * 10);
  EXPECT_GT(overtaken("jitter = '1 us'\nkeep_order = false", &most), 50u);
  EXPECT_GT(most, 500'001_ps + 900_ns);
  // Packets come 100 ns apart: with less jitter than that none overtakes.
  EXPECT_EQ(overtaken("jitter = '90 ns'\nkeep_order = false", &most), 0u);
}

TEST(LinkModule, LossComesInBurstsAsLongAsTheChannelSays) {
  // enter 0.01, leave 0.25: 1 / 26 of the packets, in bursts of 4.
  Line line(*by_kind("burst_loss", "enter = 0.01\nleave = 0.25\ndirection = 'forward'"), link);
  constexpr std::uint64_t count = 20'000;
  for (std::uint64_t i = 0; i < count; ++i) {
    line.a.send({.at = 0_us, .frame = 64_B});
    if (i % 10 == 0) line.b.send({.at = 0_us, .frame = 64_B});
  }
  line.context.clock.run_to(10_ms);
  EXPECT_EQ(line.a.arrivals.size(), count / 10);  // nothing is lost backwards
  std::uint64_t bursts = 0, next = 0;
  for (const auto& x : line.b.arrivals) {
    bursts += x.shot() > next ? 1 : 0;
    next = x.shot() + 1;
  }
  const auto lost = static_cast<double>(count - line.b.arrivals.size());
  // Lost packets cluster: their variance is about 2 / leave times that of single ones.
  EXPECT_NEAR(lost / count, 1.0 / 26, 4 * std::sqrt(8.0 / 26 / count));
  EXPECT_NEAR(lost / static_cast<double>(bursts), 4.0, 4 * 4.0 / std::sqrt(bursts));
  StatTree tree;
  line.joint.statistics(tree);
  EXPECT_EQ(tree.to_json().at("bursts").at("value"), bursts);
}

}  // namespace
}  // namespace horae::fabric::link_module_test
