// The NIC's side of PCIe: reads and writes of host memory, doorbells.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <systemc>
#include <tlm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "horae/core/units.hpp"
#include "horae/fabric/context.hpp"
#include "horae/rnic/host/address_map.hpp"
#include "horae/rnic/host/bus_master.hpp"
#include "horae/rnic/host/open_accesses.hpp"
#include "horae/rnic/host/pcie_link.hpp"
#include "horae/rnic/host_memory.hpp"
#include "horae/rnic/spec/pcie_config.hpp"

namespace horae::rnic {

/// Counters of a NIC's host: its link, and what its own memory carries.
struct HostCounters {
  PcieCounters pcie{};
  MemoryCounters memory{};
  friend HostCounters operator-(const HostCounters& a, const HostCounters& b) {
    return {a.pcie - b.pcie, a.memory - b.memory};
  }
  friend HostCounters operator+(const HostCounters& a, const HostCounters& b) {
    return {a.pcie + b.pcie, a.memory + b.memory};
  }
};

/// DMA and doorbells of one NIC. `now` is the NIC's local time, never decreasing and never before
/// sc_time_stamp().
///
/// Its own memory (the child `host_memory`) answers at once: a call says when an access will be
/// done. A target of a user's own, bound to `memory`, answers when it likes, by blocking or
/// non-blocking transport (HostMemoryConfig::calls): read() and write() return `never`, and what is
/// given to when_known() is called when the time is known. Such a target is called
/// HostMemoryConfig::path after the request's last bit is at the root complex, without an annotated
/// delay, and its answer is back at the root complex that long after it. It may wait, answer in any
/// order, and answer with errors.
///
/// Calls need a finished elaboration.
class host_interface : public sc_core::sc_module {
 public:
  /// The link and, unless the user binds a target of their own, the memory behind it.
  host_interface(sc_core::sc_module_name name, const PcieConfig& pcie,
                 const HostMemoryConfig& memory, std::uint64_t seed);

  ~host_interface() override;

  /// To host memory. Left unbound, a child `host_memory` is made and bound when elaboration ends.
  tlm_utils::simple_initiator_socket_optional<host_interface> memory{"memory"};

  /// Who uses a target of a user's own, and hears of its answers.
  struct Owner {
    fabric::sim_context* context = nullptr;
    std::uint32_t device = 0;  ///< orders its calls among those of one time
    bool runs_here = true;     ///< in this process of the run
    /// An answer will be back at the root complex at `at`: take(at, number) is to be called then.
    /// `ordinal` is unique.
    std::function<void(Picoseconds at, std::uint64_t ordinal, std::uint32_t number)> hear;
  };
  /// Before elaboration ends. A host that nobody owns has no target of a user's own.
  void serve(Owner owner) { owner_ = std::move(owner); }

  /// Reads `size` bytes (above zero), in requests of max_read_request cut at 4 KiB boundaries: when
  /// the last byte is on the NIC. The contents are not looked at (timing_only), unless
  /// HostMemoryConfig::contents says so: then take_read() has those of WQEs and payload.
  Picoseconds read(Picoseconds now, std::uint64_t address, Bytes size) {
    if (apart_) [[unlikely]]
      return read_apart(now, address, size);
    return read_pieces<false>(now, address, size, nullptr);
  }
  /// The same with contents, which are kept alive by the caller until they are there.
  Picoseconds read(Picoseconds now, std::uint64_t address, std::span<unsigned char> into);
  /// Writes `size` bytes (above zero): when they, and all that was written before them, are visible
  /// in memory. Memory is not changed (timing_only; a target that does not know that extension
  /// sees bytes without meaning), but for what stage() was given.
  Picoseconds write(Picoseconds now, std::uint64_t address, Bytes size) {
    if (apart_) [[unlikely]]
      return write_apart(now, address, size);
    return write_pieces<false>(now, address, size, nullptr);
  }
  /// The same with contents, likewise.
  Picoseconds write(Picoseconds now, std::uint64_t address, std::span<const unsigned char> from);

  // With HostMemoryConfig::contents.
  using Contents = std::vector<unsigned char>;
  /// Bytes that the last read() there has brought, once it is done; null: nothing was read since.
  std::shared_ptr<const Contents> take_read(std::uint64_t address);
  /// Contents of the next write() there, which is as long.
  void stage(std::uint64_t address, std::span<const unsigned char> bytes);
  /// Moves contents in no time, as the host's CPU or debug transport does (IEEE 1666-2011, 11.3):
  /// out of memory, or into it. InputError where a target of a user's own moves less.
  void peek(std::uint64_t address, std::span<unsigned char> into);
  void poke(std::uint64_t address, std::span<const unsigned char> from);

  /// After a call that returned `never`, before any other.
  void when_known(HostThen then) { open_->when_known(std::move(then)); }
  /// An answer that was heard of is back at the root complex at `now`.
  void take(Picoseconds now, std::uint32_t number) {
    open_->answered(now, number, answers_[number]);
  }
  /// A CPU's store of 8 bytes at `now`: when it is at the NIC.
  Picoseconds doorbell(Picoseconds now) { return link_.mmio_write(now, mmio_latency_, 8_B); }
  /// A CPU's store of `size` bytes of WQEs at `now`, one TLP: when it is at the NIC.
  Picoseconds push_wqes(Picoseconds now, Bytes size) {
    return link_.mmio_write(now, mmio_latency_, size, PcieUse::wqe);
  }

  const PcieLink& link() const { return link_; }
  PcieLink& link() { return link_; }
  const PcieCounters& counters() const { return link_.counters(); }
  /// Those of memory are zero with a target of the user's, or where nothing limits what it carries.
  HostCounters totals() const {
    return {link_.counters(), own_memory_ == nullptr ? MemoryCounters{} : own_memory_->counters()};
  }
  /// Share of an unloaded read that is not a target's of a user's own: the link, and the path both
  /// ways.
  Picoseconds time_to_target() const { return link_.unloaded_read(64_B) + memory_config_.path * 2; }
  /// The child, or null when the user bound a target (after elaboration).
  host_memory* own_memory() { return own_memory_.get(); }
  /// Whether the user bound a target (after elaboration).
  bool calls_out() const { return own_memory_ == nullptr; }
  /// Answers with an error so far.
  std::uint64_t errors() const { return open_ ? open_->errors() : 0; }
  /// Accesses that a target of a user's own has still to answer.
  std::size_t open() const { return open_ ? open_->open() : 0; }

 protected:
  void before_end_of_elaboration() override;
  void end_of_elaboration() override;

 private:
  /// `contents`: they are moved; else there is no pointer.
  template <bool contents>
  Picoseconds read_pieces(Picoseconds now, std::uint64_t address, Bytes size, unsigned char* into);
  template <bool contents>
  Picoseconds write_pieces(Picoseconds now, std::uint64_t address, Bytes size, unsigned char* from);
  void begin(std::uint32_t number, const OpenAccesses::Request& request);
  /// Where a user's target is bound, or there are contents.
  Picoseconds read_apart(Picoseconds now, std::uint64_t address, Bytes size);
  Picoseconds write_apart(Picoseconds now, std::uint64_t address, Bytes size);
  void debug(bool write, std::uint64_t address, unsigned char* data, std::size_t size);
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) {
    return master_->nb_transport_bw(payload, phase, delay);
  }

  PcieLink link_;
  HostMemoryConfig memory_config_;
  std::uint64_t seed_;
  Picoseconds mmio_latency_;
  std::unique_ptr<host_memory> own_memory_;
  Picoseconds visible_{};  ///< when all writes so far are visible

  bool apart_ = false;
  /// By address: read, and to be written. Accesses under way keep theirs alive.
  std::unordered_map<std::uint64_t, std::shared_ptr<Contents>> read_, staged_;

  // With a target of a user's own.
  Owner owner_;
  AddressMap map_;
  std::unique_ptr<OpenAccesses> open_;
  std::unique_ptr<bus_master> master_;
  std::vector<bool> answers_;  ///< by number: whether the answer is no error
  std::uint64_t ordinal_ = 0;
};

}  // namespace horae::rnic
