#include <limits>
#include <vector>

#include "horae/policy/balance/load_balancer.hpp"
#include "two_choices.hpp"

namespace horae::policy {
namespace {

// DRILL(d = 2, m = 1) (Ghorbani et al., SIGCOMM 2017): the least of two ports at random and the one
// remembered, which is then remembered. The paper's engine has one memory; here it is one per
// destination address, with the remembered port winning ties, as in the simulator of ConWeave's
// authors (conweave-project/conweave-ns3 at 236a801a, switch-node.cc). What is remembered is a
// place among the candidates: where routes change, possibly another port, which its depth judges.
class Drill final : public LoadBalancer {
 public:
  explicit Drill(RandomStream stream) : stream_(stream) {}

  unsigned choose(const Packet& packet, unsigned choices, const PortView& view) override {
    if (packet.dst >= remembered_.size()) remembered_.resize(packet.dst + 1, nothing);
    std::uint16_t& remembered = remembered_[packet.dst];
    const auto [a, b] = two_of(stream_, choices);
    unsigned best = a;
    Bytes least = view.depth(a);
    const auto consider = [&](unsigned candidate, bool wins_ties) {
      if (candidate == best) return;
      const Bytes depth = view.depth(candidate);
      if (depth > least || (depth == least && !wins_ties)) return;
      best = candidate;
      least = depth;
    };
    consider(b, false);
    if (remembered < choices) consider(remembered, true);
    remembered = static_cast<std::uint16_t>(best);
    return best;
  }
  BalanceNeeds needs() const override { return {.queue_depth = true}; }

 private:
  static constexpr std::uint16_t nothing = std::numeric_limits<std::uint16_t>::max();

  RandomStream stream_;
  std::vector<std::uint16_t> remembered_;  ///< by destination: its last choice
};

}  // namespace

BalancerEntry drill_balancer() {
  return {.name = "drill",
          .doc =
              "DRILL(2,1): the shortest queue of two random ports and the last choice towards this "
              "destination",
          .make = [](std::uint64_t seed, std::string_view path,
                     const PolicyParameters&) -> std::unique_ptr<LoadBalancer> {
            return std::make_unique<Drill>(RandomStream(seed, path));
          }};
}

}  // namespace horae::policy
