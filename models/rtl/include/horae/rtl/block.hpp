// Blocks of users, whose hardware descriptions lie outside the tree (scripts/rtl): what those of
// all kinds have in common.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
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

/// Settings as a description has them ("engine=static bits=16") as words.
std::vector<std::string> settings_of(std::string_view model);

/// The first setting that a block's model (`ours`) and a platform (`asked`) do not have alike, in
/// words; empty: none.
std::string first_other(const nlohmann::ordered_json& ours, const nlohmann::ordered_json& asked);

/// The hardware that a platform asks for in the place of a model.
struct Wanted {
  std::string_view level_key, rtl_key;  ///< its keys: "level", "rtl"
  std::string level;                    ///< model, rtl, both
  std::optional<std::string> name;      ///< of a block; none: the first that fits
  std::string_view what;                ///< "load balancer"
  std::string fits;                     ///< what a block has to fit: "balance = 'ecmp'"
};

/// InputError where this program was built without RTL.
void need_rtl(const Wanted& wanted);
/// InputError for a block whose model is another than the platform's: `found` says in what.
[[noreturn]] void refuse_model(const Wanted& wanted, std::string_view model,
                               const std::string& found);
/// InputError: no block of this name, or none that fits.
[[noreturn]] void refuse_missing(const Wanted& wanted, const std::vector<std::string>& names);

/// The block that is asked for; null at level `model`. `misfit`: the first setting of a block's
/// model that is another in the platform; empty: the block fits.
template <class Block, class Misfit>
const Block* find_block(const Wanted& wanted, const std::vector<Block>& blocks, Misfit misfit) {
  if (wanted.level == "model") return nullptr;
  need_rtl(wanted);
  std::vector<std::string> names;
  for (const Block& block : blocks) {
    names.emplace_back(block.name);
    if (wanted.name && block.name != *wanted.name) continue;
    const std::string found = misfit(block);
    if (found.empty()) return &block;
    if (wanted.name) refuse_model(wanted, block.model, found);
  }
  refuse_missing(wanted, names);
}

}  // namespace horae::rtl
