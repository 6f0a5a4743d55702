// Flowlets: a flow moves to another path after a pause.
#include "horae/policy/entropy/drawing.hpp"
#include "horae/policy/entropy/parameters.hpp"
#include "horae/policy/own_parameters.hpp"

namespace horae::policy {
namespace {

std::vector<StateField> flowlet_state(const EntropyConfig&, std::uint32_t) {
  return {{"value", 16}, {"last", 32}, {"hold_off", 32}};
}

/// One value at a time; the packet after a pause of more than the gap gets a new one, and then none
/// does before the hold-off ends. The first packet starts the first pause.
class Flowlet final : public DrawingEntropy {
 public:
  Flowlet(const EntropyConfig& config, const EntropyContext& context)
      : DrawingEntropy(config, context),
        value_(static_cast<std::uint16_t>(context.own % config.values)) {
    const auto& p = config.parameters.of<FlowletParameters>();
    gap_ = p.flowlet_gap.value_or(context.base_rtt / 2);
    since_ = p.flowlet_since;
    hold_off_time_ = p.flowlet_hold_off.value_or(context.rto);
  }

  std::uint16_t next(Picoseconds now) override {
    const bool pause = last_ != never && now - last_ > gap_ && now > hold_off_;
    if (last_ == never || since_ == FlowletSince::packet) last_ = now;
    if (!pause) return fixed_value(value_);
    hold_off_ = now + hold_off_time_;
    return value_ = random_value();
  }
  void feedback(const EntropyFeedback& feedback, Picoseconds now) override {
    if (since_ == FlowletSince::ack && feedback.signal != PathSignal::timeout) last_ = now;
  }
  std::uint64_t bits() const override { return total_bits(flowlet_state({}, 0)); }

 private:
  std::uint16_t value_;
  Picoseconds gap_{};
  FlowletSince since_ = FlowletSince::ack;
  Picoseconds hold_off_time_{};
  Picoseconds last_ = never;  ///< acknowledgement or packet; never: nothing was sent
  Picoseconds hold_off_{-1};
};

}  // namespace

const Schema<FlowletParameters>& FlowletParameters::schema() {
  using P = FlowletParameters;
  static const Schema<P> s =
      Schema<P>("flowlet", "Flowlet switching at the sender.")
          .field("flowlet_gap", &P::flowlet_gap,
                 {.doc = "flowlet: pause after which the next packet gets a new value; absent: "
                         "half of the base round trip",
                  .max = Picoseconds(1'000'000'000'000),
                  .source = "REPS paper, 4.1: half of the RTT"})
          .choice(
              "flowlet_since", &P::flowlet_since,
              {{"ack", FlowletSince::ack}, {"packet", FlowletSince::packet}},
              {.doc = "flowlet: the pause is measured from the last acknowledgement or NACK, or "
                      "from the last packet sent",
               .source = "ack: artifact of the REPS paper; packet: Vanini et al., NSDI 2017"})
          .field("flowlet_hold_off", &P::flowlet_hold_off,
                 {.doc = "flowlet: time after a change before the next one; absent: the "
                         "transport's timeout",
                  .max = Picoseconds(1'000'000'000'000),
                  .source = "artifact of the REPS paper: the timeout; Vanini et al., NSDI 2017: "
                            "none"});
  return s;
}

EntropyEntry flowlet_entropy() {
  return {.name = "flowlet",
          .doc = "one value, changed after a pause (flowlet switching)",
          .make = [](const EntropyConfig& config, EntropyContext&& context)
              -> std::unique_ptr<Entropy> { return std::make_unique<Flowlet>(config, context); },
          .state = flowlet_state,
          .parameters = {keys_of<FlowletParameters>()}};
}

}  // namespace horae::policy
