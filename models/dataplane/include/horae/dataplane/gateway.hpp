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
class Gateway final : public Object {
 public:
  /// `constants`: what each term of an eq or ne compares with; one for all is enough. Values and
  /// constants wider than `spec.bits` are ModelErrors.
  Gateway(Pipeline& pipeline, Gress gress, const std::string& name, const ConditionSpec& spec,
          std::vector<std::uint64_t> constants = {}, const Needs& needs = {});

  /// Whether the condition holds of `values`: one per term; for field_eq the chain a == b == c has
  /// one more than terms; for field_lt and subtract_sign two.
  bool test(const Pass& pass, std::initializer_list<std::uint64_t> values) {
    check_single_access(pass);
    return test_any(pass, values);
  }
  /// The same for few values, and for flags: without a loop.
  [[gnu::always_inline]] bool test(const Pass& pass, std::uint64_t value) {
    return test_values(pass, value);
  }
  [[gnu::always_inline]] bool test(const Pass& pass, std::uint64_t a, std::uint64_t b) {
    return test_values(pass, a, b);
  }
  [[gnu::always_inline]] bool test(const Pass& pass, std::uint64_t a, std::uint64_t b,
                                   std::uint64_t c) {
    return test_values(pass, a, b, c);
  }
  template <std::same_as<bool>... Flags>
  bool test(const Pass& pass, Flags... flags) {
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
  /// What it sets in a pass.
  const GuardBits& bits() const { return bits_; }

 private:
  Gateway(Pipeline& pipeline, Gress gress, const std::string& name, const ConditionSpec& spec,
          const Needs& needs, Condition condition);
  template <std::same_as<std::uint64_t>... Values>
  [[gnu::always_inline]] bool test_values(const Pass& pass, Values... values) {
    check_single_access(pass);
    if (!condition_.takes(values...)) [[unlikely]]
      return test_any(pass, {values...});
    return note(pass, condition_.of_values(values...));
  }
  /// Any number of values, wide ones refused.
  bool test_any(const Pass& pass, std::initializer_list<std::uint64_t> values);
  bool note(const Pass& pass, bool held) {
    note_use(pass);
    held_ = held;
    pass.found_ |= bits_.data()[held ? 1 : 0];
    return held;
  }

  Condition condition_;
  GuardBits bits_;
  bool held_ = false;  ///< in the last pass that tested it
};

}  // namespace horae::dataplane
