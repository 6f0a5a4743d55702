// The key of a run is of all that it depends on, and of nothing else.
#include "horae/question/setting.hpp"

#include <gtest/gtest.h>

namespace horae::question::setting_test {
namespace {

std::string key_of(const nlohmann::ordered_json& effective) {
  config::PlatformConfig platform;
  platform.effective = effective;
  return run_key(platform);
}

TEST(RunKey, NamesAndOtherRunsOfAPlatformAreNoPartOfIt) {
  const nlohmann::ordered_json plain = {{"nic", {{"mtu", "4 KiB"}}}, {"sim", {{"seed", 1}}}};
  auto named = plain;
  named["platform"] = {{"name", "one"}, {"doc", "a pair"}};
  auto swept = plain;
  swept["sweep"] = {{"over", "nic.mtu"}};
  EXPECT_EQ(key_of(named), key_of(plain));
  EXPECT_EQ(key_of(swept), key_of(plain));
  auto other = plain;
  other["sim"]["seed"] = 2;
  EXPECT_NE(key_of(other), key_of(plain));
  other = plain;
  other["nic"]["mtu"] = "1 KiB";
  EXPECT_NE(key_of(other), key_of(plain));
}

}  // namespace
}  // namespace horae::question::setting_test
