// Moves a simulation through its time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "horae/elaboration/counted_so_far.hpp"
#include "horae/elaboration/simulation.hpp"
#include "horae/results/exit_code.hpp"
#include "horae/results/progress.hpp"
#include "horae/run/run.hpp"
#include "horae/run/series_csv.hpp"
#include "horae/run/snapshot.hpp"
#include "stuck_detector.hpp"

namespace horae::run {

/// Moves a simulation from mark to mark: the times at which it is looked at, or at which routing
/// changes. Between marks nothing outside the devices happens, so looking changes no result, and
/// neither does where a caller stops on the way.
class RunLoop {
 public:
  RunLoop(elaboration::Simulation& simulation, bool show_progress, LiveProgress* live);

  /// Goes on to `until`, or to the end of the run if that is before. What is asked of SystemC by
  /// others, to pause or to stop, ends it as well: `end` says how.
  void go_on(Picoseconds until);
  fabric::run_end how() const { return how_; }
  /// Nothing is left to do but finish().
  bool over() const { return over_; }
  /// Up to where it has gone.
  Picoseconds now() const { return now_; }

  /// Ends a run that is over; may be called once.
  results::Verdict finish();

  /// Goes on to the end of the run in a thread process of a simulation that another program moves
  /// (sc_start()). Marks are where devices are when their time has come: up to a window later.
  void go_along();

  /// All ranks call it after run(): rank 0 then has the snapshots and the series of all devices.
  void gather(fabric::rank_exchange& ranks);

  /// When the run ended, after run(): with `stop = "finished"` when all was done, else when it was
  /// looked at last.
  Picoseconds ended() const { return end_.time; }
  const Snapshot& begin() const { return begin_; }
  const Snapshot& end() const { return end_; }
  /// Counters at begin(), which the measurement leaves out; empty: the measurement starts with the
  /// run.
  const elaboration::CountedSoFar& warmup() const { return warmup_; }
  /// At the end of arrivals, or of the run if that was before.
  const Snapshot& arrivals() const { return arrivals_ ? *arrivals_ : end_; }
  std::string series() const { return series_ ? series_->csv() : std::string(); }
  bool stuck() const { return stuck_; }
  /// Whether it ended with packets in flight for which no message waits, and which only repeat.
  bool repeats() const { return repeats_; }
  double wall_seconds() const { return progress_.elapsed_seconds(); }

 private:
  /// Runs to `target`, mark by mark, or to `until`. False when the run is over before.
  bool go(Picoseconds target, Picoseconds until);
  /// The next time at which the run itself changes: its measured time begins, arrivals end, it
  /// ends.
  Picoseconds next_part() const;
  void begin_part();

  void apply_changes();

  /// How far the run is, the same for all ranks: nothing is decided by one alone.
  struct Standing {
    bool busy = false;       ///< something is still to happen
    bool work_left = false;  ///< messages are to be completed; looked at when nothing is busy, or
                             ///< the run is to stop when it is finished
    bool finished = false;  ///< all sources are done and no packet is under way; looked at when the
                            ///< run is to stop then
    std::uint64_t delivered = 0;  ///< packets
  };
  Standing standing(bool busy) const;
  bool waiting() const;

  /// Whether anything is still to happen. The time of the devices comes along even when they are
  /// idle, or shares of time would be of another time than that of the run.
  bool advance_to(Picoseconds mark);
  /// The same while others move the simulation.
  bool wait_for(Picoseconds mark);

  const std::vector<config::RouteChange>& changes() const;
  Picoseconds next_change() const;
  Picoseconds next_sample() const;

  /// Connections of open-loop messages end with them: soon after, and at the same times however the
  /// run is looked at.
  Picoseconds next_closing() const;

  /// Looks are frequent enough for a smooth progress line and a stop soon after the last message.
  Picoseconds look_interval() const;
  Picoseconds next_check() const;

  bool check();
  /// Up to where anything happens, when that is known to be far.
  void skip_checks();

  /// Begins the measured time.
  void begin_measurement();
  /// Whether a queue pair of any rank has given up.
  bool any_in_error() const;
  /// For a run that is over, the time at which everything was done. It is the same for all ranks,
  /// and however often the run was looked at.
  Picoseconds finished_at() const;

  elaboration::Simulation& simulation_;
  const config::SimConfig& sim_;
  results::Progress progress_;
  LiveProgress* live_;
  std::optional<SeriesCsv> series_;
  Snapshot begin_, end_;
  elaboration::CountedSoFar warmup_;
  bool started_ = false;
  bool began_ = false;  ///< the measured time
  bool over_ = false;
  bool along_ = false;  ///< others move the simulation
  fabric::run_end how_ = fabric::run_end::reached;
  std::optional<Snapshot> arrivals_;
  Picoseconds now_{};
  std::int64_t samples_ = 0;
  std::size_t changed_ = 0;  ///< route changes so far
  static constexpr Picoseconds closing_interval = 1_us;
  std::int64_t closings_ = 0;
  std::int64_t checks_ = 0;
  Standing standing_;
  std::uint64_t last_delivered_ = 0;
  StuckDetector stuck_detector_;
  bool stuck_ = false;
  bool repeats_ = false;
};

}  // namespace horae::run
