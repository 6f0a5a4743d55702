#include "horae/run/session.hpp"

#include <fmt/format.h>

#include <optional>
#include <span>
#include <string>

#include "held_back.hpp"
#include "horae/elaboration/findings.hpp"
#include "horae/fabric/rank_border.hpp"
#include "horae/ranks/partition.hpp"
#include "horae/run/event_rows.hpp"
#include "horae/run/flows_csv.hpp"
#include "horae/run/links_csv.hpp"
#include "horae/views/nack_trace.hpp"
#include "horae/views/views.hpp"
#include "ideal_runs.hpp"
#include "run_loop.hpp"
#include "starved.hpp"
#include "summary.hpp"

namespace horae::run {

/// The first sender's doings around a NACK, if the platform asks for them and it runs here.
class NackTrace {
 public:
  explicit NackTrace(elaboration::Simulation& simulation) {
    const auto& sim = simulation.platform().sim;
    if (!sim.nack_trace || simulation.senders().empty()) return;
    rnic::rnic& nic = *simulation.senders().front();
    if (!nic.runs_here()) return;
    device_ = nic.name();
    timeline_.emplace(sim.warmup);
    nic.set_timeline(&*timeline_);
  }
  /// To the trace of views, if there is one; else a trace of its own.
  std::string finish(views::Views* views) const {
    if (!timeline_) return {};
    if (views == nullptr || !views->trace()) return views::chrome_trace(*timeline_, device_);
    views->add_timeline(*timeline_, device_);
    return {};
  }

 private:
  std::optional<rnic::Timeline> timeline_;
  std::string device_;
};

namespace {

/// Joins the texts of all ranks, at most one of which is not empty.
std::string of_any(fabric::rank_exchange& ranks, const std::string& text) {
  std::string out;
  for (const auto& bytes : ranks.all(std::as_bytes(std::span(text))))
    out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return out;
}

/// The ring of queues that wait for each other, if there is one.
std::string deadlock_of(const elaboration::Simulation& simulation,
                        const elaboration::Findings& found) {
  fabric::PauseWaits waits;
  for (const auto& d : found.devices) waits.add(d.waits);
  const auto& topology = simulation.platform().topology;
  return describe(topology, pause_ring(topology, waits));
}

/// Queue pairs that gave up, and whether others wait for their messages.
std::string errors_of(const elaboration::Findings& found) {
  std::size_t failed = 0, open = 0;
  for (const auto& flow : found.flows) {
    failed += flow.in_error() ? 1 : 0;
    open += flow.finished || flow.in_error() ? 0 : 1;
  }
  return fmt::format(
      "{} of {} connections are in error: their retries are used up (reliability.retry_count); {} "
      "others are unfinished",
      failed, found.flows.size(), open);
}

/// Where model and RTL ran side by side. A difference would have ended the run.
nlohmann::ordered_json lockstep_json(const elaboration::Levels::Compared& compared) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  if (compared.nics > 0) {
    out["nics"] = compared.nics;
    out["requests"] = compared.requests;
  }
  if (compared.switches > 0)
    out["balancers"] = {{"switches", compared.switches}, {"choices", compared.choices}};
  if (compared.queue_pairs > 0) {
    out["entropy"] = {{"queue_pairs", compared.queue_pairs},
                      {"requests", compared.entropy_requests}};
  }
  if (compared.registers > 0)
    out["registers"] = {{"alus", compared.registers}, {"accesses", compared.accesses}};
  out["differences"] = 0;
  return out;
}

}  // namespace

struct Session::Parts {
  Parts(const config::PlatformConfig& platform, bool show_progress, LiveProgress* live,
        views::Views* watching, fabric::rank_exchange* ranks)
      // Rank 0 alone says what came of the run.
      : ideal(ranks == nullptr || ranks->rank() == 0 ? ideal_outcome(platform) : IdealOutcome()),
        border(ranks == nullptr ? nullptr
                                : std::make_unique<fabric::rank_border>(
                                      *ranks, ranks::partition(platform, ranks->ranks()).owners)),
        simulation(platform, border.get()),
        views(attached(watching)),
        nack_trace(simulation),
        loop(simulation, show_progress, live) {}

  views::Views* attached(views::Views* watching) {
    simulation.set_ideal(ideal.times);
    if (watching != nullptr) watching->attach(simulation);
    return watching;
  }

  IdealOutcome ideal;
  std::unique_ptr<fabric::rank_border> border;
  elaboration::Simulation simulation;
  views::Views* views;
  NackTrace nack_trace;
  RunLoop loop;
};

Session::Session(const config::PlatformConfig& platform, bool show_progress, LiveProgress* live,
                 views::Views* views, fabric::rank_exchange* ranks)
    : parts_(std::make_unique<Parts>(platform, show_progress, live, views, ranks)) {}

Session::~Session() = default;

elaboration::Simulation& Session::simulation() { return parts_->simulation; }

fabric::run_end Session::run_to(Picoseconds t) {
  parts_->loop.go_on(t);
  return parts_->loop.how();
}

bool Session::over() const { return parts_->loop.over(); }
Picoseconds Session::now() const { return parts_->loop.now(); }
void Session::go_along() { parts_->loop.go_along(); }

RunOutcome Session::finish() {
  auto& [ideal, border, simulation, views, nack_trace, loop] = *parts_;
  const results::Verdict verdict = loop.finish();
  const bool stuck = verdict == results::Verdict::stuck;

  auto found = elaboration::Findings::of(simulation, loop.warmup());
  found.describe_devices(simulation, loop.ended(), verdict != results::Verdict::complete);
  if (views != nullptr) views->finish(loop.ended());
  RunOutcome outcome;
  outcome.trace_json = nack_trace.finish(views);
  auto compared = simulation.compared_levels();
  if (auto* ranks = simulation.ranks()) {
    const auto all = ranks->all_of(compared);
    compared = {};
    for (const auto& one : all) compared += one;
    found.gather(simulation, *ranks);
    loop.gather(*ranks);
    outcome.trace_json = of_any(*ranks, outcome.trace_json);
    if (ranks->rank() != 0) return {};
  }
  outcome.flows_csv = flows_csv(simulation, found, loop.ended());
  outcome.links_csv = links_csv(simulation, found, loop.ended());
  outcome.summary = run_summary(simulation, found, loop, verdict);
  if (!ideal.account.is_null()) outcome.summary["ideal"] = ideal.account;
  outcome.series_csv = loop.series();
  outcome.notes = held_back(simulation, loop.begin(), loop.end());
  const auto without = starved(simulation, found, loop.begin().time, loop.end().time);
  outcome.notes.insert(outcome.notes.end(), without.begin(), without.end());
  if (loop.repeats())
    outcome.notes.push_back(
        fmt::format("all messages are completed{}; what is in flight only goes around or waits "
                    "for ever",
                    verdict == results::Verdict::error ? " or have ended with an error" : ""));
  if (compared.any()) outcome.summary["lockstep"] = lockstep_json(compared);
  if (verdict == results::Verdict::error) outcome.notes.push_back(errors_of(found));
  for (auto& note : idle_events(simulation, found)) outcome.notes.push_back(std::move(note));
  const std::string deadlock = deadlock_of(simulation, found);
  if (!deadlock.empty()) outcome.summary["deadlock"] = deadlock;
  if (stuck) {
    outcome.exit_code = results::exit_stuck;
    if (!deadlock.empty()) outcome.dump.push_back("deadlock: " + deadlock);
    for (const auto& d : found.devices)
      outcome.dump.insert(outcome.dump.end(), d.queues.begin(), d.queues.end());
    for (const auto& m : found.modules)
      outcome.dump.insert(outcome.dump.end(), m.queues.begin(), m.queues.end());
  }
  return outcome;
}

}  // namespace horae::run
