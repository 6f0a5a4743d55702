// Actions of a register that its stateful ALU can do.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/core/random.hpp"
#include "horae/dataplane/objects/stateful_trace.hpp"
#include "horae/dataplane/register.hpp"

namespace horae::dataplane {

namespace stateful {

/// How a cell of type T looks to an action that is explored. For a struct of two words, specialise
/// it.
template <class T>
struct Traced {
  static_assert(std::integral<T>, "specialise Traced for cells that are no integers");
  using Cell = Word;
  static Cell before(const Exploration& e) { return e.before(0); }
  static std::vector<int> nodes(const Cell& cell) { return {cell.node()}; }
  /// A cell of these words, and its words.
  static T make(const std::array<std::uint64_t, 2>& words) { return static_cast<T>(words[0]); }
  static std::array<std::uint64_t, 2> words(const T& cell) {
    return {static_cast<std::uint64_t>(cell), 0};
  }
};

inline void add_output(Path& path, const Word& w) { path.words.push_back(w.node()); }
inline void add_output(Path& path, const Flag& f) {
  path.flags.push_back({f.compare(), false, f.negated()});
}
inline void add_output(Path& path, bool value) { path.flags.push_back({-1, value}); }
template <class... Outputs>
void add_output(Path& path, const std::tuple<Outputs...>& outputs) {
  std::apply([&](const auto&... o) { (add_output(path, o), ...); }, outputs);
}

/// Runs the action on symbols, in all ways.
template <class T, class F, std::size_t... i>
void explore(Exploration& e, const F& f, std::index_sequence<i...>) {
  while (e.begin()) {
    auto cell = Traced<T>::before(e);
    Path path;
    if constexpr (std::is_void_v<decltype(f(cell, e.operand(i)...))>) {
      f(cell, e.operand(i)...);
    } else {
      add_output(path, f(cell, e.operand(i)...));
    }
    path.cell = Traced<T>::nodes(cell);
    e.end(std::move(path));
  }
}

template <class Value>
void add_result(AluOutcome& out, const Value& value) {
  if constexpr (std::is_same_v<Value, bool>) {
    out.flags.push_back(value);
  } else if constexpr (std::integral<Value>) {
    out.words.push_back(static_cast<std::uint64_t>(value));
  } else {
    const auto words = Traced<Value>::words(value);
    out.words.insert(out.words.end(), words.begin(), words.end());
  }
}
template <class... Values>
void add_result(AluOutcome& out, const std::tuple<Values...>& values) {
  std::apply([&](const auto&... v) { (add_result(out, v), ...); }, values);
}

/// The next ones of what an ALU gave, as an action returns them.
template <class R>
R take_result(const AluOutcome& out, std::size_t& words, std::size_t& flags) {
  if constexpr (std::is_same_v<R, bool>)
    return out.flags.at(flags++);
  else if constexpr (std::integral<R>)
    return static_cast<R>(out.words.at(words++));
  else if constexpr (requires { std::tuple_size<R>::value; })
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
      return R{take_result<std::tuple_element_t<i, R>>(out, words, flags)...};
    }
  (std::make_index_sequence<std::tuple_size_v<R>>());
  else {
    words += 2;
    return Traced<R>::make({out.words.at(words - 2), out.words.at(words - 1)});
  }
}

/// Runs it on integers.
template <class T, class Operand, class F, std::size_t... i>
AluOutcome run_on_integers(const F& f, const AluInput& in, std::size_t words,
                           std::index_sequence<i...>) {
  T cell = Traced<T>::make(in.cell);
  AluOutcome out;
  if constexpr (std::is_void_v<decltype(f(cell, static_cast<Operand>(in.operands[i])...))>)
    f(cell, static_cast<Operand>(in.operands[i])...);
  else
    add_result(out, f(cell, static_cast<Operand>(in.operands[i])...));
  const auto after = Traced<T>::words(cell);
  out.cell.assign(after.begin(), after.begin() + static_cast<std::ptrdiff_t>(words));
  return out;
}

/// An input: at random, at the ends, near the other values and near the action's constants.
AluInput draw_input(RandomStream& random, const std::vector<std::int64_t>& constants,
                    unsigned width);
/// The difference in words; empty when there is none.
std::string difference(const AluInput& in, const std::optional<AluOutcome>& described,
                       AluOutcome ran);

/// How many operands F takes behind the cell.
template <class T, class F>
constexpr std::size_t operands_of() {
  using Cell = typename Traced<T>::Cell;
  if constexpr (std::is_invocable_v<const F&, Cell&>)
    return 0;
  else if constexpr (std::is_invocable_v<const F&, Cell&, Word>)
    return 1;
  else if constexpr (std::is_invocable_v<const F&, Cell&, Word, Word>)
    return 2;
  else
    return 3;
}

}  // namespace stateful

/// One action of a register. `F` is a function object, a template over the types of the cell and of
/// at most two operands (header fields, metadata or action data), and holds what the program fixes
/// at elaboration. It is written with + - & | ^, comparisons, `if`, and the functions of
/// stateful_trace.hpp. In a simulation it runs on integers; when it is declared it is run on
/// symbols, and refused (ModelError) if no stateful ALU does it (`Pipeline::actions` compares
/// both):
///
///   - a comparison is of a sum of one word of the cell, one operand and constants with zero;
///   - a word has two new values at most, each one operation of a word of the cell or a constant,
///   and
///     of an operand or a constant;
///   - what it gives is a word before or afterwards, an operand, zero instead, and what its
///     comparisons say;
///   - a cell of one bit is set, cleared or kept, and read.
///
/// How many comparisons, outputs, constants beyond -8 to 7 and actions a register may have is the
/// chip's: that is refused where the program is priced. Sources: open Tofino compiler,
/// mau/stateful_alu.cpp (StatefulAluSpec), bf-asm/instruction.cpp.
template <class T, class F>
class RegisterAction {
 public:
  RegisterAction(Pipeline& pipeline, Register<T>& array, const std::string& name, F f = {})
      : array_(array), number_(static_cast<unsigned>(array.actions_.size())), f_(std::move(f)) {
    constexpr std::size_t operands = stateful::operands_of<T, F>();
    static_assert(operands <= 2, "an action of the cell and at most two operands");
    using Indexes = std::make_index_sequence<operands>;
    std::string fault;
    stateful::Exploration described;
    stateful::explore<T>(described, f_, Indexes());
    const ActionFacts facts = described.facts(name, array.bits_, operands, fault);
    if (!fault.empty()) throw ModelError(array.name() + ": action " + name + " " + fault);
    pipeline.add_action(
        array.short_name(), facts,
        [f = f_, bits = array.bits_](RandomStream& random, unsigned samples) -> std::string {
          stateful::Exploration again;
          stateful::explore<T>(again, f, Indexes());
          const auto constants = again.constants();
          const auto width = static_cast<unsigned>(bits / again.words());
          for (unsigned s = 0; s < samples; ++s) {
            const auto in = stateful::draw_input(random, constants, width);
            auto ran = stateful::run_on_integers<T, Operand>(f, in, again.words(), Indexes());
            auto what = stateful::difference(in, again.outcome(in), std::move(ran));
            if (!what.empty()) return what;
          }
          return {};
        });
    array.actions_.push_back(name);
  }

  /// Runs it on a cell, and returns what it gives. Once per pass, as any access of the register.
  template <class... Operands>
  [[gnu::always_inline]] decltype(auto) run(const PassKind auto& pass, std::size_t index,
                                            Operands... operands) {
    if (index >= array_.open_) [[unlikely]]
      return closely(pass, index, static_cast<Operand>(operands)...);
    if constexpr (requires { F::only_reads; }) {
      return array_.run_open(
          pass, index, [&](const T& cell) { return f_(cell, static_cast<Operand>(operands)...); });
    } else {
      return array_.run_open(pass, index,
                             [&](T& cell) { return f_(cell, static_cast<Operand>(operands)...); });
    }
  }

 private:
  /// As wide as the cell, or as a word of a pair may be.
  using Operand = std::conditional_t<std::integral<T>, T, std::uint32_t>;

  template <class... Operands>
  using Result = std::invoke_result_t<const F&, T&, Operands...>;

  /// The first access of a register, and each of one that is watched or has hardware.
  template <class... Operands>
  [[gnu::noinline]] Result<Operands...> closely(const PassKind auto& pass, std::size_t index,
                                                Operands... operands) {
    if (array_.alu_ != nullptr)
      return array_.run(pass, index, [&](T& cell) { return by_hardware(cell, operands...); });
    if constexpr (requires { F::only_reads; }) {
      return array_.run(pass, index, [&](const T& cell) { return f_(cell, operands...); });
    } else {
      return array_.run(pass, index, [&](T& cell) { return f_(cell, operands...); });
    }
  }

  template <class... Operands>
  Result<Operands...> by_hardware(T& cell, Operands... operands) const {
    constexpr std::size_t words = std::integral<T> ? 1 : 2;
    stateful::AluInput in{.cell = stateful::Traced<T>::words(cell),
                          .operands = {static_cast<std::uint64_t>(operands)...},
                          .width = array_.bits_ / static_cast<unsigned>(words)};
    const auto model = stateful::run_on_integers<T, Operand>(
        f_, in, words, std::make_index_sequence<sizeof...(Operands)>());
    const auto out = array_.alu_->run(number_, in, model);
    std::array<std::uint64_t, 2> after{};
    std::copy(out.cell.begin(), out.cell.end(), after.begin());
    cell = stateful::Traced<T>::make(after);
    if constexpr (!std::is_void_v<Result<Operands...>>) {
      std::size_t taken_words = 0, taken_flags = 0;
      return stateful::take_result<std::remove_cvref_t<Result<Operands...>>>(out, taken_words,
                                                                             taken_flags);
    }
  }

  Register<T>& array_;
  unsigned number_;  ///< among the register's actions
  [[no_unique_address]] F f_;
};

/// Common actions.
struct ReadCell {
  static constexpr bool only_reads = true;
  template <class C>
  C operator()(const C& cell) const {
    return cell;
  }
};
struct SetCell {
  template <class C>
  void operator()(C& cell, C value) const {
    cell = value;
  }
};
/// To what the program fixes.
template <auto value>
struct FillCell {
  template <class C>
  void operator()(C& cell) const {
    cell = static_cast<std::int64_t>(value);
  }
};
struct EqualsCell {
  static constexpr bool only_reads = true;
  template <class C>
  auto operator()(const C& cell, C value) const {
    return cell == value;
  }
};
struct IncrementCell {
  template <class C>
  C operator()(C& cell) const {
    return cell++;
  }
};

/// A register that is read and set, and no more.
template <class T>
struct Variable {
  Variable(Pipeline& pipeline, Gress gress, const std::string& name, const RegisterSpec& spec,
           const Needs& needs = {}, T initial = {})
      : array(pipeline, gress, name, spec, needs, initial),
        read(pipeline, array, "read"),
        set(pipeline, array, "set") {}
  Register<T> array;
  RegisterAction<T, ReadCell> read;
  RegisterAction<T, SetCell> set;
};

}  // namespace horae::dataplane
