// Memory regions of a table's buffers, as keys that a NIC reads.
#include <gtest/gtest.h>

#include <string>

#include "program.hpp"

namespace horae::test::regions_test {
namespace {

const std::string two_nics = R"([platform]
name = "keys"
[sim]
duration = "200 us"
[nic]
kind = "rnic"
host = "pcie"
mtu = "1 KiB"
cache = { memory_key = { entries = 1 } }
[link_default]
rate = "100 Gbps"
delay = "100 ns"
[[device]]
names = ["a", "b"]
profile = "nic"
[[link]]
between = ["a", "b"]
[[traffic]]
kind = "messages"
from = ["a"]
to = ["b"]
message = "64 KiB"
buffer = "256 KiB"
)";

double misses_per_packet(const std::string& regions) {
  const Workplace place;
  place.write("p.toml", two_nics + regions);
  const Ended ended = run(place, {"run", "p.toml", "--json", "--no-progress"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return ended.json().at("results").at("receivers.context_misses_per_packet").at("value");
}

// A message of 64 packets is of one region, the next one of another; the NIC holds one key.
TEST(Regions, EachMessageOfAnotherRegionTakesAKey) {
  EXPECT_NEAR(misses_per_packet("regions = 4\n"), 1.0 / 64, 1e-4);
  EXPECT_LT(misses_per_packet("regions = 1\n"), 1e-3);
  EXPECT_LT(misses_per_packet(""), 1e-3);
}

}  // namespace
}  // namespace horae::test::regions_test
