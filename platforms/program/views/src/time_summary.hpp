// Used by views of times: which device is a NIC, and times as mean and 99th percentile.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "horae/core/units.hpp"
#include "horae/rnic/rnic.hpp"

namespace horae::views {

/// Null: it is none.
inline const rnic::rnic* as_nic(const fabric::device& d) {
  return dynamic_cast<const rnic::rnic*>(&d);
}

/// Mean and nearest-rank 99th percentile of times.
struct TimeSummary {
  std::size_t count = 0;
  double mean_ns = 0, p99_ns = 0;

  static TimeSummary of(std::vector<std::int64_t> picoseconds) {
    if (picoseconds.empty()) return {};
    std::sort(picoseconds.begin(), picoseconds.end());
    std::int64_t sum = 0;
    for (const std::int64_t t : picoseconds) sum += t;
    const std::size_t rank = (picoseconds.size() * 99 + 99) / 100;
    return {.count = picoseconds.size(),
            .mean_ns = static_cast<double>(sum) / static_cast<double>(picoseconds.size()) / 1e3,
            .p99_ns = static_cast<double>(picoseconds[rank - 1]) / 1e3};
  }
};

}  // namespace horae::views
