// TIMELY: a rate that follows the gradient of the round trip (Mittal et al., SIGCOMM 2015).
#pragma once

#include <cstdint>
#include <optional>

#include "horae/policy/congestion/congestion.hpp"

namespace horae::policy {

struct TimelyParameters {
  double weight = 0.875;          ///< alpha, of a new difference of round trips
  double decrease = 0.8;          ///< beta
  BitRate increase{10'000'000};   ///< delta
  Picoseconds low = 50_us;        ///< T_low
  Picoseconds high = 500_us;      ///< T_high
  Picoseconds min_rtt = 20_us;    ///< unit of the gradient
  std::uint32_t hyper_after = 5;  ///< updates without a rise of the round trip
  Bytes segment = 16_KiB;         ///< acknowledged payload between two updates
  BitRate min_rate{10'000'000};

  static const Schema<TimelyParameters>& schema();
};

/// The parameters of the algorithm `timely`; absent: all defaults.
struct TimelyConfig {
  std::optional<TimelyParameters> values{};

  static const Schema<TimelyConfig>& schema();
};

/// Algorithm 1 of the paper: one update per segment that is acknowledged, with the round trip of
/// its last packet. Starts at the line's rate; there is no window.
class Timely final : public ReactionPoint {
 public:
  Timely(const TimelyParameters& parameters, BitRate line);

  void on_cnp(Picoseconds) override {}
  void on_nack(Picoseconds) override {}
  void on_sent(Bytes, Picoseconds) override {}
  BitRate rate(Picoseconds) override { return rate_; }
  void on_ack(const AckReport& ack, Picoseconds now) override;

  /// As of the last update, in units of the least round trip.
  double gradient() const { return difference_ / static_cast<double>(p_.min_rtt.count()); }

 private:
  void update(Picoseconds rtt);

  TimelyParameters p_;
  BitRate line_;
  BitRate rate_;
  Bytes acked_{};             ///< since the last update
  Picoseconds last_rtt_{-1};  ///< negative: none yet
  double difference_ = 0;     ///< ps, smoothed
  std::uint32_t calm_ = 0;    ///< updates in a row whose gradient was not positive
};

}  // namespace horae::policy
