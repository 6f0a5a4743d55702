#include "message_bins.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace horae::run {
namespace {

/// "10KB": an edge as part of a name.
std::string edge_name(Bytes edge) {
  std::string text = to_text(edge);
  std::erase(text, ' ');
  return text;
}

}  // namespace

void Samples::sort() { std::sort(values_.begin(), values_.end()); }

double Samples::mean() const {
  if (values_.empty()) return no_value;
  return std::accumulate(values_.begin(), values_.end(), 0.0) / static_cast<double>(count());
}

double Samples::percentile(std::size_t per_mille) const {
  if (values_.empty()) return no_value;
  const std::size_t rank = (count() * per_mille + 999) / 1000;
  return values_[std::max<std::size_t>(rank, 1) - 1];
}

double Samples::percentile_between(std::size_t per_mille) const {
  if (values_.empty()) return no_value;
  const double place = static_cast<double>((count() - 1) * per_mille) / 1000;
  const auto below = static_cast<std::size_t>(place);
  const double low = values_[below];
  const double high = values_[std::min(below + 1, count() - 1)];
  return low + (high - low) * (place - static_cast<double>(below));
}

std::optional<Completion> completion_of(const build::Findings& found, const build::Message& m) {
  const build::FlowEnd& flow = found.flows[m.connection];
  if (!flow.finished) return std::nullopt;
  const Picoseconds time = flow.progress.last_completion - found.posted_at(m);
  return Completion{time, static_cast<double>(time.count()) / static_cast<double>(m.ideal.count())};
}

std::vector<MessageBin> message_bins(const build::Simulation& s, const build::Findings& found,
                                     Picoseconds warmup,
                                     const std::function<bool(const build::Message&)>& counts) {
  const auto& edges = s.platform().sim.size_bins;
  std::vector<MessageBin> bins(1);
  bins.front().to = Bytes::max();
  for (std::size_t i = 0; i <= edges.size() && !edges.empty(); ++i) {
    MessageBin bin;
    bin.from = i == 0 ? 0_B : edges[i - 1];
    bin.to = i == edges.size() ? Bytes::max() : edges[i];
    bin.name = i == edges.size() ? fmt::format("above_{}.", edge_name(bin.from))
                                 : fmt::format("upto_{}.", edge_name(bin.to));
    bins.push_back(bin);
  }
  for (const auto& m : s.messages()) {
    const Picoseconds start = found.posted_at(m);
    if (start < warmup || (counts && !counts(m))) continue;
    const build::FlowEnd& flow = found.flows[m.connection];
    const auto& received = flow.progress;
    const auto completion = completion_of(found, m);
    const auto add = [&](MessageBin& bin) {
      ++bin.messages;
      bin.packets += received.received;
      bin.out_of_order += received.out_of_order;
      bin.reordered += received.out_of_order > 0;
      bin.reorder_sum += received.reorder_sum;
      bin.reorder_max = std::max(bin.reorder_max, received.reorder_max);
      if (!completion) return;
      bin.fct.add(to_microseconds(completion->time));
      bin.slowdown.add(completion->slowdown);
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

}  // namespace horae::run
