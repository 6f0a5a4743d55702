#include "horae/policy/balance/load_balancer.hpp"
#include "two_choices.hpp"

namespace horae::policy {
namespace {

// The power of two choices (M. Mitzenmacher, IEEE TPDS 12(10), 2001) per packet: DRILL(2, 0). The
// two are different ports, so between two paths it is the shorter queue.
class PowerOfTwo final : public LoadBalancer {
 public:
  explicit PowerOfTwo(RandomStream stream) : stream_(stream) {}

  unsigned choose(const Packet&, unsigned choices, const PortView& view) override {
    const auto [a, b] = two_of(stream_, choices);
    // Which of the two was drawn first is random, and so is who wins a tie.
    return view.depth(b) < view.depth(a) ? b : a;
  }
  BalanceNeeds needs() const override { return {.queue_depth = true}; }

 private:
  RandomStream stream_;
};

}  // namespace

BalancerEntry po2_balancer() {
  return {.name = "po2",
          .doc = "the shorter queue of two random ports",
          .make = [](std::uint64_t seed, std::string_view path,
                     const PolicyParameters&) -> std::unique_ptr<LoadBalancer> {
            return std::make_unique<PowerOfTwo>(RandomStream(seed, path));
          }};
}

}  // namespace horae::policy
