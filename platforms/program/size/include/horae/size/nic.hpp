// NICs of `horae size`: one without a platform, and the JSON of all.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "horae/workload/nic_fit.hpp"

namespace horae::size {

/// One NIC without a platform.
struct NicRequest {
  std::string spec;                    ///< name or file (.toml)
  std::vector<std::string> overrides;  ///< KEY=VALUE of an rnic profile
  rnic::QueuePairGroup queue_pairs;
};
workload::SizedNic size_nic(const NicRequest& request);

/// `nics` of `horae size --json`.
nlohmann::ordered_json nics_json(const std::vector<workload::SizedNic>& nics);

}  // namespace horae::size
