// [[host_memory]]: SystemC modules in the place of NICs' host memory.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "horae/config/network_reader.hpp"
#include "horae/config/profile.hpp"
#include "horae/core/error.hpp"
#include "horae/core/registry.hpp"
#include "horae/params/schema.hpp"
#include "horae/rnic/memory_module.hpp"

namespace horae::config {
namespace {

/// Whether a device is a NIC that has a host memory.
bool has_host(const PlatformConfig& platform, unsigned device) {
  const auto* nic =
      std::get_if<rnic::RnicConfig>(&platform.profiles.at(platform.devices[device].profile));
  return nic != nullptr && nic->host != rnic::HostModel::none;
}

/// The memory that a NIC has already; null: its own.
const MemoryInstance* memory_of(const PlatformConfig& platform, unsigned nic) {
  const auto found = std::ranges::find_if(platform.memories, [&](const MemoryInstance& m) {
    return std::ranges::find(m.nics, nic) != m.nics.end();
  });
  return found == platform.memories.end() ? nullptr : &*found;
}

}  // namespace

nlohmann::ordered_json NetworkReader::add_memory(const Section& section) {
  const auto spec = section.read<MemorySpec>(section.keys());
  const rnic::MemoryKind* kind = nullptr;
  check_at(section, "kind", [&] {
    if (rnic::memory_kinds().empty())
      throw InputError(
          fmt::format("unknown kind of host memory '{}': there is none; expected one of a plug-in",
                      spec.kind.value));
    kind = &find_named(rnic::memory_kinds(), "kind of host memory", spec.kind.value);
  });
  std::shared_ptr<const rnic::MemoryFactory> factory = kind->read(section, MemorySpec::keys());
  check_name("host memory", spec.name.value, spec.name.where);
  MemoryInstance made{spec.name.value, section.where(), {}, std::move(factory)};
  const auto add = [&](unsigned nic, const Location& where) {
    if (std::ranges::find(made.nics, nic) != made.nics.end())
      throw input_error(where, fmt::format("'{}' comes twice", platform_.devices[nic].name));
    if (const auto* other = memory_of(platform_, nic))
      throw input_error(where, fmt::format("the host memory of '{}' is '{}' already",
                                           platform_.devices[nic].name, other->name));
    made.nics.push_back(nic);
  };
  for (const auto& name : spec.nics) {
    const unsigned nic = find(name);
    if (!has_host(platform_, nic))
      throw input_error(name.where, fmt::format("'{}' has no host memory; expected a NIC with "
                                                "host = \"pcie\"",
                                                name.value));
    add(nic, name.where);
  }
  for (unsigned i = 0; spec.nics.empty() && i < platform_.devices.size(); ++i)
    if (has_host(platform_, i)) add(i, section.where());
  if (made.nics.empty())
    throw input_error(section.where(),
                      fmt::format("host memory '{}' is of no NIC; expected one with host = "
                                  "\"pcie\"",
                                  made.name));
  auto effective = MemorySpec::schema().dump(spec);
  effective.update(made.factory->config());
  platform_.memories.push_back(std::move(made));
  return effective;
}

}  // namespace horae::config
