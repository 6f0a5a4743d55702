// A load balancer: a flow stays on a port for some packets, then goes on by the shortest queue.
#include <map>

#include "horae/policy/own_parameters.hpp"
#include "mine.hpp"

namespace mine {
namespace {

struct ChunksConfig {
  std::uint32_t chunk = 16;

  static const horae::Schema<ChunksConfig>& schema() {
    static const horae::Schema<ChunksConfig> s =
        horae::Schema<ChunksConfig>("chunks", "Chunks of flows by the shortest queue.")
            .field("chunk", &ChunksConfig::chunk,
                   {.doc = "packets of a flow that stay together", .min = 1, .max = 65536});
    return s;
  }
};

class Chunks final : public horae::policy::LoadBalancer {
 public:
  explicit Chunks(std::uint32_t chunk) : chunk_(chunk) {}

  unsigned choose(const horae::Packet& packet, unsigned choices,
                  const horae::policy::PortView& view) override {
    Flow& flow = flows_[horae::policy::flow_hash(packet, 0)];
    if (flow.left == 0 || flow.port >= choices) {
      flow = {0, chunk_};
      for (unsigned i = 1; i < choices; ++i) {
        if (view.depth(i) < view.depth(flow.port)) flow.port = i;
      }
    }
    --flow.left;
    return flow.port;
  }
  horae::policy::BalanceNeeds needs() const override { return {.queue_depth = true}; }

 private:
  struct Flow {
    unsigned port = 0;
    std::uint32_t left = 0;  ///< packets of the chunk
  };
  std::uint32_t chunk_;
  std::map<std::uint32_t, Flow> flows_;
};

}  // namespace

horae::policy::BalancerEntry chunks() {
  return {.name = "chunks",
          .doc = "a flow stays for some packets, then takes the port with the shortest queue",
          .make = [](std::uint64_t, std::string_view, const horae::policy::PolicyParameters& p)
              -> std::unique_ptr<horae::policy::LoadBalancer> {
            return std::make_unique<Chunks>(p.of<ChunksConfig>().chunk);
          },
          .parameters = {horae::policy::keys_of<ChunksConfig>()}};
}

}  // namespace mine
