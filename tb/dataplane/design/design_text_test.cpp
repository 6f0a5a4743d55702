// Designs written as objects files: what is read back is the same.
#include <gtest/gtest.h>

#include <string>

#include "horae/dataplane/design/design_file.hpp"
#include "horae/params/document.hpp"

namespace horae::dataplane::design_text_test {
namespace {

DesignCase read(const std::string& text) {
  return read_design_file(Document::parse(text, "d.toml")).cases.at(0);
}

constexpr const char* every_kind = R"(
name = "all \"kinds\""
chip = "tofino1"
source = "by hand"

[[register]]
name = "path_max"
width = 16
pair = true
entries = 4096
pieces = 2
index = "hash"
index_bits = 96
accesses = 2
reads = ["flow"]

[[exact]]
name = "routes"
key_bits = 32
entries = 1024
data_bits = 16
actions = 3
no_ops = 1
miss = "listed"
idle_bits = 3
after_anti = ["path_max"]

[[exact]]
name = "written"
key_bits = 32
entries = 1024
action_bits = [16, 8]
writes = ["a b", ""]

[[ternary]]
name = "acl"
key_bits = 40
entries = 512
counter = "packets_and_bytes"
meter = true

[[lpm]]
name = "prefixes"
key_bits = 32
entries = 512
[[range]]
name = "ports"
key_bits = 24
range_bits = 16
entries = 512
[[atcam]]
name = "algorithmic"
key_bits = 32
entries = 4096
partitions = 64
[[alpm]]
name = "long_prefixes"
key_bits = 32
entries = 4096
partitions = 64

[[counter]]
name = "hits"
direct = true
table = "routes"
[[counter]]
name = "bytes"
entries = 128
width = 64
after = ["acl"]
[[meter]]
name = "rate"
entries = 128
table = "acl"
[[profile]]
name = "hops"
entries = 256
data_bits = 48
table = "prefixes"
[[selector]]
name = "choice"
groups = 16
group_size = 64
table = "prefixes"

[[condition]]
name = "small"
gress = "egress"
kind = "lt"
bits = 16
constant = 1024
guards = ["mark"]
[[action]]
name = "mark"
gress = "egress"
instructions = 2
writes = ["x", "y"]
data_bits = 48
after = ["path_max"]
after_read = ["routes"]
apart = ["small"]
[[hash]]
name = "hash"
input_bits = 64
output_bits = 32
after_control = ["acl"]
[[random]]
name = "dice"
bits = 8
[[mirror]]
name = "copy"
[[recirculate]]
name = "again"
after_action = ["copy"]
)";

TEST(DesignText, EveryKindReadsBackTheSame) {
  const auto first = read(every_kind);
  const std::string text = design_text(first);
  const auto second = read(text);
  EXPECT_EQ(second.design.objects, first.design.objects) << text;
  EXPECT_EQ(second.design.name, "all \"kinds\"");
  EXPECT_EQ(second.chip.value, "tofino1");
  EXPECT_EQ(second.source, "by hand");
  EXPECT_EQ(design_text(second), text);
}

TEST(DesignText, SaysNoMoreThanItMust) {
  const auto text = design_text(read("[[exact]]\nname = \"t\"\nkey_bits = 32\nentries = 1024\n"));
  EXPECT_EQ(text,
            "chip = \"tofino2\"\nname = \"design\"\norder = \"complete\"\n\n[[exact]]\nname = "
            "\"t\"\nkey_bits = 32\n"
            "entries = 1024\n");
}

}  // namespace
}  // namespace horae::dataplane::design_text_test
