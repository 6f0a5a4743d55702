// Which PCIe links there are.
#include "horae/rnic/spec/pcie_config.hpp"

#include <gtest/gtest.h>

#include <string>

#include "horae/core/error.hpp"
#include "horae/params/document.hpp"
#include "horae/params/schema.hpp"
#include "horae/rnic/rnic_config.hpp"
#include "pcie_parts.hpp"
#include "refusal.hpp"

namespace horae::test::pcie_config_test {
namespace {

std::string message_of(const PcieConfig& config) {
  try {
    PcieLink link(config);
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(PcieConfig, WhatNoLinkHasIsRefusedWithItsPlace) {
  const auto read_config = [](const std::string& text) {
    return Document::parse(text, "nic.toml").root().read<PcieConfig>();
  };
  const auto refused = [&](const std::string& text) {
    return refusal_of([&] { (void)read_config(text); });
  };
  EXPECT_EQ(message_of(read_config("")), "accepted");
  EXPECT_EQ(refused("lanes = 12\n"),
            "nic.toml:1:9: lanes = 12 is no power of two, as 8 and 16 are");
  EXPECT_EQ(refused("tags = 9\nmax_payload = \"300B\"\n"),
            "nic.toml:2:15: max_payload = 300 B is no power of two, as 256 B and 512 B are");
  EXPECT_EQ(refused("max_read_request = \"4095B\"\n"),
            "nic.toml:1:20: max_read_request = 4095 B is no power of two, as 2 KiB and 4 KiB are");
  EXPECT_EQ(
      refused("read_completion_boundary = \"96B\"\n"),
      "nic.toml:1:28: read_completion_boundary = 96 B is no power of two, as 64 B and 128 B are");
  EXPECT_EQ(message_of(read_config("posted_data = 15\n")),
            "nic.toml:1:15: posted_data = 15 units of 16 bytes never lets a TLP of max_payload = "
            "256 B pass; expected 16 or more");
  EXPECT_THROW(read_config("generation = 7\n"), InputError);
  EXPECT_THROW(read_config("tags = 0\n"), InputError);
  EXPECT_THROW(read_config("max_payload = \"1KiB\"\n"), InputError);
}

// Values without a publication say so.
TEST(RnicParameters, NumbersWithoutAPublicSourceAreMarked) {
  int marked = 0;
  for (const ParamInfo& p : rnic::RnicConfig::schema().describe()) {
    const bool none = p.source.find("no public value") != std::string::npos ||
                      p.source.find("modeller's choice") != std::string::npos ||
                      p.source.find("recalled") != std::string::npos;
    if (!none) continue;
    EXPECT_FALSE(p.verified) << p.path << ": " << p.source;
    ++marked;
  }
  EXPECT_GT(marked, 10);
}

}  // namespace
}  // namespace horae::test::pcie_config_test
