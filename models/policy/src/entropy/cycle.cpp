// Every value once in each turn, in an order that changes from turn to turn.
#include <fmt/format.h>

#include "horae/core/error.hpp"
#include "powers.hpp"

namespace horae::policy {

void require_power_of_two(const EntropyConfig& config) {
  if (std::has_single_bit(config.values)) return;
  throw InputError(fmt::format("values = {} is not a power of two, as scheme = '{}' needs: {}",
                               config.values, config.scheme, std::bit_floor(config.values)));
}

namespace {

std::vector<StateField> cycle_state(const EntropyConfig& config, std::uint32_t) {
  return {{"index", index_bits(config.values)}, {"word", index_bits(config.values)}};
}

class Cycle final : public DrawingEntropy {
 public:
  Cycle(const EntropyConfig& config, const EntropyContext& context)
      : DrawingEntropy(config, context),
        bits_(total_bits(cycle_state(config, 0))),
        turn_(config.values) {
    turn_.start(draw());
  }

  std::uint16_t next(Picoseconds) override {
    const std::uint16_t value = turn_.value();
    turn_.advance([this] { return draw(); });
    return fixed_value(value);
  }
  std::uint64_t bits() const override { return bits_; }

 private:
  std::uint64_t bits_;
  Turn turn_;
};

}  // namespace

EntropyEntry cycle_entropy() {
  return {.name = "cycle",
          .doc =
              "all values in turn: a counter XOR a word drawn anew each turn (\"oblivious\" of "
              "uet-htsim)",
          .make = [](const EntropyConfig& config, EntropyContext&& context)
              -> std::unique_ptr<Entropy> { return std::make_unique<Cycle>(config, context); },
          .state = cycle_state,
          .check = require_power_of_two};
}

}  // namespace horae::policy
