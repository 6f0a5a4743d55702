// REPS without a ring and without freezing: `reps` of the paper's artifact, in its Figure 12.
#include <boost/container/deque.hpp>

#include "horae/policy/entropy/drawing.hpp"
#include "horae/policy/entropy/parameters.hpp"
#include "horae/policy/own_parameters.hpp"

namespace horae::policy {
namespace {

constexpr std::uint64_t value_bits = 16;

/// There are never more good values than packets were ever in flight: a new value enters only while
/// none is good.
std::vector<StateField> reps_unbounded_state(const EntropyConfig&, std::uint32_t window) {
  return {{"values", value_bits * window}, {"first", 16}};
}

/// The first packets get 1, 2, 3, ...; all others the oldest value that came back unmarked, each
/// once, or a random one when there is none.
class RepsUnbounded final : public DrawingEntropy {
 public:
  RepsUnbounded(const EntropyConfig& config, const EntropyContext& context)
      : DrawingEntropy(config, context),
        first_(std::min(config.values,
                        config.parameters.of<RepsUnboundedParameters>().first_packets.value_or(
                            context.bdp_packets))) {}

  std::uint16_t next(Picoseconds) override {
    if (sent_ < first_) return fixed_value(++sent_ % values());
    if (good_.empty()) return random_value();
    const std::uint16_t oldest = good_.front();
    good_.pop_front();
    return recycled_value(oldest);
  }
  void feedback(const EntropyFeedback& feedback, Picoseconds) override {
    if (feedback.signal == PathSignal::good) good_.push_back(feedback.value);
  }
  std::uint64_t bits() const override { return value_bits * good_.size() + 16; }

 private:
  std::uint32_t first_;
  std::uint32_t sent_ = 0;  ///< of the first ones
  boost::container::deque<std::uint16_t> good_{};
};

}  // namespace

const Schema<RepsUnboundedParameters>& RepsUnboundedParameters::schema() {
  using P = RepsUnboundedParameters;
  static const Schema<P> s =
      Schema<P>("reps_unbounded", "REPS without a ring.")
          .field("first_packets", &P::first_packets,
                 {.doc = "reps_unbounded: packets of a new queue pair that get 1, 2, 3, ..., at "
                         "most `values`; absent: a bandwidth-delay product",
                  .max = 1u << 20,
                  .source = "artifact of the REPS paper: the first window, 151 packets"});
  return s;
}

EntropyEntry reps_unbounded_entropy() {
  return {.name = "reps_unbounded",
          .doc = "good values are used again once each, however many there are; no freezing",
          .make = [](const EntropyConfig& config,
                     EntropyContext&& context) -> std::unique_ptr<Entropy> {
            return std::make_unique<RepsUnbounded>(config, context);
          },
          .state = reps_unbounded_state,
          .parameters = {keys_of<RepsUnboundedParameters>()}};
}

}  // namespace horae::policy
