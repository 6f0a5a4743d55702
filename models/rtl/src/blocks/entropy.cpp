// Which hardware gives entropy values in place of a model.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "horae/core/error.hpp"
#include "horae/params/document.hpp"
#include "horae/params/schema.hpp"
#include "horae/policy/hardware_choice.hpp"
#include "horae/rtl/block.hpp"
#include "horae/rtl/entropy_block.hpp"

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
  const Wanted wanted{.level_key = "level",
                      .rtl_key = "rtl",
                      .level = entropy_level(config),
                      .name = config.parameters.of<policy::HardwareChoice>().rtl,
                      .what = "entropy scheme",
                      .fits = fmt::format("scheme = '{}'", config.scheme)};
  if (wanted.level != "model" && policy::find_entropy_scheme(config.scheme).constant) {
    throw InputError(fmt::format("level = '{}': nobody is asked for the values of scheme '{}'",
                                 wanted.level, config.scheme));
  }
  return find_block(wanted, entropy_blocks(),
                    [&](const EntropyBlock& block) { return misfit(block, config); });
}

const EntropyBlock& block_of(const EntropyConfig& config) {
  if (const EntropyBlock* block = checked_block(config)) return *block;
  throw ModelError("hardware of level 'model'");
}

}  // namespace

std::string entropy_level(const EntropyConfig& config) {
  return config.parameters.of<policy::HardwareChoice>().level.value_or("model");
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
