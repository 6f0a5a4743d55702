// Headroom behind a threshold of PFC, with NICs that have packets under way.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "program.hpp"

namespace horae::test::pfc_headroom_test {
namespace {

// Eight NICs at line rate into one: what a paused NIC has let go of already, in its TX pipe,
// belongs to the headroom as well. With less of it there is loss, so the computed one is what
// prevents it.
TEST(Pfc, ComputedHeadroomLosesNothingWithNics) {
  std::string text =
      "[platform]\nname = \"incast\"\n[sim]\nduration = \"200 us\"\n[nic]\nkind = \"rnic\"\n"
      "mtu = \"4 KiB\"\n[plain]\nkind = \"switch\"\n[plain.pfc]\nxoff = \"100 KB\"\nxon = \"80 "
      "KB\"\n"
      "[[device]]\nnames = [\"s\"]\nprofile = \"plain\"\n[[device]]\nnames = [\"r\"]\n"
      "profile = \"nic\"\n[[link]]\nbetween = [\"r\", \"s\"]\n";
  for (int i = 0; i < 8; ++i) {
    text += fmt::format(
        "[[device]]\nnames = [\"n{0}\"]\nprofile = \"nic\"\n[[link]]\nbetween = [\"n{0}\", \"s\"]\n"
        "[[traffic]]\nkind = \"messages\"\nfrom = [\"n{0}\"]\nto = [\"r\"]\nmessage = \"1 MiB\"\n",
        i);
  }
  const Workplace place;
  place.write("p.toml", text);
  const auto headroom_drops = [&](Words settings) {
    return summary_of(place, "p.toml", std::move(settings))
        .at("packets")
        .at("dropped")
        .at("headroom_full")
        .get<int>();
  };
  for (const char* rate : {"100 Gbps", "400 Gbps", "800 Gbps"}) {
    for (const char* delay : {"100 ns", "500 ns", "1 us"}) {
      const Words link = {fmt::format("link_default.rate={}", rate),
                          fmt::format("link_default.delay={}", delay)};
      EXPECT_EQ(headroom_drops(link), 0) << rate << " " << delay;
    }
  }
  EXPECT_GT(headroom_drops({"link_default.rate=800 Gbps", "plain.pfc.headroom=40 KB"}), 0);
}

}  // namespace
}  // namespace horae::test::pfc_headroom_test
