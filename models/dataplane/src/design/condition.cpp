#include "horae/dataplane/design/condition.hpp"

#include <fmt/format.h>

#include "horae/core/error.hpp"

namespace horae::dataplane {
namespace {

std::size_t operands_of(const ConditionSpec& spec) {
  switch (spec.kind) {
    case ConditionKind::field_eq:
      return spec.terms + 1;
    case ConditionKind::field_lt:
    case ConditionKind::subtract_sign:
      return 2;
    default:
      return spec.terms;
  }
}

std::uint32_t bits_of(const ConditionSpec& spec) {
  const bool flag = spec.kind == ConditionKind::bit || spec.kind == ConditionKind::valid;
  return flag ? 1 : spec.bits;
}

std::uint64_t most_of(const ConditionSpec& spec) {
  return bits_of(spec) >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits_of(spec)) - 1;
}

std::vector<std::uint64_t> checked(const ConditionSpec& spec, std::vector<std::uint64_t> constants,
                                   const std::string& name) {
  const bool compares = spec.kind == ConditionKind::eq || spec.kind == ConditionKind::ne;
  const bool single =
      spec.kind == ConditionKind::field_lt || spec.kind == ConditionKind::subtract_sign;
  if (spec.bits == 0 || spec.terms == 0 || (single && spec.terms != 1)) {
    throw ModelError(fmt::format("{}: {} terms of {} bits for {}", name, spec.terms, spec.bits,
                                 condition_name(spec.kind)));
  }
  if (compares && constants.empty()) constants = {0};
  if (compares && constants.size() == 1) constants.resize(spec.terms, constants.front());
  if (constants.size() != (compares ? spec.terms : 0u)) {
    throw ModelError(fmt::format("{}: {} constants for {} terms", name, constants.size(),
                                 compares ? spec.terms : 0u));
  }
  for (const std::uint64_t c : constants) {
    if (c > most_of(spec))
      throw ModelError(fmt::format("{}: constant {} in {} bits", name, c, spec.bits));
  }
  return constants;
}

}  // namespace

Condition::Condition(const ConditionSpec& spec, std::vector<std::uint64_t> constants,
                     const std::string& name)
    : most_(most_of(spec)),
      bits_(bits_of(spec)),
      terms_(spec.terms),
      operands_(operands_of(spec)),
      kind_(spec.kind),
      join_(spec.join),
      constant_(spec.constant),
      constants_(checked(spec, std::move(constants), name)) {
  find_ranges();
  find_truth();
}

bool Condition::term(std::uint64_t value, std::size_t i) const {
  switch (kind_) {
    case ConditionKind::eq:
      return value == constants_[i];
    case ConditionKind::ne:
      return value != constants_[i];
    case ConditionKind::lt:
      return value < constant_;
    default:
      return value != 0;
  }
}

bool Condition::of(std::span<const std::uint64_t> v) const {
  switch (kind_) {
    case ConditionKind::field_lt:
      return v[0] < v[1];
    case ConditionKind::subtract_sign:
      return (((v[0] - v[1]) & most_) >> (bits_ - 1)) != 0;
    default:
      break;
  }
  const bool any = join_ == Join::any;
  for (std::size_t i = 0; i < terms_; ++i) {
    const bool one = kind_ == ConditionKind::field_eq ? v[i] == v[i + 1] : term(v[i], i);
    if (one == any) return any;
  }
  return !any;
}

void Condition::find_ranges() {
  bool inside = true;  // what holds is in the range, or what does not
  for (std::size_t i = 0; i < terms_ && terms_ <= quick_terms; ++i) {
    switch (kind_) {
      case ConditionKind::eq:
      case ConditionKind::ne:
        ranges_[i] = {constants_[i], 0};
        inside = kind_ == ConditionKind::eq;
        break;
      case ConditionKind::lt:
        if (constant_ == 0 && bits_ >= 64) return;  // no number is outside of these
        ranges_[i] = constant_ == 0 ? Range{most_ + 1, 0} : Range{0, constant_ - 1};
        break;
      case ConditionKind::bit:
      case ConditionKind::valid:
        ranges_[i] = {0, 0};
        inside = false;
        break;
      default:
        return;
    }
  }
  if (terms_ > quick_terms) return;
  below_[terms_] = bits_ >= 64 ? most_ : most_ + 1;
  for (unsigned n = 0; n <= terms_; ++n) {  // so many are inside
    const unsigned hold = inside ? n : terms_ - n;
    const bool holds = join_ == Join::all ? hold == terms_ : hold > 0;
    if (holds) by_number_ |= static_cast<std::uint8_t>(1u << n);
  }
}

void Condition::find_truth() {
  if (operands_ > table_flags) return;
  flags_ = static_cast<std::uint8_t>(operands_);
  std::array<std::uint64_t, table_flags> values{};
  for (unsigned row = 0; row < 1u << operands_; ++row) {
    for (std::size_t i = 0; i < operands_; ++i) values[i] = row >> i & 1;
    if (of(std::span(values).first(operands_))) truth_ |= std::uint64_t{1} << row;
  }
}

}  // namespace horae::dataplane
