// Where the RAMs of a stage's stateful objects lie.
#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/max_cardinality_matching.hpp>
#include <map>

#include "horae/dataplane/place/placement.hpp"
#include "stage.hpp"

namespace horae::dataplane {
namespace {

/// Rows of RAMs: stateful ALUs on odd rows, statistics ALUs on even ones; an array lies on its
/// ALU's row and those below that it reaches, in a split core those of its half.
class Rows {
 public:
  explicit Rows(const ChipSpec& chip)
      : rows_(chip.stateful.rows),
        per_row_(chip.stateful.rams_per_row),
        reach_(chip.stateful.reach_rows),
        split_(chip.stateful.split_core),
        taken_(rows_, false) {}

  bool hold(const std::vector<StatefulMemory>& memories, std::size_t i) {
    if (i == memories.size()) return laid_out();
    // Among equal ones the later has the higher row: every other order is the same.
    std::uint32_t home = memories[i].statistics ? 0 : 1;
    if (i > 0 && memories[i].statistics == memories[i - 1].statistics &&
        memories[i].rams == memories[i - 1].rams) {
      home = at_.back().first + 2;
    }
    for (; home < rows_; home += 2) {
      if (taken_[home]) continue;
      taken_[home] = true;
      at_.push_back({home, memories[i].rams});
      if (hold(memories, i + 1)) return true;
      at_.pop_back();
      taken_[home] = false;
    }
    return false;
  }

 private:
  /// Rows from below, each given first to the object that may not go higher.
  bool laid_out() const {
    auto left = at_;
    std::sort(left.begin(), left.end());
    for (std::uint32_t row = 0; row < rows_; ++row) {
      std::int64_t room = per_row_;
      for (auto& [home, rams] : left) {
        if (row > home || row + reach_ <= home || !reaches_half(row, home)) continue;
        const std::int64_t here = std::min(room, rams);
        rams -= here;
        room -= here;
      }
    }
    return std::all_of(left.begin(), left.end(), [](const auto& l) { return l.second == 0; });
  }

  bool reaches_half(std::uint32_t row, std::uint32_t home) const {
    return !split_ || (row < rows_ / 2) == (home < rows_ / 2);
  }

  std::uint32_t rows_, per_row_, reach_;
  bool split_;
  std::vector<bool> taken_;
  std::vector<std::pair<std::uint32_t, std::int64_t>> at_;
};

}  // namespace

bool fits_stateful(const std::vector<StatefulMemory>& memories, const ChipSpec& chip) {
  std::int64_t rams = 0, stateful = 0, statistics = 0;
  for (const auto& m : memories) {
    rams += m.rams;
    ++(m.statistics ? statistics : stateful);
  }
  if (rams > std::int64_t{chip.stateful.rows} * chip.stateful.rams_per_row ||
      stateful > chip.stage.stateful_alu || statistics > chip.stage.statistics_alu) {
    return false;
  }
  auto largest_first = memories;
  std::stable_sort(largest_first.begin(), largest_first.end(), [](const auto& a, const auto& b) {
    return a.statistics != b.statistics ? b.statistics : a.rams > b.rams;
  });
  return Rows(chip).hold(largest_first, 0);
}

std::int64_t vliw_words(std::int64_t instructions, std::int64_t most_writers) {
  // The no-op has a colour of the first word.
  return std::max((instructions + 2) / 2, most_writers);
}

std::int64_t vliw_words(const std::vector<Instruction>& instructions) {
  std::vector<const std::vector<std::string>*> writes;
  bool single = true;
  for (const auto& instruction : instructions) {
    if (instruction.no_op) continue;
    writes.push_back(&instruction.writes);
    single &= instruction.writes.size() <= 1;
  }
  const auto n = static_cast<std::int64_t>(writes.size());
  if (n == 0) return 0;
  if (single) {
    std::map<std::string, std::int64_t> writers;
    for (const auto* w : writes) {
      if (!w->empty()) ++writers[w->front()];
    }
    std::int64_t most = 0;
    for (const auto& [field, count] : writers) most = std::max(most, count);
    return vliw_words(n, most);
  }
  // Pairs of instructions without a common field, and the no-op, which goes with any: as many pairs
  // as there can be.
  boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS> fits(writes.size() + 1);
  for (std::size_t i = 0; i < writes.size(); ++i) {
    boost::add_edge(i, writes.size(), fits);
    for (std::size_t j = 0; j < i; ++j) {
      const bool apart = std::none_of(writes[i]->begin(), writes[i]->end(), [&](const auto& f) {
        return std::find(writes[j]->begin(), writes[j]->end(), f) != writes[j]->end();
      });
      if (apart) boost::add_edge(i, j, fits);
    }
  }
  std::vector<boost::graph_traits<decltype(fits)>::vertex_descriptor> mate(writes.size() + 1);
  boost::edmonds_maximum_cardinality_matching(fits, mate.data());
  return n + 1 - static_cast<std::int64_t>(boost::matching_size(fits, mate.data()));
}

}  // namespace horae::dataplane
