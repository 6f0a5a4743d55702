// How long messages and collectives took.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "horae/core/stats.hpp"
#include "horae/run/groups.hpp"
#include "result_parts.hpp"

namespace horae::run {
namespace {

/// Where each connection had one message, or none, their times, ascending: ranks are exact then, as
/// those of `fct.*`. Else nothing, and ranks are those of a histogram.
std::vector<std::int64_t> one_of_each(const elaboration::Findings& found) {
  std::vector<std::int64_t> times;
  for (const auto& flow : found.flows) {
    if (flow.timed) times.push_back(flow.p50);
  }
  if (static_cast<std::int64_t>(times.size()) != found.latency.count()) return {};
  std::sort(times.begin(), times.end());
  return times;
}

/// How long the first message of a connection has waited that none of its messages has ended; 0: of
/// others it is not known since when their oldest message waits.
Picoseconds waited_for_its_first(const elaboration::FlowEnd& flow, Picoseconds to) {
  const auto& p = flow.progress;
  const bool none_ended = p.completed_messages + p.failed_messages == 0;
  return none_ended && p.first_post != never ? to - p.first_post : 0_ps;
}

}  // namespace

void completion_results(const elaboration::Simulation& s, const elaboration::Findings& found,
                        Picoseconds from, Picoseconds to, std::vector<NamedResult>& out) {
  const Histogram& fct = found.latency;
  std::uint64_t nacks = 0, timeouts = 0;
  std::uint64_t open = 0;
  bool finite = true;
  Picoseconds waited{};
  for (std::size_t i = 0; i < found.flows.size(); ++i) {
    const auto& flow = found.flows[i];
    finite = finite && flow.finished;
    waited = std::max(waited, waited_for_its_first(flow, to));
    // One that sends until the run ends has messages under way then, whatever happens: its messages
    // are those it completes, unless it completes none.
    if (!flow.finished && !flow.in_error() && (!s.flows()[i].endless || !flow.timed)) ++open;
    nacks = std::max(nacks, flow.measured.nacks);
    timeouts = std::max(timeouts, flow.measured.timeouts);
  }
  const double none = std::numeric_limits<double>::quiet_NaN();
  const auto add = [&](const char* name, auto&& picoseconds) {
    const double value = fct.empty() || open > 0 ? none : static_cast<double>(picoseconds()) * 1e-6;
    out.push_back(over_all(name, {value}, "us", open, found.flows.size(), "connections"));
  };
  const auto each = one_of_each(found);
  const auto percentile = [&](std::int64_t per_cent) {
    if (each.empty()) return fct.percentile(static_cast<double>(per_cent) / 100);
    const auto rank = (static_cast<std::int64_t>(each.size()) * per_cent + 99) / 100;
    return each[static_cast<std::size_t>(std::max<std::int64_t>(rank, 1) - 1)];
  };
  add("flows.fct_mean", [&] { return fct.mean(); });
  add("flows.fct_p50", [&] { return percentile(50); });
  add("flows.fct_p99", [&] { return percentile(99); });
  const double longest = fct.empty() ? none : static_cast<double>(fct.max()) * 1e-6;
  if (finite) {
    out.push_back({"flows.fct_max", longest, "us"});
  } else {
    const double open_for = to_microseconds(waited);
    const double at_least = open_for > 0 ? std::fmax(longest, open_for) : longest;
    out.push_back({"flows.fct_max", none, "us", "messages unfinished", at_least});
  }
  out.push_back({"flows.nacks_max", static_cast<double>(nacks), "packets"});
  out.push_back({"flows.timeouts_max", static_cast<double>(timeouts), "timeouts"});
  if (s.groups().empty()) return;
  double most = 0, sum = 0, groups = 0;
  for (const auto& group : s.groups()) {
    if (group.start < from) continue;
    const auto end = end_of(found, group);
    const double cct = end ? to_microseconds(*end - group.start) : none;
    most = std::isnan(cct) || std::isnan(most) ? none : std::max(most, cct);
    sum += cct;
    ++groups;
  }
  const std::string before = groups > 0 ? "" : "every group began before the measured time";
  out.push_back({"collectives.cct_max", groups > 0 ? most : none, "us", before});
  out.push_back({"collectives.cct_mean", groups > 0 ? sum / groups : none, "us", before});
}

}  // namespace horae::run
