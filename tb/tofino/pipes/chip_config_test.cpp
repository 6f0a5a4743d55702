// Values that a platform need not give, because they follow from the chip's name.
#include "horae/tofino/chip_config.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>

#include "horae/core/error.hpp"
#include "horae/dataplane/shipped_chips.hpp"
#include "horae/params/document.hpp"

namespace horae::tofino::chip_config_test {
namespace {

ChipConfig read(const std::string& text) {
  return ChipConfig::read(Document::parse(text, "c.toml").root(), {});
}

// platforms/chips/tofino1.toml and tofino2.toml.
TEST(ChipConfig, DefaultsAreThoseOfTheChip) {
  const ChipConfig one = read("chip = \"tofino1\"");
  EXPECT_EQ(one.pipelines, 4u);
  EXPECT_EQ(one.ports_per_pipeline, 16u);
  EXPECT_EQ(one.mau_clock, Hertz(1'250'000'000));
  EXPECT_EQ(one.cells, 280u * 1024);
  EXPECT_EQ(one.cell, 80_B);
  const ChipConfig two = read("");
  EXPECT_EQ(two.pipelines, 4u);
  EXPECT_EQ(two.ports_per_pipeline, 8u);
  EXPECT_EQ(two.mau_clock, Hertz(1'500'000'000));
  EXPECT_EQ(two.cells, 384u * 1024);
  EXPECT_EQ(two.cell, 176_B);
}

// A Tofino2 with half of its pipelines, as there is one.
TEST(ChipConfig, AChipOfAUsersOwnSaysHowManyPipelines) {
  const auto& chips = dataplane::shipped_chips;
  const auto shipped =
      std::ranges::find(chips, std::string_view("tofino2"), [](const auto& c) { return c.name; });
  ASSERT_NE(shipped, chips.end());
  std::string text(shipped->toml);
  const std::string four = "\npipelines = 4";
  ASSERT_NE(text.find(four), std::string::npos);
  text.replace(text.find(four), four.size(), "\npipelines = 2");
  const std::string file = testing::TempDir() + "half.toml";
  std::ofstream(file) << text;
  EXPECT_EQ(read("chip = \"" + file + "\"").pipelines, 2u);
  EXPECT_EQ(read("chip = \"" + file + "\"\npipelines = 1").pipelines, 1u);
}

TEST(ChipConfig, WhatIsSaidStays) {
  const ChipConfig c = read(
      "chip = \"tofino1\"\npipelines = 3\nports_per_pipeline = 5\nmau_clock = \"1 GHz\"\n"
      "cells = 1000\ncell = \"64 B\"\n");
  EXPECT_EQ(c.pipelines, 3u);
  EXPECT_EQ(c.ports_per_pipeline, 5u);
  EXPECT_EQ(c.mau_clock, Hertz(1'000'000'000));
  EXPECT_EQ(c.cells, 1000u);
  EXPECT_EQ(c.cell, 64_B);
}

// Rates of loopback ports are one per pipeline, of as many as there are after the chip's word.
TEST(ChipConfig, LoopbackRatesAreOnePerPipeline) {
  const auto rates = [](const std::string& before, const std::string& list) {
    try {
      read(before + "[loopback]\nrates = [" + list + "]");
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  const std::string r = "\"100 Gbps\"";
  EXPECT_EQ(rates("", r + "," + r + "," + r + "," + r), "accepted");
  EXPECT_EQ(rates("pipelines = 1\n", r), "accepted");
  EXPECT_EQ(rates("pipelines = 1\n", r + "," + r),
            "c.toml:3:9: rates has 2 entries; expected 1, one per pipeline");
  EXPECT_EQ(rates("", r + "," + r + "," + r),
            "c.toml:2:9: rates has 3 entries; expected 4, one per pipeline");
}

TEST(ChipConfig, TheBufferIsSharedWhereAClassHasAShare) {
  EXPECT_FALSE(read("").limits_classes());
  EXPECT_FALSE(read("[[class]]\nnumber = 1\nweight = 2").limits_classes());
  EXPECT_TRUE(read("[[class]]\nnumber = 1\n[[class]]\nnumber = 2\nshare = 0.5").limits_classes());
}

}  // namespace
}  // namespace horae::tofino::chip_config_test
