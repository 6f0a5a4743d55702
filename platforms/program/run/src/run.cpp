#include "horae/run/run.hpp"

#include <string>
#include <utility>

#include "horae/elaboration/findings.hpp"
#include "horae/elaboration/simulation.hpp"
#include "horae/run/flow_results.hpp"
#include "horae/run/results.hpp"
#include "horae/run/session.hpp"
#include "horae/run/snapshot.hpp"

namespace horae::run {
namespace {

RunOutcome run_whole(Session& session, const fabric::threading& threads) {
  session.simulation().context().clock.use_threads(threads);
  while (!session.over()) session.run_to(never);
  return session.finish();
}

}  // namespace

RunOutcome run_platform(const config::PlatformConfig& platform, bool show_progress,
                        LiveProgress* live, views::Views* views, const fabric::threading& threads) {
  Session session(platform, show_progress, live, views);
  return run_whole(session, threads);
}

RunOutcome run_platform(const config::PlatformConfig& platform, bool show_progress,
                        fabric::rank_exchange& ranks, const fabric::threading& threads) {
  Session session(platform, show_progress && ranks.rank() == 0, nullptr, nullptr, &ranks);
  return run_whole(session, threads);
}

void write_run(results::ResultFolder& folder, const std::filesystem::path& sub,
               const RunOutcome& outcome) {
  folder.write(sub / "summary.json", outcome.summary.dump(1) + "\n");
  if (outcome.exit_code == results::exit_does_not_fit) return;
  folder.write(sub / "flows.csv", outcome.flows_csv);
  folder.write(sub / "links.csv", outcome.links_csv);
  if (!outcome.series_csv.empty()) folder.write(sub / "series.csv", outcome.series_csv);
  if (!outcome.trace_json.empty()) folder.write(sub / "trace.json", outcome.trace_json);
}

std::vector<std::pair<std::string, std::string>> result_units(
    const config::PlatformConfig& platform) {
  const elaboration::Simulation simulation(platform);
  std::vector<std::pair<std::string, std::string>> units;
  const auto from = Snapshot::take(simulation, 0_ps), to = Snapshot::take(simulation, 1_us);
  const auto found = elaboration::Findings::of(simulation);
  const Picoseconds arrivals = simulation.arrivals_end();
  const bool ends = arrivals > platform.sim.warmup && arrivals < platform.sim.duration;
  const auto loaded = Snapshot::take(simulation, ends ? 500_ns : 1_us);
  auto all = results_between(simulation, found, from, to, &loaded);
  flow_results(simulation, found, from, to, to, all);
  for (const auto& r : all) units.emplace_back(r.name, r.unit);
  return units;
}

}  // namespace horae::run
