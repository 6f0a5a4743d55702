// The intervals of a retransmission timer that runs out again and again.
#pragma once

#include <cstdint>
#include <optional>

#include "horae/policy/transport/transport.hpp"

namespace horae::policy {

/// Counts the timeouts of a queue pair since something was acknowledged, and says how long the
/// timer runs next: adaptive intervals first, then those that are counted as retries.
class RetrySchedule {
 public:
  /// Whether the keys ask for one; without them all timeouts are `rto` apart, without end.
  static bool asked_for(const TransportConfig& config) {
    return config.ack_timeout.has_value() || config.retry_count.has_value();
  }
  explicit RetrySchedule(const TransportConfig& config);

  /// How long the timer runs now; `never`: there is none.
  Picoseconds interval() const;
  /// It ran out.
  void ran_out() { ++timeouts_; }
  /// Something was acknowledged.
  void answered() { timeouts_ = 0; }
  /// Whether one more timeout was counted than there are retries.
  bool exhausted() const { return retries_ && timeouts_ > adaptive_ + *retries_; }
  /// Resends before the first that is counted.
  std::uint32_t adaptive() const { return adaptive_; }
  /// From the first packet to the error when nothing is ever acknowledged; `never`: there is none.
  Picoseconds to_error() const;
  /// The shortest interval.
  Picoseconds shortest() const { return interval_after(0); }

 private:
  Picoseconds interval_after(std::uint32_t timeouts) const;

  Picoseconds whole_;
  Picoseconds first_adaptive_{};
  std::uint32_t adaptive_ = 0;
  std::uint32_t ramp_;
  std::optional<std::uint32_t> retries_;
  std::uint32_t timeouts_ = 0;  ///< in a row
};

}  // namespace horae::policy
