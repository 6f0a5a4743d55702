// Bandwidth of saturated reads and writes over their size: the link, its closed form, and the
// values of pcie-bench/pcie-model (commit 40703cf; Neugebauer et al., SIGCOMM 2018). Prints the
// table that `scripts/validate pcie` shows.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "horae/rnic/host/pcie_link.hpp"
#include "pcie_parts.hpp"

namespace horae::test::pcie_bandwidth_test {
namespace {

PcieConfig link_of(std::uint32_t generation, std::uint32_t lanes, Bytes mps, Bytes mrrs) {
  PcieConfig config = ample();
  config.generation = generation;
  config.lanes.value = lanes;
  config.max_payload.value = mps;
  config.max_read_request.value = mrrs;
  return config;
}

/// Gb/s of the second half of many transfers that are all asked for at once.
template <class Transfer>
double saturated(PcieLink& link, Bytes size, Transfer&& transfer) {
  constexpr int half = 4000;
  Picoseconds middle{}, end{};
  for (int i = 0; i < 2 * half; ++i) {
    end = transfer(link, static_cast<std::uint64_t>(i) * 4096);
    if (i == half - 1) middle = end;
  }
  return mean_bits_per_second(size * half, end - middle) * 1e-9;
}
double model_read(const PcieConfig& config, Bytes size) {
  PcieLink link(config);
  return saturated(link, size, [size](PcieLink& l, std::uint64_t address) {
    return read(l, 0_ps, address, size);
  });
}
double model_write(const PcieConfig& config, Bytes size) {
  PcieLink link(config);
  return saturated(link, size, [size](PcieLink& l, std::uint64_t address) {
    return l.write(0_ps, address, size);
  });
}

/// Rates of pcie-bench/pcie-model for reads, in Gb/s; 0 where none was taken down.
double published_read(const PcieConfig& c, std::int64_t size) {
  const bool full = c.max_payload.value == 512_B && c.max_read_request.value == 4096_B;
  const bool quarter = c.max_payload.value == 256_B;
  if (c.lanes.value != 16) return 0;
  if (c.generation == 5 && quarter && size == 64) return 347;
  if (c.generation == 5 && quarter && size % 256 == 0) return 422;
  if (c.generation == 5 && full && size >= 1024) return 441;
  if (c.generation == 4 && quarter && size % 256 == 0) return 211;
  if (c.generation == 4 && full && size >= 1024) return 221;
  // 105 to 110 for Gen3.
  if (c.generation == 3 && quarter && size % 256 == 0) return 105;
  if (c.generation == 3 && full && size >= 1024) return 110;
  return 0;
}

/// A row's cells for one direction, after checking them.
std::string cells(double formula, double model, double published) {
  EXPECT_NEAR(model, formula, 0.01 * formula);
  // To the digits given: 211 stands for 210.9, 105 for 105.5.
  if (published > 0) {
    EXPECT_NEAR(model, published, 0.6);
  }
  return fmt::format(" {:8.2f} {:8.2f} {:>9}", formula, model,
                     published > 0 ? fmt::format("{:.0f}", published) : "-");
}

TEST(PcieBandwidth, ModelAgreesWithItsClosedFormAndWithThePublishedValues) {
  std::printf("PCIe, Gb/s                        read                        write\n");
  std::printf(
      " gen lanes  mps mrrs  size  formula    model published  formula    model published\n");
  int compared = 0;
  for (const auto& [generation, lanes] :
       {std::pair{3u, 8u}, std::pair{3u, 16u}, std::pair{4u, 16u}, std::pair{5u, 16u}}) {
    for (const Bytes mps : {256_B, 512_B}) {
      for (const Bytes mrrs : {512_B, 4096_B}) {
        const PcieConfig config = link_of(generation, lanes, mps, mrrs);
        for (const std::int64_t size : {64, 128, 192, 256, 320, 512, 1024, 1500, 2048, 4096}) {
          const Bytes bytes(size);
          const double published = published_read(config, size);
          compared += published > 0 ? 1 : 0;
          const std::string place = fmt::format("{:4} {:5} {:4} {:4} {:5}", generation, lanes,
                                                mps.count(), mrrs.count(), size);
          SCOPED_TRACE(place);
          const std::string row =
              place +
              cells(rnic::read_bandwidth(config, bytes) * 1e-9, model_read(config, bytes),
                    published) +
              cells(rnic::write_bandwidth(config, bytes) * 1e-9, model_write(config, bytes), 0);
          // As a machine boots, and as it is tuned; the other two pairs are only tested.
          if ((mps == 256_B) == (mrrs == 512_B)) std::printf("%s\n", row.c_str());
        }
      }
    }
  }
  EXPECT_EQ(compared, 2 + 3 * (2 * 5 + 4));
}

TEST(PcieBandwidth, OfTlpsIsThePublished) {
  EXPECT_NEAR(rnic::tlp_bandwidth(link_of(5, 16, 256_B, 512_B)) * 1e-9, 454.8, 0.05);
  EXPECT_NEAR(rnic::tlp_bandwidth(link_of(5, 16, 512_B, 512_B)) * 1e-9, 458.5, 0.05);
  // "~57.88 Gb/s" of a Gen3 x8 link, MPS 256 (Neugebauer et al., SIGCOMM 2018, section 3).
  EXPECT_NEAR(rnic::tlp_bandwidth(link_of(3, 8, 256_B, 512_B)) * 1e-9, 57.88, 0.01);
}

// In flits: 236 of 256 bytes, less skip ordered sets; headers of 16 and 12 bytes and nothing else.
TEST(PcieBandwidth, OfFlitsIsTheirClosedForm) {
  const double skips = 1 - 4.0 / 1538;
  for (const std::uint32_t lanes : {4u, 16u, 32u}) {
    const PcieConfig config = link_of(6, lanes, 512_B, 4096_B);
    const double tlps = lanes * 64.0 * 236 / 256 * skips;
    EXPECT_NEAR(rnic::tlp_bandwidth(config) * 1e-9, tlps, 1e-6 * tlps);
    for (const std::int64_t size : {256, 512, 4096}) {
      const double pieces = size <= 512 ? 1.0 : static_cast<double>(size) / 512;
      const auto n = static_cast<double>(size);
      EXPECT_NEAR(model_read(config, Bytes(size)), tlps * n / (n + 12 * pieces), 0.01 * tlps);
      EXPECT_NEAR(model_write(config, Bytes(size)), tlps * n / (n + 16 * pieces), 0.01 * tlps);
    }
  }
  // Twice the rate of the same lanes before it and more: no ACKs, and less around each TLP.
  EXPECT_GT(rnic::write_bandwidth(link_of(6, 16, 256_B, 512_B), 256_B),
            2 * rnic::write_bandwidth(link_of(5, 16, 256_B, 512_B), 256_B));
}

// 32 lanes are two links of 16.
TEST(PcieBandwidth, OfThirtyTwoLanesIsTwice) {
  for (const std::uint32_t generation : {5u, 6u}) {
    EXPECT_DOUBLE_EQ(rnic::tlp_bandwidth(link_of(generation, 32, 256_B, 512_B)),
                     2 * rnic::tlp_bandwidth(link_of(generation, 16, 256_B, 512_B)));
  }
}

// Too few tags: tags x size / round trip, whatever the link could carry.
TEST(PcieBandwidth, OfFewTagsIsLittlesLaw) {
  for (const std::uint32_t tags : {8u, 32u, 128u}) {
    PcieConfig config = link_of(5, 16, 256_B, 512_B);
    config.tags = tags;
    const double round_trip = to_seconds(PcieLink(config).unloaded_read(64_B) + memory_time);
    EXPECT_NEAR(model_read(config, 64_B), tags * 64 * 8 / round_trip * 1e-9,
                0.01 * tags * 64 * 8 / round_trip * 1e-9);
  }
}

// Too few credits: one TLP per credit and loop of link and credit_return.
TEST(PcieBandwidth, OfFewCreditsIsTheirLoop) {
  PcieConfig config = link_of(5, 16, 256_B, 512_B);
  config.posted_headers = 16;
  config.credit_return = 300_ns;
  const double loop = to_seconds(PcieLink(config).wire_time(88_B) + 300_ns);
  const double expected = 16 * 64 * 8 / loop * 1e-9;
  EXPECT_LT(expected, rnic::write_bandwidth(config, 64_B) * 1e-9 * 0.5);
  EXPECT_NEAR(model_write(config, 64_B), expected, 0.01 * expected);
}

}  // namespace
}  // namespace horae::test::pcie_bandwidth_test
