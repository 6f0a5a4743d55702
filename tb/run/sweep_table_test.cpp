// The table of a sweep as it is printed: columns, published numbers beside those that have one, and
// verdicts of points that did not complete.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "horae/params/document.hpp"
#include "horae/run/sweep.hpp"
#include "horae/workload/read_platform.hpp"

namespace horae::run::sweep_table_test {
namespace {

constexpr const char* platform = R"([platform]
name = "three"
[sim]
duration = "20 us"
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
message = "4 KiB"
[sweep]
label_title = "window"
[[sweep.point]]
label = "64"
set = ["nic.reliability.window=64"]
[[sweep.point]]
label = "128 packets"
set = ["nic.reliability.window=128"]
[[sweep.column]]
title = "TX"
metric = "senders.tx_share"
digits = 2
[[sweep.column]]
title = "data"
metric = "senders.data_packets"
digits = 0
[[sweep.published]]
id = "x.tx"
point = "128 packets"
metric = "senders.tx_share"
value = 0.875
source = "a paper"
)";

/// Table of a platform with that text, both of whose points ran.
std::string table(const std::string& text) {
  const auto read = workload::read_platform(Document::parse(text, "p.toml", {}));
  const nlohmann::ordered_json rows = {{{"TX", 0.5}, {"data", 1234.0}, {"verdict", "complete"}},
                                       {{"TX", 0.126}, {"data", nullptr}, {"verdict", "timeout"}}};
  return table_text(read, {{"rows", {{"sweep", rows}}}});
}

TEST(SweepTable, IsWhatWasMeasuredWithThePublishedBesideIt) {
  EXPECT_EQ(table(platform),
            "     window    TX  published          data\n"
            "------------------------------------------\n"
            "         64  0.50          -          1234\n"
            "128 packets  0.13       0.88  -  (timeout)\n");
}

TEST(SweepTable, HasItsTitleAboveAndNothingBesideWhatIsNotPublished) {
  std::string text = platform;
  text.erase(text.find("[[sweep.published]]"));
  text.insert(text.find("label_title"), "title = \"both\"\n");
  EXPECT_EQ(table(text),
            "both\n"
            "\n"
            "     window    TX          data\n"
            "-------------------------------\n"
            "         64  0.50          1234\n"
            "128 packets  0.13  -  (timeout)\n");
}

}  // namespace
}  // namespace horae::run::sweep_table_test
