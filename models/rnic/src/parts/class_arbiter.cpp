#include "horae/rnic/parts/class_arbiter.hpp"

namespace horae::rnic {

ClassArbiter::ClassArbiter(const std::vector<ClassConfig>& configs) {
  std::array<ClassConfig, classes> all;
  for (unsigned c = 0; c < classes; ++c) all[c].number = c;
  for (const auto& config : configs) all.at(config.number) = config;
  for (unsigned c = 0; c < classes; ++c) {
    levels_.at(all[c].level()) |= 1u << c;
    weights_[c] = all[c].weight;
  }
}

}  // namespace horae::rnic
