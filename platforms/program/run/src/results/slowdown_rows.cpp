// Slowdown over message size: equal groups of messages.
#include <algorithm>
#include <vector>

#include "horae/run/flow_results.hpp"
#include "message_bins.hpp"

namespace horae::run {
namespace {

/// 5 % each, as the evaluation scripts of the HPCC simulator have it.
constexpr std::size_t most_groups = 20;

struct Sent {
  Bytes size;
  Completion completion;
};

std::vector<Sent> sent_by_size(const elaboration::Simulation& s, const elaboration::Findings& found,
                               Picoseconds from, Picoseconds end) {
  std::vector<Sent> all;
  for (const auto& m : s.messages()) {
    if (measured(found, m, from, end))
      all.push_back({m.flow.message, completion_of(found, m, end)});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Sent& a, const Sent& b) { return a.size < b.size; });
  return all;
}

}  // namespace

nlohmann::ordered_json slowdown_rows(const elaboration::Simulation& s,
                                     const elaboration::Findings& found, Picoseconds from,
                                     Picoseconds to) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  const std::vector<Sent> all = sent_by_size(s, found, from, to);
  const std::size_t groups = std::min(most_groups, all.size());
  for (std::size_t g = 0; g < groups; ++g) {
    const std::size_t begin = all.size() * g / groups;
    const std::size_t end = all.size() * (g + 1) / groups;
    Samples slowdown;
    std::size_t unfinished = 0;
    for (std::size_t i = begin; i < end; ++i) {
      all[i].completion.add_slowdown(slowdown);
      unfinished += all[i].completion.finished ? 0 : 1;
    }
    slowdown.sort();
    auto& row = rows.emplace_back(nlohmann::ordered_json{
        {"share_of_messages", static_cast<double>(end) / static_cast<double>(all.size())},
        {"upto_bytes", all[end - 1].size.count()},
        {"messages", end - begin},
        {"unfinished", unfinished}});
    put(row, "slowdown_p50", slowdown.percentile(500));
    put(row, "slowdown_p90", slowdown.percentile(900));
    put(row, "slowdown_p95", slowdown.percentile(950));
    put(row, "slowdown_p99", slowdown.percentile(990));
    put(row, "slowdown_p99_9", slowdown.percentile(999));
  }
  return rows;
}

}  // namespace horae::run
