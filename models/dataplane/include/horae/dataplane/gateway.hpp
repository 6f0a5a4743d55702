// A condition.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

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
  bool test(const Pass& pass, std::initializer_list<std::uint64_t> values);
  bool test(const Pass& pass, std::uint64_t value) { return test(pass, {value}); }

  bool tested(const Pass& pass) const {
    return pass.serial() == last_[0] || pass.serial() == last_[1];
  }
  /// Whether it was tested in this pass, and held.
  bool held(const Pass& pass) const { return pass.serial() == last_[1]; }
  bool used_in(std::uint64_t serial) const override {
    return serial == last_[0] || serial == last_[1];
  }
  /// The last pass in which it held, or did not: what a guarded object looks at.
  const std::uint64_t* last(bool held) const { return &last_[held ? 1 : 0]; }

 private:
  Gateway(Pipeline& pipeline, Gress gress, const std::string& name, const ConditionSpec& spec,
          const Needs& needs, std::vector<std::uint64_t> constants);
  static std::vector<std::uint64_t> checked(const ConditionSpec& spec,
                                            std::vector<std::uint64_t> constants,
                                            const std::string& name);
  bool term(std::uint64_t value, std::size_t i) const;
  bool holds(const std::uint64_t* v) const;
  [[noreturn]] void refuse(const Pass& pass, std::initializer_list<std::uint64_t> values) const;

  ConditionSpec spec_;
  std::vector<std::uint64_t> constants_;
  std::uint64_t most_;
  std::size_t operands_;
  std::uint64_t last_[2] = {~std::uint64_t{0}, ~std::uint64_t{0}};
};

}  // namespace horae::dataplane
