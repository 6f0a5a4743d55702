// The slides' variant: a queue of PSNs finds the packet that triggered a NACK.
#include <deque>

#include "horae/params/document.hpp"
#include "horae/params/section.hpp"
#include "themis_series.hpp"

namespace horae::programs::themis_queue_test {
namespace {

using namespace test;

// The far node is reached by an uplink of the same pipeline (8) or of the other (9).
Routes by(std::uint16_t uplink) {
  return {{{near_node, {0}, true}, {near_other, {1}, true}, {far_node, {uplink}}},
          routes.pipeline_of_port};
}

std::string text(unsigned entries, unsigned registers, unsigned paths = 4) {
  return fmt::format(
      "name = \"themis_queue\"\nnics = 2\nqps_per_nic = 4\npipelines = 2\npaths = {}\n"
      "queue_entries = {}\nqueue_registers = {}\n",
      paths, entries, registers);
}

// A receiver at port 0 and what its switch's egress makes of NACKs, copy by copy.
struct Receiver {
  explicit Receiver(const std::string& parameters, std::uint16_t uplink = 8)
      : factory(read_program(Document::parse(parameters, "test.toml").root())),
        tor(*factory, 0, by(uplink)),
        port(uplink == 8 ? 8u : near_port) {
    tor.program->connect(connection(far_node, near_node));
  }
  void arrive(std::initializer_list<std::uint32_t> psns) {
    for (const auto psn : psns)
      EXPECT_TRUE(tor.egress(data(far_node, near_node, psn), near_port).passes());
  }
  struct Result {
    bool passes = false;
    unsigned passes_of_egress = 0;
    unsigned port = 0;  // where it leaves
  };
  Result ask(std::uint32_t psn) {
    Outcome o = tor.ingress(nack(near_node, far_node, psn), near_port);
    EXPECT_EQ(o.port, port);
    o = tor.egress(o.packet, port);
    Result r{.passes_of_egress = 1, .port = port};
    while (o.copy && o.copy->type != 1) {
      EXPECT_TRUE(o.dropped());
      EXPECT_EQ(o.copy->egress_port, port);  // once more where the state is
      o = tor.copied(o.packet, *o.copy);
      ++r.passes_of_egress;
    }
    if (o.copy) {  // to another pipeline
      EXPECT_TRUE(o.dropped());
      r.passes = true;
      r.port = o.copy->egress_port;
    } else {
      r.passes = !o.dropped();
    }
    return r;
  }

  std::unique_ptr<ProgramFactory> factory;
  Tor tor;
  unsigned port;
};

TEST(ThemisQueue, TheTriggersPathDecides) {
  for (std::uint32_t later = 1; later < 13; ++later) {
    Receiver r(text(16, 4));
    r.arrive({later});
    EXPECT_EQ(r.ask(0).passes, later % 4 == 0) << later;
    EXPECT_EQ(r.tor.count("nacks_valid"), later % 4 == 0 ? 1u : 0u);
    EXPECT_EQ(r.tor.count("nacks_invalid"), later % 4 == 0 ? 0u : 1u);
  }
}

// Packets 0, 1, 3 arrive; 2 is not lost (Figure 6), 4 is.
TEST(ThemisQueue, TheSlidesExample) {
  Receiver r(text(16, 4, 2));
  r.arrive({0, 1, 3, 2});
  EXPECT_FALSE(r.ask(2).passes);
  r.arrive({6});
  EXPECT_TRUE(r.ask(4).passes);
}

TEST(ThemisQueue, WhatWasTakenTriggersNothingMore) {
  Receiver r(text(16, 4));
  r.arrive({5, 4, 1});
  EXPECT_FALSE(r.ask(0).passes);  // by 5
  EXPECT_TRUE(r.ask(0).passes);   // by 4: not a NIC's NACK, but the queue is as it should be
  EXPECT_FALSE(r.ask(0).passes);  // by 1
  EXPECT_FALSE(r.ask(0).passes);
  EXPECT_EQ(r.tor.count("nacks_untriggered"), 1u);
}

// R entries in a pass, one pass more to end the search, and one to another pipeline.
TEST(ThemisQueue, PassesGrowWithWhatIsBefore) {
  for (const unsigned registers : {1u, 2u, 4u, 8u, 16u}) {
    for (unsigned before = 0; before < 15; ++before) {
      Receiver r(text(16, registers));
      for (unsigned i = 0; i < before; ++i) r.arrive({0});
      r.arrive({4});
      const auto result = r.ask(1);
      EXPECT_FALSE(result.passes);
      EXPECT_EQ(result.passes_of_egress, before / registers + 2) << registers << ' ' << before;
      EXPECT_EQ(r.tor.count("queue_passes"), before / registers + 1);
    }
  }
}

TEST(ThemisQueue, OnlyTheLastEntriesAreThere) {
  Receiver r(text(8, 4));
  r.arrive({4, 2, 2, 2, 2, 2, 2, 2, 2});  // 4 was overwritten
  EXPECT_FALSE(r.ask(0).passes);
  EXPECT_EQ(r.tor.count("nacks_invalid"), 1u);  // by 2
  Receiver full(text(8, 4));
  full.arrive({4, 2, 2, 2, 2, 2, 2, 2});
  EXPECT_TRUE(full.ask(0).passes);
}

TEST(ThemisQueue, PsnsComeAroundAndTheirLowBitsDecide) {
  Receiver r(text(16, 4));
  r.arrive({0xfffffe, 0xfffffd});
  EXPECT_FALSE(r.ask(0xffffff).passes);
  EXPECT_EQ(r.tor.count("nacks_untriggered"), 1u);
  r.arrive({3});
  EXPECT_TRUE(r.ask(0xffffff).passes);
}

TEST(ThemisQueue, WhatMayPassLeavesByTheOtherPipeline) {
  Receiver r(text(16, 4), 9);
  r.arrive({0, 4});
  const auto good = r.ask(0);
  EXPECT_TRUE(good.passes);
  EXPECT_EQ(good.port, 9u);
  EXPECT_FALSE(r.ask(3).passes);
  const Outcome turned = r.tor.ingress(ack(near_node, far_node, 0), near_port);
  const Outcome on = r.tor.egress(turned.packet, near_port);
  ASSERT_TRUE(on.copy.has_value());
  EXPECT_EQ(on.copy->egress_port, 9u);
}

// Against a queue without bounds of hardware, over positions that turn over.
TEST(ThemisQueue, IsAQueue) {
  for (const auto& [entries, registers] :
       {std::pair{8u, 1u}, {8u, 2u}, {16u, 4u}, {16u, 16u}, {64u, 8u}}) {
    Receiver r(text(entries, registers));
    RandomStream random(entries * 100 + registers, "queue");
    std::deque<std::uint32_t> ideal;
    std::uint32_t expected = 0xffff00;
    std::uint64_t passed = 0;
    for (unsigned i = 0; i < 100'000; ++i) {
      if (random.below(3) != 0) {
        const std::uint32_t psn = (expected + random.below(40) + 0xffffff - 15) & 0xffffff;
        r.arrive({psn});
        ideal.push_back(psn);
        if (ideal.size() > entries) ideal.pop_front();
        continue;
      }
      expected = (expected + random.below(4)) & 0xffffff;
      bool valid = false;
      while (!ideal.empty()) {
        const Psn first(ideal.front());
        ideal.pop_front();
        if (!first.after(Psn(expected))) continue;
        valid = first.value() % 4 == expected % 4;
        break;
      }
      ASSERT_EQ(r.ask(expected).passes, valid) << i;
      passed += valid ? 1 : 0;
    }
    EXPECT_GT(passed, 1000u);
  }
}

std::string refusal(const std::string& parameters) {
  return refusal_of([&] { read_program(Document::parse(parameters, "test.toml").root()); });
}

TEST(ThemisQueue, BadParametersAreRefused) {
  EXPECT_EQ(refusal(text(16, 16)), "accepted");
  EXPECT_NE(refusal(text(24, 4)).find("queue_entries = 24 is no power of two"), std::string::npos);
  EXPECT_NE(refusal(text(16, 3)).find("queue_registers = 3 is no power of two"), std::string::npos);
  EXPECT_NE(refusal(text(8, 16)).find("16 arrays for 8 entries"), std::string::npos);
  EXPECT_NE(refusal(text(8, 8) + "window = 8\n").find("window"), std::string::npos);
}

// Limits of the program: a NACK whose trigger came by another path is dropped for good, and what is
// lost then waits for the timer. What was not lost never passes.
TEST(ThemisQueueRandom, LossesWaitForTheTimer) {
  const Causes c =
      play({.queue = true, .pipelines = 2, .rules = {.keeps = false, .bitmap = false}}, losses);
  EXPECT_EQ(c.passed_in_time + c.passed_delivered + c.past_source + c.kept_path, 0u);
  EXPECT_EQ(c.unexplained_timeout, 0u);
  EXPECT_GT(c.given_up, 100u);
  EXPECT_GT(c.timeout_blocked, 100u);
  EXPECT_GT(c.nacks_passed, 500u);
}

}  // namespace
}  // namespace horae::programs::themis_queue_test
