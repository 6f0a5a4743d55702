// Blocks of users, whose hardware descriptions lie outside the tree (scripts/rtl): what those of
// all kinds have in common.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "horae/core/cxx20.hpp"

namespace horae::rtl {

/// A block that could not be built.
struct RefusedBlock {
  std::string_view name;
  std::string_view refused;  ///< why, in one line
};

/// All of them that the build was told of (CMake: HORAE_RTL_BLOCKS), whatever they would have been.
const std::vector<RefusedBlock>& refused_blocks();

/// "rtl = 'x' was not built ..." for a name that is none of `names`; `key` is that of a platform. A
/// block that was refused is named with the reason.
std::string not_built(std::string_view key, const std::string& name,
                      const std::vector<std::string>& names);

/// InputError unless `level` is model, rtl or both.
void check_level(std::string_view key, const std::string& level);

/// Settings as a description has them ("engine=static bits=16") as words.
std::vector<std::string> settings_of(std::string_view model);

/// The first setting that a block's model (`ours`) and a platform (`asked`) do not have alike, in
/// words; empty: none.
std::string first_other(const nlohmann::ordered_json& ours, const nlohmann::ordered_json& asked);

}  // namespace horae::rtl
