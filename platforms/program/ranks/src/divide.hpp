// A graph of parts divided among ranks.
#pragma once

#include <map>
#include <utility>
#include <vector>

namespace horae::ranks {

struct PartGraph {
  std::vector<double> loads;                              ///< by part
  std::map<std::pair<unsigned, unsigned>, double> links;  ///< packets between two parts, a < b
};

struct Division {
  std::vector<unsigned> owners;  ///< by part
  double imbalance = 1;          ///< the largest rank's load over the mean of all
};

/// Even loads, few packets between ranks (METIS). There are at least as many parts as ranks, and
/// each rank gets one.
Division divide(const PartGraph& graph, unsigned ranks);

}  // namespace horae::ranks
