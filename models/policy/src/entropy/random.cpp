// Oblivious packet spraying (OPS): a new random value for every packet.
#include "horae/policy/entropy/drawing.hpp"

namespace horae::policy {
namespace {

class Random final : public DrawingEntropy {
 public:
  Random(const EntropyConfig& config, const EntropyContext& context)
      : DrawingEntropy(config, context) {}

  std::uint16_t next(Picoseconds) override { return random_value(); }
  std::uint64_t bits() const override { return 0; }
};

}  // namespace

EntropyEntry random_entropy() {
  return {.name = "random",
          .doc = "a new uniform value for every packet: oblivious packet spraying (OPS)",
          .make = [](const EntropyConfig& config, EntropyContext&& context)
              -> std::unique_ptr<Entropy> { return std::make_unique<Random>(config, context); },
          .state = [](const EntropyConfig&, std::uint32_t) { return std::vector<StateField>{}; }};
}

}  // namespace horae::policy
