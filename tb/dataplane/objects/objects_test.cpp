// Registers, tables, counters, hashes and actions in a pass.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "broken_rule.hpp"
#include "horae/core/error.hpp"
#include "horae/dataplane/action.hpp"
#include "horae/dataplane/counter.hpp"
#include "horae/dataplane/exact_table.hpp"
#include "horae/dataplane/hash.hpp"
#include "horae/dataplane/mirror.hpp"
#include "horae/dataplane/register.hpp"
#include "horae/dataplane/ternary_table.hpp"

namespace horae::dataplane::objects_test {
namespace {

constexpr auto in = Gress::ingress;

struct Objects : PassesOfAPacket {
  template <class T>
  std::string store(Register<T>& r, std::size_t index, T value) {
    const Pass own = pass();
    return broken_rule([&] { r.apply(own, index, [&](T& cell) { cell = value; }); });
  }
};

TEST_F(Objects, ACellOfOneBitHoldsOneBit) {
  Register<std::uint8_t> r(pipeline, in, "bitmap", RegisterSpec{.width = 1, .entries = 2});
  EXPECT_EQ(store<std::uint8_t>(r, 1, 1), "nothing was refused");
  for (const unsigned value : {2u, 3u, 128u, 255u}) {
    EXPECT_NE(store<std::uint8_t>(r, 1, static_cast<std::uint8_t>(value))
                  .find("tor.pipe2.bitmap: value " + std::to_string(value) +
                        " in a cell of 1 bits in pass "),
              std::string::npos);
    EXPECT_EQ(r.read(1), 1);  // what was refused is not stored
  }
  EXPECT_EQ(r.read(0), 0);
  EXPECT_EQ(store<std::uint8_t>(r, 1, 0), "nothing was refused");
  EXPECT_EQ(r.read(1), 0);
}

TEST_F(Objects, ACellHoldsValuesOfItsWidth) {
  for (std::uint32_t width = 1; width <= 32; ++width) {
    Register<std::uint32_t> r(pipeline, in, "r" + std::to_string(width),
                              RegisterSpec{.width = width, .entries = 1});
    const auto most = static_cast<std::uint32_t>((std::uint64_t{1} << width) - 1);
    EXPECT_EQ(store(r, 0, most), "nothing was refused");
    EXPECT_EQ(r.read(0), most);
    if (width == 32) continue;
    EXPECT_NE(store(r, 0, most + 1).find("in a cell of " + std::to_string(width) + " bits"),
              std::string::npos);
    EXPECT_EQ(r.read(0), most);
  }
}

TEST_F(Objects, ARefusedValueIsNotReturnedEither) {
  Register<std::uint16_t> r(pipeline, in, "level", RegisterSpec{.width = 8, .entries = 1}, {}, 255);
  int returned = 0;
  const Pass own = pass();
  EXPECT_EQ(broken_rule([&] {
              returned = r.apply(own, 0, [](std::uint16_t& cell) { return int{++cell}; });
            }),
            "tor.pipe2.level: value 256 in a cell of 8 bits in pass 12 (packet 0x10000000003, "
            "ingress of pipeline 2)");
  EXPECT_EQ(returned, 0);
  EXPECT_EQ(r.read(0), 255);
  EXPECT_EQ(r.apply(pass(), 0, [](std::uint16_t& cell) { return int{--cell}; }), 254);
}

TEST_F(Objects, ATypeIsAtLeastAsWideAsItsCells) {
  struct Two {
    std::uint32_t low, high;
  };
  const auto made = [](auto type, std::uint32_t width, bool pair) {
    return broken_rule([&] {
      Pipeline own("tor.pipe0", 0, 1);
      Register<decltype(type)>(own, in, "r",
                               RegisterSpec{.width = width, .pair = pair, .entries = 1});
    });
  };
  EXPECT_EQ(made(std::uint8_t{}, 8, false), "nothing was refused");
  EXPECT_EQ(made(std::uint8_t{}, 16, false), "tor.pipe0.r: cells of 16 bits in a type of 8");
  EXPECT_EQ(made(std::uint32_t{}, 32, true), "tor.pipe0.r: cells of 64 bits in a type of 32");
  EXPECT_EQ(made(Two{}, 32, true), "nothing was refused");
  EXPECT_EQ(made(Two{}, 64, true), "tor.pipe0.r: cells of 128 bits in a type of 64");
}

TEST_F(Objects, TheControlPlaneReadsAndWritesCells) {
  Register<std::uint32_t> r(pipeline, in, "state", 4, 7);
  EXPECT_EQ(r.entries(), 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(r.read(i), 7u);
  r.write(3, 99);
  const Pass own = pass();
  EXPECT_EQ(r.apply(own, 3, [](std::uint32_t& cell) { return cell++; }), 99u);
  EXPECT_EQ(r.read(3), 100u);  // in a pass or not, and as often as it likes
  EXPECT_EQ(r.read(3), 100u);
  EXPECT_EQ(r.read(2), 7u);
  EXPECT_THROW(r.write(4, 0), std::out_of_range);
  EXPECT_THROW(r.read(4), std::out_of_range);
}

TEST_F(Objects, AnErasedKeyMakesRoom) {
  ExactTable<int, int> table(pipeline, in, "routes", 2);
  table.insert(1, 10);
  table.insert(2, 20);
  table.erase(1);
  table.erase(5);  // not there
  EXPECT_EQ(table.size(), 1u);
  EXPECT_EQ(table.lookup(pass(), 1), nullptr);
  table.insert(3, 30);
  EXPECT_EQ(broken_rule([&] { table.insert(4, 40); }), "tor.pipe2.routes: full");
  EXPECT_EQ(*table.lookup(pass(), 2), 20);
  EXPECT_EQ(*table.lookup(pass(), 3), 30);
}

TEST_F(Objects, TheFirstTernaryEntryThatMatchesWins) {
  TernaryTable<std::string> table(pipeline, in, "acl", MatchSpec{.key_bits = 16, .entries = 4});
  const auto found = [&](std::uint64_t key) {
    const std::string* datum = table.lookup(pass(), key);
    return datum == nullptr ? std::string("miss") : *datum;
  };
  EXPECT_EQ(found(0), "miss");
  table.append(0x1234, 0xffff, "this");
  table.append(0x12ff, 0xff00, "these");  // bits outside of the mask say nothing
  table.append(0x1235, 0xffff, "hidden");
  EXPECT_EQ(found(0x1234), "this");
  EXPECT_EQ(found(0x1235), "these");
  EXPECT_EQ(found(0x1200), "these");
  EXPECT_EQ(found(0x1300), "miss");
  EXPECT_EQ(broken_rule([&] { table.append(1, 0x10001, "wide"); }),
            "tor.pipe2.acl: value 0x1 with mask 0x10001 is wider than the key's 16 bits");
  EXPECT_EQ(broken_rule([&] { table.append(0x10001, 1, "wide"); }),
            "tor.pipe2.acl: value 0x10001 with mask 0x1 is wider than the key's 16 bits");
  table.append(0, 0, "all");
  EXPECT_EQ(found(0x1300), "all");
  EXPECT_EQ(found(0x1234), "this");
  EXPECT_EQ(table.size(), 4u);
  EXPECT_EQ(broken_rule([&] { table.append(1, 1, "fifth"); }), "tor.pipe2.acl: full");
  EXPECT_EQ(table.size(), 4u);
}

TEST_F(Objects, ATernaryTableIsLookedUpOnceAndIsTernaryInTheDesign) {
  TernaryTable<int> table(pipeline, in, "acl", MatchSpec{.key_bits = 64, .entries = 1});
  const Pass own = pass();
  table.append(~std::uint64_t{0}, ~std::uint64_t{0}, 1);
  EXPECT_EQ(*table.lookup(own, ~std::uint64_t{0}), 1);
  EXPECT_EQ(broken_rule([&] { table.lookup(own, 0); }),
            "tor.pipe2.acl: a second access in pass 12 (packet 0x10000000003, ingress of pipeline "
            "2)");
  EXPECT_TRUE(std::get<MatchSpec>(pipeline.design().find("acl")->spec).ternary);
  Pipeline other("tor.pipe0", 0, 1);
  EXPECT_EQ(broken_rule([&] { TernaryTable<int>(other, in, "wide", MatchSpec{.key_bits = 65}); }),
            "tor.pipe0.wide: a key of more than 64 bits");
}

TEST_F(Objects, ACounterCountsPacketsAndBytes) {
  Counter counter(pipeline, in, "seen", CounterSpec{.entries = 3, .width = 64});
  for (const unsigned frame : {64u, 1086u, 4158u}) {
    packet.frame = static_cast<std::uint16_t>(frame);
    counter.count(pass(), 2);
  }
  packet.frame = 100;
  counter.count(pass(), 0);
  EXPECT_EQ(counter.packets(0), 1u);
  EXPECT_EQ(counter.bytes(0), 100u);
  EXPECT_EQ(counter.packets(1), 0u);
  EXPECT_EQ(counter.bytes(1), 0u);
  EXPECT_EQ(counter.packets(2), 3u);
  EXPECT_EQ(counter.bytes(2), 64u + 1086u + 4158u);
  const Pass twice = pass();
  counter.count(twice, 1);
  EXPECT_NE(broken_rule([&] { counter.count(twice, 0); }).find("a second access in pass 16"),
            std::string::npos);
  EXPECT_EQ(broken_rule([&] { counter.count(pass(), 3); }),
            "tor.pipe2.seen: index 3 of 3 counters in pass 17 (packet 0x10000000003, ingress of "
            "pipeline 2)");
  EXPECT_EQ(counter.packets(0), 1u);
  EXPECT_THROW(counter.packets(3), std::out_of_range);
}

TEST_F(Objects, AHashStaysWithinItsBits) {
  for (std::uint32_t bits = 1; bits <= 32; ++bits) {
    Hash hash(pipeline, in, "h" + std::to_string(bits), HashSpec{.output_bits = bits});
    std::uint64_t most = 0;
    for (std::uint64_t i = 0; i < 64; ++i)
      most = std::max<std::uint64_t>(most, hash.of(pass(), {i, 5}));
    EXPECT_LT(most, std::uint64_t{1} << bits) << bits;
    EXPECT_GE(most, std::uint64_t{1} << (bits - 1)) << bits;  // and uses the highest
  }
}

// Neighbouring values of any one field spread over the whole range.
TEST_F(Objects, AHashSpreads) {
  Hash hash(pipeline, in, "flow", HashSpec{.output_bits = 16});
  Hash same(pipeline, in, "same", HashSpec{.output_bits = 16});
  constexpr int keys = 6400, bins = 64;
  const auto spreads = [&](auto&& fields_of) {
    std::array<int, bins> hits{};
    for (int i = 0; i < keys; ++i) {
      const auto [a, b] = fields_of(static_cast<std::uint64_t>(i));
      const Pass own = pass();
      const std::uint32_t h = hash.of(own, {a, b});
      EXPECT_EQ(same.of(own, {a, b}), h);  // a function of the fields alone
      ++hits[h * bins >> 16];
    }
    double chi_square = 0;
    for (const int n : hits) chi_square += (n - 100.0) * (n - 100.0) / 100;
    // 63 degrees of freedom: five standard deviations.
    EXPECT_LT(chi_square, 63 + 5 * std::sqrt(2 * 63.0));
  };
  using Two = std::array<std::uint64_t, 2>;
  spreads([](std::uint64_t i) { return Two{i, 7}; });
  spreads([](std::uint64_t i) { return Two{7, i}; });
  spreads([](std::uint64_t i) { return Two{i << 32, 7}; });
  spreads([](std::uint64_t i) { return Two{i, i}; });
}

TEST_F(Objects, AnActionRunsOncePerPass) {
  Action action(pipeline, in, "rewrite");
  int runs = 0;
  const Pass own = pass();
  action.run(own, [&] { ++runs; });
  EXPECT_EQ(broken_rule([&] { action.run(own, [&] { ++runs; }); }),
            "tor.pipe2.rewrite: a second access in pass 12 (packet 0x10000000003, ingress of "
            "pipeline 2)");
  EXPECT_EQ(runs, 1);
  action.run(pass(), [&] { ++runs; });
  EXPECT_EQ(runs, 2);
}

TEST_F(Objects, ACopyAndATurnAreRequestedOncePerPass) {
  Mirror mirror(pipeline, in, "copy");
  Recirculation around(pipeline, in, "around");
  Pass own = pass();
  EXPECT_FALSE(own.mirror_request().has_value());
  mirror.request(own, {.egress_port = 3, .type = 2, .metadata = 9, .header = {1, 2, 3, 4}});
  EXPECT_EQ(own.verdict(), Verdict::undecided);  // a copy says nothing of the packet itself
  EXPECT_NE(broken_rule([&] { mirror.request(own, {.type = 5}); }).find("a second access"),
            std::string::npos);
  ASSERT_TRUE(own.mirror_request().has_value());
  EXPECT_EQ(own.mirror_request()->egress_port, 3u);
  EXPECT_EQ(own.mirror_request()->type, 2);
  EXPECT_EQ(own.mirror_request()->metadata, 9);
  EXPECT_EQ(own.mirror_request()->header, (MirrorHeader{1, 2, 3, 4}));
  around.request(own);
  EXPECT_EQ(own.verdict(), Verdict::recirculate);
  EXPECT_NE(broken_rule([&] { around.request(own); }).find("a second access"), std::string::npos);
}

TEST_F(Objects, SignedCellsAndPairsHaveTheirWidth) {
  Register<int> narrow(pipeline, in, "narrow", RegisterSpec{.width = 8, .entries = 1});
  EXPECT_EQ(store(narrow, 0, -128), "nothing was refused");
  EXPECT_EQ(store(narrow, 0, 127), "nothing was refused");
  EXPECT_NE(store(narrow, 0, 128).find("value 128 in a cell of 8 bits"), std::string::npos);
  EXPECT_NE(store(narrow, 0, -129).find("value -129"), std::string::npos);
  Register<std::uint64_t> pair(pipeline, in, "pair",
                               RegisterSpec{.width = 32, .pair = true, .entries = 1});
  EXPECT_EQ(store(pair, 0, ~std::uint64_t{0}), "nothing was refused");
  EXPECT_EQ(broken_rule([&] { narrow.write(0, 128); }),
            "tor.pipe2.narrow: a value of more than 8 bits written");
  EXPECT_EQ(broken_rule([&] {
              Register<int>(pipeline, in, "wide", RegisterSpec{.width = 1, .entries = 1}, {}, 5);
            }),
            "tor.pipe2.wide: an initial value of more than 1 bits");
}

TEST_F(Objects, AKeyHasItsWidth) {
  ExactTable<std::uint16_t, int> table(pipeline, in, "t", MatchSpec{.key_bits = 9, .entries = 4});
  table.insert(511, 1);
  EXPECT_EQ(broken_rule([&] { table.insert(512, 1); }), "tor.pipe2.t: key 512 in 9 bits");
  EXPECT_EQ(table.size(), 1u);
}

// A refused object leaves nothing behind: its name is free, and it costs nothing.
TEST_F(Objects, ARefusedObjectIsNotThere) {
  EXPECT_EQ(broken_rule([&] { Hash(pipeline, in, "h", HashSpec{.output_bits = 48}); }),
            "tor.pipe2.h: a hash of 1 to 32 bits");
  EXPECT_EQ(broken_rule([&] { Recirculation(pipeline, Gress::egress, "around"); }),
            "tor.pipe2.around: recirculation is chosen in ingress");
  EXPECT_TRUE(pipeline.objects().empty());
  EXPECT_TRUE(pipeline.design().objects.empty());
  Hash h(pipeline, in, "h", HashSpec{.output_bits = 32});
}

}  // namespace
}  // namespace horae::dataplane::objects_test
