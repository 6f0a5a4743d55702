// Properties of any price, on drawn programs: larger is never cheaper, order is nothing, damage is
// one line.
#include <algorithm>
#include <random>
#include <vector>

#include "horae/dataplane/design/design_file.hpp"
#include "horae/params/document.hpp"
#include "source_design.hpp"

namespace horae::p4price::test {
namespace {

using dataplane::Resource;

/// A number below `n`, the same on every machine.
std::size_t below(std::mt19937& random, std::size_t n) { return random() % n; }

/// A table of a drawn kind with drawn data, whose size is given apart.
std::string drawn_table(std::mt19937& random) {
  const char* kinds[] = {"exact", "ternary", "lpm", "range"};
  const char* keys[] = {"hdr.h.a", "hdr.h.d", "hdr.h.f"};
  const std::string kind = kinds[below(random, 4)];
  std::string key = keys[below(random, 3)];
  if (kind == "range") key = "hdr.h.d";
  const bool counts = below(random, 3) == 0, idle = below(random, 4) == 0;
  std::string out = "DirectCounter<bit<32>>(CounterType_t.PACKETS) c;\n";
  out += "action set(bit<32> v, bit<16> w) { hdr.h.b = v; hdr.h.e = w;" +
         std::string(counts ? " c.count();" : "") + " }\n";
  out += "table t { key = { " + key + " : " + kind + "; } actions = { set; } size = 512;";
  if (counts) out += " counters = c;";
  if (idle) out += " idle_timeout = true;";
  return out + " }\n";
}

TEST(PriceProperty, MoreEntriesOfADrawnTableNeverCostLess) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    const Parts parts{.locals = drawn_table(random), .apply = "t.apply();"};
    std::vector<std::uint64_t> sizes;
    for (int i = 0; i < 6; ++i) sizes.push_back(1 + below(random, 1u << (4 + below(random, 14))));
    std::ranges::sort(sizes);
    dataplane::Amounts before;
    for (const std::uint64_t n : sizes) {
      const auto price =
          dataplane::price_beside(design_of(parts, {{"Ig.t", n}}).design, chip_of(parts));
      for (const Resource r : {Resource::sram, Resource::map_ram, Resource::tcam})
        EXPECT_GE(price.as_compiler.total[r], before[r]) << parts.locals << n;
      before = price.as_compiler.total;
    }
  }
}

TEST(PriceProperty, MoreCellsOfADrawnRegisterNeverCostLess) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    const std::string cell = std::vector{"bit<8>", "bit<16>", "bit<32>"}[below(random, 3)];
    const Parts parts{.locals = "Register<" + cell + ", bit<32>>(64) r;\nRegisterAction<" + cell +
                                ", bit<32>, " + cell + ">(r) ra = { void apply(inout " + cell +
                                " v, out " + cell + " rv) { v = v + 1; rv = v; } };\n",
                      .apply = "ra.execute(hdr.h.a);"};
    std::vector<std::uint64_t> sizes;
    for (int i = 0; i < 6; ++i) sizes.push_back(1 + below(random, 1u << (4 + below(random, 13))));
    std::ranges::sort(sizes);
    std::int64_t before = 0;
    for (const std::uint64_t n : sizes) {
      const auto blocks = compiled(parts, {{"Ig.r", n}}).total[Resource::map_ram];
      EXPECT_GE(blocks, before) << cell << " " << n;
      before = blocks;
    }
    EXPECT_GT(before, 0);
  }
}

TEST(PriceProperty, TheOrderOfDrawnDeclarationsChangesNothing) {
  std::vector<std::string> blocks;
  for (int i = 0; i < 4; ++i) {
    const std::string k = std::to_string(i);
    blocks.push_back(
        "Register<bit<32>, bit<16>>(1024) r" + k +
        ";\nRegisterAction<bit<32>, bit<16>, bit<32>>(r" + k + ") x" + k +
        " = { void apply(inout bit<32> v, out bit<32> rv) { v = v + 1; rv = v; } };\n");
    blocks.push_back("action a" + k + "(bit<32> v) { hdr.h.b = v; }\ntable t" + k +
                     " { key = { hdr.h.a : exact; } actions = { a" + k + "; } size = 4096; }\n");
  }
  const std::string apply =
      "md.x = x0.execute(hdr.h.d); if (md.x == 1) { t0.apply(); x1.execute(hdr.h.e); }\n"
      "else { t1.apply(); } t2.apply(); md.y = x2.execute(hdr.h.d); hdr.h.c = md.y;\n"
      "x3.execute(hdr.h.d); t3.apply();";
  const auto price = [&] {
    std::string locals;
    for (const auto& b : blocks) locals += b;
    return compiled({.locals = locals, .apply = apply});
  };
  const auto first = price();
  std::mt19937 random(7);
  for (int round = 0; round < 12; ++round) {
    for (std::size_t i = blocks.size(); i > 1; --i)
      std::swap(blocks[i - 1], blocks[below(random, i)]);
    const auto other = price();
    EXPECT_EQ(other.total, first.total);
    EXPECT_EQ(other.stages_used(), first.stages_used());
  }
}

TEST(PriceProperty, WhatIsDeclaredAndNotUsedCostsNothing) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    std::mt19937 random(seed);
    const std::string unused = drawn_table(random) +
                               "Register<bit<32>, bit<16>>(65536) idle;\n"
                               "Counter<bit<32>, bit<16>>(4096, CounterType_t.PACKETS) never;\n";
    const auto with = design_of({.locals = unused, .apply = "hdr.h.a = hdr.h.c;"}).design;
    EXPECT_EQ(with.objects.size(), 1u) << unused;
  }
}

// A design says in its file what it is: read again it costs the same.
TEST(PriceProperty, ADrawnProgramWrittenAsAnObjectsFileCostsTheSame) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    const std::string cells = std::to_string(64u << below(random, 11));
    Parts parts{.locals = drawn_table(random) + "Register<bit<32>, bit<16>>(" + cells +
                          ") r;\nRegisterAction<bit<32>, bit<16>, bit<32>>(r) ra = { void apply("
                          "inout bit<32> v, out bit<32> rv) { v = v + 1; rv = v; } };\n",
                .apply = "md.x = ra.execute(hdr.h.d);\n",
                .tofino2 = below(random, 2) == 0};
    parts.apply += below(random, 2) == 0 ? "t.apply();\n" : "if (md.x == 3) { t.apply(); }\n";
    if (below(random, 2) == 0) parts.apply += "if (hdr.h.g < 4) { hdr.h.c = md.x; }\n";
    dataplane::DesignCase one;
    one.chip = {parts.tofino2 ? "tofino2" : "tofino1", {}};
    one.design = design_of(parts).design;
    const auto file =
        dataplane::read_design_file(Document::parse(dataplane::design_text(one), "d.toml"));
    ASSERT_EQ(file.cases.size(), 1u);
    const auto before = dataplane::price_beside(one.design, chip_of(parts));
    const auto after = dataplane::price_beside(file.cases[0].design, chip_of(parts));
    EXPECT_EQ(after.as_compiler.total, before.as_compiler.total) << text_of(parts);
    EXPECT_EQ(after.as_compiler.stages_used(), before.as_compiler.stages_used()) << seed;
    EXPECT_EQ(after.least, before.least) << seed;
  }
}

// Characters lost, doubled or changed: a price, or one line with its place.
TEST(PriceProperty, ADamagedSourceIsPricedOrRefusedInOneLine) {
  std::mt19937 random(1);
  std::size_t refused = 0;
  for (int round = 0; round < 400; ++round) {
    Parts parts{.locals = drawn_table(random),
                .apply = "if (hdr.h.f == 1) { t.apply(); } else { hdr.h.a = hdr.h.b + hdr.h.c; }"};
    std::string& text = below(random, 2) == 0 ? parts.locals : parts.apply;
    const std::size_t at = below(random, text.size());
    switch (below(random, 3)) {
      case 0:
        text.erase(at, 1 + below(random, 4));
        break;
      case 1:
        text.insert(at, text.substr(at, 1 + below(random, 4)));
        break;
      default:
        text[at] = static_cast<char>(33 + below(random, 94));
    }
    const std::string line = refusal_of(parts);
    if (line == "nothing was refused") continue;
    ++refused;
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
    EXPECT_TRUE(line.starts_with("case.p4:")) << line;
  }
  EXPECT_GT(refused, 100u);
}

}  // namespace
}  // namespace horae::p4price::test
