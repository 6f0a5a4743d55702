// The pins of an ordering layer's hardware over simulated time.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "horae/core/units.hpp"
#include "horae/rtl/ordering_rtl.hpp"

namespace horae::views {

/// The hardware answers a packet within one call, clock by clock; the NIC gives these clocks their
/// time: they begin when the packet has arrived and the layer is free. So they are kept until
/// `place`. The clock is drawn where it matters, while a request is served. Requests that close
/// connections take no time in the NIC and are not drawn.
class PinWaves final : public rtl::PinObserver {
 public:
  using Declare = std::function<std::uint32_t(const std::string& name, unsigned bits)>;
  using Set = std::function<void(Picoseconds at, std::uint32_t signal, std::int64_t value)>;

  PinWaves(rtl::OrderingRtl& hardware, Clock clock, const Declare& declare, Set set);

  void clocked(const rtl::OrderingInputs& in, const rtl::OrderingOutputs& out) override;
  /// Assigns the clocks since the last call to a packet that arrived at `now`.
  void place(Picoseconds now);

 private:
  static constexpr std::size_t pins = 14;
  using Values = std::array<std::int64_t, pins>;

  Clock clock_;
  Set set_;
  std::uint32_t clk_;
  std::array<std::uint32_t, pins> signals_{};
  std::vector<Values> clocks_;
  bool closing_ = false;
  bool served_ = false;  ///< a request, so that there is a last answer
  Picoseconds busy_until_{};
};

}  // namespace horae::views
