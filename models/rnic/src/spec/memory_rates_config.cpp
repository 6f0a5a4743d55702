#include "horae/rnic/spec/memory_rates_config.hpp"

#include "horae/params/schema.hpp"

namespace horae::rnic {

const Schema<DramConfig>& DramConfig::schema() {
  using T = DramConfig;
  static const Schema<T> s =
      Schema<T>("dram",
                "DRAM of the host: accesses of the NIC take its bandwidth one after the other, in "
                "whole lines of 64 bytes. Absent: it carries anything")
          .required("bandwidth", &T::bandwidth,
                    {.doc = "of reads and writes together",
                     .min = 1_Gbps,
                     .max = 100'000_Gbps,
                     .source = "a channel of DDR4-2666 has 170 Gbps, of DDR5-4800 307 Gbps (JEDEC "
                               "JESD79-4, JESD79-5: transfers x 8 bytes); how much of it is "
                               "reached is not public",
                     .verified = false})
          .field("background", &T::background,
                 {.doc = "what the host itself takes of the bandwidth, evenly over time",
                  .max = 100'000_Gbps,
                  .source = "a modeller's choice: depends on the application",
                  .verified = false});
  return s;
}

const Schema<DdioConfig>& DdioConfig::schema() {
  using T = DdioConfig;
  static const Schema<T> s =
      Schema<T>("ddio",
                "Last-level cache that writes of the NIC fill: a write takes DRAM only for the "
                "line that it pushes out, a read of a line that is there takes none. Absent: "
                "writes go to DRAM")
          .required("size", &T::size,
                    {.doc = "of the cache, the part that writes of devices may fill",
                     .min = 64_B,
                     .max = 1024_MiB,
                     .source = "two of the ways of the last-level cache (Intel Data Direct I/O, "
                               "register IIO LLC WAYS as Farshin et al. read it, USENIX ATC 2020, "
                               "recalled)",
                     .verified = false})
          .field("ways", &T::ways,
                 {.doc = "lines of a set, of which the least recently used goes; a line has its "
                         "set by a hash. 0: one set",
                  .max = 1u << 24,
                  .source = "2: as `size`",
                  .verified = false});
  return s;
}

const Schema<GpuMemoryConfig>& GpuMemoryConfig::schema() {
  using T = GpuMemoryConfig;
  static const Schema<T> s =
      Schema<T>("gpu",
                "Memory of a GPU behind a BAR, in which payload lies. Absent: it lies in the "
                "host's")
          .field("read_rate", &T::read_rate,
                 {.doc = "most payload that it gives the NIC. Absent: no limit",
                  .min = 1_Gbps,
                  .max = 10'000_Gbps,
                  .source = "no figure of a vendor",
                  .verified = false})
          .field("write_rate", &T::write_rate,
                 {.doc = "most payload that it takes of the NIC. Absent: no limit",
                  .min = 1_Gbps,
                  .max = 10'000_Gbps,
                  .source = "no figure of a vendor",
                  .verified = false})
          .field("round_trip", &T::round_trip,
                 {.doc = "round trip of a 64-byte read on an idle link",
                  .min = 250_ns,
                  .max = 100_us,
                  .source = "0.61 us: a put of 8 bytes that are not inline takes so much longer "
                            "(Dissecting GPU-initiated communication, 2026, table 3)",
                  .verified = false})
          .field("write_latency", &T::write_latency,
                 {.doc = "from the last bit of a write at the root complex until it is visible",
                  .max = 100_us,
                  .source = "no public value; about half of a read's round trip",
                  .verified = false})
          .field("queues", &T::queues,
                 {.doc = "WQEs and CQEs lie in the GPU's memory too",
                  .source = "GPU-initiated communication has them there (the same)"});
  return s;
}

}  // namespace horae::rnic
