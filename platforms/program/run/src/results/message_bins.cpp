#include "message_bins.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace horae::run {
namespace {

/// "10KB": an edge as part of a name.
std::string edge_name(Bytes edge) {
  std::string text = to_text(edge);
  std::erase(text, ' ');
  return text;
}

/// A figure that is `x` for certain, or no less. Of what is never negative 0 is no bound.
Figure figure(bool certain, double x) {
  if (certain) return {.value = x};
  return x > 0 ? Figure{.at_least = x} : Figure{};
}

}  // namespace

void Samples::sort() {
  std::sort(values_.begin(), values_.end());
  std::sort(open_.begin(), open_.end());
  all_.resize(values_.size() + open_.size());
  std::merge(values_.begin(), values_.end(), open_.begin(), open_.end(), all_.begin());
}

Figure Samples::mean() const {
  if (all_.empty()) return {};
  const auto& of = open_.empty() ? values_ : all_;
  const double mean = std::accumulate(of.begin(), of.end(), 0.0) / static_cast<double>(of.size());
  return figure(open_.empty(), mean);
}

Figure Samples::ranked(std::size_t rank) const {
  const double sample = all_[rank];
  const bool certain = open_.empty() || (rank < values_.size() && values_[rank] <= open_.front());
  return figure(certain, sample);
}

Figure Samples::percentile(std::size_t per_mille) const {
  if (all_.empty()) return {};
  const std::size_t rank = (all_.size() * per_mille + 999) / 1000;
  return ranked(std::max<std::size_t>(rank, 1) - 1);
}

Figure Samples::percentile_between(std::size_t per_mille) const {
  if (all_.empty()) return {};
  const double place = static_cast<double>((all_.size() - 1) * per_mille) / 1000;
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, all_.size() - 1);
  const double low = all_[below], high = all_[above];
  const double between = low + (high - low) * (place - static_cast<double>(below));
  const bool certain = !std::isnan(ranked(above).value);
  return figure(certain, between);
}

void put(nlohmann::ordered_json& row, const std::string& column, const Figure& figure) {
  row[column] = figure.value;
  if (!std::isnan(figure.at_least)) row[column + "_at_least"] = figure.at_least;
}

Completion completion_of(const elaboration::Findings& found, const elaboration::Message& m,
                         Picoseconds end) {
  const elaboration::FlowEnd& flow = found.flows[m.connection];
  const Picoseconds posted = found.posted_at(m);
  const Picoseconds until = flow.finished ? flow.progress.last_completion : end;
  const Picoseconds time = posted == never ? Picoseconds(0) : until - posted;
  if (!m.ideal) return {time, std::nullopt, flow.finished};
  return {time, static_cast<double>(time.count()) / static_cast<double>(m.ideal->count()),
          flow.finished};
}

void Completion::add_slowdown(Samples& samples) const {
  if (slowdown && finished) return samples.add(*slowdown);
  samples.add_open(slowdown.value_or(0));
}

bool measured(const elaboration::Findings& found, const elaboration::Message& m, Picoseconds from,
              Picoseconds end) {
  const Picoseconds posted = found.posted_at(m);
  return posted >= from && (posted < end || posted == never);
}

std::vector<MessageBin> message_bins(
    const elaboration::Simulation& s, const elaboration::Findings& found, Picoseconds from,
    Picoseconds end, const std::function<bool(const elaboration::Message&)>& counts) {
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
    if (!measured(found, m, from, end) || (counts && !counts(m))) continue;
    const elaboration::FlowEnd& flow = found.flows[m.connection];
    const auto& received = flow.progress;
    const Completion completion = completion_of(found, m, end);
    const auto add = [&](MessageBin& bin) {
      ++bin.messages;
      bin.failed += flow.in_error() ? 1 : 0;
      bin.packets += received.received;
      bin.out_of_order += received.out_of_order;
      bin.reordered += received.out_of_order > 0;
      bin.reorder_sum += received.reorder_sum;
      bin.reorder_max = std::max(bin.reorder_max, received.reorder_max);
      const double time = to_microseconds(completion.time);
      completion.finished ? bin.fct.add(time) : bin.fct.add_open(time);
      completion.add_slowdown(bin.slowdown);
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
