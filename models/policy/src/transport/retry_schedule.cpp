#include "horae/policy/transport/retry_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "horae/core/error.hpp"

namespace horae::policy {
namespace {

/// The unit of IBTA's local ACK timeout (vol. 1, 9.7.6.1.3).
constexpr Picoseconds ack_timeout_unit{4'096'000};

}  // namespace

Picoseconds TransportConfig::timeout() const {
  if (!ack_timeout) return rto;
  if (*ack_timeout == 0) return never;
  const std::uint32_t exponent = std::max(*ack_timeout, ack_timeout_floor.value_or(0));
  return ack_timeout_unit * (std::int64_t{ack_timeout_factor.value_or(1)} << exponent);
}

RetrySchedule::RetrySchedule(const TransportConfig& config)
    : whole_(config.timeout()),
      ramp_(config.ack_timeout ? config.ack_timeout_ramp.value_or(0) : 0),
      retries_(config.retry_count) {
  if (!config.ack_timeout || !config.adaptive_timeout || whole_ == never) return;
  first_adaptive_ = *config.adaptive_timeout;
  const Picoseconds most = std::min(config.adaptive_limit.value_or(never), whole_ / 2);
  for (Picoseconds t = first_adaptive_; t <= most; t = t * 2) ++adaptive_;
}

Picoseconds RetrySchedule::interval() const { return interval_after(timeouts_); }

Picoseconds RetrySchedule::interval_after(std::uint32_t timeouts) const {
  if (whole_ == never) return never;
  if (timeouts < adaptive_) return first_adaptive_ * (std::int64_t{1} << timeouts);
  const std::uint32_t counted = timeouts - adaptive_;
  return counted < ramp_ ? whole_ / (std::int64_t{1} << (ramp_ - counted)) : whole_;
}

Picoseconds RetrySchedule::to_error() const {
  if (!retries_ || whole_ == never) return never;
  Picoseconds sum{};
  for (std::uint32_t t = 0; t <= adaptive_ + *retries_; ++t) sum += interval_after(t);
  return sum;
}

void check_timeouts(const TransportEntry& transport, const TransportConfig& config) {
  if (RetrySchedule::asked_for(config) && !transport.retries) {
    throw InputError(
        fmt::format("reliability.{}: the transport '{}' has timers of its own and no retries",
                    config.ack_timeout ? "ack_timeout" : "retry_count", transport.name));
  }
}

}  // namespace horae::policy
