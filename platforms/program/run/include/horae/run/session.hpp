// A platform elaborated and moved through its run, in one go or in steps.
#pragma once

#include <memory>

#include "horae/elaboration/simulation.hpp"
#include "horae/fabric/window_clock.hpp"
#include "horae/run/run.hpp"

namespace horae::run {

/// One run. Where its caller stops on the way, and how often, changes no result.
class Session {
 public:
  /// Elaborates `platform`, which outlives it (once per process). `show_progress`: on a terminal;
  /// `live` is told as well, and `views` watches; `ranks`: the processes of the run, all of which
  /// do the same, or null.
  Session(const config::PlatformConfig& platform, bool show_progress, LiveProgress* live = nullptr,
          views::Views* views = nullptr, fabric::rank_exchange* ranks = nullptr);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  elaboration::Simulation& simulation();

  /// Goes on to `t`, or to the end of the run if that is before. `paused` and `stopped`: by
  /// a call of sc_pause() or sc_stop(); after a pause the next call goes on.
  fabric::run_end run_to(Picoseconds t);
  /// The run is at its end: what finish() says is all of it.
  bool over() const;
  /// Up to where it has run.
  Picoseconds now() const;
  /// Outcome of a run that is over; once. ModelError when the packet balance does not close.
  RunOutcome finish();

  /// In a thread process of a simulation that another program moves (sc_start()): to the end of the
  /// run. What begins or ends at a time, as the measured time, does so up to a window later, where
  /// all devices are.
  void go_along();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace horae::run
