#include "horae/core/random.hpp"
#include "horae/policy/balance/policies.hpp"

namespace horae::policy {
namespace {

// Adaptive routing as the packet-spraying paper describes it (section 2.2): the port with the
// minimum queue length among all ports that lead to the destination.
class Adaptive final : public LoadBalancer {
 public:
  explicit Adaptive(RandomStream stream) : stream_(stream) {}

  unsigned choose(const Packet&, unsigned choices, const PortView& view) override {
    const unsigned first = stream_.below(choices);  // ties go to the first one from a random start
    unsigned best = first;
    Bytes least = view.depth(first);
    for (unsigned i = 1; i < choices && least.count() > 0; ++i) {
      const unsigned candidate = first + i < choices ? first + i : first + i - choices;
      const Bytes depth = view.depth(candidate);
      if (depth < least) {
        least = depth;
        best = candidate;
      }
    }
    return best;
  }
  BalanceNeeds needs() const override { return {.queue_depth = true}; }

 private:
  RandomStream stream_;
};

}  // namespace

std::unique_ptr<LoadBalancer> make_adaptive(std::uint64_t seed, std::string_view path) {
  return std::make_unique<Adaptive>(RandomStream(seed, path));
}

}  // namespace horae::policy
