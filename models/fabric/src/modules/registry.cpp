#include "horae/core/registry.hpp"

#include <utility>

#include "horae/fabric/module_kind.hpp"
#include "horae/fabric/plugin.hpp"

namespace horae::fabric {

// Each is in a source of its name.
ModuleKind delay();
ModuleKind burst_loss();

namespace {
Registry<ModuleKind>& module_registry() {
  static Registry<ModuleKind> all("kind of module", {delay(), burst_loss()});
  return all;
}
}  // namespace

const std::vector<ModuleKind>& module_kinds() { return module_registry().all(); }
void add_module_kind(ModuleKind kind) { module_registry().add(std::move(kind)); }

}  // namespace horae::fabric
