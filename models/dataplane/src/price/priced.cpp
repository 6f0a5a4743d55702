#include "horae/dataplane/price/priced.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

namespace horae::dataplane {

using nlohmann::ordered_json;

Priced price(const Design& design, const ChipSpec& chip, PlaceEffort effort, bool beside) {
  Priced out{.ledger = make_ledger(design, chip, place(design, chip, effort))};
  if (beside) out.beside = price_beside(design, chip);
  return out;
}

Priced::Beside price_beside(const Design& design, const ChipSpec& chip) {
  return {least_stages(design, chip), make_ledger(design, chip, place_as_compiler(design, chip))};
}

void add_beside(const Priced::Beside& beside, ordered_json& pipeline, bool by_stage) {
  const Ledger& compiler = beside.as_compiler;
  pipeline["stages_by_placer"] = {{"least", beside.least}, {"compiler", compiler.stages_used()}};
  auto& as = pipeline["as_compiler"];
  as = {{"stages", compiler.stages_used()},
        {"fits", compiler.refused.empty()},
        {"latency_cycles",
         {{"ingress", compiler.latency[0].count()}, {"egress", compiler.latency[1].count()}}}};
  for (const Resource r : all_resources)
    as["resources"][std::string(resource_name(r))] = compiler.total[r];
  if (by_stage) as["objects"] = ledger_json(compiler, true)["objects"];
}

std::string beside_text(const Priced::Beside& beside, unsigned stages) {
  const Ledger& compiler = beside.as_compiler;
  std::string out = fmt::format(
      "  stages: {} placed, {} least, {} as the open compiler's greedy placer fills them", stages,
      beside.least, compiler.stages_used());
  const char* before = ", where they hold ";
  for (const Resource r : {Resource::sram, Resource::map_ram, Resource::tcam,
                           Resource::stateful_alu, Resource::statistics_alu}) {
    out += fmt::format("{}{} {}", before, compiler.total[r], resource_title(r));
    before = ", ";
  }
  return out + "\n";
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
  if (priced.beside) add_beside(*priced.beside, pipeline, by_stage);
  return pipeline;
}

ordered_json priced_refusals_json(const Priced& priced) {
  auto refused = refusals_json(priced.ledger.refused);
  for (auto& r : refused) r["design"] = priced.ledger.name;
  return refused;
}

}  // namespace horae::dataplane
