// Which engine a configuration gets, at which level, and what it says when it cannot.
#include "horae/rtl/ordering.hpp"

#include <gtest/gtest.h>

#include "horae/core/error.hpp"
#include "horae/policy/ordering/ordering_hardware.hpp"

namespace horae::ordering_test {
namespace {

using policy::OrderingConfig;

OrderingConfig config(const std::string& level) {
  OrderingConfig c;
  c.engine = "eunomia";
  c.level = level;
  return c;
}

std::string refusal(const OrderingConfig& c) {
  try {
    rtl::make_ordering(c);
  } catch (const InputError& e) {
    return e.what();
  }
  return {};
}

TEST(Levels, DefaultsHaveRtl) {
  EXPECT_NE(dynamic_cast<policy::EunomiaEngine*>(rtl::make_ordering(config("model")).get()),
            nullptr);
  EXPECT_NE(dynamic_cast<rtl::EunomiaRtl*>(rtl::make_ordering(config("rtl")).get()), nullptr);
  EXPECT_NE(dynamic_cast<rtl::LockstepEngine*>(rtl::make_ordering(config("both")).get()), nullptr);
}

TEST(Levels, AVariantByName) {
  OrderingConfig c = config("rtl");
  c.parameters.of<policy::OrderingHardware>().rtl = "block_ram";
  const auto engine = rtl::make_ordering(c);
  EXPECT_EQ(dynamic_cast<rtl::EunomiaRtl&>(*engine).variant().name, "block_ram");
}

TEST(Levels, OtherParametersAreRefusedWithWhatThereIs) {
  OrderingConfig c = config("both");
  c.parameters.of<policy::EunomiaMemorySizes>().blocks = 1000;
  const std::string said = refusal(c);
  EXPECT_NE(said.find("level = 'both': no RTL was built with blocks = 1000, block_bits = 16"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("paper: blocks = 1024, block_bits = 16, bits = 256"), std::string::npos)
      << said;
  EXPECT_EQ(said.find("broken"), std::string::npos) << said;
}

TEST(Levels, OtherEnginesHaveNoRtl) {
  OrderingConfig c = config("rtl");
  c.engine = "static";
  EXPECT_EQ(refusal(c), "level = 'rtl': engine 'static' has no RTL, only 'eunomia' has");
}

TEST(EunomiaRtl, RefusesConnectionsItHasNoRoomFor) {
  rtl::EunomiaRtl engine(rtl::find_eunomia_variant("small"));
  EXPECT_THROW(engine.on_packet({.connection = 16, .psn = Psn(0), .head = Psn(0), .last = false}),
               InputError);
}

// 4 B for each open connection; 2 * 24 + 3 B for the one that reorders, and its blocks.
TEST(EunomiaRtl, MemoryIsThatOfItsRegisters) {
  rtl::EunomiaRtl engine(rtl::find_eunomia_variant("paper"));
  EXPECT_EQ(engine.memory().total(), 0_B);
  for (std::uint32_t c = 0; c < 3; ++c) {
    engine.on_packet({.connection = c, .psn = Psn(7), .head = Psn(7), .last = false});
  }
  EXPECT_EQ(engine.memory().total(), 12_B);
  engine.on_packet({.connection = 1, .psn = Psn(48), .head = Psn(7), .last = false});
  EXPECT_EQ(engine.memory().fixed, 12_B);
  EXPECT_EQ(engine.memory().metadata, 51_B);
  EXPECT_EQ(engine.memory().bitmap, 6_B);  // PSNs 8 to 55
  engine.close(1);
  EXPECT_EQ(engine.memory().total(), 8_B);
  // 2048 B of words, 128 B of allocation bits, 64 rows of 3 B, 4 B per connection.
  EXPECT_EQ(engine.provided(100), 2768_B);
}

}  // namespace
}  // namespace horae::ordering_test
