// Telemetry of the chip's program beside that of a plain switch, packet by packet.
#include "horae/core/telemetry.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "fabric_parts.hpp"
#include "horae/fabric/devices/output_queued_switch.hpp"
#include "horae/params/document.hpp"
#include "horae/tofino/tofino_switch.hpp"

namespace horae::tofino::telemetry_test {
namespace {

using test::link_of;

// Sends data packets that ask for records, and keeps what comes.
class end_point : public fabric::device {
 public:
  struct Arrival {
    Feedback feedback;
    std::uint16_t frame;
  };
  end_point(sc_core::sc_module_name name, fabric::sim_context& context)
      : device(name, context, 1) {}

  // `n` packets of `frame` bytes to node 2, one each `gap`.
  void plan(Picoseconds start, Picoseconds gap, unsigned n, std::uint16_t frame) {
    start_ = start;
    gap_ = gap;
    n_ = n;
    frame_ = frame;
  }
  bool asks = true;
  std::vector<Arrival> arrivals;

 protected:
  void begin() override {
    for (unsigned i = 0; i < n_; ++i) schedule(start_ + gap_ * i, fabric::device_events, 0, i);
  }
  void handle(const fabric::Event& e) override {
    if (fabric::key_kind(e.key) == fabric::arrival_event) {
      Packet& p = arrived(e);
      arrivals.push_back({feedback_of(p), p.frame});
      context_.pool.deliver(p);
      return;
    }
    Packet& p = context_.pool.create();
    p.dst = 2;
    p.frame = frame_;
    p.opcode = Opcode::write_middle;
    feedback_of(p).records = asks;
    tx(0).send(p, std::max(e.time, tx(0).busy_until()));
  }

 private:
  Picoseconds start_{}, gap_{};
  unsigned n_ = 0;
  std::uint16_t frame_ = 0;
};

// Nodes 0 and 1 send to node 2, over links of one rate.
struct Network {
  Network(const std::string& name, fabric::device& middle, fabric::sim_context& context) {
    for (unsigned i = 0; i < 3; ++i) {
      ends.push_back(std::make_unique<end_point>((name + std::to_string(i)).c_str(), context));
      connect(*ends[i], 0, middle, i, link_of(100_Gbps, 1_us));
    }
    // 1.2 times the line for a while.
    ends[0]->plan(1_us, 150_ns, 400, 1086);
    ends[1]->plan(1'041_ns, 131_ns, 400, 720);
  }
  std::vector<std::unique_ptr<end_point>> ends;
};

std::unique_ptr<programs::ProgramFactory> forward(const std::string& telemetry) {
  return programs::read_program(
      Document::parse("name = \"forward\"\ntelemetry = " + telemetry + "\n", "test.toml").root());
}
programs::Routes routes() {
  programs::Routes r;
  for (NodeId node = 0; node < 3; ++node)
    r.entries.push_back({node, {static_cast<std::uint16_t>(node)}, true});
  r.number = 77;
  r.port_rates.assign(3, 100_Gbps);
  return r;
}
ChipConfig one_pipeline() {
  ChipConfig config;
  config.pipeline_of_port = {0, 0, 0};
  return config;
}

TEST(ChipTelemetry, SaysWhatAPlainSwitchSays) {
  fabric::sim_context context;
  context.pool.carry_feedback();
  fabric::output_queued_switch plain("plain", context,
                                     {.ports = 3, .latency = 600_ns, .telemetry = true});
  for (NodeId node = 0; node < 3; ++node)
    plain.routes().set(node, {static_cast<std::uint16_t>(node)});
  const auto program = forward("true");
  tofino_switch chip("chip", context, one_pipeline(), 3, *program, routes());
  Network a("a", plain, context), b("b", chip, context);
  context.clock.run_to(200_us);
  const auto& there = a.ends[2]->arrivals;
  const auto& here = b.ends[2]->arrivals;
  ASSERT_EQ(there.size(), 800u);
  ASSERT_EQ(here.size(), 800u);
  double longest = 0;
  for (std::size_t i = 1; i < 800; ++i) {
    const Feedback &p = there[i].feedback, &q = here[i].feedback;
    ASSERT_EQ(p.hops, 1);
    ASSERT_EQ(q.hops, 1);
    const HopRecord p0 = there[i - 1].feedback.record[0], q0 = here[i - 1].feedback.record[0];
    EXPECT_EQ(q.record[0].rate(), 100_Gbps);
    EXPECT_EQ(here[i].frame, there[i].frame);
    EXPECT_EQ(q.record[0].sent_since(q0), p.record[0].sent_since(p0)) << i;
    // A clock of the pipeline, and whole nanoseconds.
    EXPECT_NEAR(to_microseconds(q.record[0].time_since(q0)),
                to_microseconds(p.record[0].time_since(p0)), 0.003)
        << i;
    // Cells: one more at most, 2.3 % more, and the unit of 320 bytes.
    const auto queue = static_cast<double>(p.record[0].queue().count());
    longest = std::max(longest, queue);
    EXPECT_NEAR(static_cast<double>(q.record[0].queue().count()), queue * 1.0115,
                queue * 0.0115 + 176 + 320 + 720)
        << i;
  }
  EXPECT_GT(longest, 25'000);
  EXPECT_EQ(there[5].feedback.path, plain.number());
  EXPECT_EQ(here[5].feedback.path, 77);
}

TEST(ChipTelemetry, PacketsThatDoNotAskAreCountedAndLeftAlone) {
  fabric::sim_context context;
  context.pool.carry_feedback();
  const auto program = forward("true");
  tofino_switch chip("chip", context, one_pipeline(), 3, *program, routes());
  Network b("b", chip, context);
  b.ends[0]->asks = false;
  context.clock.run_to(200_us);
  const auto& all = b.ends[2]->arrivals;
  ASSERT_EQ(all.size(), 800u);
  std::uint64_t bytes = 0, before = 0;
  const HopRecord* last = nullptr;
  for (const auto& arrival : all) {
    const bool asked = arrival.feedback.records;
    EXPECT_EQ(arrival.frame, asked ? 728 : 1086);
    if (asked) {
      const HopRecord& now = arrival.feedback.record[0];
      if (last != nullptr) {
        EXPECT_NEAR(static_cast<double>(now.sent_since(*last).count()),
                    static_cast<double>(bytes - before), 128);
      }
      last = &now;
      before = bytes;
    }
    bytes += arrival.frame + 20u;
  }
}

TEST(ChipTelemetry, WithoutListenersEgressIsAsItWas) {
  fabric::sim_context context;
  const auto with = forward("true"), without = forward("false");
  EXPECT_TRUE(with->adds_telemetry());
  EXPECT_FALSE(without->adds_telemetry());
  tofino_switch chip("chip", context, one_pipeline(), 3, *with, routes());
  tofino_switch plain("plain", context, one_pipeline(), 3, *without, routes());
  // It costs time all the same: its objects are in the pipeline.
  EXPECT_GT(chip.egress_latency(0), plain.egress_latency(0));
}

}  // namespace
}  // namespace horae::tofino::telemetry_test
