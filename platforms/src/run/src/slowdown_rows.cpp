// Slowdown over message size: equal groups of messages.
#include <algorithm>
#include <optional>
#include <vector>

#include "horae/run/flow_results.hpp"
#include "message_bins.hpp"

namespace horae::run {
namespace {

/// 5 % each, as the evaluation scripts of the HPCC simulator have it.
constexpr std::size_t most_groups = 20;

struct Sent {
  Bytes size;
  std::optional<double> slowdown;  ///< of one that is completed
};

std::vector<Sent> sent_by_size(const build::Simulation& s, const build::Findings& found,
                               Picoseconds warmup) {
  std::vector<Sent> all;
  for (const auto& m : s.messages()) {
    if (found.posted_at(m) < warmup) continue;
    Sent sent{m.flow.message, {}};
    if (const auto completion = completion_of(found, m)) sent.slowdown = completion->slowdown;
    all.push_back(sent);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Sent& a, const Sent& b) { return a.size < b.size; });
  return all;
}

}  // namespace

nlohmann::ordered_json slowdown_rows(const build::Simulation& s, const build::Findings& found,
                                     Picoseconds warmup) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  const std::vector<Sent> all = sent_by_size(s, found, warmup);
  const std::size_t groups = std::min(most_groups, all.size());
  for (std::size_t g = 0; g < groups; ++g) {
    const std::size_t begin = all.size() * g / groups;
    const std::size_t end = all.size() * (g + 1) / groups;
    Samples slowdown;
    for (std::size_t i = begin; i < end; ++i) {
      if (all[i].slowdown) slowdown.add(*all[i].slowdown);
    }
    slowdown.sort();
    rows.push_back(
        {{"share_of_messages", static_cast<double>(end) / static_cast<double>(all.size())},
         {"upto_bytes", all[end - 1].size.count()},
         {"messages", end - begin},
         {"unfinished", end - begin - slowdown.count()},
         {"slowdown_p50", slowdown.percentile(500)},
         {"slowdown_p90", slowdown.percentile(900)},
         {"slowdown_p95", slowdown.percentile(950)},
         {"slowdown_p99", slowdown.percentile(990)},
         {"slowdown_p99_9", slowdown.percentile(999)}});
  }
  return rows;
}

}  // namespace horae::run
