#include <unordered_map>

#include "horae/policy/balance/policies.hpp"

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

std::unique_ptr<LoadBalancer> make_round_robin(std::uint64_t, std::string_view,
                                               const LinearHashConfig&) {
  return std::make_unique<RoundRobin>();
}

}  // namespace horae::policy
