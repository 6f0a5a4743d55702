#include "horae/dataplane/gateway.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace horae::dataplane {
namespace {

/// Bits of the next gateway of a gress, of which there are `before`.
GuardBits bits_after(unsigned before) {
  constexpr unsigned with_bits = 31;
  if (before >= with_bits) return {0, 0};
  const unsigned first = 1 + 2 * before;
  return {std::uint64_t{1} << first, std::uint64_t{2} << first};
}

}  // namespace

// The condition comes before the object: what is refused leaves no object behind.
Gateway::Gateway(Pipeline& pipeline, Gress gress, const std::string& name,
                 const ConditionSpec& spec, std::vector<std::uint64_t> constants,
                 const Needs& needs)
    : Gateway(pipeline, gress, name, spec, needs,
              Condition(spec, std::move(constants), pipeline.name() + "." + name)) {}

Gateway::Gateway(Pipeline& pipeline, Gress gress, const std::string& name,
                 const ConditionSpec& spec, const Needs& needs, Condition condition)
    : Object(pipeline, gress, name, spec, needs),
      condition_(std::move(condition)),
      bits_(bits_after(pipeline.gateways_[static_cast<std::size_t>(gress)]++)) {}

bool Gateway::of_any(const AnyPass& pass, std::initializer_list<std::uint64_t> values) const {
  if (values.size() != condition_.operands())
    broken_rule(pass, fmt::format("{} values for {}", values.size(), condition_.operands()));
  const std::uint64_t most = condition_.most();
  const auto wide =
      std::find_if(values.begin(), values.end(), [&](std::uint64_t v) { return v > most; });
  if (wide != values.end())
    broken_rule(pass, fmt::format("value {} in {} bits", *wide, condition_.bits()));
  return condition_.of(std::span(values.begin(), values.size()));
}

}  // namespace horae::dataplane
