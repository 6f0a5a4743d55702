// Random traffic through a chip that does everything at once: mirrors, recirculates, resubmits,
// copies to groups, generates, deflects, shapes and cuts through. When devices run changes nothing,
// and every packet is accounted for.
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "forked.hpp"
#include "horae/core/random.hpp"
#include "odd_latencies.hpp"

namespace horae::tofino::all_at_once_test {
namespace {

using dataplane::Pass;
using fabric::scheduling;
using fabric::time_config;
using programs::PacketGenerator;
using test::Chip;
using test::Way;

constexpr unsigned hosts = 12;
constexpr std::uint8_t cut = 2;

Way everything() {
  Way way;
  way.c.control_class = 7;
  way.c.queue_limit = 12000_B;
  way.c.mirror = MirrorConfig{.buffer = 4000_B, .rate = 50_Gbps};
  way.c.timing = TimingConfig{.egress_clock = true, .parser_bytes = 16_B, .cut_through = 96_B};
  way.c.loopback = LoopbackConfig{.rates = std::vector<BitRate>{40_Gbps, 60_Gbps, 60_Gbps, 60_Gbps},
                                  .limit = 20000_B};
  way.c.classes = std::vector<fabric::ClassConfig>{
      {.number = 0, .priority = 2, .weight = 2},
      {.number = 1, .priority = 2, .share = 0.00002, .minimum = 3000_B},
      {.number = 2, .rate = 30_Gbps, .burst = 3000_B}};
  auto& p = way.program;
  p.takes_deflected = p.resubmits = true;
  p.groups = {{0, 3, 5, 11}, {2, 4}};
  p.generators = {{.start = 3_us, .batches = 20, .packets = 3, .batch_gap = 2_us, .frame = 300_B},
                  {.trigger = PacketGenerator::Trigger::recirculation, .mask = 7, .value = 1}};
  p.ingress = [](Pass& pass) {
    Packet& h = pass.header();
    if (pass.generated() != nullptr) return pass.forward(pass.generated()->packet % hosts);
    if (pass.resubmitted()) return pass.forward((h.dst + 1) % hosts);
    switch (h.entropy % 8) {
      case 0:
        pass.mirror({.egress_port = (h.dst + 2) % hosts, .type = 1});
        break;
      case 1:
        if (h.metadata++ < 2) return pass.recirculate(h.dst % 4);
        break;
      case 2:
        h.metadata = h.entropy;
        return pass.resubmit();
      case 3:
        return pass.multicast(h.entropy / 8 % 2);
      case 4:
        if (h.metadata++ == 0) return pass.recirculate_through_egress();
        break;
      default:
        break;
    }
    h.metadata = h.dst;
    pass.forward(h.dst);
  };
  p.egress = [](Pass& pass) {
    Packet& h = pass.header();
    if (h.deflected && h.mirror_type == 0) {
      pass.mirror(
          {.egress_port = h.metadata % hosts, .type = cut, .length = 64, .traffic_class = 7});
      return pass.drop();
    }
    h.deflected = false;
  };
  return way;
}

std::string outcome(const time_config& time) {
  const Way way = everything();
  fabric::sim_context context(time);
  Chip chip(context, way.c, hosts, way.program);
  RandomStream random(7, "traffic");
  unsigned sent = 0;
  for (unsigned h = 0; h < hosts; ++h) {
    Picoseconds t = 1_us;
    for (int i = 0; i < 300; ++i, ++sent) {
      t = t + Picoseconds(random.below(260'000));
      chip.host(h).send(
          {.at = t,
           .dst = random.below(hosts),
           .frame = Bytes(64 + random.below(2000)),
           .traffic_class = static_cast<std::uint8_t>(random.below(3)),
           .entropy = static_cast<std::uint16_t>(random.below(64)),
           .opcode = random.below(2) == 0 ? Opcode::write_first : Opcode::write_middle});
    }
  }
  context.clock.run_to(2_ms);
  test::expect_balance(context, *chip.chip, sent);
  std::ostringstream out;
  for (unsigned h = 0; h < hosts; ++h)
    for (const auto& a : chip.host(h).arrivals)
      out << h << ' ' << a.at.count() << ' ' << a.id << ' ' << a.frame << ' ' << a.traffic_class
          << '\n';
  const auto c = chip.chip->counters();
  out << c.mirrored << ' ' << c.dropped_mirror << ' ' << c.replicated << ' ' << c.generated << ' '
      << c.resubmitted << ' ' << c.recirculated << ' ' << c.deflected << ' ' << c.dropped_queue
      << ' ' << c.dropped_loopback << ' ' << chip.chip->traffic_manager().counters().over_share[1]
      << '\n';
  // Each of them happened, or the test says nothing.
  for (const std::uint64_t n :
       {c.mirrored, c.dropped_mirror, c.replicated, c.generated, c.resubmitted, c.recirculated,
        c.deflected, c.dropped_loopback, chip.chip->traffic_manager().counters().over_share[1]})
    EXPECT_GT(n, 0u) << out.str().substr(out.str().size() - 100);
  return out.str();
}

TEST(AllAtOnce, NothingDependsOnWhenDevicesRun) {
  const std::string one = test::in_child([] { return outcome({}); });
  EXPECT_GT(one.size(), 50000u);
  EXPECT_EQ(one, test::in_child([] { return outcome({.window = 100_ns}); }));
  EXPECT_EQ(one, test::in_child([] { return outcome({.mode = scheduling::exact_wake}); }));
}

}  // namespace
}  // namespace horae::tofino::all_at_once_test
