#include "horae/policy/congestion/timely.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/policy/own_parameters.hpp"

namespace horae::policy {
namespace {

TimelyParameters timely_values(const CongestionConfig& config) {
  return config.parameters.of<TimelyConfig>().values.value_or(TimelyParameters{});
}

void check_timely(const CongestionConfig& config, BitRate line) {
  refuse_acting_reactions(config);
  const TimelyParameters p = timely_values(config);
  if (p.low > p.high) {
    throw InputError(
        fmt::format("timely.low = {} is above high = {}", to_text(p.low), to_text(p.high)));
  }
  if (p.min_rate <= line) return;
  throw InputError(fmt::format("timely.min_rate = {} is above the line rate {}",
                               to_text(p.min_rate), to_text(line)));
}

BitRate scaled(BitRate rate, double by) {
  return BitRate(static_cast<std::int64_t>(static_cast<double>(rate.count()) * by));
}

}  // namespace

Timely::Timely(const TimelyParameters& parameters, BitRate line)
    : p_(parameters), line_(line), rate_(line) {}

void Timely::on_ack(const AckReport& ack, Picoseconds) {
  acked_ += ack.acked;
  if (acked_ < p_.segment) return;
  acked_ = Bytes(0);
  update(ack.rtt);
}

void Timely::update(Picoseconds rtt) {
  const bool first = last_rtt_ < 0_ps;
  const auto step = first ? 0.0 : static_cast<double>((rtt - last_rtt_).count());
  last_rtt_ = rtt;
  if (first) return;
  difference_ = (1 - p_.weight) * difference_ + p_.weight * step;
  calm_ = gradient() <= 0 ? calm_ + 1 : 0;
  if (rtt < p_.low) {
    rate_ += p_.increase;
  } else if (rtt > p_.high) {
    const double excess =
        1 - static_cast<double>(p_.high.count()) / static_cast<double>(rtt.count());
    rate_ = scaled(rate_, 1 - p_.decrease * excess);
  } else if (gradient() <= 0) {
    rate_ += p_.increase * (calm_ >= p_.hyper_after ? 5 : 1);
  } else {
    rate_ = scaled(rate_, std::max(0.0, 1 - p_.decrease * gradient()));
  }
  rate_ = std::clamp(rate_, p_.min_rate, line_);
}

const Schema<TimelyParameters>& TimelyParameters::schema() {
  using T = TimelyParameters;
  static const std::string paper = "TIMELY: Mittal et al., SIGCOMM 2015, ";
  static const std::string code =
      "; as in the simulator of HPCC (alibaba-edu at 9f4be2a, rdma-hw.cc)";
  static const Schema<T> s =
      Schema<T>("timely", "TIMELY: a rate from the gradient of the round-trip time.")
          .field("weight", &T::weight,
                 {.doc = "alpha: weight of a new difference of round trips",
                  .min = 0.0,
                  .max = 1.0,
                  .source = paper + "5" + code + ": 0.875",
                  .verified = false})
          .field("decrease", &T::decrease,
                 {.doc = "beta: a cut takes beta times the gradient, or the excess over `high`",
                  .min = 0.0,
                  .max = 1.0,
                  .source = paper + "5" + code + ": 0.8",
                  .verified = false})
          .field("increase", &T::increase,
                 {.doc = "delta: an increase; five of it after `hyper_after` calm updates",
                  .min = BitRate(1'000),
                  .max = 1600_Gbps,
                  .source = paper + "5: 10 Mb/s, recalled",
                  .verified = false})
          .field("low", &T::low,
                 {.doc = "T_low: below it the rate is always raised",
                  .max = 100_ms,
                  .source = paper + "5" + code + ": 50 us",
                  .verified = false})
          .field("high", &T::high,
                 {.doc = "T_high: above it the rate is always cut",
                  .max = 100_ms,
                  .source = paper + "5" + code + ": 500 us",
                  .verified = false})
          .field("min_rtt", &T::min_rtt,
                 {.doc = "least round trip: gradients are in units of it",
                  .min = 100_ns,
                  .max = 100_ms,
                  .source = paper + "5" + code + ": 20 us",
                  .verified = false})
          .field("hyper_after", &T::hyper_after,
                 {.doc = "N: updates in a row without a rise of the round trip, from which on "
                         "increases are five times as large",
                  .min = 1,
                  .max = 1000,
                  .source = paper + "4.4: 5, recalled",
                  .verified = false})
          .field("segment", &T::segment,
                 {.doc = "acknowledged payload between two updates",
                  .min = 64_B,
                  .max = 1_MiB,
                  .source = paper + "3.1: 16 to 64 KB, recalled",
                  .verified = false})
          .field("min_rate", &T::min_rate,
                 {.doc = "rate below which no queue pair is slowed",
                  .min = BitRate(1'000),
                  .max = 1600_Gbps,
                  .source = "ours: one increase",
                  .verified = false});
  return s;
}

const Schema<TimelyConfig>& TimelyConfig::schema() {
  static const Schema<TimelyConfig> s =
      Schema<TimelyConfig>("timely", "TIMELY: a rate from the gradient of the round-trip time.")
          .table("timely", &TimelyConfig::values, TimelyParameters::schema());
  return s;
}

namespace {

// As hardware would keep it: times in nanoseconds.
std::vector<StateField> timely_state(const CongestionConfig&) {
  return {{"rate", 32},
          {"last round trip", 32},
          {"difference of round trips", 32},
          {"bytes since the last update", 32},
          {"updates without a gradient", 8}};
}

}  // namespace

CongestionEntry timely_congestion() {
  return {.name = "timely",
          .doc = "a rate by the gradient of the round trip (TIMELY)",
          .make_reaction = [](const CongestionConfig& config, BitRate line,
                              Bytes) -> std::unique_ptr<ReactionPoint> {
            return std::make_unique<Timely>(timely_values(config), line);
          },
          .make_notification = nullptr,
          .check = check_timely,
          .parameters = {keys_of<TimelyConfig>()},
          .listens = {.acks = true, .times = true},
          .state = timely_state};
}

}  // namespace horae::policy
