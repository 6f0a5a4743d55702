// Rules of the hardware for programs, and messages that say which object, packet and pass.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "broken_rule.hpp"
#include "horae/core/error.hpp"
#include "horae/dataplane/exact_table.hpp"
#include "horae/dataplane/random.hpp"
#include "horae/dataplane/register.hpp"

namespace horae::dataplane::rules_test {
namespace {

struct Rules : PassesOfAPacket {};

int one_more(int& cell) { return ++cell; }

TEST_F(Rules, APassTouchesARegisterOnce) {
  Register<int> r(pipeline, Gress::ingress, "turn", 4);
  Pass pass = numbered(12);
  EXPECT_EQ(r.apply(pass, 1, one_more), 1);
  const std::string expected =
      "tor.pipe2.turn: a second access in pass 12 (packet 0x10000000003, ingress of pipeline 2)";
  EXPECT_EQ(broken_rule([&] { r.apply(pass, 1, one_more); }), expected);
  EXPECT_EQ(broken_rule([&] { r.apply(pass, 3, one_more); }), expected);  // nor another cell
  // A copy of the pass is the same pass; the packet's next one is not.
  Pass copy = pass;
  EXPECT_EQ(broken_rule([&] { r.apply(copy, 1, one_more); }), expected);
  Pass next = numbered(13);
  EXPECT_EQ(r.apply(next, 1, one_more), 2);  // what was refused changed nothing
}

TEST_F(Rules, TheFirstPassOfAChipMayAccess) {
  Register<int> r(pipeline, Gress::ingress, "turn", 1);
  Pass pass = numbered(0);
  EXPECT_EQ(r.apply(pass, 0, one_more), 1);
}

TEST_F(Rules, TablesAndGeneratorsAreUsedOncePerPass) {
  ExactTable<int, int> table(pipeline, Gress::ingress, "routes", 4);
  Random random(pipeline, Gress::ingress, "path_random");
  Pass pass = numbered(40);
  EXPECT_EQ(table.lookup(pass, 1), nullptr);
  EXPECT_LT(random.below(pass, 3), 3u);  // different objects do not exclude each other
  EXPECT_EQ(broken_rule([&] { table.lookup(pass, 2); }),
            "tor.pipe2.routes: a second access in pass 40 (packet 0x10000000003, ingress of "
            "pipeline 2)");
  EXPECT_EQ(broken_rule([&] { random.below(pass, 3); }),
            "tor.pipe2.path_random: a second access in pass 40 (packet 0x10000000003, ingress of "
            "pipeline 2)");
}

TEST_F(Rules, AnotherPipelineMayNotAccess) {
  Register<int> r(pipeline, Gress::ingress, "turn", 1);
  ExactTable<int, int> table(pipeline, Gress::ingress, "routes", 4);
  Random random(pipeline, Gress::ingress, "dice");
  Pass stray = numbered(9, {3, Gress::ingress});
  EXPECT_EQ(broken_rule([&] { r.apply(stray, 0, one_more); }),
            "tor.pipe2.turn: accessed from outside the ingress of pipeline 2 in pass 9 (packet "
            "0x10000000003, ingress of pipeline 3)");
  EXPECT_NE(broken_rule([&] { table.lookup(stray, 0); }).find("tor.pipe2.routes: accessed"),
            std::string::npos);
  EXPECT_NE(broken_rule([&] { random.below(stray, 2); }).find("tor.pipe2.dice: accessed"),
            std::string::npos);
}

TEST_F(Rules, TheOtherGressMayNotAccess) {
  Register<int> in(pipeline, Gress::ingress, "in", 1);
  Register<int> out(pipeline, Gress::egress, "out", 1);
  Pass ingress = numbered(9);
  Pass egress = numbered(10, {2, Gress::egress});
  EXPECT_EQ(broken_rule([&] { in.apply(egress, 0, one_more); }),
            "tor.pipe2.in: accessed from outside the ingress of pipeline 2 in pass 10 (packet "
            "0x10000000003, egress of pipeline 2)");
  EXPECT_EQ(broken_rule([&] { out.apply(ingress, 0, one_more); }),
            "tor.pipe2.out: accessed from outside the egress of pipeline 2 in pass 9 (packet "
            "0x10000000003, ingress of pipeline 2)");
  EXPECT_EQ(out.apply(egress, 0, one_more), 1);
}

TEST_F(Rules, AnIndexLiesWithinTheArray) {
  Register<int> r(pipeline, Gress::ingress, "bitmap", 512);
  EXPECT_EQ(r.entries(), 512u);
  Pass last = numbered(1);
  EXPECT_EQ(r.apply(last, 511, one_more), 1);
  Pass beyond = numbered(2);
  EXPECT_EQ(broken_rule([&] { r.apply(beyond, 512, one_more); }),
            "tor.pipe2.bitmap: index 512 of 512 cells in pass 2 (packet 0x10000000003, ingress of "
            "pipeline 2)");
}

TEST_F(Rules, AFullTableRefusesANewKey) {
  ExactTable<int, std::string> table(pipeline, Gress::ingress, "routes", 2);
  table.insert(1, "a");
  table.insert(2, "b");
  table.insert(1, "c");  // replaced, not added
  EXPECT_EQ(broken_rule([&] { table.insert(3, "d"); }), "tor.pipe2.routes: full");
  EXPECT_EQ(table.size(), 2u);
  EXPECT_EQ(table.capacity(), 2u);
  std::vector<std::string> found;
  for (int key = 1; key <= 3; ++key) {
    Pass pass = numbered(static_cast<std::uint64_t>(key));
    const std::string* datum = table.lookup(pass, key);
    found.push_back(datum == nullptr ? "miss" : *datum);
  }
  EXPECT_EQ(found, (std::vector<std::string>{"c", "b", "miss"}));
}

TEST_F(Rules, NamesAreUniqueInAPipeline) {
  Register<int> r(pipeline, Gress::ingress, "state", 1);
  EXPECT_EQ(broken_rule([&] { Register<int>(pipeline, Gress::egress, "state", 1); }),
            "tor.pipe2.state: declared twice");
  EXPECT_EQ(broken_rule([&] { Random(pipeline, Gress::ingress, "state"); }),
            "tor.pipe2.state: declared twice");
  Pipeline other("tor.pipe3", 3, 1);
  Register<int> same_name(other, Gress::ingress, "state", 1);
  EXPECT_EQ(same_name.name(), "tor.pipe3.state");
  EXPECT_EQ(pipeline.objects(), (std::vector<Object*>{&r}));
}

// A register read-modify-write is atomic: a pass sees what all earlier passes left.
TEST_F(Rules, ARegisterSeesPassesInTheirOrder) {
  Register<std::uint64_t> last(pipeline, Gress::ingress, "last", 1, 99);
  std::vector<std::uint64_t> seen;
  for (std::uint64_t number = 100; number < 110; ++number) {
    Pass pass = numbered(number);
    seen.push_back(last.apply(pass, 0, [&](std::uint64_t& cell) {
      const std::uint64_t before = cell;
      cell = pass.serial();
      return before;
    }));
  }
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{99, 100, 101, 102, 103, 104, 105, 106, 107, 108}));
}

TEST_F(Rules, AGeneratorIsNamedAndSeeded) {
  const auto draws = [this](const char* path, const char* name, std::uint64_t seed) {
    Pipeline own(path, 2, seed);
    Random random(own, Gress::ingress, name);
    std::vector<std::uint32_t> all;
    for (std::uint64_t i = 0; i < 20; ++i) {
      Pass pass = numbered(i);
      all.push_back(random.below(pass, 1000));
    }
    return all;
  };
  const auto reference = draws("tor.pipe2", "dice", 1);
  EXPECT_EQ(draws("tor.pipe2", "dice", 1), reference);
  EXPECT_NE(draws("tor.pipe2", "dice", 2), reference);
  EXPECT_NE(draws("tor.pipe3", "dice", 1), reference);
  EXPECT_NE(draws("tor.pipe2", "other", 1), reference);
}

}  // namespace
}  // namespace horae::dataplane::rules_test
