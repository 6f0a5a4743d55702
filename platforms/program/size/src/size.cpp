#include "horae/size/size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "horae/config/path_tiers.hpp"
#include "horae/config/platform.hpp"
#include "horae/core/error.hpp"
#include "horae/dataplane/design/design_file.hpp"
#include "horae/params/document.hpp"
#include "horae/workload/read_platform.hpp"
#include "p4_source.hpp"
#include "quantities.hpp"
#include "relieve.hpp"

namespace horae::size {
namespace {

/// The chip a request is about: its own, or the one the file names.
dataplane::ChipSpec chip_of(const SizeRequest& request, const Located<std::string>& named) {
  auto chip =
      dataplane::ChipSpec::find(request.chip ? Located<std::string>{*request.chip, {}} : named);
  if (request.relieved) relieve(chip, *request.relieved);
  return chip;
}

/// Places the design both ways, as far as the request asks for.
void place_design(const dataplane::Design& design, const dataplane::ChipSpec& chip,
                  const SizeRequest& request, dataplane::PlaceEffort effort, SizedDesign& out) {
  auto priced = dataplane::price(design, chip, effort, request.beside);
  out.ledger = std::move(priced.ledger);
  out.beside = std::move(priced.beside);
}

SizedDesign size_case(const dataplane::DesignCase& c, const SizeRequest& request) {
  const auto spec = chip_of(request, c.chip);
  SizedDesign out;
  // Exactly the objects that the file marks as not placeable must be refused.
  const bool refusal = std::any_of(c.expected.begin(), c.expected.end(),
                                   [](const auto& e) { return e.quantity == "placed"; });
  place_design(c.design, spec, request, refusal ? dataplane::PlaceEffort::whole : request.effort,
               out);
  out.undeclared = c.undeclared;
  out.by_hand = !c.complete;
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

std::vector<SizedDesign> size_platform(const SizeRequest& request) {
  const config::PlatformConfig platform =
      workload::read_platform(Document::load(request.file, request.overrides));
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
    dataplane::Design design = profile->program->design(pipeline);
    design.name = device.profile;
    SizedDesign sized;
    place_design(design, chip, request, request.effort, sized);
    sized.undeclared = undeclared_orders(design);
    sized.copies = request.chip ? chip.pipelines : profile->chip.pipelines;
    sized.accounts = program->accounts();
    if (request.beside && !profile->program->works_on_bytes())
      sized.rehearsal = programs::rehearse(*program, pipeline, table);
    for (const auto& published : platform.size.published) {
      if (published.profile.value == device.profile)
        sized.comparisons.push_back(compare_with(published, sized));
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
  if (request.p4) return size_p4(request);
  if (!request.objects) return size_platform(request);
  const auto file = dataplane::read_design_file(Document::load(request.file, request.overrides));
  std::vector<SizedDesign> out;
  for (const auto& c : file.cases) out.push_back(size_case(c, request));
  return out;
}

}  // namespace horae::size
