#include "flowlets.hpp"
#include "horae/core/random.hpp"
#include "horae/policy/own_parameters.hpp"

namespace horae::policy {

const Schema<BalanceFlowlets>& BalanceFlowlets::schema() {
  static const Schema<BalanceFlowlets> s =
      Schema<BalanceFlowlets>("letflow", "A random port for each flowlet.")
          .field("flowlet_gap", &BalanceFlowlets::gap,
                 {.doc = "a packet that comes so long after the one before it, or later, begins a "
                         "flowlet. Absent: 500 us",
                  .min = 1_ns,
                  .max = 1000_ms,
                  .source = "500 us: flowlet timeout of CONGA (SIGCOMM 2014) 3.6"})
          .field("flowlet_entries", &BalanceFlowlets::entries,
                 {.doc = "entries of the flowlet table; flows whose hashes meet share one. Absent: "
                         "65536",
                  .min = 1,
                  .max = 1 << 24,
                  .source = "64K: flowlet table of CONGA (SIGCOMM 2014) 3.4"});
  return s;
}

namespace {

// LetFlow: Vanini et al., NSDI 2017. A flow that leaves a gap may change its port without being
// reordered, and flows on slow ports leave more gaps.
class LetFlow final : public LoadBalancer {
 public:
  LetFlow(RandomStream stream, const BalanceFlowlets& p)
      : stream_(stream), flowlets_(p, stream_.bits()) {}

  unsigned choose(const Packet& packet, unsigned choices, const PortView& view) override {
    const auto [flowlet, begins] = flowlets_.at(packet, choices, view.now());
    if (begins) flowlet.choice = stream_.below(choices);
    flowlet.used = true;
    return flowlet.choice;
  }

 private:
  RandomStream stream_;
  FlowletTable flowlets_;
};

}  // namespace

BalancerEntry letflow_balancer() {
  return {.name = "letflow",
          .doc = "a random port for each flowlet (packets of a flow without a gap between them)",
          .make = [](std::uint64_t seed, std::string_view path,
                     const PolicyParameters& parameters) -> std::unique_ptr<LoadBalancer> {
            return std::make_unique<LetFlow>(RandomStream(seed, path),
                                             parameters.of<BalanceFlowlets>());
          },
          .parameters = {keys_of<BalanceFlowlets>()}};
}

}  // namespace horae::policy
