// Value sets and checksums of a design: whether they agree with its fields and states.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "horae/core/error.hpp"
#include "horae/dataplane/design/design.hpp"

namespace horae::dataplane {
namespace {

/// Names that one gress lists, with what belongs to them.
struct GressParts {
  std::map<std::string, const ParserState*> states;
  std::map<std::string, std::uint32_t> fields;  ///< with their bits
};

template <class T>
std::vector<std::string> keys_of(const std::map<std::string, T>& listed) {
  std::vector<std::string> out;
  for (const auto& [name, what] : listed) out.push_back(name);
  return out;
}

/// `what`: "'vlans' compares in".
template <class T>
void expect_listed(const std::map<std::string, T>& listed, const std::string& name,
                   const std::string& what, const char* noun, Gress gress, const Location& where) {
  if (listed.contains(name)) return;
  const auto names = keys_of(listed);
  throw input_error(
      where, fmt::format("{} '{}', which is no {} of {}{}", what, name, noun, gress_name(gress),
                         names.empty() ? "" : suggestion(name, names)));
}

void check_value_set(const ValueSetSpec& set, const GressParts& listed) {
  for (const auto& state : set.states) {
    expect_listed(listed.states, state, fmt::format("'{}' is compared in", set.name), "state",
                  set.gress, set.where);
    const auto& next = listed.states.at(state)->next;
    if (set.next.empty() || std::ranges::find(next, set.next) != next.end()) continue;
    throw input_error(
        set.where, fmt::format("'{}' leads from '{}' to '{}', which is not in its next{}", set.name,
                               state, set.next, next.empty() ? "" : suggestion(set.next, next)));
  }
  if (set.states.empty() && !set.next.empty()) {
    throw input_error(set.where, fmt::format("'{}' leads to '{}' from no state: expected states",
                                             set.name, set.next));
  }
}

void check_checksum(const ChecksumSpec& sum, const GressParts& listed) {
  for (const auto& state : sum.states) {
    expect_listed(listed.states, state, fmt::format("'{}' is summed in", sum.name), "state",
                  sum.gress, sum.where);
  }
  if (!sum.states.empty() && sum.use == ChecksumUse::update) {
    throw input_error(
        sum.where, fmt::format("'{}' is an update of the deparser, which has no states", sum.name));
  }
  if (sum.zeros_as_ones && sum.use != ChecksumUse::update) {
    throw input_error(sum.where, fmt::format("'{}': zeros_as_ones is of an update; it is a {}",
                                             sum.name, checksum_use_name(sum.use)));
  }
  if (!sum.bits.empty() && sum.bits.size() != sum.over.size()) {
    throw input_error(sum.where, fmt::format("'{}': {} widths for {} fields", sum.name,
                                             sum.bits.size(), sum.over.size()));
  }
  if (listed.fields.empty()) return;
  for (std::size_t i = 0; i < sum.over.size(); ++i) {
    expect_listed(listed.fields, sum.over[i], fmt::format("'{}' sums", sum.name), "field",
                  sum.gress, sum.where);
    const auto bits = listed.fields.at(sum.over[i]);
    if (sum.bits.empty() || sum.bits[i] == bits) continue;
    throw input_error(sum.where, fmt::format("'{}' sums {} bits of '{}', which has {}", sum.name,
                                             sum.bits[i], sum.over[i], bits));
  }
}

}  // namespace

void Design::check_parser_parts() const {
  GressParts listed[2];
  const auto of = [&](Gress gress) -> GressParts& {
    return listed[static_cast<std::size_t>(gress)];
  };
  for (const auto& s : parser) of(s.gress).states.emplace(s.name, &s);
  for (const auto& f : fields) of(f.gress).fields.emplace(f.name, f.bits);
  std::set<std::string> seen;
  for (const auto& o : objects) seen.insert(o.name);
  const auto expect_new = [&](const auto& part) {
    if (!seen.insert(part.name).second)
      throw input_error(part.where, fmt::format("'{}' is declared twice", part.name));
  };
  for (const auto& v : value_sets) {
    expect_new(v);
    check_value_set(v, of(v.gress));
  }
  for (const auto& c : checksums) {
    expect_new(c);
    check_checksum(c, of(c.gress));
  }
}

}  // namespace horae::dataplane
