#include "horae/policy/congestion/nack_reaction.hpp"
#include "horae/policy/own_parameters.hpp"

namespace horae::policy {
namespace {

// The floor holds for CNPs too: it is a limit of the queue pair's rate, not of one cause.
class Floor final : public NackReaction {
 public:
  explicit Floor(const NackFloor& config) : percent_(config.percent) {}

  void start(RateLimiter& limiter, BitRate line) override {
    limiter.set_floor(line * percent_ / 100);
  }
  void on_nack(RateLimiter& limiter, Picoseconds now) override { limiter.cnp(now); }

 private:
  std::uint32_t percent_;
};

}  // namespace

const Schema<NackFloor>& NackFloor::schema() {
  static const Schema<NackFloor> s =
      Schema<NackFloor>("floor", "The rate below which no cut leads.")
          .field("nack_floor", &NackFloor::percent,
                 {.doc = "floor: least rate, as a percentage of the line rate",
                  .max = 100,
                  .source = "no public value; half the line rate is what section 2.3 of the "
                            "packet-spraying paper measured",
                  .verified = false});
  return s;
}

NackReactionEntry floor_reaction() {
  return {.name = "floor",
          .doc = "a NACK acts like a CNP, but the rate stays above a floor",
          .make = [](const PolicyParameters& parameters) -> std::unique_ptr<NackReaction> {
            return std::make_unique<Floor>(parameters.of<NackFloor>());
          },
          .parameters = {keys_of<NackFloor>()}};
}

}  // namespace horae::policy
