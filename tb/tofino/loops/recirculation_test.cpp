// Packets that come around again: how long it takes, what they wait for, and what they hold.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "horae/dataplane/mirror.hpp"
#include "odd_latencies.hpp"

namespace horae::tofino::recirculation_test {
namespace {

using dataplane::Pass;
using fabric::DropCause;
using test::Chip;
using test::edge;
using test::expect_balance;
using test::first_edge;
using test::LambdaProgram;
using test::odd_latencies;

// On a loopback port of 400 Gbps: 20 ps per byte, preamble and gap included.
Picoseconds loop_time(Bytes frame) { return Picoseconds((frame.count() + 20) * 20); }

// Comes around as often as its entropy says; the number of the loop is its metadata.
LambdaProgram loops(std::vector<Picoseconds>* entered = nullptr) {
  LambdaProgram program{.ingress_chain = 4, .egress_chain = 1};
  program.ingress = [entered](Pass& pass) {
    Packet& p = pass.header();
    if (entered != nullptr) entered->push_back(pass.now());
    if (p.metadata < p.entropy) {
      ++p.metadata;
      pass.recirculate();
    } else {
      pass.forward(p.dst);
    }
  };
  return program;
}

// The way of a packet that is alone in the chip.
struct Way {
  ChipConfig c = odd_latencies();
  LambdaProgram program = loops();

  std::int64_t entry(Picoseconds start, Bytes frame) const {
    return first_edge(start + Chip::wire(frame) + Chip::link.delay + c.mac_rx + c.ingress_parser);
  }
  // Out of the traffic manager, of a header that entered at clock `n`.
  Picoseconds through(std::int64_t n) const {
    return edge(n + program.ingress_cycles().count()) + c.ingress_deparser + c.traffic_manager;
  }
  std::int64_t around(std::int64_t n, Bytes frame) const {
    return first_edge(through(n) + loop_time(frame) + c.ingress_parser);
  }
  Picoseconds received(std::int64_t n, Bytes frame) const {
    return through(n) + c.egress_parser + edge(program.egress_cycles().count()) +
           c.egress_deparser + c.mac_tx + Chip::wire(frame) + Chip::link.delay;
  }
};

TEST(Recirculation, EachLoopTakesItsTimeInClosedForm) {
  Way way;
  std::vector<Picoseconds> entered, expected;
  way.program = loops(&entered);
  fabric::sim_context context;
  Chip chip(context, way.c, 4, way.program);
  std::vector<Picoseconds> received;
  std::int64_t bytes = 0;
  std::uint64_t turns = 0;
  for (std::uint16_t i = 0; i < 120; ++i) {
    const Bytes frame(64 + 31 * i);
    const std::uint16_t times = i % 8;
    const Picoseconds start = 10'000'007_ps * (i + 1) + 333_ps * i;
    chip.host(0).send({.at = start, .dst = 1, .frame = frame, .entropy = times});
    std::int64_t n = way.entry(start, frame);
    expected.push_back(edge(n));
    for (unsigned k = 0; k < times; ++k) {
      n = way.around(n, frame);
      expected.push_back(edge(n));
    }
    received.push_back(way.received(n, frame));
    turns += times;
    bytes += times * (frame.count() + 20);
  }
  context.clock.run_to(2_ms);
  EXPECT_EQ(entered, expected);
  ASSERT_EQ(chip.host(1).arrivals.size(), received.size());
  for (std::size_t i = 0; i < received.size(); ++i)
    EXPECT_EQ(chip.host(1).arrivals[i].at, received[i]) << i;
  const auto& c = chip.chip->counters();
  EXPECT_EQ(c.recirculated, turns);
  EXPECT_EQ(c.recirculated_bytes, bytes);
  EXPECT_EQ(c.ingress_passes, 120 + turns);
  EXPECT_EQ(c.egress_passes, 120u);  // a loop bypasses egress
  EXPECT_EQ(c.forwarded, 120u);
  expect_balance(context, *chip.chip, 120);
}

// State that a chip keeps with a packet ends with the chip: the next one counts the loops anew.
TEST(Recirculation, MetadataDoesNotLeaveTheChip) {
  fabric::sim_context context;
  test::probe from("from", context), to("to", context, 1, 1);
  std::vector<Picoseconds> entered[2];
  const auto chip = [&](const char* name, unsigned i) {
    return std::make_unique<tofino_switch>(name, context, odd_latencies(), 2,
                                           test::LambdaFactory(loops(&entered[i])),
                                           programs::Routes{});
  };
  const auto near = chip("near", 0), far = chip("far", 1);
  connect(from, 0, *near, 0, Chip::link);
  connect(*near, 1, *far, 0, Chip::link);
  connect(*far, 1, to, 0, Chip::link);
  from.send({.at = 5_us, .dst = 1, .entropy = 2});
  context.clock.run_to(100_us);
  EXPECT_EQ(to.arrivals.size(), 1u);
  EXPECT_EQ(entered[0].size(), 3u);
  EXPECT_EQ(entered[1].size(), 3u);
}

// If two packets of one pipeline are to loop at the same time, one waits for the other; those of
// another pipeline have a loopback port of their own.
TEST(Recirculation, TheLoopbackPortTakesOneAfterTheOther) {
  Way way;
  way.c.ports_per_pipeline = 3;
  fabric::sim_context context;
  Chip chip(context, way.c, 12, way.program);
  const Bytes frame = 4000_B;
  for (const unsigned sender : {0u, 1u, 2u, 3u}) {
    chip.host(sender).send({.at = 5_us, .dst = 6 + sender, .frame = frame, .entropy = 1});
  }
  context.clock.run_to(100_us);
  const std::int64_t n = way.entry(5_us, frame);
  ASSERT_LT(way.through(n + 2), way.through(n) + loop_time(frame));  // they do meet
  for (const unsigned turn : {0u, 1u, 2u}) {
    const Picoseconds looped = way.through(n) + loop_time(frame) * (turn + 1);
    ASSERT_EQ(chip.host(6 + turn).arrivals.size(), 1u);
    EXPECT_EQ(chip.host(6 + turn).arrivals[0].at,
              way.received(first_edge(looped + way.c.ingress_parser), frame))
        << turn;
  }
  ASSERT_EQ(chip.host(9).arrivals.size(), 1u);
  EXPECT_EQ(chip.host(9).arrivals[0].at, way.received(way.around(n, frame), frame));
  expect_balance(context, *chip.chip, 4);
}

// To the ingress of another pipeline goes the way of that one's loopback port, where the packets of
// its own wait as well; it is then a packet of that pipeline, though it came by its port.
TEST(Recirculation, AnotherPipelinesLoopbackPortLeadsIntoItsIngress) {
  Way way;
  way.c.ports_per_pipeline = 3;
  struct Entered {
    NodeId src;
    unsigned pipeline, port;
    Picoseconds at;
    bool operator==(const Entered&) const = default;
  };
  std::vector<Entered> entered;
  way.program.ingress = [&](Pass& pass) {
    Packet& p = pass.header();
    entered.push_back({p.src, pass.where().pipeline, pass.ingress_port(), pass.now()});
    if (p.metadata++ < p.entropy) return pass.recirculate(1);
    pass.forward(p.dst);
  };
  fabric::sim_context context;
  Chip chip(context, way.c, 12, way.program);
  const Bytes frame = 4000_B;
  for (const unsigned sender : {0u, 3u})  // of pipelines 0 and 1
    chip.host(sender).send({.at = 5_us, .dst = 6 + sender, .frame = frame, .entropy = 1});
  context.clock.run_to(100_us);
  const std::int64_t n = way.entry(5_us, frame);
  const std::int64_t first = way.around(n, frame);
  const std::int64_t second =
      first_edge(way.through(n) + loop_time(frame) * 2 + way.c.ingress_parser);
  ASSERT_EQ(entered.size(), 4u);
  EXPECT_EQ(entered[2], (Entered{0, 1, 0, edge(first)}));
  EXPECT_EQ(entered[3], (Entered{3, 1, 3, edge(second)}));
  for (const unsigned sender : {0u, 3u}) {
    ASSERT_EQ(chip.host(6 + sender).arrivals.size(), 1u);
    EXPECT_EQ(chip.host(6 + sender).arrivals[0].at,
              way.received(sender == 0 ? first : second, frame));
  }
  EXPECT_EQ(chip.chip->counters().recirculated, 2u);
  expect_balance(context, *chip.chip, 2);
}

TEST(Recirculation, APipelineThatIsNotThereIsRefused) {
  Way way;
  way.program.ingress = [](Pass& pass) { pass.recirculate(4); };
  fabric::sim_context context;
  Chip chip(context, way.c, 4, way.program);
  chip.host(0).send({.at = 5_us, .dst = 1});
  chip.stopped = true;
  try {
    context.clock.run_to(100_us);
    ADD_FAILURE() << "no error";
  } catch (const ModelError& e) {
    EXPECT_NE(std::string(e.what()).find("no pipeline 4 to come around in"), std::string::npos)
        << e.what();
  }
}

// A header that comes around and one that comes in are one header per clock.
TEST(Recirculation, ALoopedHeaderTakesAClockOfThePipeline) {
  Way way;
  std::vector<Picoseconds> entered;
  way.program = loops(&entered);
  fabric::sim_context context;
  Chip chip(context, way.c, 4, way.program);
  // The second packet is parsed together with the first one's second pass.
  const std::int64_t n = way.entry(5_us, 300_B);
  const Picoseconds again = way.through(n) + loop_time(300_B) + way.c.ingress_parser;
  const Picoseconds start =
      again - way.c.mac_rx - way.c.ingress_parser - Chip::link.delay - Chip::wire(64_B);
  chip.host(0).send({.at = 5_us, .dst = 2, .frame = 300_B, .entropy = 1});
  chip.host(1).send({.at = start, .dst = 3, .frame = 64_B, .entropy = 0});
  context.clock.run_to(100_us);
  const std::int64_t m = first_edge(again);
  EXPECT_EQ(entered, (std::vector<Picoseconds>{edge(n), edge(m), edge(m + 1)}));
}

// A program of real objects: a ticket machine that each pass takes a ticket from.
class Tickets final : public programs::Program {
 public:
  struct Taken {
    std::uint32_t ticket;
    NodeId src;
    unsigned loop;
    Picoseconds at;
  };
  Tickets(dataplane::Pipeline& pipeline, std::vector<Taken>& taken)
      : tickets_(pipeline, dataplane::Gress::ingress, "tickets", 1),
        around_(pipeline, dataplane::Gress::ingress, "around"),
        taken_(taken) {}
  void ingress(Pass& pass) override {
    Packet& p = pass.header();
    taken_.push_back({tickets_.apply(pass, 0, [](std::uint32_t& n) { return n++; }), p.src,
                      p.metadata, pass.now()});
    if (p.metadata++ < p.entropy) return around_.request(pass);
    pass.forward(p.dst);
  }
  void egress(Pass&) override {}

 private:
  dataplane::Register<std::uint32_t> tickets_;
  dataplane::Recirculation around_;
  std::vector<Taken>& taken_;
};

struct TicketFactory final : programs::ProgramFactory {
  std::unique_ptr<programs::Program> make(dataplane::Pipeline& pipeline,
                                          const programs::Routes&) const override {
    return std::make_unique<Tickets>(pipeline, taken);
  }
  nlohmann::ordered_json config() const override { return {}; }
  mutable std::vector<Tickets::Taken> taken;
};

TEST(Recirculation, RegistersSeeThePassesInTheirOrder) {
  TicketFactory factory;
  fabric::sim_context context;
  tofino_switch chip("tor", context, odd_latencies(), 4, factory, {});
  std::vector<std::unique_ptr<test::probe>> hosts;
  for (unsigned i = 0; i < 4; ++i) {
    hosts.push_back(
        std::make_unique<test::probe>(("host" + std::to_string(i)).c_str(), context, 1, i));
    connect(chip, i, *hosts[i], 0, Chip::link);
  }
  std::uint64_t passes = 0;
  for (std::uint16_t i = 0; i < 50; ++i) {
    for (unsigned h = 0; h < 3; ++h) {
      const auto times = static_cast<std::uint16_t>((i + h) % 4);
      hosts[h]->send({.at = 1_us, .dst = 3, .frame = Bytes(64 + 50 * h), .entropy = times});
      passes += 1u + times;
    }
  }
  context.clock.run_to(1_ms);
  EXPECT_EQ(hosts[3]->arrivals.size(), 150u);
  ASSERT_EQ(factory.taken.size(), passes);
  bool mixed = false;
  for (std::size_t i = 0; i < factory.taken.size(); ++i) {
    EXPECT_EQ(factory.taken[i].ticket, i);
    if (i == 0) continue;
    EXPECT_GT(factory.taken[i].at, factory.taken[i - 1].at);  // a clock each
    mixed |= factory.taken[i].loop < factory.taken[i - 1].loop;
  }
  EXPECT_TRUE(mixed);  // first passes come in between
  EXPECT_EQ(chip.counters().recirculated, passes - 150);
}

// Cells are taken behind the traffic manager and given back when the header is parsed again.
TEST(Recirculation, ALoopingPacketHoldsItsCells) {
  Way way;
  fabric::sim_context context;
  Chip chip(context, way.c, 2, way.program);
  chip.host(0).send({.at = 5_us, .dst = 1, .frame = 1086_B, .entropy = 2});
  std::int64_t n = way.entry(5_us, 1086_B);
  const auto cells_at = [&](Picoseconds t) {
    context.clock.run_to(t);  // all before t
    return chip.chip->cells_used();
  };
  for (int loop = 0; loop < 2; ++loop) {
    const Picoseconds taken = way.through(n);
    const Picoseconds given = taken + loop_time(1086_B) + way.c.ingress_parser;
    EXPECT_EQ(cells_at(taken), 0);
    EXPECT_EQ(cells_at(taken + 1_ps), 7);
    EXPECT_EQ(cells_at(given), 7);
    EXPECT_EQ(cells_at(given + 1_ps), 0);
    EXPECT_EQ(context.pool.live(), 1u);
    n = way.around(n, 1086_B);
  }
  context.clock.run_to(100_us);
  EXPECT_EQ(chip.host(1).arrivals.size(), 1u);
  EXPECT_EQ(chip.chip->most_cells_used(), 7);
  expect_balance(context, *chip.chip, 1);
}

TEST(Recirculation, AFullBufferTakesNoLoopingPacket) {
  Way way;
  way.c.cells = 13;  // one of 1086 bytes, and six cells
  fabric::sim_context context;
  Chip chip(context, way.c, 8, way.program);
  chip.host(0).send({.at = 5_us, .dst = 4, .frame = 1086_B, .entropy = 1});
  chip.host(1).send({.at = 5_us, .dst = 5, .frame = 1086_B, .entropy = 1});
  chip.host(2).send({.at = 20_us, .dst = 6, .frame = 1086_B, .entropy = 3});
  context.clock.run_to(100_us);
  EXPECT_EQ(chip.host(4).arrivals.size(), 1u);
  EXPECT_TRUE(chip.host(5).arrivals.empty());
  EXPECT_EQ(chip.host(6).arrivals.size(), 1u);  // the cells are free again
  EXPECT_EQ(chip.chip->counters().dropped_buffer, 1u);
  EXPECT_EQ(context.pool.dropped(DropCause::buffer_full), 1u);
  EXPECT_EQ(chip.chip->counters().recirculated, 4u);  // what is dropped does not loop
  expect_balance(context, *chip.chip, 3);
}

// A copy in each loop, while the packet itself goes on.
TEST(Recirculation, APassMayMirrorAndComeAround) {
  Way way;
  way.program.ingress = [](Pass& pass) {
    pass.mirror({.egress_port = 2, .type = 1, .metadata = pass.header().metadata});
    if (pass.header().metadata++ < 3) return pass.recirculate();
    pass.drop();
  };
  fabric::sim_context context;
  Chip chip(context, way.c, 3, way.program);
  chip.host(0).send({.at = 5_us, .dst = 1, .frame = 500_B});
  context.clock.run_to(100_us);
  ASSERT_EQ(chip.host(2).arrivals.size(), 4u);
  std::int64_t n = way.entry(5_us, 500_B);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(chip.host(2).arrivals[i].at, way.received(n, 500_B)) << i;
    n = way.around(n, 500_B);
  }
  EXPECT_EQ(chip.chip->counters().mirrored, 4u);
  EXPECT_EQ(chip.chip->counters().dropped_program, 1u);
  expect_balance(context, *chip.chip, 1);
}

}  // namespace
}  // namespace horae::tofino::recirculation_test
