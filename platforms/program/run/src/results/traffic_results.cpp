// Results of each table of traffic that has a name, alone.
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "horae/workload/traffic.hpp"
#include "result_parts.hpp"

namespace horae::run {
namespace {

/// Sums over all connections of a table, in the measured time.
struct Sum {
  std::uint64_t messages = 0, bytes = 0, delivered = 0, in_error = 0;
};

Sum sum_of(const elaboration::Simulation& s, const elaboration::Findings& found,
           std::size_t table) {
  Sum sum;
  for (std::size_t i = 0; i < found.flows.size(); ++i) {
    if (s.flows()[i].traffic != table) continue;
    const auto& flow = found.flows[i];
    sum.messages += flow.measured.messages;
    sum.bytes += flow.measured.bytes;
    sum.delivered += flow.measured.delivered;
    sum.in_error += flow.in_error() ? 1 : 0;
  }
  return sum;
}

/// Jain's index of what each connection of a table with a name had delivered: 1 is equal shares,
/// 1 / n is all to one of n. No number where there are fewer than two, or nothing was delivered.
double fairness(const elaboration::Simulation& s, const elaboration::Findings& found) {
  double sum = 0, squares = 0, n = 0;
  for (std::size_t i = 0; i < found.flows.size(); ++i) {
    if (workload::traffic_of(s.platform(), s.flows()[i].traffic).name().empty()) continue;
    const auto delivered = static_cast<double>(found.flows[i].measured.delivered);
    sum += delivered;
    squares += delivered * delivered;
    ++n;
  }
  return n < 2 || sum == 0 ? no_value : sum * sum / n / squares;
}

double gbps(std::uint64_t bytes, Picoseconds time) {
  return mean_bits_per_second(Bytes(static_cast<std::int64_t>(bytes)), time) / 1e9;
}

}  // namespace

void traffic_results(const elaboration::Simulation& s, const elaboration::Findings& found,
                     Picoseconds time, std::vector<NamedResult>& out) {
  bool named = false;
  for (std::size_t table = 0; table < s.platform().traffic.size(); ++table) {
    const std::string name = workload::traffic_of(s.platform(), table).name();
    if (name.empty()) continue;
    named = true;
    const auto add = [&](const char* what, double value, const char* unit, const char* none = "") {
      out.push_back({fmt::format("traffic.{}.{}", name, what), value, unit, none});
    };
    const Sum sum = sum_of(s, found, table);
    const Histogram& latency = found.named_latency[table];
    const auto us = [&](const char* what, auto&& picoseconds) {
      const double value = latency.empty() ? no_value : static_cast<double>(picoseconds()) * 1e-6;
      add(what, value, "us", latency.empty() ? "no message was completed" : "");
    };
    add("rate", gbps(sum.delivered, time), "Gbps of payload");
    add("completed_rate", gbps(sum.bytes, time), "Gbps of payload");
    add("message_rate", static_cast<double>(sum.messages) * 1e6 / static_cast<double>(time.count()),
        "million messages per second");
    us("latency_mean", [&] { return latency.mean(); });
    us("latency_p50", [&] { return latency.percentile(0.5); });
    us("latency_p99", [&] { return latency.percentile(0.99); });
    us("latency_max", [&] { return latency.max(); });
    if (may_give_up(s.platform()))
      add("in_error", static_cast<double>(sum.in_error), "connections, whole run");
  }
  if (named)
    out.push_back({"connections.fairness", fairness(s, found), "Jain's index",
                   "fewer than two connections, or nothing delivered"});
}

}  // namespace horae::run
