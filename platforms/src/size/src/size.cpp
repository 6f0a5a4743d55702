#include "horae/size/size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "horae/config/path_tiers.hpp"
#include "horae/config/platform.hpp"
#include "horae/core/error.hpp"
#include "horae/dataplane/design_file.hpp"
#include "horae/flows/read_platform.hpp"
#include "horae/params/document.hpp"

namespace horae::size {
namespace {

using dataplane::Ledger;

/// Ours of a quantity: a resource of an object or of the whole design, stages, cycles.
std::optional<double> quantity_of(const Ledger& ledger, const std::string& object,
                                  const std::string& quantity) {
  if (quantity == "placed") {
    if (object.empty()) return ledger.refused.empty() ? 1 : 0;
    return std::any_of(ledger.objects.begin(), ledger.objects.end(),
                       [&](const auto& o) { return o.name == object && o.refused; })
               ? 0
               : 1;
  }
  if (const auto r = dataplane::find_resource(quantity)) {
    if (object.empty()) return static_cast<double>(ledger.total[*r]);
    for (const auto& o : ledger.objects) {
      if (o.name == object) return static_cast<double>(o.total()[*r]);
    }
    return std::nullopt;
  }
  if (quantity == "stages") return ledger.stages_used();
  if (quantity == "ingress_stages") return ledger.gress_stages[0];
  if (quantity == "egress_stages") return ledger.gress_stages[1];
  if (quantity == "ingress_cycles") return static_cast<double>(ledger.latency[0].count());
  if (quantity == "egress_cycles") return static_cast<double>(ledger.latency[1].count());
  return std::nullopt;
}

/// The chip with twice as much of a resource in each stage. Twice the ALUs come with rows half as
/// wide, twice the map RAM with the SRAM beside it.
void relieve(dataplane::ChipSpec& chip, dataplane::Resource r) {
  using dataplane::Resource;
  auto& stage = chip.stage;
  switch (r) {
    case Resource::sram:
      stage.sram *= 2;
      break;
    case Resource::map_ram:
      stage.sram += stage.map_ram;
      stage.map_ram *= 2;
      chip.stateful.rams_per_row *= 2;
      break;
    case Resource::stateful_alu:
      if (chip.stateful.rams_per_row % 2 != 0) break;  // no rows half as wide
      stage.stateful_alu *= 2;
      chip.stateful.rows *= 2;
      chip.stateful.reach_rows *= 2;
      chip.stateful.rams_per_row /= 2;
      break;
    case Resource::tcam:
      stage.tcam *= 2;
      break;
    case Resource::statistics_alu:
      stage.statistics_alu *= 2;
      break;
    case Resource::gateway:
      stage.gateway *= 2;
      break;
    case Resource::vliw:
      stage.vliw *= 2;
      break;
    case Resource::logical_table:
      stage.logical_table *= 2;
      break;
    case Resource::hash_bits:
      stage.hash_bits *= 2;
      break;
    case Resource::hash_dist:
      stage.hash_dist *= 2;
      break;
    case Resource::exact_xbar:
      stage.exact_xbar *= 2;
      break;
    case Resource::ternary_xbar:
      stage.ternary_xbar *= 2;
      break;
    case Resource::action_data_bus:
      stage.action_data_bus *= 2;
      break;
  }
}

/// The chip a request is about: its own, or the one the file names.
dataplane::ChipSpec chip_of(const SizeRequest& request, const Located<std::string>& named) {
  auto chip =
      dataplane::ChipSpec::find(request.chip ? Located<std::string>{*request.chip, {}} : named);
  if (request.relieved) relieve(chip, *request.relieved);
  return chip;
}

SizedDesign size_case(const dataplane::DesignCase& c, const SizeRequest& request) {
  const auto spec = chip_of(request, c.chip);
  SizedDesign out;
  out.ledger = make_ledger(c.design, spec, place(c.design, spec));
  std::set<std::string> expected;
  for (const auto& e : c.expected) {
    out.comparisons.push_back({e.object, e.quantity, e.value,
                               quantity_of(out.ledger, e.object, e.quantity), "", c.source,
                               e.deviation, true});
    if (e.quantity == "placed" && e.value == 0) expected.insert(e.object);
  }
  // Expected of the design, or of each object that is refused.
  out.expected_refusal =
      !out.ledger.refused.empty() &&
      (expected.contains("") ||
       std::all_of(out.ledger.refused.begin(), out.ledger.refused.end(),
                   [&](const dataplane::Refusal& r) {
                     return expected.contains(r.object.substr(0, r.object.find('[')));
                   }));
  return out;
}

/// A published figure beside ours.
Comparison compare(const config::PublishedSizeSpec& published, const SizedDesign& design) {
  constexpr std::string_view percent = "_percent";
  Comparison c{published.id,   published.quantity, published.value, std::nullopt,
               published.unit, published.source,   published.note,  false};
  std::string name = published.quantity;
  if (name.ends_with(percent)) {
    name.resize(name.size() - percent.size());
    if (const auto r = dataplane::find_resource(name)) {
      const std::int64_t stages =
          published.over_stages != 0 ? published.over_stages : design.ledger.stages_used();
      const std::int64_t capacity = design.ledger.capacity[*r] * stages;
      const std::int64_t used = design.ledger.total[*r];
      c.ours =
          capacity == 0 ? 0.0 : 100.0 * static_cast<double>(used) / static_cast<double>(capacity);
      const std::string made_of =
          fmt::format("ours {} of {} over {} stages", used, capacity, stages);
      c.note = c.note.empty() ? made_of : made_of + "; " + c.note;
      return c;
    }
  }
  for (const auto& account : design.accounts) {
    if (account.name != published.quantity.value) continue;
    c.ours = account.value;
    c.note = c.note.empty() ? account.how : account.how + "; " + c.note;
    return c;
  }
  c.ours = quantity_of(design.ledger, "", published.quantity);
  if (c.ours) return c;
  std::vector<std::string> known = {"stages", "ingress_cycles", "egress_cycles"};
  for (const auto& account : design.accounts) known.push_back(account.name);
  for (const auto r : dataplane::all_resources) {
    known.emplace_back(resource_name(r));
    known.push_back(std::string(resource_name(r)) + std::string(percent));
  }
  throw input_error(
      published.quantity.where,
      fmt::format("quantity = \"{}\" is nothing that is sized{}", published.quantity.value,
                  suggestion(published.quantity.value, known)));
}

std::vector<SizedDesign> size_platform(const SizeRequest& request) {
  const config::PlatformConfig platform =
      flows::read_platform(Document::load(request.file, request.overrides));
  const auto routes = platform.topology.shortest_path_routes();
  std::vector<SizedDesign> out;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < platform.devices.size(); ++i) {
    const auto& device = platform.devices[i];
    const auto* profile = std::get_if<config::TofinoProfile>(&platform.profiles.at(device.profile));
    if (profile == nullptr || !seen.insert(device.profile).second) continue;
    const auto table = config::steered_routes(platform, static_cast<unsigned>(i), routes);
    dataplane::Pipeline pipeline(device.profile, 0, platform.sim.seed);
    const auto program = profile->program->make(pipeline, table);
    const auto chip = chip_of(request, profile->chip.chip);
    dataplane::Design design = pipeline.design();
    design.name = device.profile;
    SizedDesign sized;
    sized.ledger = make_ledger(design, chip, place(design, chip));
    sized.copies = profile->chip.pipelines;
    sized.accounts = program->accounts();
    for (const auto& published : platform.size.published) {
      if (published.profile.value == device.profile)
        sized.comparisons.push_back(compare(published, sized));
    }
    out.push_back(std::move(sized));
  }
  const bool nics = std::any_of(
      platform.devices.begin(), platform.devices.end(), [&](const config::DeviceInstance& d) {
        return std::holds_alternative<rnic::RnicConfig>(platform.profiles.at(d.profile));
      });
  if (out.empty() && !nics) {
    throw InputError(fmt::format(
        "{}: no device of this platform runs a program (kind tofino) or is a NIC (kind rnic)",
        request.file));
  }
  return out;
}

}  // namespace

bool all_fit(const std::vector<SizedDesign>& designs) {
  return std::all_of(designs.begin(), designs.end(), [](const SizedDesign& d) {
    return d.ledger.refused.empty() || d.expected_refusal;
  });
}

std::vector<SizedDesign> size_designs(const SizeRequest& request) {
  if (!request.objects) return size_platform(request);
  const auto file = dataplane::read_design_file(Document::load(request.file, request.overrides));
  std::vector<SizedDesign> out;
  for (const auto& c : file.cases) out.push_back(size_case(c, request));
  return out;
}

}  // namespace horae::size
