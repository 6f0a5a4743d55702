// Programs of switches that were published for WRITEs meet READs and atomics: what each makes of
// their packets is on its page, and all of them arrive.
#include <gtest/gtest.h>

#include <string>

#include "program.hpp"

namespace horae::test::verbs_and_programs_test {
namespace {

/// Four NICs in two racks with two spines. Those of one rack ask those of the other.
std::string racks(const std::string& program) {
  return R"([platform]
name = "racks"
[sim]
duration = "4 ms"
stop = "finished"
[nic]
kind = "rnic"
transport = "rnic_sr"
mtu = "1 KiB"
reliability.rto = "200 us"
[tor]
kind = "tofino"
pipeline_of_port = [0, 0, 0, 0]
queues_per_port = 32
[tor.program]
)" + program +
         R"(
[spine]
kind = "switch"
[leaf_spine]
leaves = 2
spines = 2
hosts_per_leaf = 2
host = "nic"
leaf = "tor"
spine = "spine"
[[impairment]]
between = ["leaf1", "spine1"]
rate = "40 Gbps"
[[traffic]]
kind = "messages"
from = ["h0", "h1"]
to = ["h2", "h3"]
message = "16 KiB"
count = 40
)";
}

ordered_json run(const std::string& text, const std::string& verb, Words more = {}) {
  const Workplace place;
  Words set = {"traffic[0].verb=" + verb};
  if (verb != "write" && verb != "read") set.push_back("traffic[0].message=8B");
  set.insert(set.end(), more.begin(), more.end());
  place.write("p.toml", text);
  return summary_of(place, "p.toml", set);
}

const std::string conweave = "name = \"conweave\"\nflow_entries = 64\nnodes_per_rack = 2\n";
const std::string themis =
    "name = \"themis\"\nnics = 2\nqps_per_nic = 8\npaths = 2\nwindow = 512\n";

TEST(VerbsAndPrograms, ConweavePassesReadsAndAtomicsBy) {
  EXPECT_GT(result(run(racks(conweave), "write"), "leaf0.program.epochs"), 0);
  for (const std::string verb : {"read", "fetch_add"}) {
    const auto summary = run(racks(conweave), verb);
    EXPECT_EQ(result(summary, "senders.messages_completed"), 80) << verb;
    for (const char* count : {"epochs", "reroutes", "unknown_flow_packets"}) {
      for (const std::string leaf : {"leaf0", "leaf1"})
        EXPECT_EQ(result(summary, leaf + ".program." + count), 0) << verb << " " << count;
    }
    // One path each way.
    EXPECT_EQ(result(summary, "receivers.out_of_order"), 0) << verb;
  }
}

/// It knows connections in the direction of their requests: WRITEs are sprayed and their NACKs
/// judged, responses keep to the path of their flow.
TEST(VerbsAndPrograms, ThemisKeepsReadResponsesToOnePath) {
  const auto writes = run(racks(themis), "write");
  EXPECT_GT(result(writes, "receivers.out_of_order"), 0.1);
  EXPECT_GT(result(writes, "leaf1.program.nacks_invalid"), 0);
  for (const std::string verb : {"read", "fetch_add"}) {
    const auto summary = run(racks(themis), verb);
    EXPECT_EQ(result(summary, "senders.messages_completed"), 80) << verb;
    EXPECT_EQ(result(summary, "receivers.out_of_order"), 0) << verb;
    for (const std::string leaf : {"leaf0", "leaf1"})
      EXPECT_EQ(result(summary, leaf + ".program.nacks_invalid"), 0) << verb;
  }
}

/// Marked responses that leave for the far end: nobody was told of a flow in their direction.
TEST(VerbsAndPrograms, PnpMakesNoCnpsOfReadResponses) {
  const std::string file = std::string(HORAE_PLATFORM_DIR) + "/longhaul_esw.toml";
  const Words both = {"sim.warmup=0us", "sim.duration=5ms", "traffic[0].from=[\"far\",\"far\"]",
                      "traffic[0].to=[\"near0\",\"near1\"]", "traffic[0].verb=read"};
  const Workplace place;
  const auto summary = summary_of(place, file, both);
  EXPECT_GT(result(summary, "switches.marked"), 0);
  EXPECT_EQ(result(summary, "esw0.program.cnps_made"), 0);
  // Their marks are taken off all the same.
  EXPECT_GT(result(summary, "esw0.program.marks_cleared"), 0);
  EXPECT_GT(result(summary, "esw0.program.copies_of_unknown_flows"), 0);
  EXPECT_GT(result(summary, "receivers.delivered_rate"), 0);
}

}  // namespace
}  // namespace horae::test::verbs_and_programs_test
