#include <utility>

#include "horae/core/registry.hpp"
#include "horae/rnic/plugin.hpp"

namespace horae::rnic {
namespace {
Registry<MemoryKind>& registry() {
  static Registry<MemoryKind> all("kind of host memory", {});
  return all;
}
}  // namespace

const std::vector<MemoryKind>& memory_kinds() { return registry().all(); }
void add_memory_kind(MemoryKind kind) { registry().add(std::move(kind)); }

}  // namespace horae::rnic
