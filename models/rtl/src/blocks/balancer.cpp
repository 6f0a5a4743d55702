// Which hardware balances in place of a model.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "horae/core/error.hpp"
#include "horae/params/document.hpp"
#include "horae/params/schema.hpp"
#include "horae/policy/hardware_choice.hpp"
#include "horae/policy/own_parameters.hpp"
#include "horae/rtl/balancer_block.hpp"
#include "horae/rtl/block.hpp"

namespace horae::rtl {
namespace {

const Schema<BalanceSetting>& setting_schema() {
  static const Schema<BalanceSetting> s =
      Schema<BalanceSetting>("balancer", "What a load balancer's hardware implements.")
          .field("balance", &BalanceSetting::balance, {.doc = "load balancer"})
          .include(policy::parameters_of(policy::load_balancers()), &BalanceSetting::parameters);
  return s;
}

/// The first setting of the block's model that is another in the platform; empty: the block fits.
std::string misfit(const BalancerBlock& block, const BalanceSetting& setting) try {
  const auto ours = setting_schema().dump(
      Document::parse("", fmt::format("model of RTL '{}'", block.name), settings_of(block.model))
          .root()
          .read(setting_schema()));
  const auto asked = setting_schema().dump(setting);
  return first_other(ours, asked);
} catch (const InputError& e) {
  return e.what();  // its own model is none
}

/// Null at level `model`.
const BalancerBlock* checked_block(const BalanceSetting& setting) {
  const Wanted wanted{.level_key = "balance_level",
                      .rtl_key = "balance_rtl",
                      .level = balance_level(setting),
                      .name = setting.parameters.of<policy::HardwareChoice>().rtl,
                      .what = "load balancer",
                      .fits = fmt::format("balance = '{}'", setting.balance)};
  return find_block(wanted, balancer_blocks(),
                    [&](const BalancerBlock& block) { return misfit(block, setting); });
}

}  // namespace

std::string balance_level(const BalanceSetting& setting) {
  return setting.parameters.of<policy::HardwareChoice>().level.value_or("model");
}

void check_balancer(const BalanceSetting& setting) { checked_block(setting); }

std::unique_ptr<policy::LoadBalancer> make_balancer(const BalanceSetting& setting,
                                                    std::uint64_t seed, std::string_view path,
                                                    const std::string& folder) {
  const BalancerBlock* block = checked_block(setting);
  if (block == nullptr) return nullptr;
  auto rtl = std::make_unique<BalancerRtl>(*block, seed, path);
  if (balance_level(setting) == "rtl") return rtl;
  return std::make_unique<BalancerLockstep>(
      policy::make_load_balancer(setting.balance, seed, path, setting.parameters), std::move(rtl),
      folder);
}

}  // namespace horae::rtl
