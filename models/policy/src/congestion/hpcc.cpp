#include "horae/policy/congestion/hpcc.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/policy/own_parameters.hpp"

namespace horae::policy {
namespace {

double bytes_in(BitRate rate, Picoseconds time) {
  return static_cast<double>(rate.count()) / 8 * to_seconds(time);
}

HpccParameters hpcc_values(const CongestionConfig& config) {
  return config.parameters.of<HpccConfig>().values.value_or(HpccParameters{});
}

void check_hpcc(const CongestionConfig& config, BitRate line) {
  refuse_acting_reactions(config);
  const BitRate least = hpcc_values(config).min_rate;
  if (least <= line) return;
  throw InputError(
      fmt::format("hpcc.min_rate = {} is above the line rate {}", to_text(least), to_text(line)));
}

}  // namespace

Hpcc::Hpcc(const HpccParameters& parameters, BitRate line)
    : p_(parameters),
      line_bytes_(bytes_in(line, parameters.base_rtt)),
      least_(bytes_in(parameters.min_rate, parameters.base_rtt)),
      line_(line),
      rate_(line),
      w_(line_bytes_),
      wc_(line_bytes_) {}

bool Hpcc::comparable(const AckReport& ack, Picoseconds now) const {
  return hops_ == ack.hops.size() && path_ == ack.path && now - last_at_ < p_.stale;
}

void Hpcc::keep(const AckReport& ack, Picoseconds now) {
  std::copy(ack.hops.begin(), ack.hops.end(), last_.begin());
  hops_ = static_cast<std::uint32_t>(ack.hops.size());
  path_ = ack.path;
  last_at_ = now;
}

void Hpcc::on_ack(const AckReport& ack, Picoseconds now) {
  if (ack.hops.empty() || ack.hops.size() > p_.max_hops) return;
  if (!comparable(ack, now)) {
    if (hops_ == 0) round_end_ = ack.next_new;
    return keep(ack, now);
  }
  measure(ack);
  const bool whole_round = round_end_.before(ack.expected);
  react(whole_round);
  if (whole_round) round_end_ = ack.next_new;
  keep(ack, now);
}

// MeasureInflight: the fullest link decides, weighted by the time that its records span.
void Hpcc::measure(const AckReport& ack) {
  double most = 0;
  Picoseconds span{};
  for (std::size_t i = 0; i < ack.hops.size(); ++i) {
    const HopRecord now = ack.hops[i], before = last_[i];
    const Picoseconds time = now.time_since(before);
    if (time == 0_ps) continue;
    const Bytes waits = std::min(now.queue(), before.queue());
    const double u =
        static_cast<double>(waits.count()) / bytes_in(now.rate(), p_.base_rtt) +
        static_cast<double>(now.sent_since(before).count()) / bytes_in(now.rate(), time);
    if (u <= most) continue;
    most = u;
    span = time;
  }
  const double weight = std::min(1.0, to_seconds(span) / to_seconds(p_.base_rtt));
  u_ = (1 - weight) * u_ + weight * most;
}

// ComputeWind.
void Hpcc::react(bool whole_round) {
  const double excess = u_ / p_.utilisation;
  const auto ai = static_cast<double>(p_.additive_increase.count());
  const bool multiply = excess >= 1 || stage_ >= p_.max_stage;
  w_ = std::clamp((multiply ? wc_ / excess : wc_) + ai, least_, line_bytes_);
  rate_ = std::min(line_, BitRate(static_cast<std::int64_t>(w_ * 8 / to_seconds(p_.base_rtt))));
  if (!whole_round) return;
  stage_ = multiply ? 0 : stage_ + 1;
  wc_ = w_;
}

const Schema<HpccParameters>& HpccParameters::schema() {
  using H = HpccParameters;
  static const std::string paper = "HPCC: Li et al., SIGCOMM 2019, ";
  static const std::string code = "its simulator (alibaba-edu at 9f4be2a), ";
  static const Schema<H> s =
      Schema<H>("hpcc", "HPCC: a window and a rate from in-band telemetry of each hop.")
          .field("utilisation", &H::utilisation,
                 {.doc = "eta: share of a link that may be in flight",
                  .min = 0.5,
                  .max = 1.0,
                  .source = paper + "3.3: 95 %, recalled",
                  .verified = false})
          .field("max_stage", &H::max_stage,
                 {.doc = "maxStage: additive increases in a row, a round trip each; 0: the window "
                         "always follows the measured load (longhaul: 0)",
                  .max = 1000,
                  .source = paper + "3.3: 5, recalled; " + code +
                            "run.py: 0, and so the simulator of the long-haul paper (MI_THRESH)",
                  .verified = false})
          .field("additive_increase", &H::additive_increase,
                 {.doc = "W_AI: added to the window at each update (longhaul: 6325 B)",
                  .max = 1_MiB,
                  .source = paper + "5.1: 80 B, recalled; longhaul: RATE_AI 50 Mb/s times base_rtt",
                  .verified = false})
          .field("base_rtt", &H::base_rtt,
                 {.doc = "T: a little more than the largest round trip without queues (longhaul: "
                         "1012 us, for all flows)",
                  .min = 1_us,
                  .max = 100_ms,
                  .source = paper + "5.1: 13 us in its simulations, recalled; longhaul: GLOBAL_T 1",
                  .verified = false})
          .field("window", &H::window,
                 {.doc = "new data waits for the window as well as for the rate (longhaul: false)",
                  .source = paper + "3.2; the simulator of the long-haul paper (d941dc1) has the "
                                    "test commented out"})
          .field("min_rate", &H::min_rate,
                 {.doc = "rate below which no queue pair is slowed",
                  .min = BitRate(1'000'000),
                  .max = 1600_Gbps,
                  .source = code + "config.txt: MIN_RATE 100Mb/s"})
          .field("max_hops", &H::max_hops,
                 {.doc = "acknowledgements with more records change nothing",
                  .min = 1,
                  .max = Feedback::most_hops,
                  .source = "ours; " + code + "int-header.h has room for 5"})
          .field(
              "stale", &H::stale,
              {.doc = "a record is not compared with one this much older: its bytes have wrapped",
               .min = 100_us,
               .max = 10_ms,
               .source = "ours: 20 bits of 128 bytes wrap in 10.7 ms at 100 Gbps and above"});
  return s;
}

const Schema<HpccConfig>& HpccConfig::schema() {
  static const Schema<HpccConfig> s =
      Schema<HpccConfig>("hpcc", "HPCC: a window and a rate from in-band telemetry of each hop.")
          .table("hpcc", &HpccConfig::values, HpccParameters::schema());
  return s;
}

namespace {

// As hardware would keep it. Records of five hops: as many as the header has at most (Li et al.,
// SIGCOMM 2019, 4.1: 42 bytes), each as it is on the wire.
std::vector<StateField> hpcc_state(const CongestionConfig&) {
  constexpr std::uint64_t hops = 5, record_bits = 64;
  return {{"W", 32},
          {"Wc", 32},
          {"rate", 32},
          {"U", 16},
          {"incStage", 8},
          {"lastUpdateSeq", Psn::bits},
          {"records of 5 hops", hops * record_bits},
          {"hops and path", 16},
          {"time of the records", 32}};
}

}  // namespace

CongestionEntry hpcc_congestion() {
  return {.name = "hpcc",
          .doc = "window and rate by telemetry of every switch on the way (HPCC)",
          .make_reaction = [](const CongestionConfig& config, BitRate line,
                              Bytes) -> std::unique_ptr<ReactionPoint> {
            return std::make_unique<Hpcc>(hpcc_values(config), line);
          },
          .make_notification = nullptr,
          .check = check_hpcc,
          .parameters = {keys_of<HpccConfig>()},
          .listens = {.acks = true, .every_ack = true, .telemetry = true},
          .state = hpcc_state};
}

}  // namespace horae::policy
