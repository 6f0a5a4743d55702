// Fields of packets between NICs beyond RoCEv2, by the features that are on.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "horae/policy/ordering/ordering.hpp"
#include "horae/rnic/rnic_config.hpp"

namespace horae::rnic::header_extensions_test {
namespace {

using Features = std::vector<std::string>;

Features features(const RnicConfig& config) {
  Features out;
  for (const HeaderExtension& h : header_extensions(config)) out.emplace_back(h.feature);
  return out;
}
const std::string frame(policy::ordering_frame.feature), received(policy::received_psn.feature);

TEST(HeaderExtensions, AreThoseOfTagTransportCongestionControlAndOrdering) {
  RnicConfig c;
  EXPECT_EQ(features(c), Features{});
  c.transport = "irn";  // its NACKs name the packet that they answer
  EXPECT_EQ(features(c), Features{received});
  c.remaining_tag = true;
  EXPECT_EQ(features(c), (Features{"remaining_tag", received}));
  c.congestion.algorithm = "eqds";
  EXPECT_EQ(features(c), (Features{"remaining_tag", received, "EQDS's announcement"}));
  c = {};
  c.ordering.engine = "ideal";
  EXPECT_EQ(features(c), (Features{frame, received}));
  c.transport = "irn";
  EXPECT_EQ(features(c), (Features{received, frame, received}));
}

}  // namespace
}  // namespace horae::rnic::header_extensions_test
