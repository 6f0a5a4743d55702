#include "horae/run/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "horae/build/simulation.hpp"
#include "horae/config/effective.hpp"
#include "horae/core/error.hpp"
#include "horae/core/stats.hpp"
#include "horae/flows/traffic.hpp"
#include "horae/results/progress.hpp"
#include "horae/results/version.hpp"
#include "horae/run/flow_results.hpp"
#include "horae/run/measurement.hpp"
#include "horae/views/nack_trace.hpp"
#include "horae/views/views.hpp"

namespace horae::run {
namespace {

using nlohmann::ordered_json;

/// Moves a simulation from mark to mark: the times at which it is looked at, or at which routing
/// changes. Between marks nothing outside the devices happens, so looking changes no result.
class RunLoop {
 public:
  RunLoop(build::Simulation& simulation, bool show_progress, LiveProgress* live)
      : simulation_(simulation),
        sim_(simulation.platform().sim),
        progress_(show_progress),
        live_(live) {
    if (sim_.sample.count() > 0) series_.emplace(simulation);
  }

  results::Verdict run() {
    advance_to(Picoseconds(0));
    if (sim_.warmup.count() > 0 && !go(sim_.warmup)) return finish();
    for (auto* nic : simulation_.nics()) nic->reset_histograms(now_);
    begin_ = Snapshot::take(simulation_, now_);
    const Picoseconds arrivals = simulation_.arrivals_end();
    if (arrivals > now_ && arrivals < sim_.duration) {
      if (!go(arrivals)) return finish();
      arrivals_ = Snapshot::take(simulation_, now_);
    }
    go(sim_.duration);
    return finish();
  }

  Picoseconds now() const { return now_; }
  const Snapshot& begin() const { return begin_; }
  const Snapshot& end() const { return end_; }
  /// At the end of arrivals, or of the run if that was before.
  const Snapshot& arrivals() const { return arrivals_ ? *arrivals_ : end_; }
  std::string series() const { return series_ ? series_->csv() : std::string(); }
  double wall_seconds() const { return progress_.elapsed_seconds(); }

 private:
  /// Runs to `target`, mark by mark. False when the run is over before.
  bool go(Picoseconds target) {
    while (now_ < target) {
      const Picoseconds mark =
          std::min({target, next_sample(), next_check(), next_change(), next_closing()});
      const bool busy = advance_to(mark);
      if (now_ == next_change()) apply_changes();
      if (now_ == next_closing()) simulation_.close_connections(now_), ++closings_;
      if (series_ && now_ == next_sample()) series_->sample(now_), ++samples_;
      if (now_ == next_check() && !check()) return false;
      if (!busy && simulation_.work_left()) {
        stuck_ = true;
        return false;
      }
      if (sim_.stop == config::StopRule::finished && simulation_.finished()) return false;
    }
    return true;
  }

  void apply_changes() {
    const std::size_t first = changed_;
    while (now_ == next_change()) ++changed_;
    simulation_.apply(std::span(changes()).subspan(first, changed_ - first));
  }

  /// Whether anything is still to happen. The time of the devices comes along even when they are
  /// idle, or shares of time would be of another time than that of the run.
  bool advance_to(Picoseconds mark) {
    auto& clock = simulation_.context().clock;
    bool busy = clock.run_to(mark);
    while (fabric::from_sc_time(sc_core::sc_time_stamp()) < mark) busy = clock.run_to(mark);
    now_ = mark;
    return busy || mark.count() == 0;
  }

  const std::vector<config::RouteChange>& changes() const {
    return simulation_.platform().route_changes;
  }
  Picoseconds next_change() const {
    return changed_ < changes().size() ? changes()[changed_].at : never;
  }
  Picoseconds next_sample() const { return series_ ? sim_.sample * (samples_ + 1) : never; }

  /// Connections of open-loop messages end with them: soon after, and at the same times however the
  /// run is looked at.
  Picoseconds next_closing() const {
    return simulation_.messages().empty() ? never : closing_interval * (closings_ + 1);
  }

  /// Looks are frequent enough for a smooth progress line and a stop soon after the last message.
  Picoseconds look_interval() const {
    const Picoseconds smooth = std::max(1_us, sim_.duration / 200);
    return sim_.stop == config::StopRule::finished ? 1_us : std::min(smooth, sim_.stuck_after);
  }
  Picoseconds next_check() const { return look_interval() * (checks_ + 1); }

  bool check() {
    ++checks_;
    const auto delivered = simulation_.context().pool.delivered();
    if (delivered != last_delivered_ || !simulation_.waiting()) {
      last_delivered_ = delivered;
      last_progress_ = now_;
    } else if (now_ - last_progress_ >= sim_.stuck_after) {
      stuck_ = true;
      return false;
    }
    if (live_ != nullptr) {
      live_->sim_time_ps = now_.count();
      live_->delivered = delivered;
    }
    if (progress_.due()) {
      const double rate = static_cast<double>(delivered) / progress_.elapsed_seconds();
      progress_.update(
          static_cast<double>(now_.count()) / static_cast<double>(sim_.duration.count()),
          fmt::format("{:.3f} of {:.3f} us simulated  {:.0f} packets/s", to_microseconds(now_),
                      to_microseconds(sim_.duration), rate));
    }
    return true;
  }

  results::Verdict finish() {
    if (begin_.time == Picoseconds(0) && begin_.nics.empty() && begin_.hosts.empty()) {
      begin_ = Snapshot::take(simulation_, now_);  // over before the warm-up was
    }
    end_ = Snapshot::take(simulation_, now_);
    simulation_.compare_levels();
    if (stuck_) return results::Verdict::stuck;
    if (sim_.stop == config::StopRule::finished && !simulation_.finished())
      return results::Verdict::timeout;
    return results::Verdict::complete;
  }

  build::Simulation& simulation_;
  const config::SimConfig& sim_;
  results::Progress progress_;
  LiveProgress* live_;
  std::optional<Series> series_;
  Snapshot begin_, end_;
  std::optional<Snapshot> arrivals_;
  Picoseconds now_{};
  std::int64_t samples_ = 0;
  std::size_t changed_ = 0;  ///< route changes so far
  static constexpr Picoseconds closing_interval = 1_us;
  std::int64_t closings_ = 0;
  std::int64_t checks_ = 0;
  std::uint64_t last_delivered_ = 0;
  Picoseconds last_progress_{};
  bool stuck_ = false;
};

/// The books must close at the end of every run, not only in tests.
ordered_json balanced_packets(const build::Simulation& s, const fabric::PacketPool& pool) {
  std::uint64_t held = 0;
  for (const auto& d : s.devices()) held += d->held();
  if (pool.live() != pool.outstanding() || pool.live() != held) {
    throw ModelError(fmt::format(
        "packets do not balance: {} created, {} delivered, {} dropped, so {} in flight, but "
        "{} are out of the pool and devices hold {}",
        pool.created(), pool.delivered(), pool.dropped(), pool.live(), pool.outstanding(), held));
  }
  ordered_json dropped = ordered_json::object();
  for (std::size_t c = 0; c < fabric::drop_causes; ++c) {
    const auto cause = static_cast<fabric::DropCause>(c);
    dropped[std::string(fabric::name_of(cause))] = pool.dropped(cause);
  }
  return {{"created", pool.created()},
          {"delivered", pool.delivered()},
          {"dropped", dropped},
          {"in_flight", held}};
}

/// Every counter of every device over the whole run. Those of switch programs are among the
/// results.
ordered_json device_statistics(const build::Simulation& s, Picoseconds end) {
  StatTree tree;
  const Layer layer = s.platform().sim.rate_layer;
  for (const auto& d : s.devices()) {
    StatTree& device = tree.group(d->name());
    device.value("events", d->events_handled(), "events");
    d->port_statistics(device, layer, end);
    d->statistics(device);
  }
  return tree.to_json();
}

}  // namespace

RunOutcome run_platform(const config::PlatformConfig& platform, bool show_progress,
                        LiveProgress* live, views::Views* views) {
  build::Simulation simulation(platform);
  if (views != nullptr) views->attach(simulation);
  std::optional<rnic::Timeline> timeline;
  if (platform.sim.nack_trace && !simulation.senders().empty()) {
    timeline.emplace(platform.sim.warmup);
    simulation.senders().front()->set_timeline(&*timeline);
  }
  RunLoop loop(simulation, show_progress, live);
  const results::Verdict verdict = loop.run();

  RunOutcome outcome;
  ordered_json config = platform.effective;
  config.erase("sweep");
  std::uint64_t events = 0, hops = 0;
  for (const auto& d : simulation.devices()) {
    events += d->events_handled();
    for (unsigned i = 0; i < d->ports(); ++i) hops += d->tx(i).counters().packets;
  }
  ordered_json results = ordered_json::object();
  auto all = results_between(simulation, loop.begin(), loop.end(), &loop.arrivals());
  flow_results(simulation, loop.begin(), loop.arrivals(), all);
  for (const auto& r : all) results[r.name] = {{"value", r.value}, {"unit", r.unit}};
  outcome.summary = {{"schema", 1},
                     {"platform", platform.about.name},
                     {"config", config},
                     {"config_hash", config::hash_of(config)},
                     {"seed", platform.sim.seed},
                     {"version", results::version()},
                     {"verdict", name_of(verdict)},
                     {"sim_time_ps", loop.now().count()},
                     {"wall_s", loop.wall_seconds()},
                     {"packets", balanced_packets(simulation, simulation.context().pool)},
                     {"events", events},
                     {"packet_hops", hops},
                     {"measured_from_ps", loop.begin().time.count()},
                     {"measured_to_ps", loop.end().time.count()},
                     {"results", results},
                     {"rows", ordered_json::object()},
                     {"validation", ordered_json::array()},
                     {"statistics", device_statistics(simulation, loop.now())}};
  if (!simulation.groups().empty()) outcome.summary["rows"]["groups"] = group_rows(simulation);
  if (!simulation.messages().empty())
    outcome.summary["rows"]["size_bins"] = size_bin_rows(simulation, loop.begin().time);
  for (std::size_t i = 0; i < platform.traffic.size(); ++i)
    flows::traffic_of(platform, i).add_rows(outcome.summary["rows"]);
  outcome.flows_csv = flows_csv(simulation, loop.now());
  outcome.series_csv = loop.series();
  if (views != nullptr) views->finish(loop.now());
  if (timeline) {
    const std::string device = simulation.senders().front()->name();
    if (views != nullptr && views->trace()) {
      views->add_timeline(*timeline, device);
    } else {
      outcome.trace_json = views::chrome_trace(*timeline, device);
    }
  }
  if (verdict == results::Verdict::stuck) {
    outcome.exit_code = results::exit_stuck;
    for (const auto& d : simulation.devices()) {
      const auto lines = d->describe_queues();
      outcome.dump.insert(outcome.dump.end(), lines.begin(), lines.end());
    }
  }
  return outcome;
}

std::vector<std::pair<std::string, std::string>> result_units(
    const config::PlatformConfig& platform) {
  const build::Simulation simulation(platform);
  std::vector<std::pair<std::string, std::string>> units;
  const auto from = Snapshot::take(simulation, 0_ps), to = Snapshot::take(simulation, 1_us);
  auto all = results_between(simulation, from, to);
  flow_results(simulation, from, to, all);
  for (const auto& r : all) units.emplace_back(r.name, r.unit);
  return units;
}

}  // namespace horae::run
