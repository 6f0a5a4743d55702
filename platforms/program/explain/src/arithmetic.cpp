#include "horae/explain/arithmetic.hpp"

#include <fmt/format.h>

#include <limits>

#include "horae/core/roce.hpp"

namespace horae::explain {
namespace {

constexpr double gap_bytes = wire::preamble + wire::inter_packet_gap;

/// The share of packets that is retransmitted, at a published goodput ratio.
double resent_share(double ratio, const PublishedNumbers& numbers) {
  if (numbers.readings.ratio == question::Readings::Ratio::unique) return 1 - ratio;
  const double efficiency = numbers.facts.payload_bytes / (numbers.facts.frame_bytes - gap_bytes);
  return 1 - ratio / efficiency;
}

/// `sign`: +1 with every rounding in favour of long frames, 0 as published.
BlockingBound blocking_bound(const question::ObservationSpec& nacks, const TxShare& busy,
                             const TxShare& tx, const question::ObservationSpec& goodput,
                             double sign, const PublishedNumbers& numbers) {
  BlockingBound b;
  b.nacks = nacks.id;
  b.busy = busy.observation->id;
  b.tx = tx.observation->id;
  b.goodput = goodput.id;
  const double of = numbers.readings.nacks == question::Readings::Nacks::both
                        ? static_cast<double>(numbers.facts.senders)
                        : 1;
  const auto off = [&](const auto& x) {
    return sign * numbers.leeway(x.rounding.value, x.allowance());
  };
  const auto share_off = [&](const TxShare& x) {
    return sign * numbers.leeway(x.rounding, x.allowance);
  };
  b.nack_mpps = (nacks.value - off(nacks)) / of;
  b.idle_busy = 1 - busy.value + share_off(busy);
  b.idle_tx = 1 - tx.value - share_off(tx);
  b.tx_gbps = (tx.value + share_off(tx)) * numbers.facts.line_gbps;
  b.resent_share = resent_share(goodput.value - off(goodput), numbers);
  b.stall_us = b.idle_busy / b.nack_mpps;
  b.served_mpps = b.idle_tx / b.stall_us;
  return b;
}

/// The bytes that a frame counts with under the reading of rates.
double counted_frame(const PublishedNumbers& numbers) {
  const double frame = numbers.facts.frame_bytes;
  return numbers.readings.rate == question::Readings::Rate::l1 ? frame : frame - gap_bytes;
}

}  // namespace

const question::ObservationSpec* find_number(const question::ObservationsFile& file,
                                             const std::string& condition,
                                             const std::string& quantity) {
  for (const auto& o : file.observations) {
    if (o.relation != question::Relation::equals || o.relative_to) continue;
    if (o.condition.value == condition && o.quantity.value == quantity) return &o;
  }
  return nullptr;
}

std::optional<TxShare> tx_share_in(const PublishedNumbers& numbers, const std::string& condition) {
  const double line = numbers.facts.line_gbps;
  if (const auto* o = find_number(numbers.observations, condition, "tx_share"))
    return TxShare{o, o->value, o->rounding.value, o->allowance()};
  if (const auto* o = find_number(numbers.observations, condition, "tx_rate"))
    return TxShare{o, o->value / line, o->rounding.value / line, o->allowance() / line};
  return std::nullopt;
}

double BlockingBound::frame_bytes(unsigned packets) const {
  // So many packets a second, or none at all that fits the ratio.
  if (!(resent_share > 0) || !(served_mpps > 0)) return std::numeric_limits<double>::infinity();
  const double sent_mpps = packets * served_mpps / resent_share;
  return tx_gbps * 1e9 / 8 / (sent_mpps * 1e6);
}

std::vector<BlockingCheck> blocking_checks(const PublishedNumbers& numbers) {
  std::vector<BlockingCheck> out;
  for (const auto& a : numbers.observations.conditions) {
    const auto* nacks = find_number(numbers.observations, a.id, "nack_rate");
    const auto busy = tx_share_in(numbers, a.id);
    if (nacks == nullptr || !busy) continue;
    if (!(nacks->value - numbers.leeway(nacks->rounding.value, nacks->allowance()) > 0)) continue;
    for (const auto& b : numbers.observations.conditions) {
      const auto tx = tx_share_in(numbers, b.id);
      const auto* goodput = find_number(numbers.observations, b.id, "goodput_ratio");
      if (b.reaction || !tx || goodput == nullptr || !tx->below_line(numbers)) continue;
      out.push_back({blocking_bound(*nacks, *busy, *tx, *goodput, 0, numbers),
                     blocking_bound(*nacks, *busy, *tx, *goodput, 1, numbers)});
    }
  }
  return out;
}

std::vector<Exclusion> exclusions(const question::HypothesisSpec& hypothesis,
                                  const PublishedNumbers& numbers) {
  std::vector<Exclusion> out;
  if (hypothesis.serves == question::Serves::every &&
      hypothesis.stalls == question::Stalls::served) {
    const unsigned packets = hypothesis.packets_per_nack;
    const double frame = counted_frame(numbers);
    for (const auto& check : blocking_checks(numbers)) {
      const double most = check.favourable.frame_bytes(packets);
      if (frame <= most) continue;
      out.push_back(
          {fmt::format("every NACK stalls TX and brings {} packet{}: {} and {} allow at most "
                       "{:.2f} us each, so {} and {} allow frames of at most {:.0f} B ({:.0f} B "
                       "with {} in its favour); ours have {:.0f} B",
                       packets, packets == 1 ? "" : "s", check.nominal.nacks, check.nominal.busy,
                       check.nominal.stall_us, check.nominal.tx, check.nominal.goodput,
                       check.nominal.frame_bytes(packets), most,
                       numbers.tolerances > 0 ? "tolerances" : "roundings", frame),
           most / frame});
    }
  }
  if (hypothesis.stalls == question::Stalls::none) {
    for (const auto& c : numbers.observations.conditions) {
      const auto tx = tx_share_in(numbers, c.id);
      if (c.reaction || !tx || !tx->below_line(numbers)) continue;
      out.push_back(
          {fmt::format("it never idles the wire, so TX is line rate, but {} is {:g} of it",
                       tx->observation->id.value, tx->value),
           0});
    }
  }
  return out;
}

}  // namespace horae::explain
