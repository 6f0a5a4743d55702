#include "horae/core/registry.hpp"

#include <utility>

#include "checked.hpp"
#include "horae/policy/own_parameters.hpp"
#include "horae/policy/plugin.hpp"

namespace horae::policy {

// Each is defined in the file of its name.
BalancerEntry ecmp_balancer(), ecmp_linear_balancer(), spray_balancer(), round_robin_balancer(),
    adaptive_balancer(), drill_balancer(), po2_balancer(), letflow_balancer(), wcmp_balancer(),
    conga_balancer();

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
                                                          letflow_balancer(),
                                                          wcmp_balancer(),
                                                          conga_balancer(),
                                                      });
  return all;
}
}  // namespace

const std::vector<BalancerEntry>& load_balancers() { return balancer_registry().all(); }
void add_load_balancer(BalancerEntry entry) {
  entry.of_plugin = true;
  balancer_registry().add(std::move(entry));
}

const BalancerEntry& find_load_balancer(std::string_view name) {
  return find_named(load_balancers(), "load balancer", name);
}

std::unique_ptr<LoadBalancer> make_load_balancer(std::string_view name, std::uint64_t seed,
                                                 std::string_view path,
                                                 const PolicyParameters& parameters) {
  const BalancerEntry& entry = find_load_balancer(name);
  auto balancer = entry.make(seed, path, parameters);
  return entry.of_plugin ? checked(std::move(balancer), entry.name, path) : std::move(balancer);
}

}  // namespace horae::policy
