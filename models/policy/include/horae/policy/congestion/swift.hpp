// Swift: a window that keeps the round trip at a target (Kumar et al., SIGCOMM 2020).
#pragma once

#include <cstdint>
#include <optional>

#include "horae/policy/congestion/congestion.hpp"

namespace horae::policy {

struct SwiftParameters {
  Picoseconds base_target = 20_us;
  Picoseconds per_hop = 3_us;       ///< hbar
  std::uint32_t hops = 0;           ///< of all paths
  Picoseconds flow_range = 100_us;  ///< most that a small window adds to the target
  double flow_min_window = 0.1;     ///< packets, at and below which it adds all of that
  double flow_max_window = 100;     ///< packets, from which on it adds nothing
  double increase = 1.0;            ///< ai: packets per round trip
  double decrease = 0.8;            ///< beta
  double most_decrease = 0.5;       ///< max_mdf
  std::uint32_t timeouts = 5;       ///< in a row until the window is the least
  std::optional<Bytes> packet{};    ///< unit of windows; absent: the MTU
  double min_window = 0.01;         ///< packets
  double max_window = 1000;         ///< packets
  Bytes initial_window = 128_KiB;

  static const Schema<SwiftParameters>& schema();
};

/// The parameters of the algorithm `swift`; absent: all defaults.
struct SwiftConfig {
  std::optional<SwiftParameters> values{};

  static const Schema<SwiftConfig>& schema();
};

/// Algorithms 1 and 2 of the paper for the delay of the fabric. What the end points add is constant
/// here and part of the round trip, so there is no second window for it. Below one packet the
/// window is a rate: a packet every rtt / window.
class Swift final : public ReactionPoint {
 public:
  Swift(const SwiftParameters& parameters, BitRate line, Bytes mtu);

  void on_cnp(Picoseconds) override {}
  void on_nack(Picoseconds now) override;
  void on_sent(Bytes, Picoseconds) override {}
  BitRate rate(Picoseconds) override { return rate_; }
  void on_ack(const AckReport& ack, Picoseconds now) override;
  void on_timeout(Picoseconds now) override;
  Bytes window() const override;

  double packets() const { return window_; }
  /// The target delay of the window as it is.
  Picoseconds target() const;

 private:
  bool may_decrease(Picoseconds now) const { return now - last_decrease_ >= rtt_; }
  void decrease(double factor, Picoseconds now);
  void pace();

  SwiftParameters p_;
  double packet_;  ///< bytes
  BitRate line_;
  BitRate rate_;
  double flow_alpha_, flow_beta_;  ///< ps
  double window_;                  ///< packets
  Picoseconds rtt_{};              ///< the last one
  Picoseconds last_decrease_{-1'000'000'000'000};
  std::uint32_t timeouts_ = 0;
};

}  // namespace horae::policy
