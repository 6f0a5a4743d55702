// ECMP: a queue pair's packets all have its own source port.
#include "horae/policy/entropy/drawing.hpp"

namespace horae::policy {
namespace {

std::vector<StateField> fixed_state(const EntropyConfig&, std::uint32_t) { return {{"value", 16}}; }

class Fixed final : public Entropy {
 public:
  explicit Fixed(std::uint16_t own) : own_(own) {}

  std::uint16_t next(Picoseconds) override {
    ++counts_.fixed;
    return own_;
  }
  std::uint64_t bits() const override { return 16; }
  EntropyCounts counts() const override { return counts_; }

 private:
  std::uint16_t own_;
  EntropyCounts counts_;
};

}  // namespace

EntropyEntry fixed_entropy() {
  return {.name = "fixed",
          .doc = "the queue pair's own source port in every packet: ECMP",
          .make = [](const EntropyConfig&, EntropyContext&& context) -> std::unique_ptr<Entropy> {
            return std::make_unique<Fixed>(context.own);
          },
          .state = fixed_state,
          .constant = true};
}

}  // namespace horae::policy
