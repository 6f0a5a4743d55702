#include "horae/rtl/ordering.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "horae/core/error.hpp"
#include "horae/params/schema.hpp"
#include "horae/policy/ordering/eunomia.hpp"
#include "horae/policy/ordering/ordering_hardware.hpp"
#include "horae/rtl/block.hpp"

namespace horae::rtl {
namespace {

using policy::BitmapReach;
using policy::EunomiaMemorySizes;
using policy::OrderingConfig;

std::string parameters(const OrderingConfig& config) {
  const auto& sizes = config.parameters.of<EunomiaMemorySizes>();
  return fmt::format(
      "blocks = {}, block_bits = {}, bits = {}, index_entries = {}, search_width = {}",
      sizes.blocks, sizes.block_bits, config.parameters.of<BitmapReach>().bits, sizes.index_entries,
      sizes.search_width);
}

bool fits(const EunomiaVariant& v, const OrderingConfig& config) {
  const EunomiaShape& s = v.shape;
  const auto& sizes = config.parameters.of<EunomiaMemorySizes>();
  return !s.broken && s.blocks == sizes.blocks && s.block_bits == sizes.block_bits &&
         s.cap_bits == config.parameters.of<BitmapReach>().bits &&
         s.index_entries == sizes.index_entries && s.search_width == sizes.search_width;
}

const EunomiaVariant& find_variant(const OrderingConfig& config, const std::string& name) {
  std::string built;
  for (const EunomiaVariant* v : eunomia_variants()) {
    if ((name.empty() || v->name == name) && fits(*v, config)) return *v;
    if (!v->shape.broken)
      built += fmt::format("; {}: {}", v->name, parameters(config_of(v->shape)));
  }
  throw InputError(fmt::format("level = '{}': no RTL{} was built with {}; built are{}",
                               config.level, name.empty() ? "" : " '" + name + "'",
                               parameters(config), built.substr(1)));
}

}  // namespace

bool built_with_rtl() { return !eunomia_variants().empty(); }

OrderingConfig config_of(const EunomiaShape& shape) {
  OrderingConfig c;
  c.engine = "eunomia";
  c.parameters = policy::PolicyParameters::with(
      BitmapReach{.bits = shape.cap_bits}, EunomiaMemorySizes{.block_bits = shape.block_bits,
                                                              .blocks = shape.blocks,
                                                              .index_entries = shape.index_entries,
                                                              .search_width = shape.search_width});
  return c;
}

namespace {

/// The hardware in use: one of the two, or none.
struct Hardware {
  const EunomiaVariant* variant = nullptr;
  const OrderingBlock* block = nullptr;
};

nlohmann::ordered_json sizes_of(OrderingConfig config) {
  auto keys = OrderingConfig::schema().dump(config);
  for (const char* key : {"level", "rtl", "clock", "write_last"}) keys.erase(key);
  return keys;
}

/// The first key of the block's model that is another in the platform; empty: the block fits.
std::string misfit(const OrderingBlock& block, const OrderingConfig& config) try {
  const auto ours = sizes_of(config_of(block));
  const auto asked = sizes_of(config);
  for (const auto& [key, value] : ours.items()) {
    if (asked.at(key) != value)
      return fmt::format("{} = {}, expected {}", key, asked.at(key).dump(), value.dump());
  }
  return {};
} catch (const InputError& e) {
  return e.what();  // its own model is none
}

const OrderingBlock& find_block(const OrderingConfig& config, const std::string& name) {
  std::vector<std::string> names;
  for (const EunomiaVariant* v : eunomia_variants()) {
    if (!v->shape.broken) names.emplace_back(v->name);
  }
  for (const OrderingBlock& block : ordering_blocks()) {
    names.emplace_back(block.name);
    if (block.name != name) continue;
    if (const auto found = misfit(block, config); !found.empty())
      throw InputError(fmt::format("rtl = '{}' is \"{}\"; found {}", name, block.model, found));
    return block;
  }
  throw InputError(not_built("rtl", name, names));
}

bool is_variant(const std::string& name) {
  for (const EunomiaVariant* v : eunomia_variants()) {
    if (v->name == name) return true;
  }
  return false;
}

/// Nothing at level `model`.
Hardware checked_hardware(const OrderingConfig& config) {
  policy::check(config);
  if (config.level == "model") return {};
  if (config.engine == "none") {
    throw InputError(fmt::format("level = '{}': engine 'none' has no RTL", config.level));
  }
  const std::string& name = config.parameters.of<policy::OrderingHardware>().rtl;
  if (built_with_rtl() && !name.empty() && !is_variant(name))
    return {.block = &find_block(config, name)};
  if (name.empty()) {
    for (const OrderingBlock& block : ordering_blocks()) {
      if (misfit(block, config).empty()) return {.block = &block};
    }
  }
  if (config.engine != "eunomia") {
    throw InputError(fmt::format("level = '{}': engine '{}' has no RTL, only 'eunomia' has",
                                 config.level, config.engine));
  }
  if (!built_with_rtl()) {
    throw InputError(fmt::format(
        "level = '{}': this program was built without RTL; expected level = 'model', or "
        "scripts/build --rtl first",
        config.level));
  }
  return {.variant = &find_variant(config, name)};
}

}  // namespace

void check_ordering(const OrderingConfig& config) { checked_hardware(config); }

std::unique_ptr<policy::OrderingEngine> make_ordering(const OrderingConfig& config,
                                                      const LockstepOptions& options) {
  const Hardware found = checked_hardware(config);
  if (found.block != nullptr) {
    auto rtl = std::make_unique<BlockRtl>(*found.block);
    if (config.level == "rtl") return rtl;
    return std::make_unique<BlockLockstep>(policy::make_ordering_engine(config), std::move(rtl),
                                           options.folder);
  }
  if (found.variant == nullptr) return policy::make_ordering_engine(config);
  auto rtl = std::make_unique<EunomiaRtl>(*found.variant);
  if (config.level == "rtl") return rtl;
  return std::make_unique<LockstepEngine>(
      std::make_unique<policy::EunomiaEngine>(config.parameters), std::move(rtl), options);
}

}  // namespace horae::rtl
