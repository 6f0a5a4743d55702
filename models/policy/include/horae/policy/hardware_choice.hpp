// The model of a policy, a hardware description in its place, or both.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "horae/params/located.hpp"

namespace horae::policy {

/// The names of a parameter that says which of them runs: model, rtl, both.
const std::vector<std::pair<std::string, std::string>>& hardware_levels();

/// Parameters beside those of the policies of a seam.
struct HardwareChoice {
  std::optional<std::string> level{};  ///< model, rtl, both; absent: model
  std::optional<std::string> rtl{};    ///< name of the description; absent: the first that fits
};

/// `level` and `rtl` of a NIC's entropy scheme.
const Schema<HardwareChoice>& entropy_hardware();
/// `balance_level` and `balance_rtl` of a switch's load balancer.
const Schema<HardwareChoice>& balance_hardware();

}  // namespace horae::policy
