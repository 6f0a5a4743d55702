// PLB: a flow moves to another path after several congested round trips.
#include <algorithm>

#include "horae/policy/entropy/drawing.hpp"
#include "horae/policy/entropy/parameters.hpp"
#include "horae/policy/own_parameters.hpp"

namespace horae::policy {
namespace {

std::vector<StateField> plb_state(const EntropyConfig&, std::uint32_t) {
  return {{"value", 16},     {"acknowledged", 32}, {"congested", 32},
          {"round_end", 32}, {"rounds", 8},        {"timeout_hold_off", 32}};
}

/// One value at a time. Acknowledgements and NACKs are counted, those of marked and trimmed packets
/// as congested; the first one after a round trip ends the round. A timeout moves the flow as well,
/// at most once per timeout of the transport. The round trip is the shortest one seen.
class Plb final : public DrawingEntropy {
 public:
  Plb(const EntropyConfig& config, const EntropyContext& context)
      : DrawingEntropy(config, context),
        p_(config.parameters.of<PlbParameters>()),
        value_(static_cast<std::uint16_t>(context.own % config.values)),
        base_rtt_(context.base_rtt),
        rto_(context.rto) {}

  std::uint16_t next(Picoseconds) override {
    if (!moving_ && rounds_ <= p_.plb_rounds) return fixed_value(value_);
    moving_ = false;
    rounds_ = 0;
    return value_ = random_value();
  }
  void feedback(const EntropyFeedback& feedback, Picoseconds now) override {
    if (feedback.signal == PathSignal::timeout) {
      if (now < hold_off_) return;
      hold_off_ = now + rto_;
      moving_ = true;
      return;
    }
    if (feedback.rtt > Picoseconds(0)) base_rtt_ = std::min(base_rtt_, feedback.rtt);
    ++acknowledged_;
    if (feedback.signal != PathSignal::good) ++congested_;
    if (now <= round_end_) return;
    rounds_ = congested_ > p_.plb_share * acknowledged_ ? rounds_ + 1 : 0;
    acknowledged_ = congested_ = 0;
    round_end_ = now + base_rtt_;
  }
  std::uint64_t bits() const override { return total_bits(plb_state({}, 0)); }

 private:
  PlbParameters p_;
  std::uint16_t value_;
  Picoseconds base_rtt_;
  Picoseconds rto_;
  std::uint32_t acknowledged_ = 0;  ///< of this round
  std::uint32_t congested_ = 0;     ///< of those
  std::uint32_t rounds_ = 0;        ///< congested, one after the other
  Picoseconds round_end_{};
  Picoseconds hold_off_{};  ///< no timeout moves the flow before
  bool moving_ = false;     ///< after a timeout
};

}  // namespace

const Schema<PlbParameters>& PlbParameters::schema() {
  static const Schema<PlbParameters> s =
      Schema<PlbParameters>("plb", "PLB.")
          .field("plb_share", &PlbParameters::plb_share,
                 {.doc = "plb: K; a round is congested when more than this share of its "
                         "acknowledgements and NACKs are",
                  .min = 0.0,
                  .max = 1.0,
                  .source = "artifact of the REPS paper: meant as 0.25, but kept as an integer and "
                            "so 0; PLB (Qureshi et al., SIGCOMM 2022): 0.5"})
          .field("plb_rounds", &PlbParameters::plb_rounds,
                 {.doc = "plb: more than so many congested rounds in a row move the flow",
                  .max = 255,
                  .source = "artifact of the REPS paper: 1, as FlowBender"});
  return s;
}

EntropyEntry plb_entropy() {
  return {.name = "plb",
          .doc = "one value, changed after congested round trips and after timeouts (PLB)",
          .make = [](const EntropyConfig& config, EntropyContext&& context)
              -> std::unique_ptr<Entropy> { return std::make_unique<Plb>(config, context); },
          .state = plb_state,
          .parameters = {keys_of<PlbParameters>()}};
}

}  // namespace horae::policy
