#include "horae/dataplane/gateway.hpp"

#include <fmt/format.h>

#include <algorithm>

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

}  // namespace

Gateway::Gateway(Pipeline& pipeline, Gress gress, const std::string& name,
                 const ConditionSpec& spec, std::vector<std::uint64_t> constants,
                 const Needs& needs)
    : Gateway(pipeline, gress, name, spec, needs,
              checked(spec, std::move(constants), pipeline.name() + "." + name)) {}

Gateway::Gateway(Pipeline& pipeline, Gress gress, const std::string& name,
                 const ConditionSpec& spec, const Needs& needs,
                 std::vector<std::uint64_t> constants)
    : Object(pipeline, gress, name, spec, needs),
      spec_(spec),
      constants_(std::move(constants)),
      most_(most_of(spec)),
      operands_(operands_of(spec)) {}

// Before anything is constructed: what is refused leaves no object behind.
std::vector<std::uint64_t> Gateway::checked(const ConditionSpec& spec,
                                            std::vector<std::uint64_t> constants,
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

bool Gateway::term(std::uint64_t value, std::size_t i) const {
  switch (spec_.kind) {
    case ConditionKind::eq:
      return value == constants_[i];
    case ConditionKind::ne:
      return value != constants_[i];
    case ConditionKind::lt:
      return value < spec_.constant;
    default:
      return value != 0;
  }
}

bool Gateway::holds(const std::uint64_t* v) const {
  switch (spec_.kind) {
    case ConditionKind::field_lt:
      return v[0] < v[1];
    case ConditionKind::subtract_sign:
      return (((v[0] - v[1]) & most_) >> (spec_.bits - 1)) != 0;
    default:
      break;
  }
  const bool any = spec_.join == Join::any;
  for (std::size_t i = 0; i < spec_.terms; ++i) {
    const bool one = spec_.kind == ConditionKind::field_eq ? v[i] == v[i + 1] : term(v[i], i);
    if (one == any) return any;
  }
  return !any;
}

bool Gateway::test(const Pass& pass, std::initializer_list<std::uint64_t> values) {
  check_single_access(pass);
  std::uint64_t bits = 0;  // most_ is all ones: no value is wider if this is not
  for (const std::uint64_t v : values) bits |= v;
  if (values.size() != operands_ || bits > most_) [[unlikely]]
    refuse(pass, values);
  const bool held = holds(values.begin());
  last_[held ? 1 : 0] = pass.serial();
  return held;
}

void Gateway::refuse(const Pass& pass, std::initializer_list<std::uint64_t> values) const {
  if (values.size() != operands_)
    broken_rule(pass, fmt::format("{} values for {}", values.size(), operands_));
  const std::uint64_t v =
      *std::find_if(values.begin(), values.end(), [&](std::uint64_t x) { return x > most_; });
  broken_rule(pass, fmt::format("value {} in {} bits", v, bits_of(spec_)));
}

}  // namespace horae::dataplane
