// Host memory as a TLM-2.0 target.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <systemc>
#include <tlm>
#include <unordered_map>

#include "horae/core/random.hpp"
#include "horae/core/units.hpp"
#include "horae/rnic/host/memory_rates.hpp"
#include "horae/rnic/spec/pcie_config.hpp"

namespace horae::rnic {

/// An ignorable extension: the access takes its time, but what it moves is of no interest. The data
/// pointer is valid all the same. A NIC model sets it wherever it knows sizes but not contents.
struct timing_only : tlm::tlm_extension<timing_only> {
  tlm::tlm_extension_base* clone() const override { return new timing_only; }
  void copy_from(const tlm::tlm_extension_base&) override {}
};

/// Host memory behind a root complex (IEEE 1666 base protocol, blocking transport). Adds the
/// latency of HostMemoryConfig to the annotated delay and never waits. All 64 bits of address are
/// memory, zero until written, and kept in pages once they are. Byte enables are supported;
/// streaming is not (TLM_BURST_ERROR_RESPONSE).
class host_memory : public sc_core::sc_module {
 public:
  /// `link_time`: what others take of the configured round trip: PcieLink::unloaded_read() of 64
  /// bytes or, bound to a NIC as a user's target is, host_interface::time_to_target(). Of the
  /// latency of a write they take `path`, both ways. Random numbers come from the stream of the
  /// module's name. InputError when the round trip is shorter than that, or a latency less its
  /// jitter below zero.
  host_memory(sc_core::sc_module_name name, const HostMemoryConfig& config, Picoseconds link_time,
              std::uint64_t seed, Picoseconds path = Picoseconds(0));

  tlm_utils::simple_target_socket<host_memory> socket{"socket"};

  /// Added delay of an access whose contents are of no interest: the same as through the
  /// socket, for a NIC of ours that has this memory to itself. It reaches the memory at `arrival`;
  /// `now` never decreases and is not behind any later arrival. Random numbers are drawn, and
  /// what memory carries is taken, in the order of calls.
  Picoseconds latency(bool write, Picoseconds now, Picoseconds arrival, std::uint64_t address,
                      Bytes size) {
    if (varies_) [[unlikely]]
      return varied_latency(write, now, arrival, address, size);
    return write ? write_ : read_;
  }

  /// Moves contents, in no time: what a NIC of ours does that has this memory to itself.
  void move(bool write, std::uint64_t address, unsigned char* data, unsigned length);

  std::uint64_t tails() const { return tails_; }  ///< accesses that took tail_extra
  std::uint64_t iotlb_misses() const { return iotlb_misses_; }
  std::size_t pages() const { return pages_.size(); }  ///< pages of 4 KiB in use
  /// All zero where nothing limits what it carries.
  MemoryCounters counters() const { return rates_ ? rates_->counters() : MemoryCounters{}; }

 private:
  using Page = std::array<unsigned char, 4096>;

  void b_transport(tlm::tlm_generic_payload& access, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& access);
  Picoseconds varied_latency(bool write, Picoseconds now, Picoseconds arrival,
                             std::uint64_t address, Bytes size);
  Picoseconds drawn_extra();
  /// One draw, when `parts` (of 2^32) is not zero.
  bool happens(std::uint64_t parts) { return parts > 0 && stream_.bits() < parts; }
  Page* find(std::uint64_t address);
  Page& get(std::uint64_t address);
  /// `enables`: of the bytes, repeated; null: all.
  void copy(tlm::tlm_generic_payload& access, unsigned bytes, const unsigned char* enables);

  HostMemoryConfig config_;
  Picoseconds read_;   ///< request at the root complex until the completion's first bit
  Picoseconds write_;  ///< write at the root complex until visible
  Picoseconds gpu_read_{}, gpu_write_{};  ///< the same of a GPU's memory
  bool varies_;                      ///< whether an access takes another time than the one before
  std::uint64_t tail_, iotlb_miss_;  ///< probabilities in parts of 2^32
  RandomStream stream_;
  std::optional<MemoryRates> rates_;  ///< none: it carries anything
  std::uint64_t tails_ = 0;
  std::uint64_t iotlb_misses_ = 0;
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
};

}  // namespace horae::rnic
