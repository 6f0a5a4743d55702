// The seam of modules on links.
#pragma once

#include <vector>

#include "horae/fabric/kind.hpp"
#include "horae/fabric/link_module.hpp"

namespace horae::fabric {

/// A [[module]] of a platform.
using ModuleFactory = Factory<link_module, module_context&>;

/// A kind of module on a link.
struct ModuleKind : Kind<link_module, module_context&> {
  /// It is no module on a link but a device with one port: the kind of a profile.
  bool end_point = false;
};

/// All kinds.
const std::vector<ModuleKind>& module_kinds();

/// The entry of a Module that is constructed with (sc_module_name, module_context&, const Config&),
/// as kind_of() says.
template <class Module, class Config>
ModuleKind module_kind() {
  return {kind_of<Module, Config, link_module, module_context&>()};
}

/// The entry of an end_point, likewise.
template <class EndPoint, class Config>
ModuleKind end_point_kind() {
  ModuleKind kind = module_kind<EndPoint, Config>();
  kind.end_point = true;
  return kind;
}

}  // namespace horae::fabric
