// Which hardware description stands for a load balancer.
#pragma once

#include <optional>
#include <string>

#include "horae/params/located.hpp"

namespace horae::policy {

/// Parameters beside those of the balancers, for a switch whose balancer runs as hardware.
struct BalanceHardware {
  std::optional<std::string> level{};  ///< model, rtl, both; absent: model
  std::optional<std::string> rtl{};    ///< its name; absent: the first that fits

  static const Schema<BalanceHardware>& schema();
};

}  // namespace horae::policy
