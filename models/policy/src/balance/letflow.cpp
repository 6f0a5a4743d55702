#include <optional>
#include <vector>

#include "horae/core/random.hpp"
#include "horae/policy/balance/load_balancer.hpp"
#include "horae/policy/own_parameters.hpp"

namespace horae::policy {
namespace {

struct LetFlowParameters {
  std::optional<Picoseconds> gap;        ///< absent: 500 us
  std::optional<std::uint32_t> entries;  ///< absent: 65536
  static const Schema<LetFlowParameters>& schema();
};

const Schema<LetFlowParameters>& LetFlowParameters::schema() {
  static const Schema<LetFlowParameters> s =
      Schema<LetFlowParameters>("letflow", "A random port for each flowlet.")
          .field("flowlet_gap", &LetFlowParameters::gap,
                 {.doc = "a packet that comes so long after the one before it, or later, begins a "
                         "flowlet. Absent: 500 us",
                  .min = 1_ns,
                  .max = 1000_ms,
                  .source = "500 us: flowlet timeout of CONGA (SIGCOMM 2014) 3.6"})
          .field("flowlet_entries", &LetFlowParameters::entries,
                 {.doc = "entries of the flowlet table; flows whose hashes meet share one. Absent: "
                         "65536",
                  .min = 1,
                  .max = 1 << 24,
                  .source = "64K: flowlet table of CONGA (SIGCOMM 2014) 3.4"});
  return s;
}

// LetFlow: Vanini et al., NSDI 2017. A flow that leaves a gap may change its port without being
// reordered, and flows on slow ports leave more gaps.
class LetFlow final : public LoadBalancer {
 public:
  LetFlow(RandomStream stream, const LetFlowParameters& p)
      : stream_(stream),
        salt_(stream_.bits()),
        gap_(p.gap.value_or(500_us)),
        table_(p.entries.value_or(65536)) {}

  unsigned choose(const Packet& packet, unsigned choices, const PortView& view) override {
    const Picoseconds now = view.now();
    Flowlet& f = table_[std::uint64_t{flow_hash(packet, salt_)} * table_.size() >> 32];
    // Flows that share an entry may have different numbers of ports.
    if (!f.used || now - f.last >= gap_ || f.port >= choices) f.port = stream_.below(choices);
    f.used = true;
    f.last = now;
    return f.port;
  }

 private:
  struct Flowlet {
    Picoseconds last{};
    std::uint32_t port = 0;
    bool used = false;
  };
  RandomStream stream_;
  std::uint32_t salt_;
  Picoseconds gap_;
  std::vector<Flowlet> table_;
};

}  // namespace

BalancerEntry letflow_balancer() {
  return {.name = "letflow",
          .doc = "a random port for each flowlet (packets of a flow without a gap between them)",
          .make = [](std::uint64_t seed, std::string_view path,
                     const PolicyParameters& parameters) -> std::unique_ptr<LoadBalancer> {
            return std::make_unique<LetFlow>(RandomStream(seed, path),
                                             parameters.of<LetFlowParameters>());
          },
          .parameters = {keys_of<LetFlowParameters>()}};
}

}  // namespace horae::policy
