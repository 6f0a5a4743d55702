#include <algorithm>
#include <optional>
#include <utility>

#include "horae/core/random.hpp"
#include "horae/policy/balance/load_balancer.hpp"
#include "horae/policy/own_parameters.hpp"

namespace horae::policy {
namespace {

/// Who wins among ports with equally few bytes.
enum class Tie : std::uint8_t { random, lowest };

struct AdaptiveParameters {
  std::optional<Tie> tie;                   ///< absent: random
  std::optional<std::vector<Bytes>> steps;  ///< ascending; absent: depths as they are
  static const Schema<AdaptiveParameters>& schema();
};

const Schema<AdaptiveParameters>& AdaptiveParameters::schema() {
  static const Schema<AdaptiveParameters> s =
      Schema<AdaptiveParameters>("adaptive", "The least loaded port.")
          .choice("tie", &AdaptiveParameters::tie,
                  {{"random", Tie::random}, {"lowest", Tie::lowest}},
                  {.doc = "of ports with equally few bytes: one at random, or the one with the "
                          "lowest number. Absent: random",
                   .source = "lowest: adaptive routing in htsim as REPS (EuroSys 2026) used it"})
          .field("steps", &AdaptiveParameters::steps,
                 {.doc = "depths between the same two of these, which ascend, count as equal; "
                         "packets below 128 B then go by a hash of the flow. Absent: depths as "
                         "they are, for all packets",
                  .min = 1_B,
                  .source = "5, 10 and 20 % of the queue: strategy ecmp_ar of htsim, queue.cpp"});
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

// The same of depths in steps, as a chip that compares a few bits of them.
class AdaptiveInSteps final : public LoadBalancer {
 public:
  AdaptiveInSteps(std::unique_ptr<LoadBalancer> exact, std::vector<Bytes> steps, std::uint32_t salt)
      : exact_(std::move(exact)), steps_(std::move(steps)), salt_(salt) {
    std::sort(steps_.begin(), steps_.end());
  }

  unsigned choose(const Packet& packet, unsigned choices, const PortView& view) override {
    if (packet.frame_size() < small)
      return static_cast<unsigned>(std::uint64_t{flow_hash(packet, salt_)} * choices >> 32);
    return exact_->choose(packet, choices, Stepped(view, steps_));
  }
  BalanceNeeds needs() const override { return exact_->needs(); }

 private:
  class Stepped final : public PortView {
   public:
    Stepped(const PortView& exact, const std::vector<Bytes>& steps)
        : exact_(exact), steps_(steps) {}
    /// Steps that the depth has reached.
    Bytes depth(unsigned choice) const override {
      return Bytes(std::upper_bound(steps_.begin(), steps_.end(), exact_.depth(choice)) -
                   steps_.begin());
    }

   private:
    const PortView& exact_;
    const std::vector<Bytes>& steps_;
  };

  static constexpr Bytes small{128};
  std::unique_ptr<LoadBalancer> exact_;
  std::vector<Bytes> steps_;
  std::uint32_t salt_;
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
          .doc = "the port with the fewest queued bytes; ties at random, or by `tie`; in `steps`",
          .make = [](std::uint64_t seed, std::string_view path,
                     const PolicyParameters& parameters) -> std::unique_ptr<LoadBalancer> {
            const auto& own = parameters.of<AdaptiveParameters>();
            std::unique_ptr<LoadBalancer> exact;
            if (own.tie == Tie::lowest)
              exact = std::make_unique<AdaptiveLowest>();
            else
              exact = std::make_unique<Adaptive>(RandomStream(seed, path));
            if (!own.steps) return exact;
            RandomStream salt(seed, std::string(path) + ".small");
            return std::make_unique<AdaptiveInSteps>(std::move(exact), *own.steps, salt.bits());
          },
          .parameters = {keys_of<AdaptiveParameters>()}};
}

}  // namespace horae::policy
