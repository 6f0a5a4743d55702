// A simulation over several processes counts the same as in one, whatever is where.
#include "horae/fabric/rank_border.hpp"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "fabric_parts.hpp"
#include "leaf_spine.hpp"
#include "socket_ranks.hpp"

namespace horae::fabric::rank_border_test {
namespace {

using test::in_child;
using test::in_ranks;
using test::LeafSpine;
using test::link_of;
using test::value_in;

// Losses, outages, marks and full queues; links between switches longer than those of hosts.
LeafSpine lossy() {
  LeafSpine s;
  s.sw = {.latency = 412'345_ps,
          .queue_limit = 20'000_B,
          .red = {.kmin = 5000_B, .kmax = 18'000_B, .pmax = 0.2},
          .balance = "spray"};
  s.host_link = link_of(100_Gbps, 300_ns, 0.002);
  s.fabric_link = link_of(100_Gbps, 1100_ns, 0.005, {{20_us, 23_us}});
  return s;
}

// Pauses cross the border, against packets.
LeafSpine lossless() {
  LeafSpine s;
  const Picoseconds latency = 412'345_ps;
  s.sw = {.latency = latency,
          .pfc = {.xoff = 12'000_B,
                  .xon = 8'000_B,
                  .headroom = pfc_headroom(130_Gbps, 700_ns, 4200_B, latency)},
          .balance = "adaptive"};
  s.host_link = link_of(130_Gbps, 700_ns);
  s.fabric_link = link_of(40_Gbps, 500_ns);
  s.classes = 2;
  s.stops = {33'333'333_ps, 77'777'001_ps, 2_ms};
  s.drains = true;
  return s;
}

// Devices in the order of construction: four leaves, four spines, four hosts a leaf.
std::vector<unsigned> racks(unsigned ranks) {
  std::vector<unsigned> owners;
  for (unsigned i = 0; i < 8; ++i) owners.push_back(i % 4 * ranks / 4);
  for (unsigned i = 0; i < 16; ++i) owners.push_back(i / 4 * ranks / 4);
  return owners;
}
std::vector<unsigned> scattered(unsigned ranks) {
  std::vector<unsigned> owners;
  for (unsigned i = 0; i < 24; ++i) owners.push_back(i * 7 % ranks);
  return owners;
}

// Lines about devices, sorted, without those about the pool, which has no place in one rank.
// Between exchanges a packet on its way is held by the border in place of the device that it goes
// to.
std::vector<std::string> device_lines(const std::vector<std::string>& texts) {
  std::vector<std::string> lines;
  for (const auto& text : texts) {
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
      if (line.starts_with("pool") || line.starts_with("---")) continue;
      const bool of_port = line.starts_with("  tx");
      lines.push_back(of_port ? line : line.substr(0, line.rfind(" held=")));
    }
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

// Counts of all pools at the last stop.
std::map<std::string, std::uint64_t> sums(const std::vector<std::string>& texts) {
  std::map<std::string, std::uint64_t> out;
  for (const auto& text : texts) {
    const std::string last = text.substr(text.rfind("pool "));
    for (const char* what : {"created", "delivered", "link_loss", "link_down", "queue_full"})
      out[what] += value_in(last, what);
  }
  return out;
}

void expect_equal(const LeafSpine& scenario, const std::vector<unsigned>& owners, unsigned ranks) {
  const std::vector<std::string> alone = {in_child([&] {
    LeafSpine s = scenario;
    return s.run();
  })};
  const auto together = in_ranks(ranks, [&](rank_exchange& exchange) {
    rank_border border(exchange, owners);
    LeafSpine s = scenario;
    s.border = &border;
    return s.run();
  });
  EXPECT_EQ(device_lines(alone), device_lines(together));
  EXPECT_EQ(sums(alone), sums(together));
  EXPECT_GT(sums(alone)["delivered"], 1000u);
}

TEST(RankBorder, TwoRanksCountWhatOneDoes) {
  expect_equal(lossy(), racks(2), 2);
  expect_equal(lossless(), racks(2), 2);
}

TEST(RankBorder, AnyDeviceMayBeAnywhere) {
  expect_equal(lossy(), scattered(3), 3);
  expect_equal(lossless(), scattered(4), 4);
}

TEST(RankBorder, WindowsMayBeShorterThanPeriods) {
  LeafSpine s = lossy();
  s.time.window = 137_ns;
  expect_equal(s, racks(2), 2);
}

// A packet that goes and one that comes back, then nothing for a long time.
struct Pair {
  explicit Pair(rank_exchange& ranks, const std::vector<unsigned>& owners, time_config time = {})
      : border(ranks, owners), context(time) {
    context.join(border);
    a = std::make_unique<test::probe>("a", context, 1, 0);
    b = std::make_unique<test::probe>("b", context, 1, 1);
    connect(*a, 0, *b, 0, link_of(100_Gbps, 2_us));
    a->send({.at = 1_us});
    a->send({.at = 900_us});
    b->send({.at = 500_us});
    b->send_pause({.at = 600_us, .traffic_class = 3, .pause = true});
  }

  rank_border border;
  sim_context context;
  std::unique_ptr<test::probe> a, b;
};

TEST(RankBorder, PacketsAndPausesArriveInTheOtherProcess) {
  const auto texts = in_ranks(2, [](rank_exchange& ranks) {
    Pair pair(ranks, {0, 1});
    EXPECT_EQ(pair.border.period(), 2_us);
    pair.context.clock.run_to(901_us);
    EXPECT_EQ(pair.border.waiting(), ranks.rank() == 0 ? 1u : 0u);
    EXPECT_EQ(pair.context.pool.live(), 0u);
    EXPECT_EQ(pair.context.clock.run_to(1_ms), run_end::idle);
    EXPECT_EQ(pair.border.waiting(), 0u);
    const auto& pool = pair.context.pool;
    const test::probe& mine = ranks.rank() == 0 ? *pair.a : *pair.b;
    return fmt::format("created {} given {} taken {} arrived {} paused {}", pool.created(),
                       pool.given_away(), pool.taken_over(), mine.arrivals.size(),
                       mine.pauses.size());
  });
  EXPECT_EQ(texts[0], "created 2 given 2 taken 1 arrived 1 paused 1");
  EXPECT_EQ(texts[1], "created 1 given 1 taken 2 arrived 2 paused 0");
}

/// Sends two packets with feedback and a pause between them, and keeps what feedback arrives.
class telling final : public device {
 public:
  telling(sc_core::sc_module_name name, sim_context& context, bool tells)
      : device(name, context, 1), tells_(tells) {}
  std::vector<std::uint8_t> hops;
  std::vector<Picoseconds> sent;

 protected:
  void begin() override {
    for (std::uint64_t i = 0; tells_ && i < 3; ++i)
      schedule(1_us * static_cast<std::int64_t>(i + 1), device_events, 0, i, i);
  }
  void handle(const Event& e) override {
    if (key_kind(e.key) == arrival_event) {
      Packet& p = arrived(e);
      hops.push_back(feedback_of(p).hops);
      sent.push_back(feedback_of(p).sent);
      return context_.pool.deliver(p);
    }
    if (key_kind(e.key) != device_events) return;
    if (e.payload == 1) return tx(0).send_pause(e.time, 0, true);
    Packet& p = context_.pool.create();
    p.frame = 1000;
    feedback_of(p).hops = static_cast<std::uint8_t>(3 + e.payload);
    feedback_of(p).sent = e.time;
    tx(0).send(p, e.time);
  }

 private:
  bool tells_;
};

TEST(RankBorder, FeedbackGoesWithItsPacket) {
  const auto texts = in_ranks(2, [](rank_exchange& ranks) {
    rank_border border(ranks, {0, 1});
    sim_context context;
    context.pool.carry_feedback();
    context.join(border);
    border.carry_feedback();
    telling a("a", context, true), b("b", context, false);
    connect(a, 0, b, 0, link_of(100_Gbps, 2_us));
    context.clock.run_to(100_us);
    std::string told;
    for (std::size_t i = 0; i < b.hops.size(); ++i)
      told += fmt::format("{} {} ", b.hops[i], b.sent[i].count());
    return told;
  });
  EXPECT_EQ(texts[0], "");
  EXPECT_EQ(texts[1], "3 1000000 5 3000000 ");
}

/// Sends packets of which each third one has bytes of its own, and keeps what arrives.
class byte_sender final : public device {
 public:
  byte_sender(sc_core::sc_module_name name, sim_context& context, bool sends)
      : device(name, context, 1), sends_(sends) {}
  std::string told;

 protected:
  void begin() override {
    for (std::uint64_t i = 0; sends_ && i < 7; ++i)
      schedule(1_us * static_cast<std::int64_t>(i + 1), device_events, 0, i, i);
  }
  void handle(const Event& e) override {
    if (key_kind(e.key) == arrival_event) {
      Packet& p = arrived(e);
      const PacketContents* const found = context_.bytes.find(p);
      told += found == nullptr ? "- " : fmt::format("{} ", fmt::join(found->payload, ","));
      return context_.pool.deliver(p);
    }
    if (key_kind(e.key) != device_events) return;
    if (e.payload == 2) tx(0).send_pause(e.time, 0, true);
    if (e.payload == 2) tx(0).send_pause(e.time, 0, false);
    Packet& p = context_.pool.create();
    p.id = e.payload + 1;
    p.frame = 1000;
    if (e.payload % 3 == 0) {
      // An odd number of bytes: what follows still begins at its alignment.
      PacketContents& own = context_.bytes.make(p);
      for (std::uint64_t k = 0; k <= e.payload; ++k)
        own.payload.push_back(static_cast<std::uint8_t>(k));
    }
    tx(0).send(p, e.time);
  }

 private:
  bool sends_;
};

TEST(RankBorder, BytesGoWithTheirPacket) {
  const auto texts = in_ranks(2, [](rank_exchange& ranks) {
    rank_border border(ranks, {0, 1});
    sim_context context;
    context.join(border);
    border.carry_bytes(context.bytes);
    byte_sender a("a", context, true), b("b", context, false);
    connect(a, 0, b, 0, link_of(100_Gbps, 2_us));
    context.clock.run_to(100_us);
    return b.told;
  });
  EXPECT_EQ(texts[0], "");
  EXPECT_EQ(texts[1], "0 - - 0,1,2,3 - - 0,1,2,3,4,5,6 ");
}

TEST(RankBorder, RanksThatAllIdleExchangeSeldom) {
  const auto texts = in_ranks(2, [](rank_exchange& ranks) {
    Pair pair(ranks, {0, 1});
    pair.context.clock.run_to(100_ms);
    const auto exchanges = static_cast<test::SocketRanks&>(ranks).exchanges;
    return std::string(exchanges > 10 && exchanges < 1500 ? "seldom"
                                                          : std::to_string(exchanges) + " times");
  });
  EXPECT_EQ(texts, std::vector<std::string>(2, "seldom"));
}

// A failure names its device, and the other rank knows.
TEST(RankBorder, AFailureEndsAllRanks) {
  class faulty : public test::probe {
   public:
    using probe::probe;

   protected:
    void handle(const Event&) override { throw ModelError("out of order"); }
  };
  const auto texts = in_ranks(3, [](rank_exchange& ranks) -> std::string {
    rank_border border(ranks, {0, 1, 2});
    sim_context context;
    context.join(border);
    test::probe a("a", context, 1, 0);
    faulty b("b", context, 2, 1);
    test::probe c("c", context, 1, 2);
    connect(a, 0, b, 0, link_of(100_Gbps, 1_us));
    connect(b, 1, c, 0, link_of(100_Gbps, 1_us));
    a.send({.at = 10_us, .dst = 1});
    try {
      context.clock.run_to(1_ms);
      return "ran";
    } catch (const RankFailed& e) {
      return fmt::format("rank {}: {} ({})", e.rank, e.what(), e.exit_code);
    } catch (const ModelError& e) {
      ranks.fail(1, e.what());
      return std::string("failed: ") + e.what();
    }
  });
  EXPECT_EQ(texts,
            (std::vector<std::string>{"rank 1: b: out of order (1)", "failed: b: out of order",
                                      "rank 1: b: out of order (1)"}));
}

TEST(RankBorder, ExactWakeUpsAreRefused) {
  const auto texts = in_ranks(1, [](rank_exchange& ranks) {
    Pair pair(ranks, {0, 0}, {.mode = scheduling::exact_wake});
    return std::string("accepted");
  });
  EXPECT_EQ(texts.front(), "several ranks need windows: expected sim.scheduling = \"windowed\"");
}

}  // namespace
}  // namespace horae::fabric::rank_border_test
