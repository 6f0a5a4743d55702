// Where the RAMs of a stage's stateful objects lie.
#include <algorithm>
#include <functional>
#include <map>

#include "horae/dataplane/placement.hpp"

namespace horae::dataplane {
namespace {

/// Two halves that share nothing: each object in one of them, a divisible one in both if need be.
class Halves {
 public:
  explicit Halves(const ChipSpec& chip)
      : spare_(chip.stateful.spare),
        free_{half_of(chip), half_of(chip)},
        alus_{{chip.stage.stateful_alu / 2, chip.stage.statistics_alu / 2},
              {chip.stage.stateful_alu / 2, chip.stage.statistics_alu / 2}} {}

  bool hold(const std::vector<StatefulMemory>& memories, std::size_t i) {
    if (i == memories.size()) return true;
    const StatefulMemory& m = memories[i];
    const std::size_t alu = m.statistics ? 1 : 0;
    for (int half = 0; half < 2; ++half) {
      if (alus_[half][alu] == 0 || free_[half] < m.rams) continue;
      take(half, alu, m.rams);
      if (hold(memories, i + 1)) return true;
      take(half, alu, -m.rams);
    }
    if (!m.divisible || alus_[0][alu] == 0 || alus_[1][alu] == 0) return false;
    const std::int64_t first = std::min(free_[0], m.rams - 1);
    const std::int64_t second = m.rams - first + spare_;
    if (first <= spare_ || free_[1] < second) return false;
    take(0, alu, first);
    take(1, alu, second);
    if (hold(memories, i + 1)) return true;
    take(0, alu, -first);
    take(1, alu, -second);
    return false;
  }

 private:
  static std::int64_t half_of(const ChipSpec& chip) {
    return std::int64_t{chip.stateful.rows / 2} * chip.stateful.rams_per_row;
  }
  void take(int half, std::size_t alu, std::int64_t rams) {
    free_[half] -= rams;
    alus_[half][alu] -= rams > 0 ? 1u : ~0u;
  }

  std::int64_t spare_;
  std::int64_t free_[2];
  std::uint32_t alus_[2][2];
};

/// One array of rows: stateful ALUs on odd rows, statistics ALUs on even ones; an object lies on
/// its ALU's row and those below that it reaches.
class Rows {
 public:
  explicit Rows(const ChipSpec& chip)
      : rows_(chip.stateful.rows),
        per_row_(chip.stateful.rams_per_row),
        reach_(chip.stateful.reach_rows),
        taken_(rows_, false) {}

  bool hold(const std::vector<StatefulMemory>& memories, std::size_t i) {
    if (i == memories.size()) return laid_out();
    for (std::uint32_t home = memories[i].statistics ? 0 : 1; home < rows_; home += 2) {
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
        if (row > home || row + reach_ <= home) continue;
        const std::int64_t here = std::min(room, rams);
        rams -= here;
        room -= here;
      }
    }
    return std::all_of(left.begin(), left.end(), [](const auto& l) { return l.second == 0; });
  }

  std::uint32_t rows_, per_row_, reach_;
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
  std::stable_sort(largest_first.begin(), largest_first.end(),
                   [](const auto& a, const auto& b) { return a.rams > b.rams; });
  return chip.stateful.split_core ? Halves(chip).hold(largest_first, 0)
                                  : Rows(chip).hold(largest_first, 0);
}

std::int64_t vliw_words(const std::vector<Instruction>& instructions) {
  std::int64_t n = 0;
  std::map<std::string, std::int64_t> writers;
  for (const auto& instruction : instructions) {
    if (instruction.no_op) continue;
    ++n;
    for (const auto& field : instruction.writes) ++writers[field];
  }
  if (n == 0) return 0;
  std::int64_t words = (n + 2) / 2;  // the no-op has a colour of the first word
  for (const auto& [field, count] : writers) words = std::max(words, count);
  return words;
}

}  // namespace horae::dataplane
