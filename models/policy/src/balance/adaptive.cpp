#include <optional>

#include "horae/core/random.hpp"
#include "horae/policy/balance/load_balancer.hpp"
#include "horae/policy/own_parameters.hpp"

namespace horae::policy {
namespace {

/// Who wins among ports with equally few bytes.
enum class Tie : std::uint8_t { random, lowest };

struct AdaptiveParameters {
  std::optional<Tie> tie;  ///< absent: random
  static const Schema<AdaptiveParameters>& schema();
};

const Schema<AdaptiveParameters>& AdaptiveParameters::schema() {
  static const Schema<AdaptiveParameters> s =
      Schema<AdaptiveParameters>("adaptive", "The least loaded port.")
          .choice("tie", &AdaptiveParameters::tie,
                  {{"random", Tie::random}, {"lowest", Tie::lowest}},
                  {.doc = "of ports with equally few bytes: one at random, or the one with the "
                          "lowest number. Absent: random",
                   .source = "lowest: adaptive routing in htsim as REPS (EuroSys 2026) used it"});
  return s;
}

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

// The same, but the first port wins ties: with empty queues all packets take one port.
class AdaptiveLowest final : public LoadBalancer {
 public:
  unsigned choose(const Packet&, unsigned choices, const PortView& view) override {
    unsigned best = 0;
    Bytes least = Bytes::max();
    for (unsigned i = 0; i < choices; ++i) {
      const Bytes depth = view.depth(i);
      if (depth >= least) continue;
      least = depth;
      best = i;
    }
    return best;
  }
  BalanceNeeds needs() const override { return {.queue_depth = true}; }
};

}  // namespace

BalancerEntry adaptive_balancer() {
  return {.name = "adaptive",
          .doc = "the port with the fewest queued bytes; ties at random, or by `tie`",
          .make = [](std::uint64_t seed, std::string_view path,
                     const PolicyParameters& parameters) -> std::unique_ptr<LoadBalancer> {
            if (parameters.of<AdaptiveParameters>().tie == Tie::lowest)
              return std::make_unique<AdaptiveLowest>();
            return std::make_unique<Adaptive>(RandomStream(seed, path));
          },
          .parameters = {keys_of<AdaptiveParameters>()}};
}

}  // namespace horae::policy
