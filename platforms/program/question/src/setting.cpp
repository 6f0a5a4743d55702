#include "horae/question/setting.hpp"

#include <fmt/format.h>

#include "horae/config/effective.hpp"
#include "horae/params/document.hpp"
#include "horae/workload/read_platform.hpp"

namespace horae::question {

std::vector<std::string> texts_of(const std::vector<Located<std::string>>& located) {
  return {located.begin(), located.end()};
}

Setting Setting::with(const std::vector<std::string>& more) const {
  Setting out = *this;
  out.set.insert(out.set.end(), more.begin(), more.end());
  return out;
}

std::string run_key(const config::PlatformConfig& platform) {
  auto config = platform.effective;
  config.erase("sweep");
  config.erase("platform");
  return config::hash_of(config);
}

config::PlatformConfig BasePlatform::read() const {
  return workload::read_platform(Document::load(file_, overrides_));
}

config::PlatformConfig BasePlatform::read(const Setting& setting) const {
  auto all = overrides_;
  all.insert(all.end(), setting.set.begin(), setting.set.end());
  all.push_back(fmt::format("sim.seed={}", setting.seed));
  return workload::read_platform(Document::load(file_, all));
}

}  // namespace horae::question
