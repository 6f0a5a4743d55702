// Which hardware gives entropy values in place of a model.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "horae/core/error.hpp"
#include "horae/params/document.hpp"
#include "horae/params/schema.hpp"
#include "horae/policy/entropy/entropy_hardware.hpp"
#include "horae/rtl/block.hpp"
#include "horae/rtl/entropy_block.hpp"
#include "horae/rtl/ordering.hpp"

namespace horae::rtl {

using policy::EntropyConfig;

namespace {

nlohmann::ordered_json scheme_keys(const EntropyConfig& config) {
  auto keys = EntropyConfig::schema().dump(config);
  // The NIC's, whatever gives the values.
  for (const char* key : {"level", "rtl", "keep"}) keys.erase(key);
  return keys;
}

/// The first setting of the block's model that is another in the platform; empty: the block fits.
std::string misfit(const EntropyBlock& block, const EntropyConfig& config) try {
  const auto ours = scheme_keys(
      Document::parse("", fmt::format("model of RTL '{}'", block.name), settings_of(block.model))
          .root()
          .read(EntropyConfig::schema()));
  const auto asked = scheme_keys(config);
  return first_other(ours, asked);
} catch (const InputError& e) {
  return e.what();  // its own model is none
}

/// Null at level `model`.
const EntropyBlock* checked_block(const EntropyConfig& config) {
  const std::string level = entropy_level(config);
  if (level == "model") return nullptr;
  check_level("level", level);
  if (policy::find_entropy_scheme(config.scheme).constant) {
    throw InputError(fmt::format("level = '{}': nobody is asked for the values of scheme '{}'",
                                 level, config.scheme));
  }
  if (!built_with_rtl()) {
    throw InputError(fmt::format(
        "level = '{}': this program was built without RTL; expected level = 'model', or "
        "scripts/build --rtl first",
        level));
  }
  const auto& name = config.parameters.of<policy::EntropyHardware>().rtl;
  std::vector<std::string> names;
  for (const EntropyBlock& block : entropy_blocks()) {
    names.emplace_back(block.name);
    if (name && block.name != *name) continue;
    const std::string found = misfit(block, config);
    if (found.empty()) return &block;
    if (name)
      throw InputError(fmt::format("rtl = '{}' is \"{}\"; found {}", *name, block.model, found));
  }
  if (name) throw InputError(not_built("rtl", *name, names));
  throw InputError(fmt::format(
      "level = '{}': no entropy scheme in RTL was built that fits scheme = '{}' (scripts/rtl add "
      "DIR builds one)",
      level, config.scheme));
}

const EntropyBlock& block_of(const EntropyConfig& config) {
  if (const EntropyBlock* block = checked_block(config)) return *block;
  throw ModelError("hardware of level 'model'");
}

}  // namespace

std::string entropy_level(const EntropyConfig& config) {
  return config.parameters.of<policy::EntropyHardware>().level.value_or("model");
}

void check_entropy(const EntropyConfig& config) { checked_block(config); }

EntropySources::EntropySources(EntropyConfig config, std::string folder)
    : config_(std::move(config)), folder_(std::move(folder)), block_(block_of(config_)) {
  if (block_.connections > 0) shared_ = std::make_shared<EntropyUnit>(block_);
}

std::unique_ptr<policy::Entropy> EntropySources::make(std::size_t queue_pair,
                                                      policy::EntropyContext&& context) {
  ++queue_pairs_;
  auto unit = shared_ ? shared_ : std::make_shared<EntropyUnit>(block_);
  auto rtl = std::make_unique<EntropyRtl>(
      std::move(unit), shared_ ? static_cast<std::uint32_t>(queue_pair) : 0, config_, context);
  if (entropy_level(config_) == "rtl") return rtl;
  return std::make_unique<EntropyLockstep>(policy::make_entropy(config_, std::move(context)),
                                           std::move(rtl), folder_, requests_);
}

}  // namespace horae::rtl
