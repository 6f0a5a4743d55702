#include "horae/run/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "horae/build/simulation.hpp"
#include "horae/build/switch_statistics.hpp"
#include "horae/config/effective.hpp"
#include "horae/core/error.hpp"
#include "horae/core/stats.hpp"
#include "horae/flows/flow_list.hpp"
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

/// What the NIC's host side did over the whole run.
void host_statistics(const rnic::rnic& nic, StatTree& tree) {
  const auto& f = nic.fetcher()->counters();
  tree.value("wqe_reads", f.wqe_reads, "reads").value("wqes_read", f.wqes_read, "WQEs");
  tree.value("payload_reads", f.payload_reads, "reads");
  tree.value("payload_bytes_read", f.payload_bytes, "bytes");
  tree.value("payload_bytes_discarded", f.discarded_bytes, "bytes");
  tree.value("tx_buffer_most_used", nic.fetcher()->most_used().count(), "bytes");
  tree.value("retransmit_reads", nic.counters().retransmit_reads, "reads");
  tree.value("retransmit_bytes_read", nic.counters().retransmit_read_bytes, "bytes");
  tree.value("context_misses", nic.counters().context_misses, "misses");
  const auto& pcie = nic.host()->counters();
  tree.value("pcie_read_requests", pcie.read_requests, "requests");
  tree.value("pcie_bytes_read", pcie.bytes_completed, "bytes");
  tree.value("pcie_bytes_written", pcie.bytes_written, "bytes");
  tree.value("pcie_upstream_busy", pcie.upstream_busy.count(), "ps");
  tree.value("pcie_downstream_busy", pcie.downstream_busy.count(), "ps");
  tree.value("pcie_reads_in_flight", pcie.reads_in_flight.count(), "ps, summed over reads");
  for (std::size_t w = 0; w < rnic::pcie_waits; ++w) {
    tree.value(fmt::format("pcie_wait_{}", name_of(static_cast<rnic::PcieWait>(w))),
               pcie.waited[w].count(), "ps, summed over requests");
  }
  tree.value("rx_buffer_drops", nic.counters().rx_buffer_drops, "packets");
}

/// Every counter of every device over the whole run.
ordered_json device_statistics(const build::Simulation& s, Picoseconds end) {
  StatTree tree;
  const Layer layer = s.platform().sim.rate_layer;
  for (const auto& d : s.devices()) {
    StatTree& device = tree.group(d->name());
    device.value("events", d->events_handled(), "events");
    for (unsigned i = 0; i < d->ports(); ++i) {
      if (!d->tx(i).connected()) continue;
      const auto& c = d->tx(i).counters();
      StatTree& port = device.group(fmt::format("port{}", i));
      port.value("tx_packets", c.packets, "packets");
      if (end.count() > 0) port.rate("tx_rate", c.bytes(layer), end);
      if (c.lost > 0) port.value("lost", c.lost, "packets");
      if (c.cut > 0) port.value("cut_by_outage", c.cut, "packets");
      if (c.pauses > 0) port.value("pauses_sent", c.pauses, "frames");
      for (unsigned q = 0; q < fabric::PauseLog::classes; ++q) {
        const Picoseconds held = d->pauses(i).held(q, end);
        if (held.count() > 0) port.value(fmt::format("paused_class{}", q), held.count(), "ps");
      }
    }
  }
  for (const auto* nic : s.nics()) {
    StatTree& device = tree.group(nic->name());
    const auto& c = nic->counters();
    for (std::size_t k = 0; k < policy::send_kinds; ++k) {
      device.value(fmt::format("sent_{}", rnic::name_of(static_cast<policy::SendKind>(k))),
                   c.sent[k], "packets");
    }
    device.value("acks_sent", c.acks_sent, "packets").value("nacks_sent", c.nacks_sent, "packets");
    device.value("acks_received", c.acks_received, "packets")
        .value("nacks_received", c.nacks_received, "packets");
    device.value("nacks_served", c.nacks_served, "packets")
        .value("nacks_stale", c.nacks_stale, "packets");
    device.value("nacks_merged", c.nacks_merged, "packets")
        .value("nacks_suppressed", c.nacks_suppressed, "packets");
    device.value("nack_services", c.services, "services")
        .value("nack_service_time", c.service_time.count(), "ps");
    device.value("cnps_sent", c.cnps_sent, "packets")
        .value("cnps_received", c.cnps_received, "packets");
    device.value("context_lock_time", c.lock_time.count(), "ps");
    device.value("timeouts", c.timeouts, "timeouts")
        .value("data_received", c.data_received, "packets");
    device.value("out_of_order", c.out_of_order, "packets")
        .value("duplicates", c.duplicates, "packets");
    device.value("discarded", c.discarded, "packets")
        .value("delivered_bytes", c.delivered_bytes, "bytes");
    device.value("messages_completed", c.messages_completed, "messages");
    for (std::size_t k = 0; k < rnic::idle_causes; ++k) {
      device.value(fmt::format("idle_{}", rnic::name_of(static_cast<rnic::IdleCause>(k))),
                   c.idle[k].count(), "ps");
    }
    device.histogram("reorder_depth_since_warmup", nic->reorder_depth(), "packets");
    if (nic->host() != nullptr) host_statistics(*nic, device.group("host"));
  }
  for (const auto* sw : s.switches()) {
    StatTree& device = tree.group(sw->name());
    build::add_counters(*sw, device);
    if (sw->counters().deflected > 0)
      device.value("deflected", sw->counters().deflected, "packets");
  }
  for (const auto* t : s.tofinos()) {
    StatTree& device = tree.group(t->name());
    build::add_counters(*t, device);
  }
  for (const auto* h : s.hosts()) {
    StatTree& device = tree.group(h->name());
    device.value("sent", h->counters().sent, "packets")
        .value("received", h->counters().received, "packets");
    device.value("latency_max", h->counters().latency_max.count(), "ps");
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
  if (auto lists = flows::flow_list_rows(platform); !lists.empty())
    outcome.summary["rows"]["flow_lists"] = std::move(lists);
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
