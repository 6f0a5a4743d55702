// Themis-D's decision on NACKs: the hardware description against the switch program.
#include "horae/rtl/themis_d.hpp"

#include <gtest/gtest.h>

#include "horae/core/random.hpp"
#include "themis_parts.hpp"

namespace horae::themis_d_test {
namespace {

using namespace programs::test;
using rtl::ThemisD;

struct Compared {
  std::uint64_t passed = 0;
  std::uint64_t dropped = 0;
  std::uint64_t differences = 0;
};

// Packets in, before and (rarely) far from the window of four queue pairs, and answers to them.
Compared compare(ThemisD& hardware, std::uint64_t operations) {
  Setup setup{.paths = ThemisD::paths,
              .window = ThemisD::window,
              .qps = ThemisD::qps,
              .more = "lazy_dropping = false\nfailure_handling = false\n"};
  Tor tor(setup);
  RandomStream random(3, "tb.themis_d");
  std::uint32_t start[ThemisD::qps];  // of the window
  for (std::uint32_t qp = 0; qp < ThemisD::qps; ++qp) {
    start[qp] = qp == 0 ? 0xfffff0 : random.bits();
    const Psn first(start[qp]);
    hardware.connect(qp, first);
    tor.program->connect({far_node, near_node, Qpn(0x500 + qp), Qpn(0x700 + qp), 0xc001, first});
  }
  Compared out;
  for (std::uint64_t i = 0; i < operations; ++i) {
    const std::uint32_t qp = random.below(ThemisD::qps);
    const std::uint32_t what = random.below(16);
    std::uint32_t n = start[qp] + random.below(ThemisD::window);
    if (random.below(50) == 0) n = start[qp] - 1 - random.below(ThemisD::window);
    const Psn psn(n);
    if (what < 12) {
      hardware.on_data(qp, psn);
      Packet p = data(far_node, near_node, psn.value());
      p.dest_qp = Qpn(0x700 + qp);
      tor.egress(p, near_port);
      continue;
    }
    Packet p =
        what == 12 ? ack(near_node, far_node, psn.value()) : nack(near_node, far_node, psn.value());
    p.dest_qp = Qpn(0x500 + qp);
    const Outcome outcome = tor.egress(p, 8);
    if (what == 12) {
      hardware.on_ack(qp, psn);
    } else {
      const bool passes = hardware.on_nack(qp, psn);
      out.differences += passes == outcome.dropped();
      ++(passes ? out.passed : out.dropped);
    }
    const std::uint32_t to = what == 12 ? n + 1 : n;
    if (Psn(to).after(Psn(start[qp]))) start[qp] = to;
  }
  return out;
}

TEST(ThemisD, DecidesAsTheSwitchProgram) {
  const auto hardware = rtl::make_themis_d();
  const Compared c = compare(*hardware, 100'000);
  EXPECT_EQ(c.differences, 0u);
  EXPECT_GT(c.passed, 1000u);
  EXPECT_GT(c.dropped, 1000u);
}

TEST(ThemisD, AWrongLineIsSeen) {
  const auto hardware = rtl::make_broken_themis_d();
  EXPECT_GT(compare(*hardware, 2000).differences, 0u);
}

}  // namespace
}  // namespace horae::themis_d_test
