#include "horae/run/flow_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace horae::run {
namespace {

const double none = std::numeric_limits<double>::quiet_NaN();

/// Samples as they are: their mean, and nearest-rank percentiles.
class Samples {
 public:
  void add(double x) { values_.push_back(x); }
  void sort() { std::sort(values_.begin(), values_.end()); }
  std::size_t count() const { return values_.size(); }
  /// In the order of the sorted values, so that the sum does not depend on the flows'.
  double mean() const {
    if (values_.empty()) return none;
    return std::accumulate(values_.begin(), values_.end(), 0.0) / static_cast<double>(count());
  }
  /// The smallest sample with at least `per_mille` of all at or below it.
  double percentile(std::size_t per_mille) const {
    if (values_.empty()) return none;
    const std::size_t rank = (count() * per_mille + 999) / 1000;
    return values_[std::max<std::size_t>(rank, 1) - 1];
  }

 private:
  std::vector<double> values_;
};

/// What is said of the messages of one bin, or of all.
struct Bin {
  std::string name;  ///< of its results, with the dot at its end; empty: all
  Bytes from{}, to{};
  Samples fct, slowdown;  ///< us; ratio
  std::uint64_t messages = 0, reordered = 0, packets = 0, out_of_order = 0, reorder_sum = 0;
  std::uint32_t reorder_max = 0;

  std::uint64_t unfinished() const { return messages - fct.count(); }
};

/// "10KB": an edge as part of a name.
std::string edge_name(Bytes edge) {
  std::string text = to_text(edge);
  std::erase(text, ' ');
  return text;
}

/// All, then the bins.
std::vector<Bin> bins_of(const build::Simulation& s, Picoseconds warmup) {
  const auto& edges = s.platform().sim.size_bins;
  std::vector<Bin> bins(1);
  bins.front().to = Bytes::max();
  for (std::size_t i = 0; i <= edges.size() && !edges.empty(); ++i) {
    Bin bin;
    bin.from = i == 0 ? 0_B : edges[i - 1];
    bin.to = i == edges.size() ? Bytes::max() : edges[i];
    bin.name = i == edges.size() ? fmt::format("above_{}.", edge_name(bin.from))
                                 : fmt::format("upto_{}.", edge_name(bin.to));
    bins.push_back(bin);
  }
  for (const auto& m : s.messages()) {
    const Picoseconds start = s.posted_at(m);
    if (start < warmup) continue;
    const build::Connection& flow = s.flows()[m.connection];
    const auto& sender = flow.sender->queue_pair(flow.sender_qp);
    const auto& received = flow.receiver->queue_pair(flow.receiver_qp).progress();
    const auto add = [&](Bin& bin) {
      ++bin.messages;
      bin.packets += received.received;
      bin.out_of_order += received.out_of_order;
      bin.reordered += received.out_of_order > 0;
      bin.reorder_sum += received.reorder_sum;
      bin.reorder_max = std::max(bin.reorder_max, received.reorder_max);
      if (!sender.finished()) return;
      const Picoseconds fct = sender.progress().last_completion - start;
      bin.fct.add(to_microseconds(fct));
      bin.slowdown.add(static_cast<double>(fct.count()) / static_cast<double>(m.ideal.count()));
    };
    add(bins.front());
    for (std::size_t i = 1; i < bins.size(); ++i) {
      if (m.flow.message <= bins[i].to) {
        add(bins[i]);
        break;
      }
    }
  }
  for (auto& bin : bins) {
    bin.fct.sort();
    bin.slowdown.sort();
  }
  return bins;
}

void query_results(const build::Simulation& s, Picoseconds warmup, std::vector<Result>& out) {
  if (s.queries().empty()) return;
  Samples qct;
  std::uint64_t unfinished = 0;
  for (const auto& query : s.queries()) {
    if (query.start < warmup) continue;
    if (const auto end = end_of(s, query)) {
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

void flow_results(const build::Simulation& s, const Snapshot& from, const Snapshot& arrivals,
                  std::vector<Result>& out) {
  if (s.messages().empty()) return;
  for (const auto& bin : bins_of(s, from.time)) {
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
    add("max", bin.unfinished() > 0 ? none : bin.fct.percentile(1000), "us");
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
  out.push_back({"fct.throughput",
                 mean_bits_per_second(Bytes(static_cast<std::int64_t>(delivered)),
                                      arrivals.time - from.time) /
                     1e9,
                 "Gbps of payload"});
  query_results(s, from.time, out);
}

nlohmann::ordered_json size_bin_rows(const build::Simulation& s, Picoseconds warmup) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const auto& bin : bins_of(s, warmup)) {
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
