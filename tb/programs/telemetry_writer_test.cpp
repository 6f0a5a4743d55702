// Telemetry as a part of a program: its price, and its records field by field.
#include "horae/programs/shared/telemetry_writer.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "horae/core/telemetry.hpp"
#include "horae/dataplane/chip_spec.hpp"
#include "horae/dataplane/price/ledger.hpp"

namespace horae::programs::telemetry_writer_test {
namespace {

using dataplane::Gress;
using dataplane::Resource;

Routes routes() {
  Routes r;
  r.number = 0x1234;
  r.port_rates = {100_Gbps, 1600_Gbps, 10_Gbps};
  return r;
}

struct Switch {
  dataplane::Pipeline pipeline{"tor.pipe0", 0, 1};
  TelemetryWriter writer{pipeline, routes()};
  std::uint64_t passes = 0;

  // A packet leaves by `port`; `cells` wait behind it.
  FeedbackSlot leave(Picoseconds now, unsigned port, std::uint16_t frame, std::uint32_t cells,
                     std::uint8_t hops = 0, bool asks = true) {
    FeedbackSlot slot{};
    slot.packet.frame = frame;
    slot.packet.opcode = Opcode::write_middle;
    slot.feedback.records = asks;
    slot.feedback.hops = hops;
    dataplane::Pass pass(slot.packet, {0, Gress::egress}, passes++, 0, now);
    pass.leaves_by(port);
    if (asks) pass.carries(slot.feedback, cells);
    writer.egress(pass);
    return slot;
  }
};

TEST(TelemetryWriter, CostsAnAluAndAFewTables) {
  const Switch s;
  const auto chip = dataplane::ChipSpec::find({"tofino2", {}});
  const auto& design = s.pipeline.design();
  const auto ledger = make_ledger(design, chip, place(design, chip));
  EXPECT_TRUE(ledger.refused.empty());
  EXPECT_EQ(ledger.stages_used(), 6u);
  EXPECT_EQ(ledger.total[Resource::sram], 3);
  EXPECT_EQ(ledger.total[Resource::map_ram], 2);
  EXPECT_EQ(ledger.total[Resource::stateful_alu], 1);
}

// A rate's units are shifts, which are immediates of an action: bytes in 128 up to 100 Gbps, the
// queue in 80 up to 25 Gbps, then in powers of two. Rates with the same units share an action.
TEST(TelemetryWriter, RatesWithTheSameUnitsShareAnAction) {
  const auto actions = [](std::vector<BitRate> rates) {
    Routes r;
    r.port_rates = std::move(rates);
    dataplane::Pipeline pipeline("tor.pipe0", 0, 1);
    const TelemetryWriter writer(pipeline, r);
    return std::get<dataplane::MatchSpec>(pipeline.design().find("by_rate")->spec).actions;
  };
  EXPECT_EQ(actions({}), 1u);
  EXPECT_EQ(actions({10_Gbps, 25_Gbps, 10_Gbps}), 1u);
  EXPECT_EQ(actions({10_Gbps, 100_Gbps}), 2u);
  EXPECT_EQ(actions({80_Gbps, 100_Gbps}), 1u);
  EXPECT_EQ(actions({10_Gbps, 40_Gbps, 100_Gbps, 200_Gbps, 400_Gbps, 800_Gbps, 1600_Gbps}), 7u);
}

TEST(TelemetryWriter, WritesTimeBytesAndQueueInTheUnitsOfTheRate) {
  Switch s;
  // 1000 B, 20 of preamble and gap, 8 of the record: 1028.
  const auto a = s.leave(1_us, 0, 1000, 0);
  const auto b = s.leave(2_us, 0, 1000, 100);
  EXPECT_EQ(a.packet.frame, 1008);
  EXPECT_EQ(b.feedback.hops, 1);
  EXPECT_EQ(b.feedback.path, 0x234);
  const HopRecord ra = a.feedback.record[0], rb = b.feedback.record[0];
  EXPECT_EQ(rb.rate(), 100_Gbps);
  EXPECT_EQ(rb.sent_since(ra), Bytes(1028 / 128 * 128));
  EXPECT_EQ(rb.time_since(ra), 1_us);
  // 100 cells are 225 units of 80 bytes, 56 of 320.
  EXPECT_EQ(rb.queue(), Bytes(56 * 320));
  // Another port counts its own: units of 2048 and 5120 bytes.
  const auto c = s.leave(3_us, 1, 4172, 1000), d = s.leave(4_us, 1, 4172, 0);
  EXPECT_EQ(c.feedback.record[0].rate(), 1600_Gbps);
  EXPECT_EQ(d.feedback.record[0].sent_since(c.feedback.record[0]), 4096_B);
  EXPECT_EQ(c.feedback.record[0].queue(), Bytes(2250 / 64 * 5120));
}

TEST(TelemetryWriter, CountsWhatDoesNotAskAndSaturatesTheQueue) {
  Switch s;
  s.leave(1_us, 2, 1260, 0, 0, false);
  const auto a = s.leave(2_us, 2, 100, 500'000);
  EXPECT_EQ(a.feedback.record[0].sent_since(HopRecord(2, 2_us, 0, 0_B)), 1280_B);
  EXPECT_EQ(a.feedback.record[0].queue(), Bytes(65535 * 80));
  // A stack that is full stays as it is.
  const auto full = s.leave(3_us, 2, 1000, 0, Feedback::most_hops);
  EXPECT_EQ(full.feedback.hops, Feedback::most_hops);
  EXPECT_EQ(full.packet.frame, 1000);
}

}  // namespace
}  // namespace horae::programs::telemetry_writer_test
