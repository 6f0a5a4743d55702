// The NIC's ordering engine as one server. No SystemC.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "horae/policy/ordering/ordering.hpp"
#include "horae/rnic/parts/occupancy_integral.hpp"

namespace horae::rnic {

/// An engine, when it is busy, and its memory over time. Without an engine its memory must not be
/// asked for; what was used is nothing. Times never decrease.
class OrderingUnit {
 public:
  /// `engine` may be null; `clock` is the engine's.
  OrderingUnit(std::unique_ptr<policy::OrderingEngine> engine, Hertz clock)
      : engine_(std::move(engine)), clock_(clock) {}

  bool present() const { return engine_ != nullptr; }
  policy::OrderingEngine* engine() { return engine_.get(); }
  const policy::OrderingEngine* engine() const { return engine_.get(); }
  void replace(std::unique_ptr<policy::OrderingEngine> engine) { engine_ = std::move(engine); }

  /// When the engine works on a packet.
  struct Turn {
    Picoseconds start, end;
  };
  /// It takes a packet that comes at `now` when it is free, and works for `cycles` of its clock.
  Turn take(std::uint64_t cycles, Picoseconds now) {
    const Picoseconds start = std::max(now, busy_until_);
    busy_until_ = start + clock_.edge(Cycles(static_cast<std::int64_t>(cycles)));
    return {start, busy_until_};
  }

  /// Its memory may have changed at `now`.
  void watch_memory(Picoseconds now) { memory_.change(engine_->memory(), now); }
  /// The measurement of memory begins anew.
  void reset_use(Picoseconds now) { memory_.reset(engine_->memory(), now); }
  OrderingUse use(Picoseconds now) const { return memory_.use(now); }

 private:
  std::unique_ptr<policy::OrderingEngine> engine_;
  Clock clock_;
  Picoseconds busy_until_{};
  OccupancyIntegral memory_;
};

}  // namespace horae::rnic
