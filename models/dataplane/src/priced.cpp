#include "horae/dataplane/priced.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "horae/core/error.hpp"
#include "horae/params/location.hpp"

namespace horae::dataplane {

using nlohmann::ordered_json;

Priced price(const Design& design, const ChipSpec& chip, PlaceEffort effort, bool as_compiler) {
  Priced out{.ledger = make_ledger(design, chip, place(design, chip, effort))};
  if (as_compiler) out.compiler_stages = compiler_stages(design, chip);
  return out;
}

unsigned compiler_stages(const Design& design, const ChipSpec& chip) {
  const auto placement = place_as_compiler(design, chip);
  return placement.fits() ? placement.stages_used() : 0;
}

void require_objects(const DesignCase& c) {
  if (!c.design.empty() || !c.expected.empty()) return;
  throw input_error(c.where, fmt::format("'{}' has no objects; expected [[{}]]", c.design.name,
                                         fmt::join(design_file_kinds(), "]], [[")));
}

ordered_json priced_json(const Priced& priced, unsigned copies, bool by_stage) {
  auto pipeline = ledger_json(priced.ledger, by_stage);
  pipeline["chip"] = priced.ledger.chip;
  pipeline["copies"] = copies;
  for (const auto& o : priced.undeclared) {
    pipeline["undeclared"].push_back({{"object", o.object},
                                      {"on", o.on},
                                      {"kind", dependency_name(o.kind)},
                                      {"field", o.field}});
  }
  if (priced.compiler_stages != 0) {
    pipeline["stages_by_placer"] = {
        {"least", std::min(priced.ledger.stages_used(), priced.compiler_stages)},
        {"compiler", priced.compiler_stages}};
  }
  return pipeline;
}

ordered_json priced_refusals_json(const Priced& priced) {
  auto refused = refusals_json(priced.ledger.refused);
  for (auto& r : refused) r["design"] = priced.ledger.name;
  return refused;
}

}  // namespace horae::dataplane
