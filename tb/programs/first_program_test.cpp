// The example of models/programs/README.md as a newcomer has it: it compiles, does what the page
// says, and costs what the list of objects beside it costs.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "first_program/src/seen/seen.cpp"  // NOLINT: as the registry's library would compile it
#include "horae/dataplane/chip_spec.hpp"
#include "horae/dataplane/design/design_file.hpp"
#include "horae/dataplane/price/ledger.hpp"
#include "horae/params/document.hpp"

namespace horae::programs::first_program_test {
namespace {

using dataplane::Pass;
using dataplane::Verdict;

std::unique_ptr<ProgramFactory> first_program(const std::string& parameters = "") {
  const auto section = Document::parse("name = \"seen\"\n" + parameters, "test.toml");
  return seen_entry().read(section.root());
}

dataplane::Ledger price(const dataplane::Design& design) {
  const auto chip = dataplane::ChipSpec::find({"tofino2", {}});
  return dataplane::make_ledger(design, chip, dataplane::place(design, chip));
}

Packet packet_to(NodeId node, std::uint32_t qp) {
  Packet p;
  p.dst = node;
  p.dest_qp = Qpn(qp);
  return p;
}

TEST(FirstProgram, CountsByQueuePairAndForwardsByTheFirstPort) {
  dataplane::Pipeline pipeline("tor.pipe0", 0, 1);
  const auto program = first_program()->make(pipeline, Routes{{{1, {7, 8}}, {2, {}}}});
  std::uint64_t serial = 0;
  const auto send = [&](Packet p) {
    Pass pass(p, {0, dataplane::Gress::ingress}, serial++, 0, 1_us);
    program->ingress(pass);
    return pass.verdict() == Verdict::forward ? static_cast<int>(pass.egress_port()) : -1;
  };
  for (int i = 0; i < 3; ++i) EXPECT_EQ(send(packet_to(1, 100)), 7);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(send(packet_to(1, 101)), 7);
  EXPECT_EQ(send(packet_to(2, 100)), -1) << "no port leads there";
  EXPECT_EQ(send(packet_to(3, 100)), -1) << "no such node";
  ASSERT_EQ(program->counters().size(), 1u);
  EXPECT_EQ(program->counters()[0].second, 5u) << "two queue pairs of one node, counted apart";
}

TEST(FirstProgram, CostsWhatItsListOfObjectsCosts) {
  dataplane::Pipeline pipeline("tor.pipe0", 0, 1);
  const auto program = first_program()->make(pipeline, Routes{});
  const auto ours = price(pipeline.design());
  const auto file = dataplane::read_design_file(Document::load(HORAE_FIRST_PROGRAM "/design.toml"));
  ASSERT_EQ(file.cases.size(), 1u);
  const auto list = price(file.cases[0].design);
  EXPECT_TRUE(ours.refused.empty());
  EXPECT_EQ(ours.stages_used(), 2u);
  EXPECT_EQ(ours.stages_used(), list.stages_used());
  EXPECT_EQ(ours.total, list.total);
  EXPECT_EQ(ours.latency[0], list.latency[0]);
}

TEST(FirstProgram, ItsParameterSetsThePriceAndHasBounds) {
  const auto map_rams = [](const std::string& parameters) {
    dataplane::Pipeline pipeline("tor.pipe0", 0, 1);
    const auto program = first_program(parameters)->make(pipeline, Routes{});
    return price(pipeline.design()).total[dataplane::Resource::map_ram];
  };
  EXPECT_EQ(map_rams("index_bits = 16"), 17) << "16 blocks of 128 Kbit and a spare";
  EXPECT_EQ(map_rams("index_bits = 12"), 2);
  EXPECT_THROW(first_program("index_bits = 17"), InputError);
  EXPECT_THROW(first_program("index_bit = 16"), InputError);
}

}  // namespace
}  // namespace horae::programs::first_program_test
