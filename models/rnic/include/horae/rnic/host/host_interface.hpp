// The NIC's side of PCIe: reads and writes of host memory, doorbells.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <systemc>
#include <tlm>

#include "horae/core/units.hpp"
#include "horae/fabric/window_clock.hpp"
#include "horae/rnic/host/pcie_link.hpp"
#include "horae/rnic/host_memory.hpp"
#include "horae/rnic/spec/pcie_config.hpp"

namespace horae::rnic {

/// DMA and doorbells of one NIC, as calls that say when things are done. `now` is the NIC's local
/// time, never decreasing and never before sc_time_stamp(). Each request that reaches the root
/// complex becomes one access through `memory` (blocking transport; annotated delay: from
/// sc_time_stamp() to the request's last bit at the root complex). What the target adds to the
/// delay is the time until a completion can leave or a write is visible. The target must not let
/// time go by in b_transport: a target that does, as one with nb_transport alone does behind a
/// simple_target_socket, ends the simulation (ModelError with its address, once the time goes by).
/// So does an error response. The child `host_memory`, which nobody else is bound to, is asked
/// directly where contents do not matter.
///
/// Calls need a finished elaboration, and a thread process where a target of a user's own is bound
/// (calls_out()). Contents are moved at the call; times are those returned.
class host_interface : public sc_core::sc_module {
 public:
  /// The link and, unless the user binds a target of their own, the memory behind it.
  host_interface(sc_core::sc_module_name name, const PcieConfig& pcie,
                 const HostMemoryConfig& memory, std::uint64_t seed);

  ~host_interface() override;

  /// The simulation that is told when a target waits (elaboration only); without one it is
  /// SystemC's report handler.
  void set_clock(fabric::window_clock& clock) { clock_ = &clock; }
  /// To host memory. Left unbound, a child `host_memory` is made and bound when elaboration ends.
  tlm_utils::simple_initiator_socket_optional<host_interface> memory{"memory"};

  /// Reads `size` bytes (above zero), in requests of max_read_request cut at 4 KiB boundaries: when
  /// the last byte is on the NIC. The contents are not looked at (timing_only).
  Picoseconds read(Picoseconds now, std::uint64_t address, Bytes size);
  /// The same with contents.
  Picoseconds read(Picoseconds now, std::uint64_t address, std::span<unsigned char> into);
  /// Writes `size` bytes (above zero): when they, and all that was written before them, are visible
  /// in memory. Memory is not changed (timing_only; a target that does not know that extension
  /// sees bytes without meaning).
  Picoseconds write(Picoseconds now, std::uint64_t address, Bytes size);
  /// The same with contents.
  Picoseconds write(Picoseconds now, std::uint64_t address, std::span<const unsigned char> from);
  /// A CPU's store of 8 bytes at `now`: when it is at the NIC.
  Picoseconds doorbell(Picoseconds now) { return link_.mmio_write(now, mmio_latency_, 8_B); }
  /// A CPU's store of `size` bytes of WQEs at `now`, one TLP: when it is at the NIC.
  Picoseconds push_wqes(Picoseconds now, Bytes size) {
    return link_.mmio_write(now, mmio_latency_, size, PcieUse::wqe);
  }

  const PcieLink& link() const { return link_; }
  PcieLink& link() { return link_; }
  const PcieCounters& counters() const { return link_.counters(); }
  /// All zero with a target of the user's, or where nothing limits what memory carries.
  MemoryCounters memory_counters() const {
    return own_memory_ == nullptr ? MemoryCounters{} : own_memory_->counters();
  }
  /// The child, or null when the user bound a target (after elaboration).
  host_memory* own_memory() { return own_memory_.get(); }
  /// Whether the user bound a target (after elaboration).
  bool calls_out() const { return own_memory_ == nullptr; }

 protected:
  void before_end_of_elaboration() override;
  void end_of_elaboration() override;

 private:
  Picoseconds read_pieces(Picoseconds now, std::uint64_t address, Bytes size, unsigned char* into);
  Picoseconds write_pieces(Picoseconds now, std::uint64_t address, Bytes size, unsigned char* from);
  /// One access that reaches the root complex at `arrival`; returns that plus what the target adds.
  Picoseconds access(tlm::tlm_command command, Picoseconds now, Picoseconds arrival,
                     std::uint64_t address, Bytes size, unsigned char* data) {
    // The memory of our own has nothing to do but to say how long it takes: a call in place of a
    // generic payload (60 instructions).
    if (data == nullptr && own_memory_ != nullptr) [[likely]]
      return arrival +
             own_memory_->latency(command == tlm::TLM_WRITE_COMMAND, now, arrival, address, size);
    return transport(command, arrival, address, size, data);
  }
  Picoseconds transport(tlm::tlm_command command, Picoseconds arrival, std::uint64_t address,
                        Bytes size, unsigned char* data);
  void call(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  [[noreturn]] void refuse(const tlm::tlm_generic_payload& payload) const;
  std::string describe(const tlm::tlm_generic_payload& payload) const;
  void target_waits();

  PcieLink link_;
  HostMemoryConfig memory_config_;
  std::uint64_t seed_;
  Picoseconds mmio_latency_;
  std::unique_ptr<host_memory> own_memory_;
  tlm::tlm_fw_transport_if<>* target_ = nullptr;
  timing_only timing_only_;
  tlm::tlm_generic_payload sized_;   ///< carries timing_only
  tlm::tlm_generic_payload filled_;  ///< carries contents
  std::array<unsigned char, pcie_page> scratch_{};
  Picoseconds visible_{};  ///< when all writes so far are visible
  fabric::window_clock* clock_ = nullptr;
  sc_core::sc_event waits_{"waits"};                  ///< the target has let time go by
  const tlm::tlm_generic_payload* called_ = nullptr;  ///< what the target has
};

}  // namespace horae::rnic
