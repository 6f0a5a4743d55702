// Load balancers of plug-ins, whose answers are looked at.
#pragma once

#include <memory>
#include <string_view>

#include "horae/policy/balance/load_balancer.hpp"

namespace horae::policy {

/// Refuses answers of `of` out of range and exceptions of unknown types, each in one line; balancer
/// `name` of the device whose stream is `path`. InputError: `of` is null.
std::unique_ptr<LoadBalancer> checked(std::unique_ptr<LoadBalancer> of, std::string_view name,
                                      std::string_view path);

}  // namespace horae::policy
