// For plug-ins: one more kind of host memory.
#pragma once

#include "horae/rnic/memory_module.hpp"

namespace horae::rnic {

/// Before the registry is first read; InputError for a name that is taken (Registry::add).
void add_memory_kind(MemoryKind kind);

}  // namespace horae::rnic
