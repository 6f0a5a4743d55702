// A pipeline as a part: one header per clock, latencies from the placement, passes of its program.
#include "horae/tofino/chip_pipeline.hpp"

#include <gtest/gtest.h>

#include "odd_latencies.hpp"

namespace horae::tofino::chip_pipeline_test {
namespace {

using dataplane::Gress;
using dataplane::Pass;
using test::edge;
using test::LambdaProgram;

// The pipeline of index 2, placed on a Tofino2.
ChipPipeline pipeline_of(const LambdaProgram& program,
                         const ChipConfig& config = test::odd_latencies()) {
  ChipPipeline pipe("tor.pipe2", 2, 1, test::LambdaFactory(program), {}, config);
  const auto chip = dataplane::ChipSpec::find(config.chip);
  const auto design = pipe.objects().design();
  pipe.set_latencies(make_ledger(design, chip, place(design, chip)));
  return pipe;
}

TEST(ChipPipeline, OneHeaderEntersPerClock) {
  ChipPipeline pipe = pipeline_of({});
  EXPECT_EQ(pipe.reserve(0_ps).entered, edge(0));
  EXPECT_EQ(pipe.reserve(0_ps).entered, edge(1));
  EXPECT_EQ(pipe.reserve(1_ps).entered, edge(2));
  // Between two edges it waits for the next one; on an edge it does not wait.
  EXPECT_EQ(pipe.reserve(edge(10) + 1_ps).entered, edge(11));
  EXPECT_EQ(pipe.reserve(edge(12)).entered, edge(12));
  const Picoseconds waits = edge(1) + (edge(2) - 1_ps) + (edge(11) - edge(10) - 1_ps);
  EXPECT_EQ(pipe.counters().wait, waits);
}

TEST(ChipPipeline, ItsLatenciesAreThoseOfTheProgramsPlacement) {
  const ChipConfig c = test::odd_latencies();
  for (const unsigned chain : {0u, 1u, 5u}) {
    const LambdaProgram program{.ingress_chain = chain, .egress_chain = 2 * chain};
    ChipPipeline pipe = pipeline_of(program, c);
    const auto slot = pipe.reserve(edge(7));
    EXPECT_EQ(slot.deparsed, edge(7 + program.ingress_cycles().count()) + c.ingress_deparser);
    EXPECT_EQ(pipe.ingress_time(), edge(program.ingress_cycles().count()) + c.ingress_deparser);
    const Picoseconds deparsed =
        c.egress_parser + edge(program.egress_cycles().count()) + c.egress_deparser;
    EXPECT_EQ(pipe.egress_time(), deparsed);
    EXPECT_EQ(pipe.egress_latency(), deparsed + c.mac_tx);
  }
}

TEST(ChipPipeline, RunsItsProgramAndCountsThePasses) {
  LambdaProgram program;
  program.ingress = [](Pass& pass) { pass.forward(3); };
  program.egress = [](Pass& pass) { pass.drop(); };
  ChipPipeline pipe = pipeline_of(program);
  Packet p;
  Pass in(p, {2, Gress::ingress}, 0, 0, 0_ps);
  pipe.run_ingress(in);
  EXPECT_EQ(in.verdict(), dataplane::Verdict::forward);
  EXPECT_EQ(in.egress_port(), 3u);
  Pass out(p, {2, Gress::egress}, 1, 0, 0_ps);
  pipe.run_egress(out);
  EXPECT_EQ(out.verdict(), dataplane::Verdict::drop);
  pipe.run_egress(out);
  EXPECT_EQ(pipe.counters().ingress_passes, 1u);
  EXPECT_EQ(pipe.counters().egress_passes, 2u);
}

}  // namespace
}  // namespace horae::tofino::chip_pipeline_test
