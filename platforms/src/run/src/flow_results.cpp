#include "horae/run/flow_results.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

#include "horae/run/groups.hpp"
#include "message_bins.hpp"

namespace horae::run {
namespace {

void query_results(const build::Simulation& s, const build::Findings& found, Picoseconds warmup,
                   std::vector<NamedResult>& out) {
  if (s.queries().empty()) return;
  Samples qct;
  std::uint64_t unfinished = 0;
  for (const auto& query : s.queries()) {
    if (query.start < warmup) continue;
    if (const auto end = end_of(found, query)) {
      qct.add(to_microseconds(*end - query.start));
    } else {
      ++unfinished;
    }
  }
  qct.sort();
  out.push_back({"queries.completed", static_cast<double>(qct.count()), "queries"});
  out.push_back({"queries.unfinished", static_cast<double>(unfinished), "queries"});
  out.push_back({"queries.qct_mean", qct.mean(), "us"});
  out.push_back({"queries.qct_p50", qct.percentile(500), "us"});
  out.push_back({"queries.qct_p99", qct.percentile(990), "us"});
}

}  // namespace

void flow_results(const build::Simulation& s, const build::Findings& found, const Snapshot& from,
                  const Snapshot& arrivals, std::vector<NamedResult>& out) {
  if (s.messages().empty()) return;
  for (const auto& bin : message_bins(s, found, from.time)) {
    const auto add = [&](const char* name, double value, const char* unit) {
      out.push_back({fmt::format("fct.{}{}", bin.name, name), value, unit});
    };
    const auto packets = static_cast<double>(bin.packets);
    const auto late = static_cast<double>(bin.out_of_order);
    add("completed", static_cast<double>(bin.fct.count()), "messages");
    add("unfinished", static_cast<double>(bin.unfinished()), "messages");
    add("mean", bin.fct.mean(), "us");
    add("p50", bin.fct.percentile(500), "us");
    add("p99", bin.fct.percentile(990), "us");
    add("p99_9", bin.fct.percentile(999), "us");
    add("max", bin.unfinished() > 0 ? no_value : bin.fct.percentile(1000), "us");
    add("slowdown_mean", bin.slowdown.mean(), "ratio");
    add("slowdown_p99", bin.slowdown.percentile(990), "ratio");
    add("out_of_order", ratio(late, packets), "share of packets");
    add("reordered", ratio(static_cast<double>(bin.reordered), static_cast<double>(bin.messages)),
        "share of messages");
    add("reorder_mean", ratio(static_cast<double>(bin.reorder_sum), late), "packets");
    add("reorder_max", static_cast<double>(bin.reorder_max), "packets");
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
  query_results(s, found, from.time, out);
}

nlohmann::ordered_json size_bin_rows(const build::Simulation& s, const build::Findings& found,
                                     Picoseconds warmup) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const auto& bin : message_bins(s, found, warmup)) {
    if (bin.name.empty()) continue;
    nlohmann::ordered_json to;
    if (bin.to != Bytes::max()) to = bin.to.count();
    rows.push_back({{"above_bytes", bin.from.count()},
                    {"upto_bytes", to},
                    {"messages", bin.messages},
                    {"unfinished", bin.unfinished()},
                    {"fct_mean_us", bin.fct.mean()},
                    {"fct_p99_us", bin.fct.percentile(990)},
                    {"slowdown_mean", bin.slowdown.mean()},
                    {"slowdown_p99", bin.slowdown.percentile(990)}});
  }
  return rows;
}

}  // namespace horae::run
