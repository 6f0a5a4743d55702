// Which readings of published numbers a question leaves open.
#include <gtest/gtest.h>

#include "horae/question/quantities.hpp"

namespace horae::question::readings_test {
namespace {

std::vector<std::string> names(const std::vector<std::string>& quantities) {
  std::vector<std::string> out;
  for (const auto& [name, readings] : open_readings({}, quantities)) out.push_back(name);
  return out;
}

TEST(Readings, AreOpenWhereANumberDependsOnThem) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(names({"tx_share", "goodput_ratio", "nack_rate"}),
            (Names{"rate=l2", "ratio=payload", "nacks=both"}));
  EXPECT_EQ(names({"tx_rate", "delivered_rate"}), (Names{"rate=l2"}));
  EXPECT_EQ(names({"delivered_rate", "senders.nack_rate", "receivers.out_of_order"}), Names{});
}

}  // namespace
}  // namespace horae::question::readings_test
