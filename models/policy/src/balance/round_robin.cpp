#include <unordered_map>

#include "horae/policy/balance/load_balancer.hpp"

namespace horae::policy {
namespace {

class RoundRobin final : public LoadBalancer {
 public:
  unsigned choose(const Packet& packet, unsigned choices, const PortView&) override {
    unsigned& turn = turn_[packet.dst];
    if (turn >= choices) turn = 0;
    return turn++;
  }

 private:
  std::unordered_map<NodeId, unsigned> turn_;
};

}  // namespace

BalancerEntry round_robin_balancer() {
  return {.name = "round_robin",
          .doc = "the ports in turn, per destination group",
          .make = [](std::uint64_t, std::string_view, const PolicyParameters&)
              -> std::unique_ptr<LoadBalancer> { return std::make_unique<RoundRobin>(); }};
}

}  // namespace horae::policy
