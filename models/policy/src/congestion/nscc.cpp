#include "horae/policy/congestion/nscc.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/policy/own_parameters.hpp"

namespace horae::policy {
namespace {

// Values of the REPS artifact (tommasobo/REPS_EuroSys_Artifact at b751588) and of uet-htsim
// (40ccb05), which have the same: factors relative to a network of 100 Gbps and 12 us.
constexpr double reference_bdp = 150'000;  // bytes
constexpr double reference_rtt = 12e6;     // ps
constexpr double average_gain = 1.0 / 80;
constexpr double fair_share = 5;
constexpr double eta_share = 0.15;
constexpr double most_decrease = 0.5;
constexpr double adapt_window_share = 1.0 / 8;  // less than this was delivered
constexpr double adapt_delay_factor = 4;

double ps(Picoseconds t) { return static_cast<double>(t.count()); }

}  // namespace

Nscc::Nscc(const NsccParameters& parameters, BitRate line, Bytes mtu)
    : p_(parameters),
      packet_(static_cast<double>(
          std::min(parameters.packet.value_or(mtu), parameters.max_window).count())),
      line_(line),
      window_(static_cast<double>(parameters.initial_window.count())) {
  const double a = static_cast<double>(p_.bdp.count()) / reference_bdp;
  const double b = ps(p_.target) / reference_rtt;
  alpha_ = 4 * a * b * packet_ / ps(p_.target);
  fair_ = fair_share * a * packet_;
  eta_ = eta_share * a * packet_;
}

void Nscc::on_ack(const AckReport& ack, Picoseconds now) {
  const auto bytes = static_cast<double>(ack.acked.count());
  base_ = std::min(base_, ack.rtt);
  const double delay = ps(ack.rtt - base_);
  average_ += (delay - average_) * average_gain;
  delivered_ += bytes;
  if (ignore_ > 0) {
    ignore_ -= bytes;
    return;
  }
  if (adapt_quickly(now)) return;
  if (increase_fast(bytes, ack.marked, delay)) return clamp();
  const double target = ps(p_.target);
  if (ack.marked) {
    if (delay >= target) decrease(now);
  } else {
    increase_ += fair_ * bytes;
    if (delay < target) increase_ += alpha_ * (target - delay) * bytes;
  }
  fulfil(bytes, now);
}

/// Nothing but the bytes counts: what is lost is not in flight.
void Nscc::on_lost(const LossReport& loss, Picoseconds now) {
  lost_ = true;
  window_ -= static_cast<double>(loss.payload.count());
  clamp();
  if (ignore_ <= 0) adapt_quickly(now);
}

bool Nscc::adapt_quickly(Picoseconds now) {
  const Picoseconds interval = (base_ == never ? 0_ps : base_) + p_.target;
  if (adapt_end_ < 0_ps) adapt_end_ = now + interval;
  if (now < adapt_end_) return false;
  const auto most = static_cast<double>(p_.max_window.count());
  const bool little = delivered_ < most * adapt_window_share;
  const bool bad = lost_ || average_ > adapt_delay_factor * ps(p_.target);
  const bool adapts = little && bad;
  if (adapts) {
    // Packets in flight were sent into the same queues: their answers say nothing new.
    ignore_ = window_;
    window_ = delivered_;
    clamp();
  }
  delivered_ = 0;
  lost_ = false;
  adapt_end_ = now + interval;
  return adapts;
}

bool Nscc::increase_fast(double bytes, bool marked, double delay) {
  if (marked || delay >= ps(p_.fast_delay)) {
    fast_ = false;
    fast_bytes_ = 0;
    return false;
  }
  fast_bytes_ += bytes;
  if (fast_bytes_ > window_) fast_ = true;
  if (fast_) window_ += bytes / 2;
  return fast_;
}

void Nscc::decrease(Picoseconds now) {
  if (now - last_decrease_ < base_) return;
  last_decrease_ = now;
  const double target = ps(p_.target);
  if (average_ <= target) return;
  window_ *= std::max(1 - p_.gamma * (average_ - target) / average_, most_decrease);
  clamp();
}

void Nscc::fulfil(double bytes, Picoseconds now) {
  since_update_ += bytes;
  const auto most = static_cast<double>(p_.update_bytes.count());
  if (since_update_ >= most || now - last_update_ >= p_.update_interval) {
    window_ += std::min(most, increase_ / window_);
    increase_ = since_update_ = 0;
    last_update_ = now;
  }
  if (now - last_eta_ >= p_.update_interval) {
    window_ += eta_;
    last_eta_ = now;
  }
  clamp();
}

void Nscc::clamp() {
  window_ = std::clamp(window_, packet_, static_cast<double>(p_.max_window.count()));
}

const Schema<NsccParameters>& NsccParameters::schema() {
  using N = NsccParameters;
  static const std::string artifact = "the REPS artifact (b751588) and uet-htsim (40ccb05)";
  static const Schema<N> s =
      Schema<N>("nscc", "NSCC: Ultra Ethernet's window from marks and delay.")
          .field("packet", &N::packet,
                 {.doc = "unit of increases, and the least window. Absent: the MTU",
                  .min = 64_B,
                  .max = 64_KiB,
                  .source = "one packet: " + artifact})
          .field("target", &N::target,
                 {.doc = "T: delay beyond the smallest round trip that is aimed at",
                  .min = 100_ns,
                  .max = 1_ms,
                  .source = "6 us: " + artifact})
          .field("bdp", &N::bdp,
                 {.doc = "bandwidth-delay product, to which increases are scaled",
                  .min = 1_KiB,
                  .max = Bytes(1 << 30),
                  .source = "400 Gbps and 8.337 us: " + artifact + ", two tiers"})
          .field("gamma", &N::gamma,
                 {.doc = "strength of a decrease",
                  .min = 0.0,
                  .max = 1.0,
                  .source = "0.8: " + artifact})
          .field("fast_delay", &N::fast_delay,
                 {.doc = "a whole window with delays below it begins the fast increase",
                  .max = 1_ms,
                  .source = "1 us: " + artifact})
          .field("update_bytes", &N::update_bytes,
                 {.doc = "increases take effect after so many bytes, and add at most as many",
                  .min = 64_B,
                  .max = 1_MiB,
                  .source = "8000: " + artifact})
          .field("update_interval", &N::update_interval,
                 {.doc = "or after so much time",
                  .min = 100_ns,
                  .max = 1_ms,
                  .source = "12 us: " + artifact})
          .field("initial_window", &N::initial_window,
                 {.doc = "window of a new queue pair",
                  .min = 256_B,
                  .max = Bytes(1 << 30),
                  .source = "151 packets of 4086 bytes: " + artifact + " at 400 Gbps"})
          .field("max_window", &N::max_window,
                 {.doc = "bound on the window of a queue pair",
                  .min = 256_B,
                  .max = Bytes(1 << 30),
                  .source = "1.5 bandwidth-delay products: " + artifact});
  return s;
}

const Schema<NsccConfig>& NsccConfig::schema() {
  static const Schema<NsccConfig> s =
      Schema<NsccConfig>("nscc", "NSCC: Ultra Ethernet's window from marks and delay.")
          .table("nscc", &NsccConfig::values, NsccParameters::schema());
  return s;
}

namespace {

// As hardware would keep it: times and bytes in 32 bits.
std::vector<StateField> nscc_state(const CongestionConfig&) {
  return {{"window", 32},
          {"average delay", 32},
          {"shortest round trip", 32},
          {"increase", 32},
          {"bytes since the last update", 32},
          {"times of update, eta and decrease", 3 * 32},
          {"bytes without delay, and fast increase", 32 + 1},
          {"quick adapt: end, delivered, lost, to ignore", 3 * 32 + 1}};
}

void check_nscc(const CongestionConfig& config, BitRate) {
  refuse_acting_reactions(config);
  const auto p = config.parameters.of<NsccConfig>().values.value_or(NsccParameters{});
  if (!p.packet || *p.packet <= p.max_window) return;
  throw InputError(fmt::format("nscc.packet = {}, the least window, is above max_window = {}",
                               to_text(*p.packet), to_text(p.max_window)));
}

}  // namespace

CongestionEntry nscc_congestion() {
  return {.name = "nscc",
          .doc = "a window by marks and delay together (NSCC of Ultra Ethernet's simulator)",
          .make_reaction = [](const CongestionConfig& config, BitRate line,
                              Bytes mtu) -> std::unique_ptr<ReactionPoint> {
            return std::make_unique<Nscc>(
                config.parameters.of<NsccConfig>().values.value_or(NsccParameters{}), line, mtu);
          },
          .make_notification = nullptr,
          .check = check_nscc,
          .parameters = {keys_of<NsccConfig>()},
          .listens = {.acks = true, .times = true},
          .state = nscc_state,
          .keeps = true};
}

}  // namespace horae::policy
