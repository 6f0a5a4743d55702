#include "horae/rtl/ordering.hpp"

#include <fmt/format.h>

#include "horae/core/error.hpp"
#include "horae/policy/ordering/eunomia.hpp"

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

bool built_with_verilator() { return !eunomia_variants().empty(); }

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

/// The variant that `config` asks for; null at level `model`.
const EunomiaVariant* checked_variant(const OrderingConfig& config, const std::string& variant) {
  if (config.level == "model") {
    policy::check(config);
    return nullptr;
  }
  if (config.level != "rtl" && config.level != "both") {
    throw InputError(fmt::format("level = '{}' is unknown{}", config.level,
                                 suggestion(config.level, {"model", "rtl", "both"})));
  }
  policy::check(config);
  if (config.engine != "eunomia") {
    throw InputError(fmt::format("level = '{}': engine '{}' has no RTL, only 'eunomia' has",
                                 config.level, config.engine));
  }
  if (!built_with_verilator()) {
    throw InputError(fmt::format(
        "level = '{}': built without Verilator; expected level = 'model', or Verilator installed "
        "when the program is built",
        config.level));
  }
  return &find_variant(config, variant);
}

}  // namespace

void check_ordering(const OrderingConfig& config) { checked_variant(config, {}); }

std::unique_ptr<policy::OrderingEngine> make_ordering(const OrderingConfig& config,
                                                      const LockstepOptions& options,
                                                      const std::string& variant) {
  const EunomiaVariant* found = checked_variant(config, variant);
  if (found == nullptr) return policy::make_ordering_engine(config);
  auto rtl = std::make_unique<EunomiaRtl>(*found);
  if (config.level == "rtl") return rtl;
  return std::make_unique<LockstepEngine>(
      std::make_unique<policy::EunomiaEngine>(config.parameters), std::move(rtl), options);
}

}  // namespace horae::rtl
