// [[module]]: SystemC modules on links.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "horae/config/network_reader.hpp"
#include "horae/config/profile.hpp"
#include "horae/core/error.hpp"
#include "horae/core/registry.hpp"
#include "horae/fabric/modules/stream_block.hpp"
#include "horae/params/schema.hpp"
#include "horae/rtl/block.hpp"
#include "horae/rtl/stream_block.hpp"

namespace horae::config {
namespace {

/// Blocks in RTL become blocks of modules, once.
void take_stream_blocks() {
  static const bool taken = [] {
    for (const rtl::StreamBlock& block : rtl::stream_blocks()) {
      fabric::add_stream_block({std::string(block.name), block.in_bytes, block.out_bytes,
                                [make = block.make](const char* /*name*/, Picoseconds /*period*/)
                                    -> std::unique_ptr<StreamPins> { return make(0); }});
    }
    // Whatever they would have been.
    for (const rtl::RefusedBlock& block : rtl::refused_blocks())
      fabric::add_stream_block(
          {.name = std::string(block.name), .refused = std::string(block.refused)});
    return true;
  }();
  static_cast<void>(taken);
}

}  // namespace

std::vector<std::size_t> NetworkReader::links_between(unsigned a, unsigned b) const {
  std::vector<std::size_t> out;
  const auto& edges = platform_.topology.edges();
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const auto& e = edges[i];
    if ((e.a == a && e.b == b) || (e.a == b && e.b == a)) out.push_back(i);
  }
  return out;
}

std::size_t NetworkReader::link_of(const Section& section,
                                   const std::vector<Located<std::string>>& between,
                                   std::optional<std::uint32_t> link) const {
  if (between.size() != 2) {
    throw section.error("between",
                        fmt::format("{} names in 'between'; expected two", between.size()));
  }
  const auto links = links_between(find(between[0]), find(between[1]));
  const auto ends = fmt::format("between '{}' and '{}'", between[0].value, between[1].value);
  if (links.empty()) throw section.error("between", fmt::format("there is no link {}", ends));
  if (links.size() > 1 && !link) {
    throw section.error("between", fmt::format("there are {} links {}; expected 'link', 0 to {}",
                                               links.size(), ends, links.size() - 1));
  }
  const std::size_t which = link.value_or(0);
  if (which >= links.size()) {
    throw section.error(
        "link",
        fmt::format("link = {}, but there {} {}; expected 0{}", which,
                    links.size() == 1 ? "is one link" : fmt::format("are {} links", links.size()),
                    ends, links.size() == 1 ? "" : fmt::format(" to {}", links.size() - 1)));
  }
  return links[which];
}

nlohmann::ordered_json NetworkReader::add_module(const Section& section) {
  const auto spec = section.read<ModuleSpec>(section.keys());
  take_stream_blocks();
  const fabric::ModuleKind* kind = nullptr;
  check_at(section, "kind",
           [&] { kind = &find_named(fabric::module_kinds(), "kind of module", spec.kind.value); });
  if (kind->end_point)
    throw section.error("kind", fmt::format("'{}' is an end point; expected it as the kind of a "
                                            "profile, and here one of a module on a link",
                                            spec.kind.value));
  std::shared_ptr<const fabric::ModuleFactory> factory = kind->read(section, ModuleSpec::keys());
  check_name("module", spec.name.value, spec.name.where);
  const std::size_t number = link_of(section, spec.between, spec.link);
  LinkInstance& link = platform_.links[number];
  if (link.halved) {
    throw section.error("between",
                        fmt::format("the link between '{}' and '{}' has a module already",
                                    spec.between[0].value, spec.between[1].value));
  }
  link.halved = true;
  auto effective = ModuleSpec::schema().dump(spec);
  effective.update(factory->config());
  platform_.modules.push_back({spec.name.value, section.where(), number,
                               platform_.topology.edges()[number].a == find(spec.between[0]),
                               std::move(factory)});
  return effective;
}

void NetworkReader::add_end_points() {
  for (unsigned i = 0; i < platform_.devices.size(); ++i) {
    const DeviceInstance& device = platform_.devices[i];
    const auto* host = std::get_if<HostProfile>(&platform_.profiles.at(device.profile));
    if (host == nullptr || !host->end_point) continue;
    std::vector<std::size_t> links;
    const auto& edges = platform_.topology.edges();
    for (std::size_t e = 0; e < edges.size(); ++e)
      if (edges[e].a == i || edges[e].b == i) links.push_back(e);
    if (links.size() != 1)
      throw input_error(device.where,
                        fmt::format("'{}' has {} links; expected one, as it is an end "
                                    "point with one port",
                                    device.name, links.size()));
    const std::string name = device.name + "_end_point";
    check_name("module", name, device.where);
    platform_.links[links[0]].halved = true;
    platform_.modules.push_back(
        {name, device.where, links[0], edges[links[0]].b == i, host->end_point, true});
  }
}

}  // namespace horae::config
