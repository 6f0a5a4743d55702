// A condition.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "horae/dataplane/design/condition.hpp"
#include "horae/dataplane/pipeline.hpp"

namespace horae::dataplane {

/// A condition of the kind, width and number of terms it is charged for. Tested at most once per
/// pass; what it guards runs only in passes in which it held.
class Gateway : public Object {
 public:
  /// `constants`: what each term of an eq or ne compares with; one for all is enough. Values and
  /// constants wider than `spec.bits` are ModelErrors.
  Gateway(Pipeline& pipeline, Gress gress, const std::string& name, const ConditionSpec& spec,
          std::vector<std::uint64_t> constants = {}, const Needs& needs = {});

  /// Whether the condition holds of `values`: one per term; for field_eq the chain a == b == c has
  /// one more than terms; for field_lt and subtract_sign two.
  bool test(const PassKind auto& pass, std::initializer_list<std::uint64_t> values) {
    check_single_access(pass);
    return test_any(pass, values);
  }
  /// The same for few values, and for flags: without a loop.
  [[gnu::always_inline]] bool test(const PassKind auto& pass, std::uint64_t value) {
    return test_values(pass, value);
  }
  [[gnu::always_inline]] bool test(const PassKind auto& pass, std::uint64_t a, std::uint64_t b) {
    return test_values(pass, a, b);
  }
  [[gnu::always_inline]] bool test(const PassKind auto& pass, std::uint64_t a, std::uint64_t b,
                                   std::uint64_t c) {
    return test_values(pass, a, b, c);
  }
  template <std::same_as<bool>... Flags>
  bool test(const PassKind auto& pass, Flags... flags) {
    check_single_access(pass);
    if (sizeof...(flags) != condition_.flags()) [[unlikely]]
      return test_any(pass, {std::uint64_t{flags}...});
    return note(pass, condition_.of_flags(flags...));
  }

  bool tested(const Pass& pass) const { return used_in(pass.serial()); }
  /// Whether it was tested in this pass, and held.
  bool held(const Pass& pass) const { return held_ && tested(pass); }
  /// Whether it was tested in this pass, and did not hold.
  bool failed(const Pass& pass) const { return !held_ && tested(pass); }
  /// Bits that it sets in a pass.
  const GuardBits& bits() const { return bits_; }

 private:
  Gateway(Pipeline& pipeline, Gress gress, const std::string& name, const ConditionSpec& spec,
          const Needs& needs, Condition condition);
  template <std::same_as<std::uint64_t>... Values>
  [[gnu::always_inline]] bool test_values(const PassKind auto& pass, Values... values) {
    check_single_access(pass);
    if (!condition_.takes(values...)) [[unlikely]]
      return test_any(pass, {values...});
    return note(pass, condition_.of_values(values...));
  }
  bool test_any(const PassKind auto& pass, std::initializer_list<std::uint64_t> values) {
    return note(pass, of_any(pass, values));
  }
  /// Any number of values, wide ones refused.
  bool of_any(const AnyPass& pass, std::initializer_list<std::uint64_t> values) const;
  bool note(const PassKind auto& pass, bool held) {
    if constexpr (!is_trusted<decltype(pass)>) {
      held_ = held;
      pass.found_ |= bits_.data()[held ? 1 : 0];
    }
    return held;
  }

  Condition condition_;
  GuardBits bits_;
  bool held_ = false;  ///< in the last checked pass that tested it
};

/// Conditions of a FixedGateway. `spec` completes what is said of the fields: bits, and what they
/// are.
/// Values that equal their constants, all of them or any.
template <Join join, std::uint64_t... constants>
struct Equal {
  static ConditionSpec spec(ConditionSpec fields) {
    fields.kind = ConditionKind::eq;
    fields.terms = sizeof...(constants);
    fields.join = join;
    return fields;
  }
  static std::vector<std::uint64_t> fixed() { return {constants...}; }
  template <class... Values>
  static constexpr bool of(Values... values) {
    if constexpr (join == Join::all)
      return ((values == constants) && ...);
    else
      return ((values == constants) || ...);
  }
};
/// A value that is not zero.
struct NotZero {
  static ConditionSpec spec(ConditionSpec field) {
    field.kind = ConditionKind::ne;
    return field;
  }
  static std::vector<std::uint64_t> fixed() { return {}; }
  static constexpr bool of(std::uint64_t value) { return value != 0; }
};
/// A value that is below a constant.
template <std::uint64_t constant>
struct Below {
  static ConditionSpec spec(ConditionSpec field) {
    field.kind = ConditionKind::lt;
    field.constant = constant;
    return field;
  }
  static std::vector<std::uint64_t> fixed() { return {}; }
  static constexpr bool of(std::uint64_t value) { return value < constant; }
};
/// Two values that are equal.
struct SameValue {
  static ConditionSpec spec(ConditionSpec fields) {
    fields.kind = ConditionKind::field_eq;
    return fields;
  }
  static std::vector<std::uint64_t> fixed() { return {}; }
  static constexpr bool of(std::uint64_t a, std::uint64_t b) { return a == b; }
};
/// Flags, as many as `terms` of the specification says, of which all are set or any is.
template <Join join>
struct Flags {
  static ConditionSpec spec(ConditionSpec flags) {
    flags.kind = ConditionKind::bit;
    flags.bits = 1;
    flags.join = join;
    return flags;
  }
  static std::vector<std::uint64_t> fixed() { return {}; }
  static constexpr bool of(std::same_as<bool> auto... flags) {
    if constexpr (join == Join::all)
      return (flags && ...);
    else
      return (flags || ...);
  }
};
using AllFlags = Flags<Join::all>;
using AnyFlag = Flags<Join::any>;

/// A gateway whose condition the program's text fixes. It is priced and checked as that condition;
/// in a trusted pass `Test` is a few instructions of the program, and nothing is looked up.
template <class Test>
class FixedGateway final : public Gateway {
 public:
  FixedGateway(Pipeline& pipeline, Gress gress, const std::string& name,
               const ConditionSpec& fields = {}, const Needs& needs = {})
      : Gateway(pipeline, gress, name, Test::spec(fields), Test::fixed(), needs) {}

  template <class... Values>
  [[gnu::always_inline]] bool test(const PassKind auto& pass, Values... values) {
    if constexpr (is_trusted<decltype(pass)>)
      return Test::of(values...);
    else
      return Gateway::test(pass, values...);
  }
};

}  // namespace horae::dataplane
