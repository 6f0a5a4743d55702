// Sections of a platform file for `horae size` and `horae explain`: [size] and [explain].
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "horae/params/located.hpp"

namespace horae::config {

/// A published figure of what a program costs, to be shown beside ours.
struct PublishedSizeSpec {
  Located<std::string> id;
  Located<std::string> profile;  ///< the chip's profile
  /// An account of the program; a resource's name; that and "_percent"; or "stages".
  Located<std::string> quantity;
  std::uint32_t over_stages = 0;  ///< for per cent: of so many stages; 0: of those we use
  double value = 0;
  std::string unit;
  std::string source;
  std::string note;  ///< what explains a difference
  static const Schema<PublishedSizeSpec>& schema();
};

struct SizeConfig {
  std::vector<PublishedSizeSpec> published;
  static const Schema<SizeConfig>& schema();
};

/// Files that `horae explain` reads, relative to the platform file.
struct ExplainConfig {
  std::optional<Located<std::string>> observations;
  std::optional<Located<std::string>> hypotheses;
  static const Schema<ExplainConfig>& schema();
};

}  // namespace horae::config
