// The whole price of a design on a chip.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "horae/dataplane/design/design_file.hpp"
#include "horae/dataplane/price/ledger.hpp"

namespace horae::dataplane {

struct Priced {
  Ledger ledger;
  /// Orders that fields of its objects require and no dependency gives.
  std::vector<FieldOrder> undeclared = {};
  /// Numbers beside the ledger's stages; none: not requested.
  struct Beside {
    unsigned least = 0;  ///< no placement has fewer stages (least_stages)
    Ledger as_compiler;  ///< as the open Tofino compiler's placer would (place_as_compiler)
  };
  std::optional<Beside> beside = {};
};

/// Places the design, and with `beside` also as the open compiler's placer would. Throws
/// InputError for a design that contradicts itself.
Priced price(const Design& design, const ChipSpec& chip, PlaceEffort effort, bool beside);

/// Priced::beside of a design.
Priced::Beside price_beside(const Design& design, const ChipSpec& chip);

/// `stages_by_placer` and `as_compiler` of a pipeline in `horae size --json`. `by_stage`: also what
/// each object has in each stage as the compiler places it, to be held against a report by stage.
void add_beside(const Priced::Beside& beside, nlohmann::ordered_json& pipeline, bool by_stage);
/// The same as a line, for a placement in so many stages.
std::string beside_text(const Priced::Beside& beside, unsigned stages);

/// One of `pipelines` of `horae size --json`, of a design that so many pipelines hold. `by_stage`:
/// also what each object has in each stage.
nlohmann::ordered_json priced_json(const Priced& priced, unsigned copies, bool by_stage);
/// Its part of `refused`.
nlohmann::ordered_json priced_refusals_json(const Priced& priced);

}  // namespace horae::dataplane
