#include "horae/explain/arithmetic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "horae/flows/traffic.hpp"

namespace horae::explain {
namespace {

using nlohmann::ordered_json;

constexpr double gap_bytes = wire::preamble + wire::inter_packet_gap;

const ObservationSpec* find_in(const ObservationsFile& file, const std::string& condition,
                               const std::string& quantity) {
  for (const auto& o : file.observations) {
    if (o.condition.value == condition && o.quantity.value == quantity) return &o;
  }
  return nullptr;
}

/// TX as a share of line, whether published as that or as a rate.
struct Share {
  const ObservationSpec* observation = nullptr;
  double value = 0;
  double rounding = 0;
  double allowance = 0;
};
std::optional<Share> tx_share_in(const ObservationsFile& file, const std::string& condition,
                                 const SenderFacts& facts) {
  if (const auto* o = find_in(file, condition, "tx_share"))
    return Share{o, o->value, o->rounding.value, o->allowance()};
  if (const auto* o = find_in(file, condition, "tx_rate")) {
    return Share{o, o->value / facts.line_gbps, o->rounding.value / facts.line_gbps,
                 o->allowance() / facts.line_gbps};
  }
  return std::nullopt;
}

/// The share of packets that is retransmitted, at a published goodput ratio.
double resent_share(double ratio, const Readings& readings, const SenderFacts& facts) {
  if (readings.ratio == Readings::Ratio::unique) return 1 - ratio;
  const double efficiency = facts.payload_bytes / (facts.frame_bytes - gap_bytes);
  return 1 - ratio / efficiency;
}

/// `sign`: +1 with every rounding in favour of long frames, 0 as published.
BlockingBound bound(const ObservationSpec& nacks, const Share& busy, const Share& tx,
                    const ObservationSpec& goodput, double sign, const Readings& readings,
                    const SenderFacts& facts) {
  BlockingBound b;
  b.nacks = nacks.id;
  b.busy = busy.observation->id;
  b.tx = tx.observation->id;
  b.goodput = goodput.id;
  const double of =
      readings.nacks == Readings::Nacks::both ? static_cast<double>(facts.senders) : 1;
  b.nack_mpps = (nacks.value - sign * nacks.rounding.value) / of;
  b.idle_busy = 1 - busy.value + sign * busy.rounding;
  b.idle_tx = 1 - tx.value - sign * tx.rounding;
  b.tx_gbps = (tx.value + sign * tx.rounding) * facts.line_gbps;
  b.resent_share = resent_share(goodput.value - sign * goodput.rounding.value, readings, facts);
  b.stall_us = b.idle_busy / b.nack_mpps;
  b.served_mpps = b.idle_tx / b.stall_us;
  return b;
}

bool below_line(const Share& s) { return s.value + s.allowance < 1; }

/// The bytes that a frame counts with under the reading of rates.
double counted_frame(const SenderFacts& facts, const Readings& readings) {
  return readings.rate == Readings::Rate::l1 ? facts.frame_bytes : facts.frame_bytes - gap_bytes;
}

}  // namespace

std::optional<SenderFacts> SenderFacts::of(const config::PlatformConfig& platform) {
  for (std::size_t table = 0; table < platform.traffic.size(); ++table) {
    const flows::Traffic& traffic = flows::traffic_of(platform, table);
    if (traffic.measure() != flows::Measure::streams) continue;
    std::set<std::string> names;
    Bytes message{};
    traffic.flows(platform, [&](const flows::Flow& f) {
      if (names.empty()) message = f.message;
      names.insert(platform.devices[f.from].name);
    });
    if (names.empty()) continue;
    const int vertex = platform.topology.find(*names.begin());
    SenderFacts facts;
    facts.senders = names.size();
    const auto& edges = platform.topology.edges();
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (static_cast<int>(edges[i].a) == vertex || static_cast<int>(edges[i].b) == vertex)
        facts.line_gbps = static_cast<double>(platform.links[i].config.rate.count()) / 1e9;
    }
    const auto& nic = std::get<rnic::RnicConfig>(
        platform.profiles.at(platform.devices[static_cast<std::size_t>(vertex)].profile));
    const auto bytes = static_cast<double>(message.count());
    const auto mtu = static_cast<double>(nic.mtu.count());
    facts.payload_bytes = bytes / std::max(1.0, std::ceil(bytes / mtu));
    facts.frame_bytes = facts.payload_bytes + wire::ethernet + wire::ipv4 + wire::udp + wire::bth +
                        wire::icrc + wire::fcs + (nic.reth_on_every_packet ? wire::reth : 0) +
                        gap_bytes;
    return facts;
  }
  return std::nullopt;
}

double BlockingBound::frame_bytes(unsigned packets) const {
  // So many packets a second, or none at all that fits the ratio.
  if (!(resent_share > 0) || !(served_mpps > 0)) return std::numeric_limits<double>::infinity();
  const double sent_mpps = packets * served_mpps / resent_share;
  return tx_gbps * 1e9 / 8 / (sent_mpps * 1e6);
}

std::vector<BlockingCheck> blocking_checks(const ObservationsFile& observations,
                                           const Readings& readings, const SenderFacts& facts) {
  std::vector<BlockingCheck> out;
  for (const auto& a : observations.conditions) {
    const auto* nacks = find_in(observations, a.id, "nack_rate");
    const auto busy = tx_share_in(observations, a.id, facts);
    if (nacks == nullptr || !busy || !(nacks->value - nacks->rounding.value > 0)) continue;
    for (const auto& b : observations.conditions) {
      const auto tx = tx_share_in(observations, b.id, facts);
      const auto* goodput = find_in(observations, b.id, "goodput_ratio");
      if (b.reaction || !tx || goodput == nullptr || !below_line(*tx)) continue;
      out.push_back({bound(*nacks, *busy, *tx, *goodput, 0, readings, facts),
                     bound(*nacks, *busy, *tx, *goodput, 1, readings, facts)});
    }
  }
  return out;
}

std::vector<std::string> impossible(const HypothesisSpec& hypothesis,
                                    const ObservationsFile& observations, const Readings& readings,
                                    const SenderFacts& facts) {
  std::vector<std::string> out;
  if (hypothesis.serves == Serves::every && hypothesis.stalls == Stalls::served) {
    const unsigned packets = hypothesis.packets_per_nack;
    const double frame = counted_frame(facts, readings);
    for (const auto& check : blocking_checks(observations, readings, facts)) {
      const double most = check.favourable.frame_bytes(packets);
      if (frame <= most) continue;
      out.push_back(
          fmt::format("every NACK stalls TX and brings {} packet{}: {} and {} allow at most "
                      "{:.2f} us each, so {} and {} allow frames of at most {:.0f} B ({:.0f} B "
                      "with roundings in its favour); ours have {:.0f} B",
                      packets, packets == 1 ? "" : "s", check.nominal.nacks, check.nominal.busy,
                      check.nominal.stall_us, check.nominal.tx, check.nominal.goodput,
                      check.nominal.frame_bytes(packets), most, frame));
    }
  }
  if (hypothesis.stalls == Stalls::none) {
    for (const auto& c : observations.conditions) {
      const auto tx = tx_share_in(observations, c.id, facts);
      if (c.reaction || !tx || !below_line(*tx)) continue;
      out.push_back(fmt::format("it never idles the wire, so TX is line rate, but {} is {:g} of it",
                                tx->observation->id.value, tx->value));
    }
  }
  return out;
}

std::vector<std::string> arithmetic_text(const ObservationsFile& observations,
                                         const HypothesesFile& hypotheses, const Readings& readings,
                                         const SenderFacts& facts) {
  std::vector<std::string> out;
  for (const auto& check : blocking_checks(observations, readings, facts)) {
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
                      b.goodput, reading_texts(readings)[1]));
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
  for (const auto& a : observations.conditions) {
    const auto* rate = find_in(observations, a.id, "tx_rate");
    if (rate == nullptr) continue;
    for (const auto& b : observations.conditions) {
      const auto tx = tx_share_in(observations, b.id, facts);
      const auto* goodput = find_in(observations, b.id, "goodput_ratio");
      if (b.id.value == a.id.value || !tx || goodput == nullptr) continue;
      const double product = tx->value * goodput->value * facts.line_gbps;
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
    for (const auto& c : observations.conditions) {
      const auto tx = tx_share_in(observations, c.id, facts);
      if (!c.reaction || !tx || below_line(*tx)) continue;
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
