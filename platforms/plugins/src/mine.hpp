// Registry entries of the plug-in, each in the source of its name.
#pragma once

#include "horae/fabric/plugin.hpp"
#include "horae/policy/balance/load_balancer.hpp"
#include "horae/programs/program.hpp"
#include "horae/rnic/memory_module.hpp"

namespace mine {

horae::policy::BalancerEntry chunks();
horae::programs::ProgramEntry tally();
horae::fabric::ModuleKind cipher();
horae::fabric::ModuleKind prober();
horae::rnic::MemoryKind ram_kind();

}  // namespace mine
