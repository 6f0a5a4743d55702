#include "horae/params/linear_hash_schema.hpp"
#include "horae/policy/balance/load_balancer.hpp"
#include "horae/policy/own_parameters.hpp"

namespace horae::policy {
namespace {

/// Hash settings of a switch's operator.
LinearHashConfig switch_hash(const PolicyParameters& parameters) {
  return parameters.of<LinearHashConfig>();
}

class EcmpLinear final : public LoadBalancer {
 public:
  explicit EcmpLinear(const LinearHashConfig& config) : hash_(config) {}
  unsigned choose(const Packet& packet, unsigned choices, const PortView&) override {
    return LinearHash::choice(hash_.of(packet), choices);
  }

 private:
  LinearHash hash_;
};

}  // namespace

BalancerEntry ecmp_linear_balancer() {
  return {
      .name = "ecmp_linear",
      .doc = "a linear hash (CRC-16) of the flow, which the source port can steer (keys in `hash`)",
      .make = [](std::uint64_t, std::string_view,
                 const PolicyParameters& parameters) -> std::unique_ptr<LoadBalancer> {
        return std::make_unique<EcmpLinear>(switch_hash(parameters));
      },
      .parameters = {table_of<LinearHashConfig, linear_hash_schema>()},
      .linear_hash = switch_hash};
}

}  // namespace horae::policy
