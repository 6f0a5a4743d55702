#include "horae/size/compiled.hpp"

#include <fmt/format.h>

#include <utility>

#include "horae/core/error.hpp"
#include "horae/p4/imported.hpp"
#include "horae/p4/p4info.hpp"
#include "horae/results/whole_file.hpp"
#include "quantities.hpp"

namespace horae::size {
namespace {

using dataplane::Resource;

/// Amounts that are compared for each object: those it has alone. Gateways, instructions and
/// crossbar bytes are shared, and which of two objects has them is a matter of counting.
constexpr Resource own[] = {Resource::sram, Resource::map_ram, Resource::tcam,
                            Resource::stateful_alu, Resource::statistics_alu};

/// Comparisons that inform: neither of the two is expected to be the other.
Comparison beside(const dataplane::Ledger& ledger, const std::string& object,
                  const std::string& quantity, double compiler, const std::string& source) {
  return {object, quantity, compiler, quantity_of(ledger, object, quantity), "", source, "", false};
}

/// The design and our two accounts of it.
CompiledDesign size_imported(const p4::ImportedDesign& imported, const std::string& chip_name) {
  CompiledDesign out;
  for (const auto& n : imported.notes) out.notes.push_back({n.object, n.text, n.left_out});
  out.source.chip = {chip_name, {}};
  out.source.design = imported.design;
  const auto chip = dataplane::ChipSpec::find(out.source.chip);
  auto priced = dataplane::price(imported.design, chip, dataplane::PlaceEffort::whole, true);
  out.sized.ledger = std::move(priced.ledger);
  out.sized.beside = std::move(priced.beside);
  out.sized.by_hand = false;
  return out;
}

CompiledDesign size_pipe(const p4::CompilerReport& report,
                         const std::optional<std::string>& chip_name) {
  const p4::ImportedDesign imported = p4::import_report(report);
  CompiledDesign out = size_imported(imported, chip_name.value_or(imported.chip));
  out.pipe = report.pipe;
  out.compiler = "bf-p4c " + report.compiler;
  out.compiler_fits = imported.fits;
  out.compiler_stages = imported.stages;
  out.source.source = out.compiler + " on " + imported.chip;
  const auto& ledger = out.sized.ledger;
  const auto add = [&](const std::string& object, const std::string& quantity, double compiler) {
    out.sized.comparisons.push_back(beside(ledger, object, quantity, compiler, out.source.source));
  };
  add("", "stages", imported.stages);
  add("", "ingress_stages", imported.gress_stages[0]);
  add("", "egress_stages", imported.gress_stages[1]);
  for (const Resource r : dataplane::all_resources)
    add("", std::string(resource_name(r)), static_cast<double>(imported.total[r]));
  out.compiler_pipeline = imported.pipeline;
  out.compiler_tightest =
      dataplane::by_tightness(imported.total, imported.stages,
                              dataplane::ChipSpec::find({imported.chip, {}}), imported.pipeline);
  for (const auto& amount : imported.pipeline)
    if (quantity_of(ledger, "", amount.name))
      add("", amount.name, static_cast<double>(amount.used));
  for (const auto& u : imported.unpriced)
    out.unpriced.push_back({u.name, u.title, u.used, u.fullest, u.capacity, u.stage});
  if (imported.cycles[0] != 0) add("", "ingress_cycles", imported.cycles[0]);
  if (imported.cycles[1] != 0) add("", "egress_cycles", imported.cycles[1]);
  for (std::size_t i = 0; i < imported.design.objects.size(); ++i) {
    const auto& object = imported.design.objects[i];
    const auto& numbers = imported.objects.at(object.name);
    // Ledgers list objects in the order of the design.
    out.stages.push_back({object.name, ledger.objects[i].stages(),
                          out.sized.beside->as_compiler.objects[i].stages(), numbers.stages});
    for (const Resource r : own)
      add(object.name, std::string(resource_name(r)), static_cast<double>(numbers.amounts[r]));
  }
  return out;
}

}  // namespace

std::vector<CompiledDesign> size_report_folder(const std::string& folder,
                                               const std::optional<std::string>& chip) {
  std::vector<CompiledDesign> out;
  for (const auto& report : p4::read_report_folder(folder)) out.push_back(size_pipe(report, chip));
  return out;
}

CompiledDesign size_p4info(const std::string& file, const std::optional<std::string>& chip) {
  const std::string name = chip.value_or("tofino2");
  CompiledDesign out = size_imported(p4::import_p4info(file, name), name);
  out.compiled = false;
  return out;
}

namespace {

/// A design with its notes as comments.
void write_design(const std::string& path, const dataplane::DesignCase& design,
                  const std::vector<std::string>& notes) {
  std::string text = dataplane::design_text(design);
  bool first = true;
  for (std::string line : notes) {
    for (char& c : line) c = c == '\n' || c == '\r' ? ' ' : c;
    text += fmt::format("{}# {}\n", std::exchange(first, false) ? "\n" : "", line);
  }
  if (const std::error_code error = results::write_whole(path, text))
    throw InputError(fmt::format("--write {}: {}", path, error.message()));
}

void expect_one_pipe(const std::string& path, const char* what, std::size_t pipes) {
  if (pipes == 1) return;
  throw InputError(
      fmt::format("--write {}: the {} has {} pipes, an objects file holds one", path, what, pipes));
}

}  // namespace

void write_objects_file(const std::string& path, const std::vector<CompiledDesign>& designs) {
  expect_one_pipe(path, "folder", designs.size());
  std::vector<std::string> notes;
  for (const auto& n : designs.front().notes)
    notes.push_back(fmt::format("{}{}{}{}", n.object, n.object.empty() ? "" : ": ",
                                n.left_out ? "left out: " : "", n.text));
  write_design(path, designs.front().source, notes);
}

void write_objects_file(const std::string& path, const std::vector<SizedDesign>& designs) {
  expect_one_pipe(path, "source", designs.size());
  const auto& sized = designs.front();
  dataplane::DesignCase design;
  design.chip = {sized.ledger.chip, {}};
  design.design = sized.source->design;
  std::vector<std::string> notes;
  for (const auto& n : sized.source->notes)
    notes.push_back(fmt::format("{}{}{}", n.object, n.object.empty() ? "" : ": ", n.text));
  write_design(path, design, notes);
}

}  // namespace horae::size
