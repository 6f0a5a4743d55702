#include "divide.hpp"

#include <metis.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "horae/core/error.hpp"

namespace horae::ranks {
namespace {

/// METIS wants whole numbers: the largest becomes about a million.
idx_t whole(double value, double largest) {
  constexpr double scale = 1e6;
  return largest <= 0
             ? 1
             : std::max<idx_t>(1, static_cast<idx_t>(std::lround(value / largest * scale)));
}

double imbalance(const PartGraph& graph, const std::vector<unsigned>& owners, unsigned ranks) {
  std::vector<double> loads(ranks);
  std::vector<unsigned> parts(ranks);
  for (std::size_t i = 0; i < owners.size(); ++i) {
    loads[owners[i]] += graph.loads[i];
    ++parts[owners[i]];
  }
  // A rank without anything is no division, however small its share would be.
  if (std::find(parts.begin(), parts.end(), 0u) != parts.end()) return ranks + 1;
  const double sum = std::accumulate(loads.begin(), loads.end(), 0.0);
  return sum == 0 ? 1 : *std::max_element(loads.begin(), loads.end()) * ranks / sum;
}

std::vector<unsigned> by_metis(const PartGraph& graph, unsigned ranks) {
  const auto n = graph.loads.size();
  std::vector<std::vector<std::pair<idx_t, idx_t>>> neighbours(n);  // and the weight of the edge
  double most_packets = 0;
  for (const auto& [ends, packets] : graph.links) most_packets = std::max(most_packets, packets);
  for (const auto& [ends, packets] : graph.links) {
    const idx_t weight = std::max<idx_t>(1, whole(packets, most_packets) / 100);
    neighbours[ends.first].emplace_back(ends.second, weight);
    neighbours[ends.second].emplace_back(ends.first, weight);
  }
  const double most_load = *std::max_element(graph.loads.begin(), graph.loads.end());
  std::vector<idx_t> begin = {0}, to, edge_weights, weights;
  for (std::size_t i = 0; i < n; ++i) {
    for (const auto& [neighbour, weight] : neighbours[i]) {
      to.push_back(neighbour);
      edge_weights.push_back(weight);
    }
    begin.push_back(static_cast<idx_t>(to.size()));
    weights.push_back(whole(graph.loads[i], most_load));
  }
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  options[METIS_OPTION_NCUTS] = 4;
  options[METIS_OPTION_UFACTOR] = 5;  // at most 1.005 times the mean, where parts allow
  idx_t vertices = static_cast<idx_t>(n), constraints = 1, parts = static_cast<idx_t>(ranks),
        cut = 0;
  std::vector<idx_t> out(n);
  const int status = METIS_PartGraphRecursive(&vertices, &constraints, begin.data(), to.data(),
                                              weights.data(), nullptr, edge_weights.data(), &parts,
                                              nullptr, nullptr, options, &cut, out.data());
  if (status != METIS_OK) throw ModelError("METIS cannot divide the platform among ranks");
  return {out.begin(), out.end()};
}

/// The largest part first, each to the rank that has least: what METIS should not be worse than.
std::vector<unsigned> largest_first(const PartGraph& graph, unsigned ranks) {
  std::vector<unsigned> order(graph.loads.size()), owners(graph.loads.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](unsigned a, unsigned b) { return graph.loads[a] > graph.loads[b]; });
  std::vector<std::pair<double, unsigned>> ranks_by_load(ranks);  // and how many parts
  for (const unsigned part : order) {
    const auto least = std::min_element(ranks_by_load.begin(), ranks_by_load.end());
    owners[part] = static_cast<unsigned>(least - ranks_by_load.begin());
    least->first += graph.loads[part];
    ++least->second;
  }
  return owners;
}

}  // namespace

Division divide(const PartGraph& graph, unsigned ranks) {
  if (ranks == 1) return {std::vector<unsigned>(graph.loads.size()), 1};
  auto other = largest_first(graph, ranks);
  const double even = imbalance(graph, other, ranks);
  // With hardly a part per rank there is nothing to choose, and METIS says so on standard output.
  if (graph.loads.size() < 2 * std::size_t{ranks}) return {std::move(other), even};
  Division out;
  out.owners = by_metis(graph, ranks);
  out.imbalance = imbalance(graph, out.owners, ranks);
  constexpr double worth_more_cuts = 0.97;
  if (even < worth_more_cuts * out.imbalance) out = {std::move(other), even};
  return out;
}

}  // namespace horae::ranks
