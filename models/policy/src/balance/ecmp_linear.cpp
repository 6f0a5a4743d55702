#include "horae/policy/balance/policies.hpp"

namespace horae::policy {
namespace {

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

std::unique_ptr<LoadBalancer> make_ecmp_linear(std::uint64_t, std::string_view,
                                               const LinearHashConfig& hash) {
  return std::make_unique<EcmpLinear>(hash);
}

}  // namespace horae::policy
