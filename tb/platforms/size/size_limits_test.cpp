// `horae size --most`: which resource of a stage lets no more objects of a kind in.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include "program.hpp"

namespace horae::test::size_limits_test {
namespace {

const std::string one_of_each = R"(name = "one_of_each"
[[exact]]
name = "t"
key_bits = 32
entries = 1000
data_bits = 8
copies = 1
[[ternary]]
name = "u"
key_bits = 32
entries = 100
data_bits = 8
copies = 1
[[register]]
name = "r"
entries = 1000
width = 32
copies = 1
[[hash]]
name = "h"
input_bits = 64
output_bits = 16
copies = 1
[[counter]]
name = "c"
entries = 1000
copies = 1
[[condition]]
name = "g"
kind = "eq"
bits = 40
copies = 1
[[action]]
name = "a"
instructions = 2
data_bits = 8
copies = 1
)";

/// A chip that has less of one thing, and for copies of each kind how many fit and what binds.
struct Short {
  const char* key;
  int of, has;
  const char* most;  ///< of exact, ternary, register, hash, counter, condition, action
};

// As the program said when each line was read against the objects' prices: of the resource that a
// chip is short of, twice as much in a stage lets one more in.
const std::vector<Short> chips = {
    {"gateway", 16, 2,
     "158 gateway / hash_bits; 160 tcam; 37 gateway; 37 gateway; 37 gateway; 37 gateway; 314 "
     "logical_table"},
    {"vliw", 32, 4,
     "134 vliw; 134 vliw; 80 stateful_alu; 117 vliw / hash_dist; 80 stages; 314 logical_table; 60 "
     "vliw"},
    {"exact_xbar", 128, 16,
     "75 exact_xbar; 160 tcam; 80 stateful_alu; 38 exact_xbar; 80 stages; 57 exact_xbar; 314 "
     "logical_table"},
    {"action_data_bus", 128, 8,
     "152 action_data_bus; 152 action_data_bus; 38 action_data_bus; 76 action_data_bus; 80 stages; "
     "314 logical_table; 152 action_data_bus"},
    {"statistics_alu", 4, 1,
     "159 hash_bits; 160 tcam; 80 stateful_alu; 118 hash_dist; 20 statistics_alu; 314 "
     "logical_table; 314 logical_table"},
    {"stateful_alu", 4, 1,
     "159 hash_bits; 160 tcam; 20 stateful_alu; 118 hash_dist; 80 stages; 314 logical_table; 314 "
     "logical_table"},
    {"hash_bits", 416, 104,
     "40 hash_bits; 160 tcam; 80 stateful_alu; 116 hash_bits / hash_dist; 80 stages; 250 "
     "hash_bits; 314 logical_table"},
    {"hash_dist", 6, 1,
     "157 hash_bits / hash_dist; 160 tcam; 18 hash_dist; 18 hash_dist; 18 hash_dist; 314 "
     "logical_table; 314 logical_table"},
    {"logical_table", 16, 4,
     "74 logical_table; 74 logical_table; 74 logical_table; 74 logical_table; 74 logical_table; 74 "
     "logical_table; 74 logical_table"},
    {"tcam", 24, 3,
     "159 hash_bits; 60 tcam; 80 stateful_alu; 118 hash_dist; 80 stages; 314 logical_table; 314 "
     "logical_table"},
    {"sram", 80, 16,
     "78 sram / map_ram; 160 tcam; 80 stateful_alu; 118 hash_dist; 80 stages; 314 logical_table; "
     "314 logical_table"},
    {"ternary_xbar", 66, 11,
     "159 hash_bits; 40 ternary_xbar; 80 stateful_alu; 118 hash_dist; 80 stages; 314 "
     "logical_table; 314 logical_table"},
    {"hash_functions", 8, 2,
     "39 hash_bits; 160 tcam; 79 stateful_alu / hash_bits; 115 hash_bits; 79 hash_bits; 314 "
     "logical_table; 314 logical_table"},
    {"ternary_tables", 8, 1,
     "159 hash_bits; 20 tcam; 80 stateful_alu; 118 hash_dist; 80 stages; 314 logical_table; 314 "
     "logical_table"},
};

TEST(SizeLimits, EachResourceOfAStageIsNamedWhereItBinds) {
  Workplace place;
  place.write("d.toml", one_of_each);
  std::ifstream file(HORAE_PLATFORM_DIR "/chips/tofino2.toml");
  const std::string chip{std::istreambuf_iterator<char>(file), {}};
  for (const Short& s : chips) {
    const std::string whole = fmt::format("\n{} = {} ", s.key, s.of);
    const std::size_t at = chip.find(whole);
    ASSERT_NE(at, std::string::npos) << s.key;
    std::string less = chip;
    place.write("chip.toml",
                less.replace(at, whole.size(), fmt::format("\n{} = {} ", s.key, s.has)));
    std::string found;
    for (const char* kind :
         {"exact", "ternary", "register", "hash", "counter", "condition", "action"}) {
      const Ended ended = run(place, {"size", "--objects", "d.toml", "--chip", "chip.toml",
                                      "--most", fmt::format("{}[0].copies", kind)});
      ASSERT_EQ(ended.exit_code, 0) << ended.err;
      std::smatch row;
      ASSERT_TRUE(std::regex_search(ended.out, row, std::regex("\n +(\\d+)  (.*?)  ")))
          << ended.out;
      found += (found.empty() ? "" : "; ") + row[1].str() + " " +
               std::regex_replace(row[2].str(), std::regex(" +$"), "");
    }
    EXPECT_EQ(found, s.most) << s.key;
  }
}

}  // namespace
}  // namespace horae::test::size_limits_test
