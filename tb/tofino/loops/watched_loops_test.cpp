// Observers of a chip see its loopback ports.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "horae/fabric/observer.hpp"
#include "odd_latencies.hpp"

namespace horae::tofino::watched_loops_test {
namespace {

using dataplane::Pass;
using test::Chip;
using test::Way;

constexpr Bytes frame = 1000_B;

struct Looped {
  unsigned pipeline;
  std::uint64_t shot;
  Picoseconds queued, start, last_bit;
  bool operator==(const Looped&) const = default;
};
void PrintTo(const Looped& l, std::ostream* out) {
  *out << l.pipeline << " " << l.shot << " " << l.queued.count() << " " << l.start.count() << " "
       << l.last_bit.count();
}

struct Notes : fabric::observer, pass_observer {
  void looped(const tofino_switch&, unsigned pipeline, const Packet& p, Picoseconds queued,
              Picoseconds start, Picoseconds last_bit) override {
    all.push_back({pipeline, p.id & 0xffu, queued, start, last_bit});
  }
  std::vector<Looped> all;
};

// Around once, by the port of the next pipeline.
Way around(bool egress) {
  Way way;
  way.program.ingress = [egress](Pass& pass) {
    Packet& p = pass.header();
    if (p.metadata++ > 0) return pass.forward(p.dst);
    egress ? pass.recirculate_through_egress() : pass.recirculate(1);
  };
  return way;
}

TEST(WatchedLoops, APacketWaitsForTheOneBeforeIt) {
  Way way = around(false);
  way.c.loopback = LoopbackConfig{.rate = 100_Gbps};
  fabric::sim_context context;
  Notes notes;
  context.watcher = &notes;
  Chip chip(context, way.c, 4, way.program);
  chip.chip->watch_passes(&notes);
  chip.host(0).send({.at = 5_us, .dst = 2, .frame = frame});
  chip.host(1).send({.at = 5_us + 50_ns, .dst = 2, .frame = frame});
  context.clock.run_to(100_us);
  const Picoseconds wire = serialisation_time(l1_bytes(frame), 100_Gbps);
  const Picoseconds first = way.queued(5_us + Chip::wire(frame));
  const Picoseconds second = way.queued(5_us + 50_ns + Chip::wire(frame));
  EXPECT_EQ(notes.all, (std::vector<Looped>{{1, 0, first, first, first + wire},
                                            {1, 0, second, first + wire, first + wire * 2}}));
}

// Through egress it has waited before its pass: it goes on the wire when the pass is over.
TEST(WatchedLoops, ThroughEgressNobodyWaits) {
  Way way = around(true);
  fabric::sim_context context;
  Notes notes;
  context.watcher = &notes;
  Chip chip(context, way.c, 4, way.program);
  chip.chip->watch_passes(&notes);
  chip.host(0).send({.at = 5_us, .dst = 2, .frame = frame});
  context.clock.run_to(100_us);
  const Picoseconds wire =
      serialisation_time(l1_bytes(frame), chip.chip->loopbacks().port(0).rate());
  const Picoseconds out =
      way.queued(5_us + Chip::wire(frame)) + way.once_more() - way.c.traffic_manager;
  EXPECT_EQ(notes.all, (std::vector<Looped>{{0, 0, out, out, out + wire}}));
}

}  // namespace
}  // namespace horae::tofino::watched_loops_test
