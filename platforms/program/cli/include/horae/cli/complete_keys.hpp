// Candidates behind `--set`, for shell completion: keys of a platform and values of a key.
#pragma once

#include <string>
#include <vector>

#include "horae/config/platform.hpp"

namespace horae::cli {

/// Every dotted key that `--set` can give a platform: those in effect, and what its tables could
/// have besides. Sorted.
std::vector<std::string> keys_of(const config::PlatformConfig& platform);

/// Possible values of a key: the values of a choice, flag, policy, program, NIC or workload, else
/// the value in effect, without blanks. Empty for an unknown key.
std::vector<std::string> values_of(const config::PlatformConfig& platform, const std::string& key);

/// Keys of a NIC without a platform (`horae size --nic`). Sorted.
std::vector<std::string> nic_keys();

}  // namespace horae::cli
