// Shared by tests of copies and loops: latencies that tell each other apart, clock edges worked
// out on their own, and the balance at the end.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>

#include "chip_parts.hpp"

namespace horae::test {

inline tofino::ChipConfig odd_latencies() {
  tofino::ChipConfig config;
  config.mac_rx = 60'011_ps;
  config.ingress_parser = 50'023_ps;
  config.ingress_deparser = 40'031_ps;
  config.traffic_manager = 150'041_ps;
  config.egress_parser = 40'053_ps;
  config.egress_deparser = 30'061_ps;
  config.mac_tx = 30'071_ps;
  return config;
}

/// Clock edges of 1.5 GHz: 2000/3 ps apart.
inline Picoseconds edge(std::int64_t n) { return Picoseconds(n * 2000 / 3); }
inline std::int64_t first_edge(Picoseconds t) { return (t.count() * 3 + 1999) / 2000; }

/// The parts of the way that a packet or a copy of it takes, each alone.
struct Way {
  tofino::ChipConfig c = odd_latencies();
  LambdaProgram program{.ingress_chain = 3, .egress_chain = 2};

  Picoseconds queued(Picoseconds last_bit_sent) const {
    const Picoseconds parsed = last_bit_sent + Chip::link.delay + c.mac_rx + c.ingress_parser;
    return edge(test::first_edge(parsed) + program.ingress_cycles().count()) + c.ingress_deparser +
           c.traffic_manager;
  }
  // From a queue to the queue that a copy made in egress is put into.
  Picoseconds once_more() const {
    return c.egress_parser + edge(program.egress_cycles().count()) + c.egress_deparser +
           c.traffic_manager;
  }
  // From a queue to the last bit at the host.
  Picoseconds out(Bytes frame) const {
    return c.egress_parser + edge(program.egress_cycles().count()) + c.egress_deparser + c.mac_tx +
           Chip::wire(frame) + Chip::link.delay;
  }
};

/// All there is at the end: nothing held, nothing lost.
inline void expect_balance(const fabric::sim_context& context, const tofino::tofino_switch& chip,
                           std::uint64_t sent) {
  const auto counters = chip.counters();
  EXPECT_EQ(context.pool.created(),
            sent + counters.mirrored + counters.replicated + counters.generated);
  EXPECT_EQ(context.pool.created(), context.pool.delivered() + context.pool.dropped());
  EXPECT_EQ(context.pool.live(), 0u);
  EXPECT_EQ(context.pool.outstanding(), 0u);
  EXPECT_EQ(chip.cells_used(), 0);
}

}  // namespace horae::test
