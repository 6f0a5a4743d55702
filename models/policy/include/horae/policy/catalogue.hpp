// All registries of policies in one list, for whoever lists, completes or counts them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "horae/params/param_info.hpp"

namespace horae::policy {

/// A policy as `horae list policies` shows it.
struct ListedPolicy {
  std::string_view name;
  std::string doc;
  std::vector<ParamInfo> parameters;  ///< its own keys in the table of its seam
};

/// A registry: the policies of one seam.
struct ListedSeam {
  std::string_view name;  ///< "balance"
  /// The end of the keys that name one of its policies ("congestion.algorithm").
  std::string_view key;
  bool several;  ///< the value of such a key is a list of names
  std::vector<ListedPolicy> policies;
};

/// Every seam that has a registry; a new one is added here.
const std::vector<ListedSeam>& policy_seams();

}  // namespace horae::policy
