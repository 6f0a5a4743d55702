// When schedules of operations ended.
#include <algorithm>
#include <cstdint>
#include <limits>

#include "result_parts.hpp"

namespace horae::run {

void schedule_results(const elaboration::Simulation& s, const elaboration::Findings& found,
                      std::vector<NamedResult>& out) {
  Picoseconds last{};
  double sum = 0;
  std::uint64_t ended = 0, unfinished = 0;
  for (const auto* nic : s.nics()) {
    for (const Picoseconds end : found.devices[nic->number()].programs) {
      if (end == never) {
        ++unfinished;
        continue;
      }
      ++ended;
      last = std::max(last, end);
      sum += to_microseconds(end);
    }
  }
  if (ended + unfinished == 0) return;
  const double none = std::numeric_limits<double>::quiet_NaN();
  const bool all = unfinished == 0;
  out.push_back({"schedules.end_max", all ? to_microseconds(last) : none, "us"});
  out.push_back({"schedules.end_mean", all ? sum / static_cast<double>(ended) : none, "us"});
  out.push_back({"schedules.unfinished", static_cast<double>(unfinished), "ranks"});
}

}  // namespace horae::run
