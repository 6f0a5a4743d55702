#include "horae/policy/congestion/swift.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "horae/core/error.hpp"
#include "horae/policy/own_parameters.hpp"

namespace horae::policy {
namespace {

SwiftParameters swift_values(const CongestionConfig& config) {
  return config.parameters.of<SwiftConfig>().values.value_or(SwiftParameters{});
}

void check_swift(const CongestionConfig& config, BitRate) {
  refuse_acting_reactions(config);
  const SwiftParameters p = swift_values(config);
  if (p.min_window > p.max_window) {
    throw InputError(
        fmt::format("swift.min_window = {} is above max_window = {}", p.min_window, p.max_window));
  }
  if (p.flow_min_window < p.flow_max_window) return;
  throw InputError(fmt::format("swift.flow_min_window = {} is not below flow_max_window = {}",
                               p.flow_min_window, p.flow_max_window));
}

}  // namespace

Swift::Swift(const SwiftParameters& parameters, BitRate line, Bytes mtu)
    : p_(parameters),
      packet_(static_cast<double>(parameters.packet.value_or(mtu).count())),
      line_(line),
      rate_(line),
      flow_alpha_(
          static_cast<double>(parameters.flow_range.count()) /
          (1 / std::sqrt(parameters.flow_min_window) - 1 / std::sqrt(parameters.flow_max_window))),
      flow_beta_(-flow_alpha_ / std::sqrt(parameters.flow_max_window)),
      window_(std::clamp(static_cast<double>(parameters.initial_window.count()) / packet_,
                         parameters.min_window, parameters.max_window)) {}

Picoseconds Swift::target() const {
  const double flow = std::clamp(flow_alpha_ / std::sqrt(window_) + flow_beta_, 0.0,
                                 static_cast<double>(p_.flow_range.count()));
  return p_.base_target + p_.per_hop * p_.hops + Picoseconds(static_cast<std::int64_t>(flow));
}

void Swift::on_ack(const AckReport& ack, Picoseconds now) {
  timeouts_ = 0;
  rtt_ = ack.rtt;
  const Picoseconds goal = target();
  if (ack.rtt < goal) {
    const double acked = static_cast<double>(ack.acked.count()) / packet_;
    window_ = std::min(window_ + p_.increase * acked / std::max(window_, 1.0), p_.max_window);
  } else if (may_decrease(now)) {
    const double late = static_cast<double>((ack.rtt - goal).count());
    decrease(std::max(1 - p_.decrease * late / static_cast<double>(ack.rtt.count()),
                      1 - p_.most_decrease),
             now);
  }
  pace();
}

void Swift::on_nack(Picoseconds now) {
  if (may_decrease(now)) decrease(1 - p_.most_decrease, now);
  pace();
}

void Swift::on_timeout(Picoseconds now) {
  if (++timeouts_ >= p_.timeouts) {
    decrease(0, now);
  } else if (may_decrease(now)) {
    decrease(1 - p_.most_decrease, now);
  }
  pace();
}

Bytes Swift::window() const {
  return Bytes(static_cast<std::int64_t>(std::max(window_, 1.0) * packet_));
}

void Swift::decrease(double factor, Picoseconds now) {
  window_ = std::max(window_ * factor, p_.min_window);
  last_decrease_ = now;
}

void Swift::pace() {
  rate_ = line_;
  if (window_ >= 1 || rtt_ <= 0_ps) return;
  const double bits = 8 * window_ * packet_;
  rate_ = std::clamp(BitRate(static_cast<std::int64_t>(bits / to_seconds(rtt_))), BitRate(1'000),
                     line_);
}

const Schema<SwiftParameters>& SwiftParameters::schema() {
  using S = SwiftParameters;
  static const std::string paper = "Swift: Kumar et al., SIGCOMM 2020, ";
  static const std::string guess =
      "; the paper gives no value: htsim's swift.cpp (Broadcom csg-htsim), there called a guess";
  static const Schema<S> s =
      Schema<S>("swift", "Swift: a window steered to a target delay.")
          .field("base_target", &S::base_target,
                 {.doc = "target round trip of a large window over no hop; well above the round "
                         "trip without queues",
                  .min = 1_us,
                  .max = 100_ms,
                  .source = paper + "3.1" + guess + ": 20 us",
                  .verified = false})
          .field("per_hop", &S::per_hop,
                 {.doc = "added to the target for each hop",
                  .max = 1_ms,
                  .source = paper + "3.5" + guess + ": base_target / 6.55",
                  .verified = false})
          .field("hops", &S::hops,
                 {.doc = "hops of all paths; the model does not count them packet by packet",
                  .max = 64})
          .field("flow_range", &S::flow_range,
                 {.doc = "most that a small window adds to the target",
                  .max = 10_ms,
                  .source = paper + "3.5" + guess + ": 5 x base_target",
                  .verified = false})
          .field("flow_min_window", &S::flow_min_window,
                 {.doc = "window, in packets, at and below which all of it is added",
                  .min = 0.001,
                  .max = 1000.0,
                  .source = paper + "3.5" + guess + ": 0.1",
                  .verified = false})
          .field("flow_max_window", &S::flow_max_window,
                 {.doc = "window, in packets, from which on nothing is added",
                  .min = 0.01,
                  .max = 100000.0,
                  .source = paper + "3.5" + guess + ": 100",
                  .verified = false})
          .field("increase", &S::increase,
                 {.doc = "ai: packets by which the window grows in a round trip",
                  .min = 0.001,
                  .max = 1000.0,
                  .source = paper + "Algorithm 1" + guess + ": 1",
                  .verified = false})
          .field("decrease", &S::decrease,
                 {.doc = "beta: a cut takes beta x (rtt - target) / rtt",
                  .min = 0.0,
                  .max = 1.0,
                  .source = paper + "Algorithm 1" + guess + ": 0.8",
                  .verified = false})
          .field("most_decrease", &S::most_decrease,
                 {.doc = "max_mdf: most that a cut takes; a NACK or timeout takes it",
                  .min = 0.0,
                  .max = 1.0,
                  .source = paper + "Algorithm 1" + guess + ": 0.5",
                  .verified = false})
          .field("timeouts", &S::timeouts,
                 {.doc = "timeouts in a row that leave the least window",
                  .min = 1,
                  .max = 1000,
                  .source = paper + "Algorithm 1 (RETX_RESET_THRESHOLD)" + guess + ": 5",
                  .verified = false})
          .field("packet", &S::packet,
                 {.doc = "bytes of a packet, the unit of windows. Absent: the MTU",
                  .min = 64_B,
                  .max = 64_KiB})
          .field("min_window", &S::min_window,
                 {.doc = "least window, in packets; below one packet it is a rate",
                  .min = 0.0001,
                  .max = 1000.0,
                  .source = paper + "3.4: windows down to 0.001 packets are of use",
                  .verified = false})
          .field("max_window", &S::max_window,
                 {.doc = "largest window, in packets",
                  .min = 1.0,
                  .max = 1e6,
                  .source = "htsim's swift.cpp: 1000",
                  .verified = false})
          .field("initial_window", &S::initial_window,
                 {.doc = "window of a new queue pair",
                  .min = 256_B,
                  .max = Bytes(1 << 30),
                  .source = "ours: 10 us at 100 Gbps",
                  .verified = false});
  return s;
}

const Schema<SwiftConfig>& SwiftConfig::schema() {
  static const Schema<SwiftConfig> s =
      Schema<SwiftConfig>("swift", "Swift: a window steered to a target delay.")
          .table("swift", &SwiftConfig::values, SwiftParameters::schema());
  return s;
}

namespace {

// As hardware would keep it: windows in 1/65536 packets, times in nanoseconds.
std::vector<StateField> swift_state(const CongestionConfig&) {
  return {{"window", 32},
          {"rate", 32},
          {"round trip", 32},
          {"time of the last decrease", 32},
          {"timeouts in a row", 8}};
}

}  // namespace

CongestionEntry swift_congestion() {
  return {.name = "swift",
          .doc = "a window that keeps the round trip at a target (Swift)",
          .make_reaction = [](const CongestionConfig& config, BitRate line,
                              Bytes mtu) -> std::unique_ptr<ReactionPoint> {
            return std::make_unique<Swift>(swift_values(config), line, mtu);
          },
          .make_notification = nullptr,
          .check = check_swift,
          .parameters = {keys_of<SwiftConfig>()},
          .listens = {.acks = true, .every_ack = true, .times = true},
          .state = swift_state};
}

}  // namespace horae::policy
