#include "horae/views/pin_waves.hpp"

#include <algorithm>
#include <utility>

namespace horae::views {
namespace {

/// Those of the request first, from response_valid on those of the answer.
constexpr std::array<std::pair<const char*, unsigned>, 14> pin_names = {{{"request_valid", 1},
                                                                         {"request_ready", 1},
                                                                         {"busy", 1},
                                                                         {"connection", 16},
                                                                         {"psn", 24},
                                                                         {"head", 24},
                                                                         {"last", 1},
                                                                         {"response_valid", 1},
                                                                         {"response_ready", 1},
                                                                         {"tracking", 4},
                                                                         {"rejection", 4},
                                                                         {"advanced", 24},
                                                                         {"expected", 24},
                                                                         {"completed", 1}}};
constexpr std::size_t pin_ready = 1, pin_busy = 2, pin_answer = 7;

}  // namespace

PinWaves::PinWaves(rtl::OrderingRtl& hardware, Clock clock, const Declare& declare, Set set)
    : clock_(clock), set_(std::move(set)), clk_(declare("clk", 1)) {
  for (std::size_t i = 0; i < pins; ++i)
    signals_[i] = declare(pin_names[i].first, pin_names[i].second);
  hardware.watch_pins(this);
}

void PinWaves::clocked(const rtl::OrderingInputs& in, const rtl::OrderingOutputs& out) {
  if (in.close && in.request_valid) closing_ = true;
  if (!closing_) {
    clocks_.push_back({in.request_valid, out.request_ready, !out.request_ready, in.connection,
                       in.psn, in.head, in.last, out.response_valid, in.response_ready,
                       out.tracking, out.rejection, out.advanced, out.expected, out.completed});
  }
  if (out.response_valid) closing_ = false;
}

void PinWaves::place(Picoseconds now) {
  if (clocks_.empty()) return;
  // The last clock is the one in which the answer is taken. The NIC has the layer take its next
  // request in that one, if it waits: then the pins of the answer are still those of the old one.
  const Picoseconds start = std::max(now, busy_until_);
  const Picoseconds period = clock_.edge(Cycles(1));
  const bool joined = start == busy_until_;
  if (served_ && start >= busy_until_ + period) {
    set_(busy_until_ + period, signals_[pin_answer], 0);
    set_(busy_until_ + period, signals_[pin_ready], 1);
    set_(busy_until_ + period, signals_[pin_busy], 0);
  }
  const auto taken = static_cast<std::int64_t>(clocks_.size()) - 1;
  for (std::int64_t i = 0; i <= taken; ++i) {
    const Picoseconds edge = start + clock_.edge(Cycles(i));
    const std::size_t shown = i == 0 && joined && served_ ? pin_answer : pins;
    for (std::size_t pin = 0; pin < shown; ++pin)
      set_(edge, signals_[pin], clocks_[static_cast<std::size_t>(i)][pin]);
    set_(edge, clk_, 1);
    set_(edge + period / 2, clk_, 0);
  }
  served_ = true;
  busy_until_ = start + clock_.edge(Cycles(taken));
  clocks_.clear();
}

}  // namespace horae::views
