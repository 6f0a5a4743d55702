// Conditions that a gateway computes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "horae/dataplane/design/design.hpp"

namespace horae::dataplane {

/// A condition without a pass: whether it holds of its operands. What its kind, join and constants
/// say is worked out once, so that the usual test is a few comparisons:
///
/// - of numbers: each term is "in a range" (of one number, or from zero) or outside of it, and how
///   many are inside decides;
/// - of flags (operands that are 0 or 1): a table of all their combinations.
class Condition {
 public:
  /// `name` is for messages. Constants as Gateway's; ModelError for what it refuses.
  Condition(const ConditionSpec& spec, std::vector<std::uint64_t> constants,
            const std::string& name);

  /// Value for as many operands as `operands()`, none above `most()`.
  bool of(std::span<const std::uint64_t> values) const;
  std::size_t operands() const { return operands_; }
  /// Bits of an operand, and the largest.
  std::uint32_t bits() const { return bits_; }
  std::uint64_t most() const { return most_; }

  /// Whether of_values() is the same as of() for these operands: as many as there are terms, not
  /// too wide, and of a kind that ranges can say.
  template <class... Values>
  bool takes(Values... values) const {
    static_assert(sizeof...(values) <= quick_terms);
    return (values | ...) < below_[sizeof...(values)];
  }
  template <class... Values>
  [[gnu::always_inline]] bool of_values(Values... values) const {
    const Range* range = ranges_.data();
    unsigned inside = 0;
    ((inside += values - range->first <= range->size ? 1 : 0, ++range), ...);
    return (by_number_ >> inside & 1) != 0;
  }

  /// How many operands of_flags() takes, which is the same as of(); 0: it cannot be used.
  std::size_t flags() const { return flags_; }
  template <class... Flags>
  bool of_flags(Flags... flags) const {
    unsigned i = 0, row = 0;
    ((row |= unsigned{flags} << i++), ...);
    return (truth_ >> row & 1) != 0;
  }

 private:
  static constexpr std::size_t quick_terms = 3;
  static constexpr std::size_t table_flags = 6;  ///< 64 rows
  /// The numbers from `first` to `first + size`, which may be none of those of so many bits.
  struct Range {
    std::uint64_t first = 0;
    std::uint64_t size = 0;
  };
  bool term(std::uint64_t value, std::size_t i) const;
  void find_ranges();
  void find_truth();

  // State that of_values() and of_flags() look at first.
  std::uint64_t truth_ = 0;  ///< bit r: whether it holds of the flags that are the bits of r
  std::array<Range, quick_terms> ranges_{};
  /// By how many operands there are: of_values() takes those below it.
  std::array<std::uint64_t, quick_terms + 1> below_{};
  std::uint8_t by_number_ = 0;  ///< bit n: whether it holds with n terms inside their ranges
  std::uint8_t flags_ = 0;
  std::uint64_t most_;
  std::uint32_t bits_;
  std::uint32_t terms_;
  std::size_t operands_;
  ConditionKind kind_;
  Join join_;
  std::uint64_t constant_;
  std::vector<std::uint64_t> constants_;
};

}  // namespace horae::dataplane
