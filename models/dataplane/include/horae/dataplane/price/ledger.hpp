// Cost of a design: per object, per stage, per pipeline.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "horae/dataplane/place/placement.hpp"
#include "horae/dataplane/price/pipeline_amounts.hpp"

namespace horae::dataplane {

/// Amounts of an object in one stage. Crossbar bytes and VLIW are counted as if it shared nothing;
/// VLIW in instructions, of which two may share a word.
struct LedgerPart {
  unsigned stage = 0;
  Amounts amounts;
};

struct LedgerObject {
  std::string name;
  std::string kind;
  Gress gress = Gress::ingress;
  std::vector<LedgerPart> parts;  ///< by stage
  bool refused = false;
  Amounts total() const;
  std::vector<unsigned> stages() const;
};

/// The account of one pipeline; all pipelines that run the program have the same.
struct Ledger {
  std::string name;
  std::string chip;
  unsigned chip_stages = 0;
  Amounts capacity;             ///< of one stage
  std::vector<Amounts> stages;  ///< used, up to the last stage that holds anything; words of VLIW,
                                ///< crossbar bytes once
  Amounts total;
  Cycles latency[2];                     ///< MAU cycles by gress
  unsigned gress_stages[2] = {0, 0};     ///< stages that hold something of the gress
  std::vector<LedgerObject> objects;     ///< in the order of the design
  std::vector<PipelineAmount> pipeline;  ///< of the whole, where the design says what there is
  std::vector<Tightness> tightest;       ///< the tightest first
  std::vector<Refusal> refused;
  std::vector<std::string>
      unchecked;  ///< registers of a program with functions that nobody checked

  unsigned stages_used() const { return static_cast<unsigned>(stages.size()); }
  /// Per cent of what the used stages have, no more than the chip's: the figure of the vendor
  /// compiler's report.
  double percent_used_stages(Resource r) const;
  /// Per cent of what all stages of the chip have.
  double percent_chip(Resource r) const;
};

Ledger make_ledger(const Design& design, const ChipSpec& chip, const Placement& placement);

/// A program that the chip has no room for: carries the account that shows it.
class DoesNotFit : public std::runtime_error {
 public:
  DoesNotFit(const std::string& where, Ledger account)
      : std::runtime_error(where + ": the program does not fit the chip"),
        ledger(std::move(account)) {}
  Ledger ledger;
};

/// Amounts of the whole pipeline, as in `horae size --json`, and as a table.
nlohmann::ordered_json pipeline_json(const std::vector<PipelineAmount>& pipeline);
std::string pipeline_text(const std::vector<PipelineAmount>& pipeline);
/// The three tightest, as in `horae size --json`, and as a line that begins with `of`.
nlohmann::ordered_json tightest_json(const std::vector<Tightness>& tightest);
std::string tightest_text(const std::string& of, const std::vector<Tightness>& tightest);

/// One pipeline as in `horae size --json`. `objects_by_stage`: also what each object has in each of
/// its stages, as its `by_stage`.
nlohmann::ordered_json ledger_json(const Ledger& ledger, bool objects_by_stage = false);
/// The refusals as in `horae size --json`.
nlohmann::ordered_json refusals_json(const std::vector<Refusal>& refused);

/// As text: totals, objects, and with `by_stage` the stages.
std::string ledger_text(const Ledger& ledger, bool by_stage);
/// The refusals as a table.
std::string refusals_text(const std::vector<Refusal>& refused);

}  // namespace horae::dataplane
