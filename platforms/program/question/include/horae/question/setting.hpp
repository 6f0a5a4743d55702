// A platform with something set: what can be asked of it, and run.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "horae/config/platform.hpp"
#include "horae/params/located.hpp"

namespace horae::question {

/// Overrides without their places.
std::vector<std::string> texts_of(const std::vector<Located<std::string>>& located);

/// One run that can be made: overrides on the platform and the command line, and a seed.
struct Setting {
  std::vector<std::string> set;
  std::uint32_t seed = 1;

  Setting with(const std::vector<std::string>& more) const;
  friend bool operator==(const Setting&, const Setting&) = default;
};

/// Names what a run of a platform depends on: its effective configuration without other runs and
/// without words. Settings that say the same in other words have the same.
std::string run_key(const config::PlatformConfig& platform);

/// Base of every setting: a platform's file and the command line's overrides.
class BasePlatform {
 public:
  BasePlatform() = default;
  BasePlatform(std::string file, std::vector<std::string> overrides)
      : file_(std::move(file)), overrides_(std::move(overrides)) {}

  /// The platform as it is. InputError as it is read.
  config::PlatformConfig read() const;
  /// The platform with a setting. InputError as it is read.
  config::PlatformConfig read(const Setting& setting) const;

 private:
  std::string file_;
  std::vector<std::string> overrides_;
};

}  // namespace horae::question
