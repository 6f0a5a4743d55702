// Objects files: what they say, and the one line in which a bad one is refused.
#include "horae/dataplane/design/design_file.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "designs.hpp"
#include "horae/core/error.hpp"
#include "horae/dataplane/place/placement.hpp"
#include "horae/params/document.hpp"
#include "horae/params/param_info.hpp"

namespace horae::dataplane::design_file_test {
namespace {

DesignFile read(const std::string& text) {
  return read_design_file(Document::parse(text, "d.toml"));
}

// The message of the InputError that `work` must end in.
template <class F>
std::string refusal(F&& work) {
  try {
    work();
  } catch (const InputError& e) {
    return e.what();
  }
  return "nothing was refused";
}

std::string refused(const std::string& text) {
  return refusal([&] { read(text); });
}

constexpr const char* every_kind = R"(
name = "all"
chip = "tofino1"
source = "by hand"
expect = {stages = 4, ingress_cycles = 100}
deviation = "none known"

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
expect = {sram = 4, placed = 1}
deviation = "rounded"

[[exact]]
name = "routes"
key_bits = 32
entries = 1024
data_bits = 16
actions = 3
counter = "packets_and_bytes"
meter = true
reads = ["dst"]
after = ["path_max"]

[[ternary]]
name = "acl"
gress = "egress"
key_bits = 104
entries = 512

[[counter]]
name = "hits"
entries = 2048
width = 64
table = "routes"

[[meter]]
name = "police"
entries = 128

[[condition]]
name = "full"
kind = "lt"
bits = 16
terms = 1
join = "or"
constant = 1024
guards = ["bump"]

[[action]]
name = "bump"
instructions = 4
writes = ["ttl"]
after = ["routes"]
after_action = ["routes"]
after_read = ["path_max"]
after_control = ["routes"]
after_anti = ["path_max"]

[[hash]]
name = "spray"
input_bits = 64
output_bits = 12

[[random]]
name = "dice"
bits = 9

[[mirror]]
name = "copy"

[[recirculate]]
name = "again"
)";

TEST(DesignFile, EveryKind) {
  const DesignFile file = read(every_kind);
  ASSERT_EQ(file.cases.size(), 1u);
  const DesignCase& c = file.cases[0];
  EXPECT_EQ(c.chip.value, "tofino1");
  EXPECT_EQ(c.chip.where.text(), "d.toml:3:8");
  EXPECT_EQ(c.source, "by hand");
  const Design& d = c.design;
  EXPECT_EQ(d.name, "all");
  ASSERT_EQ(d.objects.size(), 11u);

  const auto& path_max = std::get<RegisterSpec>(d.find("path_max")->spec);
  EXPECT_EQ(path_max.width, 16u);
  EXPECT_TRUE(path_max.pair);
  EXPECT_EQ(path_max.cell_bits(), 32u);
  EXPECT_EQ(path_max.entries, 4096u);
  EXPECT_EQ(path_max.pieces, 2u);
  EXPECT_EQ(path_max.index, IndexSource::hash);
  EXPECT_EQ(path_max.index_bits, 96u);
  EXPECT_EQ(path_max.accesses, 2u);
  EXPECT_EQ(path_max.reads, std::vector<std::string>{"flow"});
  EXPECT_EQ(d.find("path_max")->where.text(), "d.toml:9:8");

  const auto& routes = std::get<MatchSpec>(d.find("routes")->spec);
  EXPECT_FALSE(routes.ternary);
  EXPECT_EQ(routes.key_bits, 32u);
  EXPECT_EQ(routes.data_bits, 16u);
  EXPECT_EQ(routes.actions, 3u);
  EXPECT_EQ(routes.counter, DirectCounter::packets_and_bytes);
  EXPECT_TRUE(routes.meter);
  EXPECT_TRUE(std::get<MatchSpec>(d.find("acl")->spec).ternary);
  EXPECT_EQ(d.find("acl")->gress, Gress::egress);
  EXPECT_EQ(d.find("routes")->gress, Gress::ingress);
  EXPECT_EQ(std::get<CounterSpec>(d.find("hits")->spec).width, 64u);
  EXPECT_EQ(std::get<CounterSpec>(d.find("hits")->spec).table, "routes");
  EXPECT_EQ(std::get<MeterSpec>(d.find("police")->spec).entries, 128u);
  const auto& full = std::get<ConditionSpec>(d.find("full")->spec);
  EXPECT_EQ(full.kind, ConditionKind::lt);
  EXPECT_EQ(full.join, Join::any);
  EXPECT_EQ(full.constant, 1024u);
  EXPECT_EQ(full.guards, std::vector<std::string>{"bump"});
  EXPECT_EQ(std::get<ActionSpec>(d.find("bump")->spec).instructions, 4u);
  EXPECT_EQ(std::get<HashSpec>(d.find("spray")->spec).output_bits, 12u);
  EXPECT_EQ(std::get<RandomSpec>(d.find("dice")->spec).bits, 9u);
  EXPECT_EQ(kind_name(d.find("copy")->spec), "mirror");
  EXPECT_EQ(kind_name(d.find("again")->spec), "recirculate");
}

TEST(DesignFile, TablesOfEveryKind) {
  const Design d = read(R"(
[[lpm]]
name = "routes"
key_bits = 42
entries = 1024
action_bits = [9, 0]
miss = "listed"
[[range]]
name = "lengths"
key_bits = 48
range_bits = 16
range_percent = 50
entries = 1024
writes = ["port ttl", ""]
[[atcam]]
name = "masks"
key_bits = 32
entries = 32768
partitions = 1024
masked_bits = 24
idle_bits = 3
[[alpm]]
name = "prefixes"
key_bits = 32
entries = 1024
partitions = 2048
subtrees = 4
slot_bits = 64
[[exact]]
name = "fixed"
key_bits = 8
entries = 4
constant = true
actions = 25
no_ops = 2
miss = "own"
[[register]]
name = "cells"
table = "fixed"
direct = true
[[register]]
name = "others"
entries = 64
table = "fixed"
index = "data"
[[counter]]
name = "hits"
table = "masks"
direct = true
counts = "packets_and_bytes"
[[meter]]
name = "filter"
table = "routes"
direct = true
kind = "lpf"
[[profile]]
name = "members"
table = "lengths"
entries = 256
data_bits = 32
[[selector]]
name = "groups"
table = "lengths"
groups = 16
group_size = 200
resilient = true
)")
                       .cases[0]
                       .design;
  const auto table = [&](const char* name) { return std::get<MatchSpec>(d.find(name)->spec); };
  EXPECT_EQ(kind_name(d.find("routes")->spec), "lpm");
  EXPECT_EQ(table("routes").actions, 2u);
  EXPECT_EQ(table("routes").data_bits, 9u);
  EXPECT_EQ(table("routes").miss, MissAction::listed);
  EXPECT_EQ(kind_name(d.find("lengths")->spec), "range");
  EXPECT_EQ(table("lengths").range_bits, 16u);
  EXPECT_EQ(table("lengths").range_percent, 50u);
  EXPECT_EQ(table("lengths").actions, 2u);
  EXPECT_EQ(kind_name(d.find("masks")->spec), "atcam");
  EXPECT_EQ(table("masks").partitions, 1024u);
  EXPECT_EQ(table("masks").masked_bits, 24u);
  EXPECT_EQ(table("masks").idle_bits, 3u);
  EXPECT_EQ(kind_name(d.find("prefixes")->spec), "alpm");
  EXPECT_EQ(table("prefixes").subtrees, 4u);
  EXPECT_EQ(table("prefixes").slot_bits, 64u);
  EXPECT_TRUE(table("fixed").constant);
  EXPECT_EQ(table("fixed").actions, 25u);
  EXPECT_EQ(table("fixed").no_ops, 2u);
  EXPECT_TRUE(std::get<RegisterSpec>(d.find("cells")->spec).direct);
  EXPECT_EQ(std::get<RegisterSpec>(d.find("others")->spec).index, IndexSource::data);
  EXPECT_EQ(std::get<CounterSpec>(d.find("hits")->spec).kind, CounterKind::packets_and_bytes);
  EXPECT_EQ(std::get<MeterSpec>(d.find("filter")->spec).kind, MeterKind::lpf);
  EXPECT_EQ(std::get<ProfileSpec>(d.find("members")->spec).entries, 256u);
  EXPECT_TRUE(std::get<SelectorSpec>(d.find("groups")->spec).resilient);
}

TEST(DesignFile, CopiesAreObjectsOfTheirOwn) {
  const Design d = read(R"(
[[exact]]
name = "t"
key_bits = 8
entries = 4
copies = 2
[[register]]
name = "cells"
copies = 2
table = "t"
direct = true
[[condition]]
name = "c"
kind = "eq"
guards = ["t"]
[[action]]
name = "last"
after = ["t"]
)")
                       .cases[0]
                       .design;
  ASSERT_EQ(d.objects.size(), 6u);
  EXPECT_EQ(d.objects[1].name, "t[1]");
  EXPECT_EQ(std::get<RegisterSpec>(d.find("cells[1]")->spec).table, "t[1]");
  EXPECT_EQ(std::get<ConditionSpec>(d.find("c")->spec).guards,
            (std::vector<std::string>{"t[0]", "t[1]"}));
  EXPECT_EQ(d.find("last")->after.size(), 2u);
  EXPECT_EQ(refused("[[exact]]\nname = \"t\"\nkey_bits = 8\nentries = 4\ncopies = 3\n"
                    "[[register]]\nname = \"r\"\ntable = \"t\"\ndirect = true\ncopies = 2\n"),
            "d.toml:7:8: 'r': 2 copies belong to 't', which has 3");
}

// Descriptions in `horae list`: of each kind that a file may hold, and of what it must
// say.
TEST(DesignFile, EveryKindIsDescribed) {
  std::map<std::string, std::set<std::string>> keys;
  for (const auto& [name, parameters] : describe_design_file()) {
    keys[name];
    for (const auto& p : parameters) keys[name].insert(p.path.substr(p.path.rfind('.') + 1));
  }
  for (const char* kind :
       {"register", "counter", "meter", "profile", "selector", "condition", "action", "hash",
        "random", "mirror", "recirculate", "field", "state", "value_set", "checksum"})
    EXPECT_TRUE(keys.contains(kind)) << kind;
  for (const char* kind : {"exact", "ternary", "lpm", "range", "atcam", "alpm"}) {
    EXPECT_TRUE(keys[kind].contains("key_bits")) << kind;
    EXPECT_TRUE(keys[kind].contains("entries")) << kind;
  }
  EXPECT_TRUE(keys["range"].contains("range_bits"));
  EXPECT_TRUE(keys["alpm"].contains("partitions"));
}

TEST(DesignFile, DependenciesAreWhatTheirKeySays) {
  const Design d = read(every_kind).cases[0].design;
  ASSERT_EQ(d.find("routes")->after.size(), 1u);
  EXPECT_EQ(d.find("routes")->after[0].kind, DependencyKind::match);
  const auto& after = d.find("bump")->after;
  ASSERT_EQ(after.size(), 5u);
  EXPECT_EQ(after[0].on, "routes");
  EXPECT_EQ(after[0].kind, DependencyKind::action);  // an action matches nothing
  EXPECT_EQ(after[1].kind, DependencyKind::action);
  EXPECT_EQ(after[2].on, "path_max");
  EXPECT_EQ(after[2].kind, DependencyKind::read_after_write);
  EXPECT_EQ(after[3].kind, DependencyKind::control);
  EXPECT_EQ(after[4].kind, DependencyKind::anti);
}

// Results of ingress reach egress as bridged metadata, before its first stage; those of egress
// reaches nothing in ingress, and a gateway lets run what is in its own gress.
TEST(DesignFile, EgressComesAfterIngress) {
  const std::string table = "[[exact]]\nname = \"t\"\nkey_bits = 88\nentries = 2048\n";
  const auto file = read(table +
                         "[[register]]\nname = \"r\"\ngress = \"egress\"\nentries = 9\n"
                         "after = [\"t\"]\n");
  EXPECT_EQ(place(file.cases[0].design, shipped_chip("tofino2")).stages_used(), 1u);
  EXPECT_EQ(refused(table + "[[condition]]\nname = \"c\"\nkind = \"eq\"\ngress = \"egress\"\n"
                            "guards = [\"t\"]\n"),
            "d.toml:6:8: 'c' (egress) guards 't' (ingress): a packet's gresses share no fields");
}

// Objects that only follow a circle, or lie between two, are not in one.
TEST(DesignFile, ACircleNamesItsOwn) {
  const auto action = [](const std::string& name, const std::string& after) {
    return "[[action]]\nname = \"" + name + "\"\nafter = [" + after + "]\n";
  };
  EXPECT_EQ(refused(action("between", "\"b\"") + action("a", "\"b\"") + action("b", "\"a\"") +
                    action("c", "\"between\", \"d\"") + action("d", "\"c\"")),
            "d.toml:5:8: 'a' comes after itself: a, b depend on each other in a circle");
}

TEST(DesignFile, Expectations) {
  const auto expected = read(every_kind).cases[0].expected;
  ASSERT_EQ(expected.size(), 4u);
  EXPECT_EQ(expected[0].object, "");
  EXPECT_EQ(expected[0].quantity, "stages");
  EXPECT_EQ(expected[0].value, 4);
  EXPECT_EQ(expected[0].deviation, "none known");
  EXPECT_EQ(expected[1].quantity, "ingress_cycles");
  EXPECT_EQ(expected[2].object, "path_max");
  EXPECT_EQ(expected[2].quantity, "sram");
  EXPECT_EQ(expected[2].deviation, "rounded");
  EXPECT_EQ(expected[3].quantity, "placed");
}

TEST(DesignFile, SeveralDesigns) {
  const DesignFile file = read(R"(chip = "tofino1"
source = "table 3"
[[design]]
name = "first"
[[design.hash]]
name = "h"
[[design]]
chip = "tofino2"
[[design.hash]]
name = "h"
)");
  ASSERT_EQ(file.cases.size(), 2u);
  EXPECT_EQ(file.cases[0].design.name, "first");
  EXPECT_EQ(file.cases[0].chip.value, "tofino1");
  EXPECT_EQ(file.cases[1].design.name, "design 2");
  EXPECT_EQ(file.cases[1].chip.value, "tofino2");
  EXPECT_EQ(file.cases[1].source, "table 3");
  EXPECT_EQ(refused("[[design]]\nname = \"x\"\n[[design]]\nname = \"x\"\n"),
            "d.toml:4:8: 'x' is declared twice");
}

TEST(DesignFile, Keys) {
  EXPECT_EQ(refused("[[registr]]\nname = \"a\"\n"),
            "d.toml:1:3: unknown key 'registr' at the top level, did you mean 'register'?");
  EXPECT_EQ(refused("[[register]]\nname = \"a\"\nentries = 1\nwidht = 8\n"),
            "d.toml:4:1: unknown key 'widht' in [register], did you mean 'width'?");
  EXPECT_EQ(refused("[[register]]\nname = \"a\"\n"),
            "d.toml:1:1: missing key 'entries' in [register]: cells of the register array");
  EXPECT_EQ(refused("[[hash]]\nbits = 3\n").rfind("d.toml:", 0), 0u);
  EXPECT_EQ(refused("[[hash]]\nname = \"\"\n"), "d.toml:2:8: name is empty");
  EXPECT_EQ(refused("[[register]]\nname = \"a\"\nentries = 0\n"),
            "d.toml:3:11: entries = 0 is below the minimum 1");
  EXPECT_EQ(refused("[[condition]]\nname = \"c\"\nkind = \"field_qe\"\n"),
            "d.toml:3:8: kind: unknown choice 'field_qe', did you mean 'field_eq'?");
  EXPECT_EQ(refused("[[condition]]\nname = \"c\"\nkind = \"between\"\n"),
            "d.toml:3:8: kind: unknown choice 'between'; expected one of eq, ne, lt, bit, valid, "
            "field_eq, field_lt, subtract_sign");
}

TEST(DesignFile, PartsThatContradictEachOther) {
  EXPECT_EQ(refused("[[register]]\nname = \"a\"\nentries = -5\n"),
            "d.toml:3:11: entries = -5 is below the minimum 1");
  const std::string table = "[[exact]]\nname = \"t\"\nkey_bits = 8\nentries = 4\n";
  EXPECT_EQ(refused(table + "idle_bits = 4\n"),
            "d.toml:5:13: idle_bits = 4: expected 1, 2, 3 or 6");
  EXPECT_EQ(refused(table + "idle_bits = 5\n"),
            "d.toml:5:13: idle_bits = 5: expected 1, 2, 3 or 6");
  EXPECT_EQ(refused(table + "idle_bits = 6\n"), "nothing was refused");
  EXPECT_EQ(refused(table + "reads = [\"a\", \"a\"]\n"), "d.toml:5:9: reads names a field twice");
  EXPECT_EQ(refused("[[action]]\nname = \"t\"\nwrites = [\"a\", \"b\", \"a\"]\n"),
            "d.toml:3:10: writes names a field twice");
  EXPECT_EQ(refused(table + "no_ops = 2\n"), "d.toml:5:10: no_ops = 2 is above actions = 1");
  EXPECT_EQ(refused(table + "data_bits = 9\nslot_bits = 8\n"),
            "d.toml:6:13: slot_bits = 8 is below data_bits = 9");
  EXPECT_EQ(refused(table + "actions = 2\naction_bits = [1, 2]\n"),
            "d.toml:5:11: actions: action_bits says it already");
  EXPECT_EQ(refused(table + "actions = 2\nwrites = [\"a\"]\n"),
            "d.toml:6:10: writes names the fields of 1 actions of 2");
  EXPECT_EQ(
      refused(table + "[[register]]\nname = \"r\"\ndirect = true\n"),
      "d.toml:6:8: 'r' has no table = \"...\": it is reached by the entries of a match table");
  EXPECT_EQ(refused(table + "[[register]]\nname = \"r\"\nentries = 4\ndirect = true\n"
                            "table = \"t\"\n"),
            "d.toml:7:11: entries: what is direct has a cell for each entry of its table");
  EXPECT_EQ(refused(table + "[[register]]\nname = \"r\"\nentries = 4\npieces = 2\n"
                            "table = \"t\"\n"),
            "d.toml:8:10: pieces: a register of a table is in its stage, in one piece");
  EXPECT_EQ(refused("[[action]]\nname = \"t\"\n[[register]]\nname = \"r\"\ntable = \"t\"\n"
                    "direct = true\n"),
            "d.toml:4:8: 'r' belongs to 't', an action; expected a match table");
}

TEST(DesignFile, Ranges) {
  const std::string table = "[[range]]\nname = \"t\"\nkey_bits = 48\nentries = 4\n";
  const auto spec = [&](const std::string& more) {
    return std::get<MatchSpec>(read(table + more).cases[0].design.objects[0].spec);
  };
  EXPECT_EQ(ranges_of(spec("range_bits = 16\n")), std::vector<std::uint32_t>{16});
  EXPECT_EQ(ranges_of(spec("ranges = [16, 8, 20]\n")), (std::vector<std::uint32_t>{16, 8, 20}));
  EXPECT_EQ(spec("ranges = [16]\nrange_containers = [32]\n").range_containers,
            std::vector<std::uint32_t>{32});
  EXPECT_EQ(refused(table),
            "d.toml:3:12: the table has no range; expected range_bits = BITS or "
            "ranges = [BITS, ...], 1 to 20 each");
  EXPECT_EQ(refused(table + "range_bits = 16\nranges = [8]\n"),
            "d.toml:5:14: range_bits: ranges says it already");
  EXPECT_EQ(refused(table + "range_bits = 21\n"),
            "d.toml:5:14: range_bits = 21 is above the maximum 20");
  EXPECT_EQ(refused(table + "ranges = [20, 20, 9]\n"),
            "d.toml:5:10: ranges of 49 bits are above key_bits = 48");
  EXPECT_EQ(refused(table + "ranges = [8, 8]\nrange_containers = [32]\n"),
            "d.toml:6:20: range_containers has 1 values for 2 ranges");
  EXPECT_EQ(refused(table + "ranges = [8]\nrange_containers = [24]\n"),
            "d.toml:6:20: range_containers has 24; expected 8, 16 or 32");
}

TEST(DesignFile, GuardsThatContradictEachOther) {
  const std::string two =
      "[[action]]\nname = \"a\"\n[[action]]\nname = \"b\"\n"
      "[[condition]]\nname = \"c\"\nkind = \"eq\"\n";
  EXPECT_EQ(refused(two + "guards = [\"a\", \"b\"]\nguards_not = [\"b\"]\n"),
            "d.toml:9:14: guards_not names 'b', which runs only when the condition holds (guards)");
  EXPECT_EQ(refused(two + "guards = [\"a\"]\nguards_not = [\"b\"]\n"), "nothing was refused");
}

TEST(DesignFile, CopiesThatDoNotPairUp) {
  const std::string tables = "[[exact]]\nname = \"t\"\nkey_bits = 8\nentries = 4\ncopies = 3\n";
  EXPECT_EQ(refused(tables + "[[register]]\nname = \"r\"\nentries = 4\ncopies = 2\n"
                             "after = [\"t[i]\"]\n"),
            "d.toml:7:8: 'r', 2 copies, goes with 't[i]', which has 3; expected as many");
  EXPECT_EQ(refused(tables + "[[register]]\nname = \"r\"\nentries = 4\nafter = [\"t[i]\"]\n"),
            "d.toml:7:8: 'r', 1 object, goes with 't[i]', which has 3; expected as many");
  EXPECT_EQ(refused(tables + "[[register]]\nname = \"r\"\nentries = 4\nafter = [\"u[i]\"]\n"),
            "d.toml:7:8: 'r' comes after 'u', which is no object; expected one of t, r");
}

TEST(DesignFile, Names) {
  EXPECT_EQ(refused("[[register]]\nname = \"a\"\nentries = 1\n[[hash]]\nname = \"a\"\n"),
            "d.toml:5:8: 'a' is declared twice");
  EXPECT_EQ(refused("[[register]]\nname = \"path_max\"\nentries = 1\n"
                    "[[hash]]\nname = \"b\"\nafter = [\"path_mx\"]\n"),
            "d.toml:5:8: 'b' comes after 'path_mx', which is no object, did you mean "
            "'path_max'?");
  EXPECT_EQ(refused("[[condition]]\nname = \"c\"\nkind = \"eq\"\nguards = [\"sprai\"]\n"
                    "[[hash]]\nname = \"spray\"\n"),
            "d.toml:2:8: 'c' guards 'sprai', which is no object, did you mean 'spray'?");
  EXPECT_EQ(refused("[[register]]\nname = \"a\"\ngress = \"egress\"\nentries = 1\n"
                    "[[hash]]\nname = \"b\"\nafter = [\"a\"]\n"),
            "d.toml:6:8: 'b' (ingress) comes after 'a' (egress): a packet's gresses share no "
            "fields");
  EXPECT_EQ(refused("[[counter]]\nname = \"c\"\nentries = 5\ntable = \"r\"\n"
                    "[[register]]\nname = \"r\"\nentries = 4\n"),
            "d.toml:2:8: 'c' belongs to 'r', a register; expected a table or an action");
}

TEST(DesignFile, Circles) {
  EXPECT_EQ(refused("[[hash]]\nname = \"a\"\nafter = [\"b\"]\n"
                    "[[hash]]\nname = \"b\"\nafter = [\"a\"]\n[[hash]]\nname = \"c\"\n"),
            "d.toml:2:8: 'a' comes after itself: a, b depend on each other in a circle");
  EXPECT_EQ(refused("[[hash]]\nname = \"a\"\nafter = [\"a\"]\n"),
            "d.toml:2:8: 'a' comes after itself");
  EXPECT_EQ(refused("[[condition]]\nname = \"c\"\nkind = \"eq\"\nguards = [\"c\"]\n"),
            "d.toml:2:8: 'c' guards itself");
  EXPECT_EQ(refused("[[hash]]\nname = \"h\"\n[[condition]]\nname = \"c\"\nkind = \"eq\"\n"
                    "after = [\"h\"]\nguards = [\"h\"]\n"),
            "d.toml:2:8: 'h' comes after itself: h, c depend on each other in a circle");
}

TEST(DesignFile, ExpectationsOfNothing) {
  EXPECT_EQ(refused("[[hash]]\nname = \"a\"\nexpect = {hash_bit = 3}\n"),
            "d.toml:3:22: 'hash_bit' is no amount of an object, did you mean 'hash_bits'?");
  EXPECT_EQ(refused("expect = {stage = 3}\n[[hash]]\nname = \"a\"\n"),
            "d.toml:1:19: 'stage' is no amount of a design, did you mean 'stages'?");
  EXPECT_EQ(refused("[[hash]]\nname = \"a\"\nexpect = {sram = \"x\"}\n"),
            "d.toml:3:18: sram: expected a number");
  EXPECT_EQ(refused("[[hash]]\nname = \"a\"\nexpect = {stages = 1}\n")
                .rfind("d.toml:3:20: 'stages' is no amount of an object; expected one of placed, "
                       "sram, ",
                       0),
            0u);
}

}  // namespace
}  // namespace horae::dataplane::design_file_test
