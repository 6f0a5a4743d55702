// The arithmetic in words and as JSON.
#include <fmt/format.h>

#include <cmath>

#include "horae/explain/arithmetic.hpp"

namespace horae::explain {

using nlohmann::ordered_json;

std::vector<std::string> arithmetic_text(const PublishedNumbers& numbers,
                                         const question::HypothesesFile& hypotheses) {
  std::vector<std::string> out;
  for (const auto& check : blocking_checks(numbers)) {
    const BlockingBound& b = check.nominal;
    const BlockingBound& f = check.favourable;
    out.push_back(fmt::format(
        "if every received NACK blocks TX: {:.3g} Mpps ({}) in an idle share of {:.3f} ({}) leave "
        "at most {:.2f} us each ({:.2f} with roundings in its favour)",
        b.nack_mpps, b.nacks, b.idle_busy, b.busy, b.stall_us, f.stall_us));
    if (!(b.resent_share > 0)) {
      out.push_back(
          fmt::format("  {}: no retransmission at all at this frame size, under the "
                      "reading {}",
                      b.goodput, question::reading_texts(numbers.readings)[1]));
      continue;
    }
    out.push_back(fmt::format(
        "  then {} (idle {:.3f}) takes at least {:.3f} Mpps served, which are {:.4f} of all "
        "packets ({}): at {:.1f} Gbps frames of at most {:.0f} B with two packets per NACK "
        "({:.0f} with roundings in its favour), {:.0f} B ({:.0f}) with one",
        b.tx, b.idle_tx, b.served_mpps, b.resent_share, b.goodput, b.tx_gbps, b.frame_bytes(2),
        f.frame_bytes(2), b.frame_bytes(1), f.frame_bytes(1)));
  }
  // A goodput published without saying so would be this.
  for (const auto& a : numbers.observations.conditions) {
    const auto* rate = find_number(numbers.observations, a.id, "tx_rate");
    if (rate == nullptr) continue;
    for (const auto& b : numbers.observations.conditions) {
      const auto tx = tx_share_in(numbers, b.id);
      const auto* goodput = find_number(numbers.observations, b.id, "goodput_ratio");
      if (b.id.value == a.id.value || !tx || goodput == nullptr) continue;
      const double product = tx->value * goodput->value * numbers.facts.line_gbps;
      constexpr double near = 0.01;
      if (std::abs(product / rate->value - 1) > near) continue;
      out.push_back(
          fmt::format("coincidence: {} x {} = {:.2f} Gbps, and {} is {:g}: were that "
                      "goodput, '{}' would be '{}' again",
                      tx->observation->id.value, goodput->id.value, product, rate->id.value,
                      rate->value, a.id.value, b.id.value));
    }
  }
  for (const auto& r : hypotheses.reactions) {
    if (!r.acts_when_blocked) continue;
    for (const auto& c : numbers.observations.conditions) {
      const auto tx = tx_share_in(numbers, c.id);
      if (!c.reaction || !tx || tx->below_line(numbers)) continue;
      out.push_back(
          fmt::format("{} acts also when no NACK arrives: whether {} stays at line rate "
                      "is for simulation to say",
                      r.id.value, tx->observation->id.value));
    }
  }
  return out;
}

ordered_json arithmetic_json(const std::vector<BlockingCheck>& checks) {
  ordered_json out = ordered_json::array();
  const auto frame = [](const BlockingBound& b, unsigned packets) {
    const double bytes = b.frame_bytes(packets);
    return std::isfinite(bytes) ? ordered_json(bytes) : ordered_json();
  };
  const auto json = [&](const BlockingBound& b) -> ordered_json {
    return {{"nack_mpps", b.nack_mpps},
            {"idle_busy", b.idle_busy},
            {"stall_us_most", b.stall_us},
            {"idle_tx", b.idle_tx},
            {"served_mpps_least", b.served_mpps},
            {"resent_share", b.resent_share},
            {"frame_bytes_most_two", frame(b, 2)},
            {"frame_bytes_most_one", frame(b, 1)}};
  };
  for (const auto& c : checks) {
    out.push_back({{"nacks", c.nominal.nacks},
                   {"busy", c.nominal.busy},
                   {"tx", c.nominal.tx},
                   {"goodput", c.nominal.goodput},
                   {"published", json(c.nominal)},
                   {"roundings_in_favour", json(c.favourable)}});
  }
  return out;
}

}  // namespace horae::explain
