// Traffic of a small platform, read and placed, without running it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/params/document.hpp"
#include "horae/workload/read_platform.hpp"
#include "horae/workload/traffic.hpp"
#include "networks.hpp"

namespace horae::test {

/// Eight NICs, h0 to h7, which are also the first devices of the platform. `traffic` is the rest of
/// its text, from within the first [[traffic]] on.
inline config::PlatformConfig eight_placed(const std::string& traffic,
                                           const std::vector<std::string>& settings = {}) {
  return workload::read_platform(Document::parse(eight_nics("20 ms", traffic), "p.toml", settings));
}

inline std::vector<workload::Flow> flows_of(const config::PlatformConfig& platform,
                                            std::size_t table = 0) {
  std::vector<workload::Flow> out;
  workload::traffic_of(platform, table).flows(platform, [&](const workload::Flow& f) {
    out.push_back(f);
  });
  return out;
}

/// Why the traffic is refused; empty: it is not.
inline std::string why_refused(const std::string& traffic,
                               const std::vector<std::string>& settings = {}) {
  try {
    eight_placed(traffic, settings);
    return {};
  } catch (const InputError& e) {
    return e.what();
  }
}

/// That it is refused, in these words and at that line after [[traffic]]; 0: at the table itself.
inline void expect_refused(const std::string& traffic, int line, const std::string& words) {
  const std::string text = eight_nics("20 ms", "");
  const auto before = static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  const std::string why = why_refused(traffic);
  EXPECT_NE(why.find("p.toml:" + std::to_string(before + line) + ":"), std::string::npos) << why;
  EXPECT_NE(why.find(words), std::string::npos) << why;
}

}  // namespace horae::test
