#include "mine.hpp"

#include "horae/fabric/plugin.hpp"
#include "horae/policy/plugin.hpp"
#include "horae/programs/plugin.hpp"
#include "horae/rnic/plugin.hpp"

/// Called once, when a platform names this library in `plugins`.
extern "C" void horae_plugin() {
  horae::policy::add_load_balancer(mine::chunks());
  horae::programs::add_program(mine::tally());
  horae::fabric::add_module_kind(mine::cipher());
  horae::fabric::add_module_kind(mine::prober());
  horae::rnic::add_memory_kind(mine::ram_kind());
}
