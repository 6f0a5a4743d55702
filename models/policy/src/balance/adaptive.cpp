#include "horae/core/random.hpp"
#include "horae/policy/balance/load_balancer.hpp"

namespace horae::policy {
namespace {

// Adaptive routing as the packet-spraying paper describes it (section 2.2): the port with the
// minimum queue length among all ports that lead to the destination.
class Adaptive final : public LoadBalancer {
 public:
  explicit Adaptive(RandomStream stream) : stream_(stream) {}

  unsigned choose(const Packet&, unsigned choices, const PortView& view) override {
    least_.clear();
    Bytes least = Bytes::max();
    for (unsigned i = 0; i < choices; ++i) {
      const Bytes depth = view.depth(i);
      if (depth > least) continue;
      if (depth < least) least_.clear();
      least = depth;
      least_.push_back(i);
    }
    // Not the first from a random start: a port that follows full ones would win most ties.
    return least_[stream_.below(static_cast<std::uint32_t>(least_.size()))];
  }
  BalanceNeeds needs() const override { return {.queue_depth = true}; }

 private:
  RandomStream stream_;
  std::vector<unsigned> least_;  // the candidates with the least depth
};

}  // namespace

BalancerEntry adaptive_balancer() {
  return {.name = "adaptive",
          .doc = "the port with the fewest queued bytes; ties at random",
          .make = [](std::uint64_t seed, std::string_view path,
                     const PolicyParameters&) -> std::unique_ptr<LoadBalancer> {
            return std::make_unique<Adaptive>(RandomStream(seed, path));
          }};
}

}  // namespace horae::policy
