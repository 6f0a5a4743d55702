// Parameters of the PCIe link and of the host memory behind it.
#pragma once

#include <cstdint>
#include <optional>

#include "horae/core/units.hpp"
#include "horae/params/located.hpp"
#include "horae/rnic/spec/memory_rates_config.hpp"

namespace horae::rnic {

/// How a root complex cuts the data of a read into completions.
enum class CompletionSplit {
  max_payload,  ///< as large as max_payload and the completion boundary allow
  boundary,     ///< one per read completion boundary, as older root complexes do
};

/// How a target of a user's own is called.
enum class HostCalls {
  blocking,      ///< b_transport
  non_blocking,  ///< nb_transport_fw, in four phases
};

/// A PCIe link seen from the NIC: upstream is NIC to host. Generations 3 to 5 have 128b/130b
/// encoding, generation 6 PAM4, 1b/1b and flits.
struct PcieConfig {
  std::uint32_t generation = 5;  ///< 3, 4, 5, 6: 8, 16, 32, 64 GT/s per lane
  Located<std::uint32_t> lanes{16, {}};
  Located<Bytes> max_payload{256_B, {}};       ///< MPS: most data in a TLP
  Located<Bytes> max_read_request{512_B, {}};  ///< MRRS: most data a read request asks for
  Located<Bytes> read_completion_boundary{64_B, {}};
  CompletionSplit completion_split = CompletionSplit::max_payload;
  std::uint32_t tags = 128;  ///< read requests in flight

  // Credits the root complex advertises, and how soon it gives one back.
  std::uint32_t posted_headers = 127;            ///< writes (TLPs)
  Located<std::uint32_t> posted_data{2047, {}};  ///< their data, in units of 16 bytes
  std::uint32_t non_posted_headers = 127;        ///< read requests
  Picoseconds credit_return = 100_ns;            ///< TLP taken until its credit is back at the NIC

  /// Share of each direction that ACKs, flow control and skip ordered sets take; absent: what the
  /// specification recommends for these lanes and this max_payload.
  std::optional<double> link_overhead;

  bool flits() const { return generation >= 6; }

  /// InputError for values that no link has, alone or together.
  void check() const;
  static const Schema<PcieConfig>& schema();
};

/// Host memory and root complex as a NIC sees them. A latency here is what the link does not
/// explain: `round_trip` less the time that the request (24 bytes) and the completion (20 + 64
/// bytes) occupy the idle link is the time between the last bit of the request at the root complex
/// and the first bit of the completion, wire delays included. A larger read has the same latency
/// and only a longer completion.
struct HostMemoryConfig {
  Located<Picoseconds> round_trip{700_ns, {}};     ///< of a 64-byte read on an idle link
  Located<Picoseconds> write_latency{300_ns, {}};  ///< last bit at the root complex until visible
  Picoseconds mmio_latency = 200_ns;  ///< a CPU's store until the first bit on the link
  bool remote = false;                ///< the memory is on another socket than the NIC
  Picoseconds numa_extra = 150_ns;    ///< then added to a read, and half of it to a write
  Located<Picoseconds> jitter{};      ///< half width of a uniform deviation of each access
  double tail_probability = 0.0;      ///< share of accesses that take tail_extra longer
  Picoseconds tail_extra = 10_us;
  double iotlb_miss_probability = 0.0;  ///< share of accesses that miss the IOTLB
  Picoseconds iotlb_miss_extra = 330_ns;
  std::optional<BitRate> socket_rate{};  ///< of remote memory, each way; absent: no limit
  std::optional<DramConfig> dram{};      ///< absent: it carries anything
  std::optional<DdioConfig> ddio{};      ///< absent: writes go to DRAM
  std::optional<GpuMemoryConfig> gpu{};  ///< absent: payload lies in host memory

  /// WQEs, payload and CQEs are bytes in memory (QueueEntry, host_address::ring_offset).
  bool contents = false;

  // For a target of a user's own, whose latency is its own.
  HostCalls calls = HostCalls::blocking;
  /// From the root complex to the target, and back from it, each; no window of time is longer.
  Picoseconds path = 100_ns;
  Bytes base{};                 ///< first address that the NIC uses (AddressMap)
  std::optional<Bytes> size{};  ///< of what it uses; absent: regions of their own, all 64 bits

  static const Schema<HostMemoryConfig>& schema();
};

}  // namespace horae::rnic
