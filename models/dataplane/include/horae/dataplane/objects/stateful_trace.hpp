// Computation of a stateful action, found by running it on symbols.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "horae/dataplane/objects/action_facts.hpp"

namespace horae::dataplane {

namespace stateful {

/// A value of the action: the cell before, an operand, a constant, or what is computed of them. In
/// place of the integers that the action runs on in a simulation.
class Word {
 public:
  Word(std::int64_t constant);  // NOLINT: integers mix with words as they do with integers
  explicit Word(int node, std::nullptr_t) : node_(node) {}
  int node() const { return node_; }

  Word& operator+=(Word b) { return *this = combine('+', *this, b); }
  Word& operator-=(Word b) { return *this = combine('-', *this, b); }
  Word& operator^=(Word b) { return *this = combine('^', *this, b); }
  Word& operator|=(Word b) { return *this = combine('|', *this, b); }
  Word& operator&=(Word b) { return *this = combine('&', *this, b); }
  Word& operator++() { return *this += 1; }
  Word& operator--() { return *this -= 1; }
  Word operator++(int) {
    const Word before = *this;
    ++*this;
    return before;
  }
  friend Word operator+(Word a, Word b) { return combine('+', a, b); }
  friend Word operator-(Word a, Word b) { return combine('-', a, b); }
  friend Word operator^(Word a, Word b) { return combine('^', a, b); }
  friend Word operator|(Word a, Word b) { return combine('|', a, b); }
  friend Word operator&(Word a, Word b) { return combine('&', a, b); }
  /// m: the smaller, M: the larger, s: a sum that stays at the greatest value, d: a difference that
  /// stays at zero.
  static Word combine(char op, Word a, Word b);

 private:
  int node_;
};

/// Result of a comparison. Asking it is a branch: the action is run for either answer.
class Flag {
 public:
  Flag(int compare, bool negated) : compare_(compare), negated_(negated) {}
  explicit operator bool() const;
  Flag operator!() const { return {compare_, !negated_}; }
  int compare() const { return compare_; }
  bool negated() const { return negated_; }

 private:
  int compare_;
  bool negated_;
};
/// `bits`: of serial numbers ("after").
Flag compare(const char* relation, Word a, Word b, unsigned bits = 0);
inline Flag operator==(Word a, Word b) { return compare("==", a, b); }
inline Flag operator!=(Word a, Word b) { return !compare("==", a, b); }
inline Flag operator<(Word a, Word b) { return compare("<", a, b); }
inline Flag operator>=(Word a, Word b) { return !compare("<", a, b); }
inline Flag operator>(Word a, Word b) { return compare("<", b, a); }
inline Flag operator<=(Word a, Word b) { return !compare("<", b, a); }

/// Whether serial number `a` of `bits` bits comes after `b` (RFC 1982; at half the circle neither
/// does). On the chip words hold such numbers in their upper bits, so that the sign of a 32-bit
/// difference tells it; the model keeps them in the lower ones.
template <unsigned bits>
constexpr bool comes_after(std::uint32_t a, std::uint32_t b) {
  const auto ahead = (a - b) & static_cast<std::uint32_t>((std::uint64_t{1} << bits) - 1);
  return ahead != 0 && ahead < (1u << (bits - 1));
}
template <unsigned bits>
Flag comes_after(Word a, Word b) {
  return compare("after", a, b, bits);
}
/// Whether `a` is more than `n` after `b`; such numbers likewise. As the ALU's sum goes round, this
/// also holds for the first n numbers beyond half the circle.
template <unsigned bits>
constexpr bool further_than(std::uint32_t a, std::uint32_t b, std::uint32_t n) {
  return comes_after<bits>(a - n, b);
}
template <unsigned bits>
Flag further_than(Word a, Word b, Word n) {
  return compare("after", a - n, b, bits);
}
/// Half of it, rounded down: the math unit (open-p4studio, tofino1_base.p4, MathUnit).
template <class T>
constexpr T half(T a) {
  return static_cast<T>(a / 2);
}
inline Word half(Word a) { return Word::combine('h', a, a); }
template <class T>
constexpr T least(T a, T b) {
  return a < b ? a : b;
}
inline Word least(Word a, Word b) { return Word::combine('m', a, b); }
template <class T>
constexpr T greatest(T a, T b) {
  return a < b ? b : a;
}
inline Word greatest(Word a, Word b) { return Word::combine('M', a, b); }
/// The greatest value of an unsigned integer.
template <class T>
constexpr T plus_to_most(T a, T b) {
  const T sum = static_cast<T>(a + b);
  return sum < a ? static_cast<T>(-1) : sum;
}
inline Word plus_to_most(Word a, Word b) { return Word::combine('s', a, b); }
/// As far as zero.
template <class T>
constexpr T minus_to_zero(T a, T b) {
  return a < b ? T{0} : static_cast<T>(a - b);
}
inline Word minus_to_zero(Word a, Word b) { return Word::combine('d', a, b); }

/// Result of a comparison, or a fixed answer, as an output.
struct GivenFlag {
  int compare = -1;  ///< below zero: `value`
  bool value = false;
  bool negated = false;
};

/// One way through the action.
struct Path {
  std::vector<std::pair<int, bool>> decided;  ///< comparisons and their answers
  std::vector<int> cell;                      ///< nodes of the words afterwards
  std::vector<int> words;                     ///< nodes of the words that it gives
  std::vector<GivenFlag> flags;               ///< what it says of comparisons
};

/// Input of an ALU: one cell, of one word or two, and the operands.
struct AluInput {
  std::array<std::uint64_t, 2> cell = {}, operands = {};
  unsigned width = 32;  ///< bits of a word
};
/// Cell and output afterwards.
struct AluOutcome {
  std::vector<std::uint64_t> cell;   ///< its words afterwards
  std::vector<std::uint64_t> words;  ///< given
  std::vector<bool> flags;           ///< given
  bool operator==(const AluOutcome&) const = default;
};

/// Runs an action as often as it has ways.
class Exploration {
 public:
  Exploration();
  ~Exploration();
  Exploration(const Exploration&) = delete;
  Exploration& operator=(const Exploration&) = delete;

  /// The cell's word `i` before, and operand `i`.
  Word before(unsigned i) const;
  Word operand(unsigned i) const;
  /// Whether there is a way that was not gone: then the action is to be run, and `end` said.
  bool begin();
  void end(Path path);

  /// Facts about the action. A form that no stateful ALU has is said in `fault`: what was found,
  /// and what is expected.
  ActionFacts facts(const std::string& name, std::uint32_t width, unsigned operands,
                    std::string& fault) const;

  /// Outcome of the described ALU: all comparisons are made, they choose the new words and
  /// what is given. Words are unsigned and wrap at their width. Nothing, when the answers choose
  /// not exactly one way.
  std::optional<AluOutcome> outcome(const AluInput& in) const;
  /// Words of a cell, and all constants of the action.
  std::size_t words() const { return paths_.front().cell.size(); }
  std::vector<std::int64_t> constants() const;

 private:
  friend class stateful::Word;
  friend class stateful::Flag;
  friend Flag compare(const char* relation, Word a, Word b, unsigned bits);
  struct Node {
    char op;  ///< c: constant, b: word before, o: operand, else an operation
    std::int64_t value = 0;
    int left = -1, right = -1;
    bool operator==(const Node&) const = default;
  };
  struct Compare {
    std::string relation;
    int left, right;
    unsigned bits = 0;
    bool operator==(const Compare&) const = default;
  };
  int node(const Node& n);
  bool answer(int compare);
  std::string text(int node) const;
  std::string check_compare(const Compare& c) const;
  std::string check_update(int node, unsigned word) const;
  std::uint64_t value(int node, const AluInput& in) const;
  bool holds(const Compare& c, const AluInput& in) const;
  void collect_constants(int node, std::vector<std::int64_t>& constants) const;
  void add_terms(int node, int sign, std::vector<std::pair<int, int>>& terms) const;

  std::vector<Node> nodes_;
  std::vector<Compare> compares_;
  std::vector<Path> paths_;
  std::vector<std::pair<int, bool>> script_;  ///< answers to give, then those given
  std::size_t given_ = 0;
  bool first_ = true;
  Exploration* outer_;
};

}  // namespace stateful
}  // namespace horae::dataplane
