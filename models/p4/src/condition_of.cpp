#include "condition_of.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

#include "horae/dataplane/price/price.hpp"
#include "indented.hpp"

namespace horae::p4 {
namespace {

using dataplane::ConditionKind;
using dataplane::ConditionSpec;
using dataplane::Join;

/// The operands of && and ||, and whether only one of the two occurs.
struct Terms {
  std::vector<std::string_view> texts;
  Join join = Join::all;
  bool mixed = false;
};

Terms split(std::string_view text) {
  Terms out;
  bool any_and = false, any_or = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    const bool both = text.substr(i, 2) == "&&";
    if (!both && text.substr(i, 2) != "||") continue;
    (both ? any_and : any_or) = true;
    out.texts.push_back(text.substr(begin, i - begin));
    begin = i + 2;
    ++i;
  }
  out.texts.push_back(text.substr(begin));
  out.join = any_or && !any_and ? Join::any : Join::all;
  out.mixed = any_and && any_or;
  return out;
}

std::optional<std::uint64_t> number(std::string_view text) {
  text = trimmed(text);
  while (!text.empty() && (text.back() == ')' || text.back() == ' ')) text.remove_suffix(1);
  std::uint64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return n;
}

struct Comparison {
  ConditionKind kind = ConditionKind::bit;
  std::uint64_t constant = 0;
};

Comparison compare(std::string_view term) {
  const auto on = [&](std::string_view sign) -> std::optional<std::string_view> {
    const auto at = term.find(sign);
    if (at == std::string_view::npos) return std::nullopt;
    return term.substr(at + sign.size());
  };
  if (const auto right = on("==")) {
    if (!number(*right)) return {ConditionKind::field_eq, 0};
    return {
        term.find("$valid") != std::string_view::npos ? ConditionKind::valid : ConditionKind::eq,
        *number(*right)};
  }
  if (on("!=")) return {ConditionKind::ne, 0};
  for (const std::string_view sign : {"<=", ">=", "<", ">"}) {
    if (const auto right = on(sign)) {
      const auto n = number(*right);
      return {n ? ConditionKind::lt : ConditionKind::field_lt, n.value_or(0)};
    }
  }
  return {};
}

bool one_gateway(const ConditionSpec& spec, const dataplane::ChipSpec& chip) {
  const auto price = dataplane::price_condition(spec, chip);
  return price.refused.empty() && price.gateways == 1 && !price.subtracts_first;
}

}  // namespace

ConditionOf condition_of(const std::string& text, std::uint32_t bits,
                         const dataplane::ChipSpec& chip) {
  const Terms terms = split(text);
  const Comparison first = compare(terms.texts.front());
  const bool alike = !terms.mixed && text.find("!(") == std::string::npos &&
                     std::all_of(terms.texts.begin(), terms.texts.end(),
                                 [&](const auto& t) { return compare(t).kind == first.kind; });
  const auto n = static_cast<std::uint32_t>(terms.texts.size());
  ConditionOf out;
  out.spec.kind = first.kind;
  out.spec.terms = n;
  out.spec.join = terms.join;
  out.spec.bits = std::max(1u, (bits + n - 1) / n);
  if (first.kind == ConditionKind::lt) out.spec.constant = first.constant;
  const bool holds = out.spec.bits >= 64 || out.spec.constant >> out.spec.bits == 0;
  if (alike && n <= 64 && holds && one_gateway(out.spec, chip)) return out;
  out = {};
  out.exact = false;
  out.spec.kind = ConditionKind::eq;
  out.spec.bits = std::clamp(bits, 1u, 8 * chip.gateway.search_bytes + chip.gateway.hash_bits);
  return out;
}

}  // namespace horae::p4
