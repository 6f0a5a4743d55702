// The whole price of a design on a chip.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "horae/dataplane/design_file.hpp"
#include "horae/dataplane/ledger.hpp"

namespace horae::dataplane {

struct Priced {
  Ledger ledger;
  /// What the fields of its objects ask for and no dependency gives.
  std::vector<FieldOrder> undeclared = {};
  /// As the open Tofino compiler's placer would (place_as_compiler); 0: it cannot, or was not
  /// asked.
  unsigned compiler_stages = 0;
};

/// Places the design, and with `as_compiler` also as the open compiler's placer would. Throws
/// InputError for a design that contradicts itself.
Priced price(const Design& design, const ChipSpec& chip, PlaceEffort effort, bool as_compiler);

/// Priced::compiler_stages of a design.
unsigned compiler_stages(const Design& design, const ChipSpec& chip);

/// InputError for a list without objects, of which nothing is expected.
void require_objects(const DesignCase& design_case);

/// One of `pipelines` of `horae size --json`, of a design that so many pipelines hold. `by_stage`:
/// also what each object has in each stage.
nlohmann::ordered_json priced_json(const Priced& priced, unsigned copies, bool by_stage);
/// Its part of `refused`.
nlohmann::ordered_json priced_refusals_json(const Priced& priced);

}  // namespace horae::dataplane
