#include "parser_use.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "header_paths.hpp"

namespace horae::dataplane {
namespace {

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

std::int64_t rows_of(const ParserState& state, const Design& design) {
  if (state.rows != 0) return state.rows;
  const auto by_value_set = [&](const std::string& next) {
    return std::ranges::any_of(design.value_sets, [&](const ValueSetSpec& v) {
      return v.gress == state.gress && v.next == next && has(v.states, state.name);
    });
  };
  const auto own =
      std::ranges::count_if(state.next, [&](const auto& n) { return !by_value_set(n); });
  return std::max<std::int64_t>(1, own);
}

/// Whether two checksums of one kind may have the same unit of the parser.
bool can_share(const ChecksumSpec& a, const ChecksumSpec& b, const HeaderPaths& paths) {
  if (a.states.empty() || b.states.empty()) return false;
  if (std::ranges::any_of(a.states, [&](const auto& s) { return has(b.states, s); })) return false;
  if (a.use == ChecksumUse::verify) return true;
  return std::ranges::none_of(a.states, [&](const auto& s) {
    return std::ranges::any_of(b.states,
                               [&](const auto& t) { return paths.one_leads_to_other(s, t); });
  });
}

}  // namespace

std::int64_t parser_rows(const Design& design, Gress gress) {
  std::int64_t rows = 0;
  for (const auto& state : design.parser)
    if (state.gress == gress) rows += rows_of(state, design);
  for (const auto& set : design.value_sets)
    if (set.gress == gress) rows += static_cast<std::int64_t>(set.tcam_rows());
  return rows;
}

std::int64_t parser_checksum_units(const Design& design, Gress gress) {
  const HeaderPaths paths(design, gress);
  std::int64_t units = 0;
  for (const auto use : {ChecksumUse::residual, ChecksumUse::verify}) {
    std::vector<std::vector<const ChecksumSpec*>> shared;
    for (const auto& c : design.checksums) {
      if (c.gress != gress || c.use != use) continue;
      const auto unit = std::ranges::find_if(shared, [&](const auto& held) {
        return std::ranges::all_of(
            held, [&](const ChecksumSpec* other) { return can_share(c, *other, paths); });
      });
      if (unit == shared.end())
        shared.push_back({&c});
      else
        unit->push_back(&c);
    }
    units += static_cast<std::int64_t>(shared.size());
  }
  return units;
}

std::int64_t deparser_checksum_units(const Design& design, Gress gress) {
  return std::ranges::count_if(design.checksums, [&](const ChecksumSpec& c) {
    return c.gress == gress && c.use == ChecksumUse::update;
  });
}

}  // namespace horae::dataplane
