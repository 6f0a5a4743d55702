#include "horae/run/results.hpp"

#include "result_parts.hpp"

namespace horae::run {

std::vector<NamedResult> results_between(const elaboration::Simulation& simulation,
                                         const elaboration::Findings& found, const Snapshot& from,
                                         const Snapshot& to, const Snapshot* arrivals) {
  const bool earlier = arrivals != nullptr && arrivals->time < to.time;
  const Loaded loaded{earlier ? *arrivals : to, earlier};
  std::vector<NamedResult> out;
  if (to.time > from.time) {
    if (!simulation.senders().empty()) {
      sender_results(simulation, from, to, out);
      receiver_results(simulation, found, from, to, out);
      block_results(simulation, from, to, out);
      ordering_results(simulation, from, to, loaded, out);
      completion_results(simulation, found, from.time, to.time, out);
      error_results(simulation, found, out);
      traffic_results(simulation, found, to.time - from.time, out);
    }
    schedule_results(simulation, found, out);
    host_results(simulation, from, to, out);
    pause_results(simulation, from, loaded, out);
  }
  switch_results(simulation, found, out);
  event_results(simulation, found, out);
  return out;
}

}  // namespace horae::run
