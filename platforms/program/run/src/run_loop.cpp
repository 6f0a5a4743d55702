#include "run_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "horae/core/units.hpp"

namespace horae::run {

RunLoop::RunLoop(elaboration::Simulation& simulation, bool show_progress, LiveProgress* live)
    : simulation_(simulation),
      sim_(simulation.platform().sim),
      progress_(show_progress),
      live_(live),
      stuck_detector_(simulation) {
  if (sim_.sample.count() > 0) series_.emplace(simulation);
}

void RunLoop::go_on(Picoseconds until) {
  how_ = fabric::run_end::reached;
  if (!started_) {
    started_ = true;
    advance_to(Picoseconds(0));
    if (sim_.warmup.count() == 0) begin_part();
  }
  while (!over_ && now_ < until && how_ == fabric::run_end::reached) {
    const Picoseconds part = next_part();
    if (!go(part, until)) over_ = true;
    if (!over_ && now_ >= part) begin_part();
  }
}

Picoseconds RunLoop::next_part() const {
  if (!began_) return sim_.warmup;
  const Picoseconds arrivals = simulation_.arrivals_end();
  const bool arrive = !arrivals_ && arrivals > begin_.time && arrivals < sim_.duration;
  return arrive ? arrivals : sim_.duration;
}

void RunLoop::begin_part() {
  if (!began_) {
    for (auto* nic : simulation_.nics()) nic->reset_histograms(now_);
    begin_measurement();
  } else if (now_ < sim_.duration) {
    arrivals_ = Snapshot::take(simulation_, now_);
  } else {
    over_ = true;
  }
}

bool RunLoop::go(Picoseconds target, Picoseconds until) {
  while (now_ < target) {
    const Picoseconds look = std::min({target, next_check(), next_change(), next_closing()});
    const Picoseconds mark = std::min({look, next_sample(), until});
    standing_ = standing(advance_to(mark));
    if (how_ != fabric::run_end::reached) return true;
    if (now_ >= next_change()) apply_changes();
    if (now_ >= next_closing()) simulation_.close_connections(now_), ++closings_;
    if (series_ && now_ >= next_sample()) {
      // When the run is over, the last part ends where the run does: finish() takes it.
      if (!standing_.finished) series_->sample(now_, now_);
      ++samples_;
    }
    // Only a sample, or where the caller stops: whether the run is over does not depend on those.
    if (now_ < look) {
      if (now_ == until) return true;
      continue;
    }
    if (now_ >= next_check() && !check()) return false;
    if (!standing_.busy && standing_.work_left) {
      stuck_ = true;
      return false;
    }
    if (sim_.stop == config::StopRule::finished && standing_.finished) return false;
  }
  return true;
}

void RunLoop::go_along() {
  along_ = true;
  go_on(never);
}

RunLoop::Standing RunLoop::standing(bool busy) const {
  Standing s{.busy = busy, .delivered = simulation_.context().packets().delivered};
  const bool to_finish = sim_.stop == config::StopRule::finished;
  if (!busy || to_finish) s.work_left = simulation_.work_left();
  if (to_finish) s.finished = simulation_.finished();
  auto* ranks = simulation_.ranks();
  if (ranks == nullptr) return s;
  Standing all{.finished = true};
  for (const Standing& one : ranks->all_of(s)) {
    all.busy |= one.busy;
    all.work_left |= one.work_left;
    all.finished &= one.finished;
    all.delivered += one.delivered;
  }
  return all;
}

bool RunLoop::waiting() const {
  const bool here = simulation_.waiting();
  auto* ranks = simulation_.ranks();
  if (ranks == nullptr) return here;
  const auto all = ranks->all_of(here);
  return std::find(all.begin(), all.end(), true) != all.end();
}

void RunLoop::gather(fabric::rank_exchange& ranks) {
  begin_.gather(simulation_, ranks);
  end_.gather(simulation_, ranks);
  if (arrivals_) arrivals_->gather(simulation_, ranks);
  if (series_) series_->gather(ranks);
}

void RunLoop::apply_changes() {
  const std::size_t first = changed_;
  while (now_ >= next_change()) ++changed_;
  simulation_.apply(std::span(changes()).subspan(first, changed_ - first));
}

bool RunLoop::wait_for(Picoseconds mark) {
  auto& clock = simulation_.context().clock;
  Picoseconds now = fabric::from_sc_time(sc_core::sc_time_stamp());
  if (mark > now) {
    sc_core::wait(fabric::to_sc_time(mark - now));
    now = mark;
  }
  const fabric::run_end end = clock.run_to(now);  // what is counted by time comes along
  // Devices have done all before their horizon: it cannot be changed any more.
  now_ = clock.horizon() == never ? now : std::max(now, clock.horizon());
  return end == fabric::run_end::reached || mark.count() == 0;
}

bool RunLoop::advance_to(Picoseconds mark) {
  if (along_) return wait_for(mark);
  auto& clock = simulation_.context().clock;
  fabric::run_end end{};
  do {
    end = clock.run_to(mark);
    now_ = std::min(mark, fabric::from_sc_time(sc_core::sc_time_stamp()));
    if (end == fabric::run_end::paused || end == fabric::run_end::stopped) {
      how_ = end;
      return true;
    }
  } while (now_ < mark);
  return end == fabric::run_end::reached || mark.count() == 0;
}

const std::vector<config::RouteChange>& RunLoop::changes() const {
  return simulation_.platform().route_changes;
}

Picoseconds RunLoop::next_change() const {
  return changed_ < changes().size() ? changes()[changed_].at : never;
}

Picoseconds RunLoop::next_sample() const { return series_ ? sim_.sample * (samples_ + 1) : never; }

Picoseconds RunLoop::next_closing() const {
  return simulation_.messages().empty() ? never : closing_interval * (closings_ + 1);
}

Picoseconds RunLoop::look_interval() const {
  const Picoseconds smooth = std::max(1_us, sim_.duration / 200);
  return sim_.stop == config::StopRule::finished ? 1_us : std::min(smooth, sim_.stuck_after);
}

Picoseconds RunLoop::next_check() const { return look_interval() * (checks_ + 1); }

void RunLoop::skip_checks() {
  if (stuck_detector_.expected() <= now_ || simulation_.ranks() != nullptr) return;
  Picoseconds next = stuck_detector_.expected();
  for (const auto& d : simulation_.devices()) next = std::min(next, d->next_time());
  checks_ = std::max(checks_, next / look_interval());
}

bool RunLoop::check() {
  ++checks_;
  const auto delivered = standing_.delivered;
  const bool only_packets_left = sim_.stop == config::StopRule::finished && !standing_.work_left;
  if (delivered != last_delivered_ || !(waiting() || only_packets_left)) {
    last_delivered_ = delivered;
    stuck_detector_.begin_anew(now_);
  } else if (stuck_detector_.ends(now_, !only_packets_left)) {
    (only_packets_left ? repeats_ : stuck_) = true;
    return false;
  }
  skip_checks();
  if (live_ != nullptr) {
    live_->sim_time_ps = now_.count();
    live_->delivered = delivered;
  }
  if (progress_.due()) {
    const double rate = static_cast<double>(delivered) / progress_.elapsed_seconds();
    progress_.update(static_cast<double>(now_.count()) / static_cast<double>(sim_.duration.count()),
                     fmt::format("{:.3f} of {:.3f} us simulated  {:.0f} packets/s",
                                 to_microseconds(now_), to_microseconds(sim_.duration), rate));
  }
  return true;
}

void RunLoop::begin_measurement() {
  begin_ = Snapshot::take(simulation_, now_);
  if (now_.count() > 0) warmup_ = elaboration::CountedSoFar::of(simulation_);
  began_ = true;
}

bool RunLoop::any_in_error() const {
  bool here = false;
  for (const auto* nic : simulation_.nics())
    here = here || (nic->runs_here() && nic->counters().errors > 0);
  auto* ranks = simulation_.ranks();
  if (ranks == nullptr) return here;
  const auto all = ranks->all_of(here);
  return std::find(all.begin(), all.end(), true) != all.end();
}

Picoseconds RunLoop::finished_at() const {
  Picoseconds last = simulation_.finished_at();
  if (auto* ranks = simulation_.ranks()) {
    for (const Picoseconds one : ranks->all_of(last)) last = std::max(last, one);
  }
  return std::min(last, now_);
}

results::Verdict RunLoop::finish() {
  if (!began_) begin_measurement();  // over before the warm-up was
  const bool to_finish = !stuck_ && sim_.stop == config::StopRule::finished;
  const bool finished = to_finish && (repeats_ || standing(false).finished);
  Picoseconds end = finished ? finished_at() : now_;
  if (end <= begin_.time) end = now_;  // nothing happened in the measured time
  for (auto* nic : simulation_.nics()) nic->end_at(end);
  end_ = Snapshot::take(simulation_, end);
  if (series_ && end > series_->last()) series_->sample(end, now_);
  simulation_.compare_levels();
  if (any_in_error()) return results::Verdict::error;
  if (stuck_) return results::Verdict::stuck;
  return to_finish && !finished ? results::Verdict::timeout : results::Verdict::complete;
}

}  // namespace horae::run
