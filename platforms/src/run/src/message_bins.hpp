// Messages of open-loop traffic, sorted by size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "horae/build/findings.hpp"
#include "horae/build/simulation.hpp"
#include "horae/core/units.hpp"

namespace horae::run {

/// No number: JSON's null.
inline constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

/// Samples as they are: their mean, and nearest-rank percentiles.
class Samples {
 public:
  void add(double x) { values_.push_back(x); }
  void sort();
  std::size_t count() const { return values_.size(); }
  /// In the order of the sorted values, so that the sum does not depend on the flows'.
  double mean() const;
  /// The smallest sample with at least `per_mille` of all at or below it.
  double percentile(std::size_t per_mille) const;
  /// On the straight line between the two samples around it, as numpy.percentile has it.
  double percentile_between(std::size_t per_mille) const;

 private:
  std::vector<double> values_;
};

/// How long a message took since it was posted, and that over that of an idle network; nothing
/// while it is unfinished.
struct Completion {
  Picoseconds time;
  double slowdown;
};
std::optional<Completion> completion_of(const build::Findings& found, const build::Message& m);

/// What is known of the messages of one bin, or of all.
struct MessageBin {
  std::string name;  ///< of its results, with the dot at its end; empty: all
  Bytes from{}, to{};
  Samples fct, slowdown;  ///< us; ratio
  std::uint64_t messages = 0, reordered = 0, packets = 0, out_of_order = 0, reorder_sum = 0;
  std::uint32_t reorder_max = 0;

  std::uint64_t unfinished() const { return messages - fct.count(); }
};

/// All messages that arrived at `warmup` or later, then by the bins of `sim.size_bins`. Samples are
/// sorted. Without those that `counts` (if there is one) says false of.
std::vector<MessageBin> message_bins(const build::Simulation& s, const build::Findings& found,
                                     Picoseconds warmup,
                                     const std::function<bool(const build::Message&)>& counts = {});
}  // namespace horae::run
