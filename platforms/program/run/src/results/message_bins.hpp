// Messages of open-loop traffic, sorted by size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "horae/core/units.hpp"
#include "horae/elaboration/findings.hpp"
#include "horae/elaboration/simulation.hpp"
#include "horae/run/named_result.hpp"

namespace horae::run {

/// Samples as they are, some of which are open: all that is known of these is a number that they
/// reach or exceed, as of a message that has waited so long and is not completed. Figures are over
/// all of them.
class Samples {
 public:
  void add(double x) { values_.push_back(x); }
  void add_open(double at_least) { open_.push_back(at_least); }
  /// After the last sample, before the first question.
  void sort();
  /// Samples that are not open.
  std::size_t count() const { return values_.size(); }
  std::size_t open() const { return open_.size(); }
  /// In the order of the sorted values, so that the sum does not depend on the flows'.
  Figure mean() const;
  /// The smallest sample with at least `per_mille` of all at or below it (nearest rank).
  Figure percentile(std::size_t per_mille) const;
  /// On the straight line between the two samples around it, as numpy.percentile has it.
  Figure percentile_between(std::size_t per_mille) const;

 private:
  /// The sample of that rank, from 0. It is certain where no open sample may lie below it.
  Figure ranked(std::size_t rank) const;

  std::vector<double> values_, open_;
  std::vector<double> all_;  ///< both, an open one by what it reaches
};

/// Puts a figure into a row; where there is none, what it is at least beside it, if that is known:
/// `<column>_at_least`.
void put(nlohmann::ordered_json& row, const std::string& column, const Figure& figure);

/// How long a message took since it was posted, or, while it is unfinished, has taken until `end`;
/// and that over what is ideal for it.
struct Completion {
  Picoseconds time;
  std::optional<double> slowdown;  ///< absent: what is ideal is not known
  bool finished;

  /// A slowdown that is not known is one that it reaches or exceeds: zero.
  void add_slowdown(Samples& samples) const;
};
Completion completion_of(const elaboration::Findings& found, const elaboration::Message& m,
                         Picoseconds end);

/// Whether a message belongs to the measured ones: it was posted at `from` or later and before
/// `end`. One that waits for others (a trigger that has not fired) belongs to them as well.
bool measured(const elaboration::Findings& found, const elaboration::Message& m, Picoseconds from,
              Picoseconds end);

/// Totals over the messages of one bin, or over all messages.
struct MessageBin {
  std::string name;  ///< of its results, with the dot at its end; empty: all
  Bytes from{}, to{};
  Samples fct, slowdown;  ///< us; ratio; open where the message is unfinished
  std::uint64_t messages = 0, reordered = 0, packets = 0, out_of_order = 0, reorder_sum = 0;
  std::uint32_t reorder_max = 0;

  std::uint64_t failed = 0;  ///< ended with an error; their samples are open as well
  std::uint64_t unfinished() const { return fct.open() - failed; }
};

/// All measured messages, then by the bins of `sim.size_bins`. Samples are sorted. Without those
/// that `counts` (if there is one) says false of.
std::vector<MessageBin> message_bins(
    const elaboration::Simulation& s, const elaboration::Findings& found, Picoseconds from,
    Picoseconds end, const std::function<bool(const elaboration::Message&)>& counts = {});
}  // namespace horae::run
