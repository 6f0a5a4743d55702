// When a CNP adds a loop: three readings of Algorithm 1 (internal to the room).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "horae/dataplane/register_action.hpp"
#include "horae/programs/pnp_trp/pnp_trp.hpp"

namespace horae::programs::pnp_trp {

/// A cell of `cnp_num_alpha`, the two words of a stateful ALU: CNPs until the next step, and alpha.
/// There is no remainder by a number that changes, and a word is compared with constants only.
struct CnpCount {
  std::uint16_t left = 0;
  std::uint16_t alpha = 0;
};

/// Work of the ALU on a cell: two comparisons of the first word, a choice for each word.
class LoopSteps {
 public:
  LoopSteps(StepRule rule, std::uint32_t alpha)
      : rule_(rule), alpha_(static_cast<std::uint16_t>(alpha)) {}

  /// Count of a flow that had no CNP. The code's first step does not raise alpha: it begins one
  /// lower.
  CnpCount initial() const {
    return {first(), static_cast<std::uint16_t>(rule_ == StepRule::code ? alpha_ - 1 : alpha_)};
  }

  /// A CNP; whether it adds a loop.
  template <class Cell>
  bool cnp(Cell& c) const {
    const bool is_first = static_cast<bool>(c.left == first());
    const bool is_second = !is_first && c.left == second();
    if (is_first) {
      c.left = c.alpha;
    } else if (!is_second || rule_ == StepRule::code) {
      --c.left;
    }
    if (!is_first && !is_second) return false;
    c.alpha = dataplane::stateful::plus_to_most(c.alpha, decltype(c.alpha)(1));
    return true;
  }

  /// A recovery begins: the count starts over, with half of alpha, 1 at least. The ALU's math unit
  /// halves: open-p4studio, tofino1_base.p4, MathUnit(MathOp_t.MUL, 1, 2).
  template <class Cell>
  void recover(Cell& c) const {
    using Alpha = decltype(c.alpha);
    c.left = first();
    c.alpha = dataplane::stateful::greatest(dataplane::stateful::half(c.alpha), Alpha(1));
  }

 private:
  static constexpr std::uint16_t none_yet = 0xffff;

  // The values of the first word that make a step.
  //
  //   text     0: alpha CNPs lie between a step and the next
  //   literal  none_yet: the next but alpha - 1; then 0: all, for alpha grows with the count and
  //            the remainder stays 1
  //   code     0: the count comes to 1; then 1: it comes to alpha, where it starts over
  std::uint16_t first() const { return rule_ == StepRule::literal ? none_yet : 0; }
  std::uint16_t second() const {
    return rule_ == StepRule::literal ? 0 : rule_ == StepRule::code ? 1 : none_yet;
  }

  StepRule rule_;
  std::uint16_t alpha_;
};

/// Actions of `cnp_num_alpha`.
struct CountCnp {
  LoopSteps steps;
  template <class Cell>
  bool operator()(Cell& c) const {
    return steps.cnp(c);
  }
};
struct StartOver {
  LoopSteps steps;
  template <class Cell>
  void operator()(Cell& c) const {
    steps.recover(c);
  }
};

}  // namespace horae::programs::pnp_trp

namespace horae::dataplane::stateful {

template <>
struct Traced<programs::pnp_trp::CnpCount> {
  struct Cell {
    Word left, alpha;
  };
  static Cell before(const Exploration& e) { return {e.before(0), e.before(1)}; }
  static std::vector<int> nodes(const Cell& c) { return {c.left.node(), c.alpha.node()}; }
  static programs::pnp_trp::CnpCount make(const std::array<std::uint64_t, 2>& w) {
    return {static_cast<std::uint16_t>(w[0]), static_cast<std::uint16_t>(w[1])};
  }
  static std::array<std::uint64_t, 2> words(const programs::pnp_trp::CnpCount& c) {
    return {c.left, c.alpha};
  }
};

}  // namespace horae::dataplane::stateful
