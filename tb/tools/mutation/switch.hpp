// Mutations behind switches: what tb/tools/mutation/switches.py writes into a source. Included
// before everything else. A switch is on when HORAE_MUTATION names its number. Passing it leaves a
// mark, on or off: tests that never pass it need not run.
#pragma once

#include <concepts>
#include <utility>

namespace horae_mutation {

inline constexpr int kSwitches = 1024;  // as many as SWITCHES in trial.py
inline constexpr unsigned char kReached = 1;
inline constexpr unsigned char kInvalid = 2;  // the types at hand have no such operator

extern int active;              // 0: none
extern unsigned char* reached;  // a byte for each switch; null until begin()
/// Environment: HORAE_MUTATION the switch that is on; HORAE_MUTATION_MARKS a file of marks, which a
/// test binary and the programs that it starts have in common. Static initialisers may come first.
void begin();

inline void mark(int n, unsigned char how) {
  if (reached == nullptr) begin();
  reached[n] |= how;
}

/// Whether switch `n` is on. No constant expression, on purpose: there it cannot be switched, and
/// must not compile.
inline bool on(int n) {
  mark(n, kReached);
  return active == n;
}

/// (Not<n>)x is x, its opposite when switched on.
template <int N>
class Not {
 public:
  template <class T>
  explicit Not(const T& x) : value_(static_cast<bool>(x) != on(N)) {}
  bool operator!() const { return !value_; }

 private:
  bool value_;
};

/// left && right(), and left || right() when switched on.
template <int N, class Right>
bool both(bool left, Right right) {
  return on(N) ? left || right() : left && right();
}

/// left || right(), and left && right() when switched on.
template <int N, class Right>
bool either(bool left, Right right) {
  return on(N) ? left && right() : left || right();
}

// `a < Less<n>{} < b` is a < b, and a <= b when switched on.
#define HORAE_MUTATION_OPERATOR(name, op, other)                                           \
  template <int N>                                                                         \
  struct name {};                                                                          \
  template <int N, class L>                                                                \
  struct name##Left {                                                                      \
    const L& value;                                                                        \
  };                                                                                       \
  template <int N, class L>                                                                \
  auto operator op(const L& left, name<N>) {                                               \
    return name##Left<N, L>{left};                                                         \
  }                                                                                        \
  template <int N, class L, class R>                                                       \
  auto operator op(name##Left<N, L> left, const R& right)->decltype(left.value op right) { \
    using Out = decltype(left.value op right);                                             \
    if constexpr (requires {                                                               \
                    { left.value other right } -> std::convertible_to<Out>;                \
                  }) {                                                                     \
      if (on(N)) return static_cast<Out>(left.value other right);                          \
    } else {                                                                               \
      mark(N, kReached | kInvalid);                                                        \
    }                                                                                      \
    return left.value op right;                                                            \
  }

HORAE_MUTATION_OPERATOR(Less, <, <=)
HORAE_MUTATION_OPERATOR(LessEqual, <=, <)
HORAE_MUTATION_OPERATOR(Greater, >, >=)
HORAE_MUTATION_OPERATOR(GreaterEqual, >=, >)
HORAE_MUTATION_OPERATOR(Equal, ==, !=)
HORAE_MUTATION_OPERATOR(NotEqual, !=, ==)
HORAE_MUTATION_OPERATOR(Plus, +, -)
HORAE_MUTATION_OPERATOR(Minus, -, +)
HORAE_MUTATION_OPERATOR(Times, *, +)
HORAE_MUTATION_OPERATOR(Divide, /, *)
HORAE_MUTATION_OPERATOR(Remainder, %, /)
#undef HORAE_MUTATION_OPERATOR

// `a += PlusAssign<n>{} += b` is a += b, and a -= b when switched on: these operators associate
// from the right.
#define HORAE_MUTATION_ASSIGNMENT(name, op, other)         \
  template <int N>                                         \
  struct name {};                                          \
  template <int N, class R>                                \
  struct name##Right {                                     \
    const R& value;                                        \
  };                                                       \
  template <int N, class R>                                \
  auto operator op(name<N>, const R& right) {              \
    return name##Right<N, R>{right};                       \
  }                                                        \
  template <int N, class L, class R>                       \
  auto operator op(L& left, name##Right<N, R> right)->L& { \
    if constexpr (requires { left other right.value; }) {  \
      if (on(N)) {                                         \
        left other right.value;                            \
        return left;                                       \
      }                                                    \
    } else {                                               \
      mark(N, kReached | kInvalid);                        \
    }                                                      \
    left op right.value;                                   \
    return left;                                           \
  }

HORAE_MUTATION_ASSIGNMENT(PlusAssign, +=, -=)
HORAE_MUTATION_ASSIGNMENT(MinusAssign, -=, +=)
#undef HORAE_MUTATION_ASSIGNMENT

}  // namespace horae_mutation
