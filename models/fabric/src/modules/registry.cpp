#include "horae/core/registry.hpp"

#include <utility>

#include "horae/fabric/module_kind.hpp"
#include "horae/fabric/modules/stream_block.hpp"
#include "horae/fabric/plugin.hpp"

namespace horae::fabric {

// Each is in a source of its name.
ModuleKind delay();
ModuleKind burst_loss();
ModuleKind axi_stream();

namespace {
Registry<ModuleKind>& module_registry() {
  static Registry<ModuleKind> all("kind of module", {delay(), burst_loss(), axi_stream()});
  return all;
}
Registry<StreamBlock>& stream_registry() {
  static Registry<StreamBlock> all("AXI4-Stream block", {});
  return all;
}
}  // namespace

const std::vector<ModuleKind>& module_kinds() { return module_registry().all(); }
void add_module_kind(ModuleKind kind) { module_registry().add(std::move(kind)); }

const std::vector<StreamBlock>& stream_blocks() { return stream_registry().all(); }
void add_stream_block(StreamBlock block) { stream_registry().add(std::move(block)); }

}  // namespace horae::fabric
