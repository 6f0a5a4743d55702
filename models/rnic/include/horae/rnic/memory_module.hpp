// The seam of host memories of a user's own.
#pragma once

#include <cstddef>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "horae/core/stats.hpp"
#include "horae/fabric/kind.hpp"

namespace horae::rnic {

/// Memory, or what leads to it, in the place of the host memory of one NIC or several. A
/// [[host_memory]] of a platform makes one. Its sockets are targets of the base protocol, called as
/// host_interface says.
class memory_module : public sc_core::sc_module {
 public:
  /// Any simple or multi-passthrough target socket of 32 bits' width is one.
  using port_type = tlm::tlm_base_target_socket_b<>;

  /// Its socket for NIC number `nic` of those that it serves, from 0. It may be one for all.
  virtual port_type& port(std::size_t nic) = 0;
  /// Its counters, for the results.
  virtual void statistics(StatTree& /*tree*/) const {}
  /// Lines on what waits in it, for runs that stand still.
  virtual std::vector<std::string> describe_queues() const { return {}; }

 protected:
  using sc_module::sc_module;
};

/// `nics`: how many it serves.
using MemoryFactory = fabric::Factory<memory_module, std::size_t>;
using MemoryKind = fabric::Kind<memory_module, std::size_t>;

/// All kinds: those of plug-ins.
const std::vector<MemoryKind>& memory_kinds();

/// The entry of a Module that is constructed with (sc_module_name, std::size_t nics, const
/// Config&), as fabric::kind_of() says.
template <class Module, class Config>
MemoryKind memory_kind() {
  return fabric::kind_of<Module, Config, memory_module, std::size_t>();
}

}  // namespace horae::rnic
