#include "horae/rnic/spec/pcie_config.hpp"

#include <fmt/format.h>

#include "horae/core/error.hpp"
#include "horae/params/schema.hpp"

namespace horae::rnic {

void PcieConfig::check() const {
  const auto payload = static_cast<std::uint64_t>(max_payload.value.count());
  constexpr std::uint64_t unit = 16;
  if (posted_data.value * unit < payload) {
    throw input_error(posted_data.where,
                      fmt::format("posted_data = {} units of 16 bytes never lets a TLP of "
                                  "max_payload = {} B pass; expected {} or more",
                                  posted_data.value, payload, payload / unit));
  }
}

const Schema<PcieConfig>& PcieConfig::schema() {
  constexpr const char* credits =
      "PCIe Base Specification 5.0, 2.6.1: most without scaled flow control; no public value of "
      "what a root complex advertises";
  static const Schema<PcieConfig> s =
      Schema<PcieConfig>("pcie", "A PCIe link between a NIC and its host.")
          .field("generation", &PcieConfig::generation,
                 {.doc = "generation: 8, 16, 32 or 64 GT/s per lane; 6 has flits of 256 bytes, 236 "
                         "of them for TLPs. The time until a flit is whole is not modelled (2 ns "
                         "at x16)",
                  .min = 3,
                  .max = 6,
                  .source = "PCIe Base Specification 5.0 and 6.0; ConnectX-7: Gen5, ConnectX-8 and "
                            "Thor Ultra: Gen6"})
          .field("lanes", &PcieConfig::lanes,
                 {.doc = "lanes. 32: two links of 16 that are used evenly, "
                         "as one",
                  .min = 1,
                  .max = 32,
                  .source = "ConnectX-7: x16; x32 by an auxiliary card of 16 lanes (NVIDIA user "
                            "manuals, Socket Direct)",
                  .power_of_two = true})
          .field("max_payload", &PcieConfig::max_payload,
                 {.doc = "MPS, the largest payload of a TLP",
                  .min = 128_B,
                  .max = 512_B,
                  .source = "256 or 512 B (NVIDIA network operator documentation)",
                  .power_of_two = true})
          .field("max_read_request", &PcieConfig::max_read_request,
                 {.doc = "MRRS, the largest read request",
                  .min = 128_B,
                  .max = 4096_B,
                  .source = "512 B at boot, 4096 B as tuned (NVIDIA network operator "
                            "documentation)",
                  .power_of_two = true})
          .field("read_completion_boundary", &PcieConfig::read_completion_boundary,
                 {.doc = "RCB, the boundary at which completions may be split",
                  .min = 64_B,
                  .max = 128_B,
                  .source = "PCIe Base Specification 5.0, 2.3.1.1",
                  .power_of_two = true})
          .choice("completion_split", &PcieConfig::completion_split,
                  {{"max_payload", CompletionSplit::max_payload},
                   {"boundary", CompletionSplit::boundary}},
                  {.doc = "split of completions: as large as MPS allows, or one per read "
                          "completion boundary",
                   .source = "pcie-bench/pcie-model 40703cf: older chipsets cut at the boundary"})
          .field("tags", &PcieConfig::tags,
                 {.doc = "read requests in flight",
                  .min = 1,
                  .max = 1024,
                  .source = "mlxconfig MAX_ACC_OUT_READ of ConnectX-7 tuning guides: 128; whether "
                            "it counts these requests is not stated",
                  .verified = false})
          .field("posted_headers", &PcieConfig::posted_headers,
                 {.doc = "credits for the headers of writes",
                  .min = 1,
                  .max = 127 * 16,
                  .source = credits,
                  .verified = false})
          .field("posted_data", &PcieConfig::posted_data,
                 {.doc = "credits for the data of writes, 16 bytes each",
                  .min = 8,
                  .max = 2047 * 16,
                  .source = credits,
                  .verified = false})
          .field("non_posted_headers", &PcieConfig::non_posted_headers,
                 {.doc = "credits for read requests",
                  .min = 1,
                  .max = 127 * 16,
                  .source = credits,
                  .verified = false})
          .field(
              "credit_return", &PcieConfig::credit_return,
              {.doc = "from the root complex taking a TLP until its credit is back at the NIC",
               .max = 10_us,
               .source = "no public value; an UpdateFC is due every 42 ns on Gen5 x16 (PCIe Base "
                         "Specification 5.0, table 2-48), the rest is inside the devices",
               .verified = false})
          .field("link_overhead", &PcieConfig::link_overhead,
                 {.doc = "share of each direction used by ACKs, flow control and skip ordered "
                         "sets; absent: the value that the specification recommends, and for "
                         "generation 6 "
                         "that of skip ordered sets alone, as before it",
                  .min = 0.0,
                  .max = 0.5,
                  .source = "PCIe Base Specification 5.0, tables 2-46 to 2-48 and 3-7 to 3-9, as "
                            "in pcie-bench/pcie-model 40703cf"});
  return s;
}

const Schema<HostMemoryConfig>& HostMemoryConfig::schema() {
  static const Schema<HostMemoryConfig> s =
      Schema<HostMemoryConfig>("host_memory", "Host memory and root complex, as a NIC sees them.")
          .field("round_trip", &HostMemoryConfig::round_trip,
                 {.doc = "round trip of a 64-byte read on an idle link, local memory",
                  .min = 250_ns,
                  .max = 100_us,
                  .source = "no public value for ConnectX-7 hosts; estimate 500 to 900 ns; about "
                            "550 ns on Xeon E5 (Neugebauer et al., SIGCOMM 2018, recalled)",
                  .verified = false})
          .field(
              "write_latency", &HostMemoryConfig::write_latency,
              {.doc =
                   "from the last bit of a write at the root complex until it is visible in memory",
               .max = 100_us,
               .source = "no public value; about half of a read's round trip",
               .verified = false})
          .field("mmio_latency", &HostMemoryConfig::mmio_latency,
                 {.doc = "from a CPU's store to the NIC until its first bit is on the link",
                  .max = 100_us,
                  .source = "no public value",
                  .verified = false})
          .field("remote", &HostMemoryConfig::remote,
                 {.doc = "the memory is on another socket than the NIC"})
          .field("numa_extra", &HostMemoryConfig::numa_extra,
                 {.doc = "latency added to a read of remote memory; a write gets half of it",
                  .max = 10_us,
                  .source = "estimate 100 to 200 ns; about 100 ns on Xeon E5 (Neugebauer et al., "
                            "SIGCOMM 2018, recalled)",
                  .verified = false})
          .field("jitter", &HostMemoryConfig::jitter,
                 {.doc = "half width of the uniform deviation of each access from its latency",
                  .min = 0_ps,
                  .max = 10_us,
                  .source = "no public value for ConnectX-7 hosts",
                  .verified = false})
          .field("tail_probability", &HostMemoryConfig::tail_probability,
                 {.doc = "share of accesses that take tail_extra longer",
                  .min = 0.0,
                  .max = 1.0,
                  .source = "no public value for ConnectX-7 hosts; 99.9th percentile of a read 947 "
                            "ns (Broadwell) to 12 us (Ivy Bridge) in Neugebauer et al., SIGCOMM "
                            "2018, recalled",
                  .verified = false})
          .field("tail_extra", &HostMemoryConfig::tail_extra,
                 {.doc = "latency added to an access of the share tail_probability",
                  .min = 0_ps,
                  .max = 10_ms,
                  .source = "as tail_probability",
                  .verified = false})
          .field("iotlb_miss_probability", &HostMemoryConfig::iotlb_miss_probability,
                 {.doc = "share of accesses whose translation misses the IOTLB",
                  .min = 0.0,
                  .max = 1.0,
                  .source = "a modeller's choice: depends on pages in use",
                  .verified = false})
          .field("iotlb_miss_extra", &HostMemoryConfig::iotlb_miss_extra,
                 {.doc = "latency added to an access that misses the IOTLB",
                  .min = 0_ps,
                  .max = 100_us,
                  .source = "about 330 ns on Xeon E5 (Neugebauer et al., SIGCOMM 2018, recalled)",
                  .verified = false})
          .field("socket_rate", &HostMemoryConfig::socket_rate,
                 {.doc = "most data that the link between sockets carries for the NIC, each way, "
                         "with remote = true. Absent: no limit",
                  .min = 1_Gbps,
                  .max = 10'000_Gbps,
                  .source = "no figure for accesses of devices",
                  .verified = false})
          .table("dram", &HostMemoryConfig::dram, DramConfig::schema())
          .table("ddio", &HostMemoryConfig::ddio, DdioConfig::schema())
          .table("gpu", &HostMemoryConfig::gpu, GpuMemoryConfig::schema())
          .choice("calls", &HostMemoryConfig::calls,
                  {{"blocking", HostCalls::blocking}, {"non_blocking", HostCalls::non_blocking}},
                  {.doc = "how a target of a user's own is called: by b_transport, or by "
                          "nb_transport_fw in four phases"})
          .field("contents", &HostMemoryConfig::contents,
                 {.doc = "WQEs, payload and CQEs are bytes in host memory, and payload goes from "
                         "one to the other; of all NICs of a platform or none"})
          .field("path", &HostMemoryConfig::path,
                 {.doc = "from the root complex to a target of a user's own, and back from it, "
                         "each; no window of time is longer",
                  .min = 1_ns,
                  .max = 10_us,
                  .source = "assumed: what the target does not model of a read's round trip",
                  .verified = false})
          .field("base", &HostMemoryConfig::base,
                 {.doc = "first address that the NIC uses of a target of a user's own, a multiple "
                         "of 4 KiB",
                  .min = 0_B})
          .field("size", &HostMemoryConfig::size,
                 {.doc = "bytes from base on that the NIC uses; absent: regions up "
                         "to 2^60",
                  .min = 1_MiB,
                  .power_of_two = true});
  return s;
}

}  // namespace horae::rnic
