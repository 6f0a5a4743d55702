// Which features can be in one network by the header bits that they declare.
#include "horae/core/header_extension.hpp"

#include <gtest/gtest.h>

namespace horae {
namespace {

constexpr HeaderExtension low{.feature = "low", .between = "NICs", .bth_reserved = 0x00ff};

TEST(HeaderExtension, BitsOfOneFieldThatOverlapAreAConflict) {
  HeaderExtension other{.feature = "other", .between = "switches", .bth_reserved = 0x0100};
  EXPECT_EQ(header_conflict(low, other), std::nullopt);
  other.bth_reserved = 0x0180;
  EXPECT_EQ(header_conflict(low, other), "reserved bits of the BTH");
  EXPECT_EQ(header_conflict(other, low), "reserved bits of the BTH");
  other.bth_reserved = 0;
  other.behind_bth = 0xff;
  EXPECT_EQ(header_conflict(low, other), std::nullopt);
}

TEST(HeaderExtension, AFeatureAgreesWithItself) {
  EXPECT_EQ(header_conflict(low, low), std::nullopt);
}

TEST(HeaderExtension, PacketsOfDifferentKindsDoNotMeet) {
  HeaderExtension other{.feature = "other",
                        .between = "NICs",
                        .data = false,
                        .acknowledgements = true,
                        .bth_reserved = 0xffff};
  EXPECT_EQ(header_conflict(low, other), std::nullopt);
  other.data = true;
  EXPECT_EQ(header_conflict(low, other), "reserved bits of the BTH");
}

TEST(HeaderExtension, EveryFieldThatIsSharedIsNamed) {
  const HeaderExtension a{
      .feature = "a", .between = "switches", .bth_reserved = 1, .behind_bth = 1, .metadata = 1};
  HeaderExtension b = a;
  b.feature = "b";
  EXPECT_EQ(header_conflict(a, b),
            "reserved bits of the BTH and the four bytes behind the BTH and the metadata that goes "
            "along with a packet");
}

}  // namespace
}  // namespace horae
