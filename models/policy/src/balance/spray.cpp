#include "horae/core/random.hpp"
#include "horae/policy/balance/load_balancer.hpp"

namespace horae::policy {
namespace {

class Spray final : public LoadBalancer {
 public:
  explicit Spray(RandomStream stream) : stream_(stream) {}
  unsigned choose(const Packet&, unsigned choices, const PortView&) override {
    return stream_.below(choices);
  }

 private:
  RandomStream stream_;
};

}  // namespace

BalancerEntry spray_balancer() {
  return {.name = "spray",
          .doc = "a uniformly random port per packet",
          .make = [](std::uint64_t seed, std::string_view path,
                     const PolicyParameters&) -> std::unique_ptr<LoadBalancer> {
            return std::make_unique<Spray>(RandomStream(seed, path));
          }};
}

}  // namespace horae::policy
