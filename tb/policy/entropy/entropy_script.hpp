// An entropy scheme and what happens to it, in microseconds.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "horae/policy/entropy/entropy.hpp"

namespace horae::policy::test {

/// Round trips of 10 us, a timeout of 40 us, 100 packets in flight.
inline EntropyContext context(std::uint64_t seed = 1, std::uint16_t own = 77) {
  return {.own = own,
          .ordinal = 0,
          .base_rtt = 10_us,
          .rto = 40_us,
          .bdp_packets = 100,
          .trimming = false,
          .random = RandomStream(seed, "entropy")};
}

template <class... Parameters>
EntropyConfig config(std::string scheme, std::uint32_t values, Parameters... parameters) {
  return {.scheme = std::move(scheme),
          .values = values,
          .parameters = PolicyParameters::with(std::move(parameters)...)};
}

class Script {
 public:
  explicit Script(const EntropyConfig& config, EntropyContext context = test::context())
      : scheme_(make_entropy(config, std::move(context))) {}

  std::uint16_t send() { return scheme_->next(now_); }
  std::vector<std::uint16_t> send(unsigned packets) {
    std::vector<std::uint16_t> out;
    for (unsigned i = 0; i < packets; ++i) out.push_back(send());
    return out;
  }
  void at(double us) { now_ = Picoseconds(static_cast<std::int64_t>(us * 1e6)); }
  void good(std::uint16_t value, double rtt_us = 0) { tell(value, PathSignal::good, rtt_us); }
  void marked(std::uint16_t value, double rtt_us = 0) { tell(value, PathSignal::marked, rtt_us); }
  void trimmed(std::uint16_t value) { tell(value, PathSignal::trimmed, 0); }
  void timeout(std::uint16_t value) { tell(value, PathSignal::timeout, 0); }
  void ack(std::uint16_t value, bool room) {
    scheme_->feedback({.value = value, .signal = PathSignal::good, .room = room}, now_);
  }
  Entropy& operator*() { return *scheme_; }
  Entropy* operator->() { return scheme_.get(); }

 private:
  void tell(std::uint16_t value, PathSignal signal, double rtt_us) {
    scheme_->feedback({.value = value,
                       .signal = signal,
                       .rtt = Picoseconds(static_cast<std::int64_t>(rtt_us * 1e6))},
                      now_);
  }

  std::unique_ptr<Entropy> scheme_;
  Picoseconds now_{};
};

}  // namespace horae::policy::test
