// Views stay readable: beyond so many queue pairs a NIC's are shown together.
#include <gtest/gtest.h>

#include <set>

#include "views.hpp"

namespace horae::test::view_limits_test {
namespace {

/// A NIC that sends over so many queue pairs.
std::string with(unsigned qps) {
  return fmt::format(R"([platform]
name = "many"
[sim]
duration = "2 us"
[nic]
kind = "rnic"
[switch]
kind = "switch"
[[device]]
names = ["a", "b"]
profile = "nic"
[[device]]
names = ["s"]
profile = "switch"
[[link]]
between = ["a", "s"]
[[link]]
between = ["b", "s"]
[[traffic]]
kind = "messages"
from = ["a"]
to = ["b"]
message = "256 B"
qps = {}
depth = 1
)",
                     qps);
}

std::size_t occurrences(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

// Both ends count: b has as many queue pairs, and sends nothing.
TEST(ViewLimits, WavesShowSixteenQueuePairsOfANicEach) {
  for (const auto& [qps, scopes] : {std::pair(16u, 16u), std::pair(17u, 0u)}) {
    const Workplace place;
    place.write("p.toml", with(qps));
    run_viewed(place, "p.toml", {"--waves"});
    EXPECT_EQ(occurrences(place.read("o/waves.vcd"), "$scope module qp0x"), scopes) << qps;
  }
}

TEST(ViewLimits, ATraceHasTracksOfMessagesOfSixtyFourQueuePairs) {
  for (const auto& [qps, tracks] : {std::pair(64u, 64u), std::pair(65u, 0u)}) {
    const Workplace place;
    place.write("p.toml", with(qps));
    run_viewed(place, "p.toml", {"--trace"});
    std::set<std::string> names;
    for (const auto& event : place.read_json("o/trace.json").at("traceEvents")) {
      if (event.at("name") == "thread_name") names.insert(event.at("args").at("name"));
    }
    std::size_t of_queue_pairs = 0;
    for (const auto& name : names) of_queue_pairs += name.starts_with("messages of QP ");
    EXPECT_EQ(of_queue_pairs, tracks) << qps;
    EXPECT_EQ(names.contains("messages"), tracks == 0) << qps;
  }
}

}  // namespace
}  // namespace horae::test::view_limits_test
