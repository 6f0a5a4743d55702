// A few fixed values in turn: MPTCP as the REPS paper compares with it.
#include <fmt/format.h>

#include "horae/core/error.hpp"
#include "horae/policy/entropy/drawing.hpp"
#include "horae/policy/entropy/parameters.hpp"
#include "horae/policy/own_parameters.hpp"
#include "powers.hpp"

namespace horae::policy {
namespace {

std::vector<StateField> subflows_state(const EntropyConfig& config, std::uint32_t) {
  return {{"base", 16}, {"index", index_bits(config.parameters.of<SubflowParameters>().subflows)}};
}

/// Consecutive values from the queue pair's source port on, one after the other. There is one
/// window and one sequence space, unlike in MPTCP.
class Subflows final : public Entropy {
 public:
  Subflows(const EntropyConfig& config, std::uint16_t own)
      : bits_(total_bits(subflows_state(config, 0))),
        values_(config.values),
        count_(config.parameters.of<SubflowParameters>().subflows),
        base_(own) {}

  std::uint16_t next(Picoseconds) override {
    const auto value = static_cast<std::uint16_t>((base_ + index_) % values_);
    if (++index_ == count_) index_ = 0;
    ++counts_.fixed;
    return value;
  }
  std::uint64_t bits() const override { return bits_; }
  EntropyCounts counts() const override { return counts_; }

 private:
  std::uint64_t bits_;
  std::uint32_t values_;
  std::uint32_t count_;
  std::uint32_t base_;
  std::uint32_t index_ = 0;
  EntropyCounts counts_;
};

void check_subflows(const EntropyConfig& config) {
  const std::uint32_t subflows = config.parameters.of<SubflowParameters>().subflows;
  if (subflows <= config.values) return;
  throw InputError(fmt::format("subflows = {} are more than values = {}", subflows, config.values));
}

}  // namespace

const Schema<SubflowParameters>& SubflowParameters::schema() {
  static const Schema<SubflowParameters> s =
      Schema<SubflowParameters>("subflows", "A few fixed values in turn.")
          .field("subflows", &SubflowParameters::subflows,
                 {.doc = "subflows: how many values, consecutive ones from the source port on",
                  .min = 1,
                  .max = 4096,
                  .source = "REPS paper, 4.1: 8"});
  return s;
}

EntropyEntry subflows_entropy() {
  return {.name = "subflows",
          .doc = "a few fixed values in turn (MPTCP, with one window)",
          .make = [](const EntropyConfig& config,
                     EntropyContext&& context) -> std::unique_ptr<Entropy> {
            return std::make_unique<Subflows>(config, context.own);
          },
          .state = subflows_state,
          .parameters = {keys_of<SubflowParameters>()},
          .check = check_subflows};
}

}  // namespace horae::policy
