#include "horae/core/registry.hpp"

#include "horae/policy/balance/policies.hpp"

namespace horae::policy {

const std::vector<BalancerEntry>& load_balancers() {
  static const std::vector<BalancerEntry> all = {
      {"ecmp", "hash of the flow's addresses and ports: one path per flow", make_ecmp},
      {"ecmp_linear", "a linear hash (CRC-16) of the flow: source ports steer it (`hash`)",
       make_ecmp_linear},
      {"spray", "a uniformly random port per packet", make_spray},
      {"round_robin", "the ports in turn, per destination group", make_round_robin},
      {"adaptive", "the port with the least queued bytes, ties at random", make_adaptive},
      {"drill",
       "DRILL(2,1): the least queued of two random ports and the last choice towards the "
       "destination",
       make_drill},
      {"po2", "the less queued of two random ports", make_po2},
  };
  return all;
}

std::unique_ptr<LoadBalancer> make_load_balancer(std::string_view name, std::uint64_t seed,
                                                 std::string_view path,
                                                 const LinearHashConfig& hash) {
  return find_named(load_balancers(), "load balancer", name).make(seed, path, hash);
}

}  // namespace horae::policy
