#include "horae/core/registry.hpp"

#include <utility>

#include "horae/policy/plugin.hpp"

namespace horae::policy {

// Each is defined in the file of its name.
BalancerEntry ecmp_balancer(), ecmp_linear_balancer(), spray_balancer(), round_robin_balancer(),
    adaptive_balancer(), drill_balancer(), po2_balancer();

namespace {
Registry<BalancerEntry>& balancer_registry() {
  static Registry<BalancerEntry> all("load balancer", {
                                                          ecmp_balancer(),
                                                          ecmp_linear_balancer(),
                                                          spray_balancer(),
                                                          round_robin_balancer(),
                                                          adaptive_balancer(),
                                                          drill_balancer(),
                                                          po2_balancer(),
                                                      });
  return all;
}
}  // namespace

const std::vector<BalancerEntry>& load_balancers() { return balancer_registry().all(); }
void add_load_balancer(BalancerEntry entry) { balancer_registry().add(std::move(entry)); }

const BalancerEntry& find_load_balancer(std::string_view name) {
  return find_named(load_balancers(), "load balancer", name);
}

std::unique_ptr<LoadBalancer> make_load_balancer(std::string_view name, std::uint64_t seed,
                                                 std::string_view path,
                                                 const PolicyParameters& parameters) {
  return find_load_balancer(name).make(seed, path, parameters);
}

}  // namespace horae::policy
