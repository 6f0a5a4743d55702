#include "horae/core/registry.hpp"

#include "horae/policy/balance/load_balancer.hpp"

namespace horae::policy {

// Each is defined in the file of its name.
BalancerEntry ecmp_balancer(), ecmp_linear_balancer(), spray_balancer(), round_robin_balancer(),
    adaptive_balancer(), drill_balancer(), po2_balancer();

const std::vector<BalancerEntry>& load_balancers() {
  static const std::vector<BalancerEntry> all = {
      ecmp_balancer(),     ecmp_linear_balancer(), spray_balancer(), round_robin_balancer(),
      adaptive_balancer(), drill_balancer(),       po2_balancer(),
  };
  return all;
}

const BalancerEntry& find_load_balancer(std::string_view name) {
  return find_named(load_balancers(), "load balancer", name);
}

std::unique_ptr<LoadBalancer> make_load_balancer(std::string_view name, std::uint64_t seed,
                                                 std::string_view path,
                                                 const PolicyParameters& parameters) {
  return find_load_balancer(name).make(seed, path, parameters);
}

}  // namespace horae::policy
