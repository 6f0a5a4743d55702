#include "horae/run/run.hpp"

#include <optional>
#include <string>
#include <utility>

#include "horae/build/simulation.hpp"
#include "horae/run/flow_results.hpp"
#include "horae/run/flows_csv.hpp"
#include "horae/run/results.hpp"
#include "horae/run/snapshot.hpp"
#include "horae/views/nack_trace.hpp"
#include "horae/views/views.hpp"
#include "run_loop.hpp"
#include "summary.hpp"

namespace horae::run {

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
  outcome.summary = run_summary(simulation, loop, verdict);
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
