#include "horae/fabric/ports/queue_scheduler.hpp"

namespace horae::fabric {

QueueScheduler::QueueScheduler(const std::vector<ClassConfig>& configs) {
  std::array<ClassConfig, classes> all;
  for (unsigned c = 0; c < classes; ++c) all[c].number = c;
  for (const auto& config : configs) all.at(config.number) = config;
  for (unsigned c = 0; c < classes; ++c) {
    const ClassConfig& config = all[c];
    levels_.at(config.level()) |= 1u << c;
    class_[c].quantum = quantum * config.weight;
    if (config.rate.count() == 0) continue;
    shaped_ |= 1u << c;
    class_[c].rate = config.rate;
    class_[c].ahead = serialisation_time(config.burst, config.rate);
  }
  for (unsigned level = 0; level < classes; ++level) {
    if (levels_[level] != 0)
      turns_[level].of = static_cast<unsigned>(std::bit_width(levels_[level])) - 1;
  }
}

}  // namespace horae::fabric
