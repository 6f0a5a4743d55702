#include "ideal_runs.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>

#include "horae/core/error.hpp"
#include "horae/elaboration/simulation.hpp"
#include "horae/results/children.hpp"
#include "horae/workload/alone_plan.hpp"
#include "horae/workload/traffic.hpp"
#include "stuck_detector.hpp"

namespace horae::run {
namespace {

using nlohmann::ordered_json;
using Times = std::vector<std::optional<Picoseconds>>;

/// The platform with whole links: nothing is lost, down, or withdrawn by routing.
config::PlatformConfig healthy(const config::PlatformConfig& platform) {
  config::PlatformConfig out = platform;
  for (auto& link : out.links) {
    for (fabric::LinkConfig* direction : {&link.config, &link.backward}) {
      direction->loss = 0;
      direction->bit_errors = 0;
      direction->outages.clear();
    }
  }
  out.route_changes.clear();
  return out;
}

/// A message by itself: nothing starts it but its time, and nothing waits for it.
workload::PlacedMessage by_itself(workload::PlacedMessage message) {
  workload::Flow& flow = message.flow;
  if (flow.trigger != 0) flow.start = 0_ps;
  flow.trigger = flow.fires_at_sender = flow.fires_at_receiver = 0;
  flow.after = 0;
  return message;
}

/// Output of the user's modules and policies belongs to the run itself: it is discarded here.
void be_quiet() {
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0) return;
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
  ::close(nowhere);
}

/// Runs the one message of a simulation; returns its completion time, or null.
ordered_json run_alone(elaboration::Simulation& simulation) {
  const Picoseconds start = simulation.messages().front().flow.start;
  const Picoseconds end = start + simulation.platform().sim.duration;
  const auto& connection = simulation.flows().front();
  const auto& qp = connection.sender->queue_pair(connection.sender_qp);
  auto& clock = simulation.context().clock;
  StuckDetector stuck_detector(simulation);
  std::uint64_t delivered = 0;
  // Looking changes nothing: longer and longer, so that it costs little.
  for (Picoseconds now = start, step = 10_us; !qp.finished(); step = step * 2) {
    if (now >= end) return nullptr;
    now = std::min(now + step, end);
    auto ended = fabric::run_end::reached;
    do {
      ended = clock.run_to(now);
    } while (fabric::from_sc_time(sc_core::sc_time_stamp()) < now);
    if (simulation.context().pool.delivered() != delivered) {
      delivered = simulation.context().pool.delivered();
      stuck_detector.begin_anew(now);
    } else if (!qp.finished() &&
               (ended != fabric::run_end::reached || stuck_detector.ends(now, true))) {
      return nullptr;
    }
  }
  if (qp.in_error()) return nullptr;
  return (qp.progress().last_completion - start).count();
}

/// All that the plan asks for, in child processes that begin where this one is: devices are built,
/// and no time has passed.
ordered_json run_plan(const config::PlatformConfig& platform) {
  const auto messages = workload::messages_of(platform);
  workload::AlonePlan plan(platform, messages);
  const config::PlatformConfig whole = healthy(platform);
  elaboration::Simulation simulation(whole, elaboration::Simulation::Silent());
  for (auto batch = plan.next(); !batch.empty(); batch = plan.next()) {
    std::vector<results::Task> tasks;
    for (const std::size_t m : batch) {
      tasks.push_back({fmt::format("message {} alone", m), {}, [&, m] {
                         simulation.connect_alone(by_itself(messages[m]));
                         return run_alone(simulation);
                       }});
    }
    const auto times = results::in_children(tasks, 1);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      plan.take(batch[i], times[i].is_null()
                              ? std::nullopt
                              : std::optional(Picoseconds(times[i].get<std::int64_t>())));
    }
  }
  const auto account = plan.account();
  ordered_json times = ordered_json::array();
  for (std::size_t m = 0; m < messages.size(); ++m) {
    const auto time = plan.time(m);
    times.push_back(time ? ordered_json(time->count()) : ordered_json());
  }
  return {{"times", std::move(times)},
          {"account",
           {{"messages", account.messages},
            {"run_alone", account.run},
            {"checked", account.checked},
            {"largest_error", account.largest_error}}}};
}

Times in_closed_form(const config::PlatformConfig& platform) {
  const workload::IdealTimes ideal(platform);
  Times out;
  for (const auto& m : workload::messages_of(platform)) {
    const workload::Flow& f = m.flow;
    const auto [source, sink] =
        has_response(f.verb) ? std::pair(f.to, f.from) : std::pair(f.from, f.to);
    out.push_back(platform.sim.ideal == config::IdealTime::base_rtt
                      ? ideal.by_base_rtt(source, sink, f.message)
                      : ideal.at_line_rate(f.from, f.to, f.message, f.verb));
  }
  return out;
}

bool has_messages(const config::PlatformConfig& platform) {
  for (std::size_t i = 0; i < platform.traffic.size(); ++i) {
    const auto measure = workload::traffic_of(platform, i).measure();
    if (measure == workload::Measure::messages || measure == workload::Measure::queries)
      return true;
  }
  return false;
}

}  // namespace

IdealOutcome ideal_outcome(const config::PlatformConfig& platform) {
  if (!has_messages(platform)) return {};
  if (platform.sim.ideal.value_or(config::IdealTime::idle) != config::IdealTime::idle)
    return {in_closed_form(platform), {}};
  ordered_json found;
  try {
    const results::Task all{"messages alone", {}, [&] {
                              be_quiet();
                              return run_plan(platform);
                            }};
    found = results::in_children({all}, 1).front();
  } catch (const std::exception& e) {
    // The platform's own run reports its faults better.
    return {{}, {{"none", e.what()}}};
  }
  IdealOutcome out;
  for (const auto& time : found["times"]) {
    out.times.push_back(time.is_null() ? std::nullopt
                                       : std::optional(Picoseconds(time.get<std::int64_t>())));
  }
  out.account = std::move(found["account"]);
  return out;
}

}  // namespace horae::run
