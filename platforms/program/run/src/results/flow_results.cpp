#include "horae/run/flow_results.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

#include "horae/run/groups.hpp"
#include "message_bins.hpp"
#include "result_parts.hpp"

namespace horae::run {
namespace {

void query_results(const elaboration::Simulation& s, const elaboration::Findings& found,
                   Picoseconds from, Picoseconds to, std::vector<NamedResult>& out) {
  if (s.queries().empty()) return;
  Samples qct;
  for (const auto& query : s.queries()) {
    if (query.start < from || query.start >= to) continue;
    const auto end = end_of(found, query);
    const double time = to_microseconds(end.value_or(to) - query.start);
    end ? qct.add(time) : qct.add_open(time);
  }
  qct.sort();
  const std::uint64_t all = qct.count() + qct.open();
  const auto add = [&](const char* name, const Figure& figure) {
    out.push_back(
        over_all(fmt::format("queries.{}", name), figure, "us", qct.open(), all, "queries"));
  };
  out.push_back({"queries.completed", static_cast<double>(qct.count()), "queries"});
  out.push_back({"queries.unfinished", static_cast<double>(qct.open()), "queries"});
  add("qct_mean", qct.mean());
  add("qct_p50", qct.percentile(500));
  add("qct_p99", qct.percentile(990));
}

}  // namespace

void flow_results(const elaboration::Simulation& s, const elaboration::Findings& found,
                  const Snapshot& from, const Snapshot& to, const Snapshot& arrivals,
                  std::vector<NamedResult>& out) {
  if (s.messages().empty()) return;
  for (const auto& bin : message_bins(s, found, from.time, to.time)) {
    const auto add = [&](const char* name, double value, const char* unit) {
      out.push_back({fmt::format("fct.{}{}", bin.name, name), value, unit});
    };
    const auto figure = [&](const char* name, const Figure& f, const char* unit) {
      out.push_back(over_all(fmt::format("fct.{}{}", bin.name, name), f, unit, bin.fct.open(),
                             bin.messages, bin.failed == 0 ? "messages" : "messages in error or"));
    };
    const auto of_some = [&](const char* name, double value, const char* unit) {
      add(name, bin.messages == 0 ? no_value : value, unit);
    };
    const auto packets = static_cast<double>(bin.packets);
    const auto late = static_cast<double>(bin.out_of_order);
    add("completed", static_cast<double>(bin.fct.count()), "messages");
    add("unfinished", static_cast<double>(bin.unfinished()), "messages");
    if (may_give_up(s.platform())) add("failed", static_cast<double>(bin.failed), "messages");
    figure("mean", bin.fct.mean(), "us");
    figure("p50", bin.fct.percentile(500), "us");
    figure("p99", bin.fct.percentile(990), "us");
    figure("p99_9", bin.fct.percentile(999), "us");
    figure("max", bin.fct.percentile(1000), "us");
    figure("slowdown_mean", bin.slowdown.mean(), "ratio");
    figure("slowdown_p99", bin.slowdown.percentile(990), "ratio");
    of_some("out_of_order", ratio(late, packets), "share of packets");
    of_some("reordered",
            ratio(static_cast<double>(bin.reordered), static_cast<double>(bin.messages)),
            "share of messages");
    of_some("reorder_mean", ratio(static_cast<double>(bin.reorder_sum), late), "packets");
    of_some("reorder_max", static_cast<double>(bin.reorder_max), "packets");
  }
  std::uint64_t delivered = 0;
  for (std::size_t i = 0; i < s.nics().size(); ++i)
    delivered += arrivals.nics[i].delivered_bytes - from.nics[i].delivered_bytes;
  // Where arrivals ended before anything could arrive, none was measured.
  out.push_back({"fct.throughput",
                 delivered == 0 ? no_value
                                : mean_bits_per_second(Bytes(static_cast<std::int64_t>(delivered)),
                                                       arrivals.time - from.time) /
                                      1e9,
                 "Gbps of payload"});
  query_results(s, found, from.time, to.time, out);
}

nlohmann::ordered_json size_bin_rows(const elaboration::Simulation& s,
                                     const elaboration::Findings& found, Picoseconds from,
                                     Picoseconds end) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const auto& bin : message_bins(s, found, from, end)) {
    if (bin.name.empty()) continue;
    nlohmann::ordered_json to;
    if (bin.to != Bytes::max()) to = bin.to.count();
    auto& row = rows.emplace_back(nlohmann::ordered_json{{"above_bytes", bin.from.count()},
                                                         {"upto_bytes", to},
                                                         {"messages", bin.messages},
                                                         {"unfinished", bin.unfinished()}});
    if (may_give_up(s.platform())) row["failed"] = bin.failed;
    put(row, "fct_mean_us", bin.fct.mean());
    put(row, "fct_p99_us", bin.fct.percentile(990));
    put(row, "slowdown_mean", bin.slowdown.mean());
    put(row, "slowdown_p99", bin.slowdown.percentile(990));
  }
  return rows;
}

}  // namespace horae::run
