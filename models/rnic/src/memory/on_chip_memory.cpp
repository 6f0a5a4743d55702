#include "horae/rnic/memory/on_chip_memory.hpp"

#include "horae/core/error.hpp"
#include "horae/params/schema.hpp"

namespace horae::rnic {

std::string_view name_of(CacheKind kind) {
  switch (kind) {
    case CacheKind::queue_pair:
      return "queue_pair";
    case CacheKind::memory_key:
      return "memory_key";
    case CacheKind::translation:
      return "translation";
    case CacheKind::send_wqe:
      return "send_wqe";
    case CacheKind::completion_queue:
      return "completion_queue";
    case CacheKind::count_:
      break;
  }
  throw ModelError("cache: an unknown kind of entry");
}

const CacheConfig* CachesConfig::of(CacheKind kind) const {
  const auto at = [](const std::optional<CacheConfig>& c) { return c ? &*c : nullptr; };
  switch (kind) {
    case CacheKind::queue_pair:
      return at(queue_pair);
    case CacheKind::memory_key:
      return at(memory_key);
    case CacheKind::translation:
      return at(translation);
    case CacheKind::completion_queue:
      return at(completion_queue);
    case CacheKind::send_wqe:
    case CacheKind::count_:
      break;
  }
  return nullptr;
}

const Schema<CachesConfig>& CachesConfig::schema() {
  using T = CachesConfig;
  static const Schema<T> s =
      Schema<T>("cache",
                "Caches of their own for kinds of entries. A kind without one shares the memory "
                "that `sram` has for entries, which has no end unless sram.limited")
          .table("queue_pair", &T::queue_pair, CacheConfig::schema())
          .table("memory_key", &T::memory_key, CacheConfig::schema())
          .table("translation", &T::translation, CacheConfig::schema())
          .table("completion_queue", &T::completion_queue, CacheConfig::schema())
          .field("misses", &T::misses,
                 {.doc = "misses of packets that read host memory at once; a further one waits. "
                         "0: any number",
                  .max = 4096,
                  .source = "no public value",
                  .verified = false});
  return s;
}

Bytes OnChipMemoryConfig::entry(CacheKind kind) const {
  switch (kind) {
    case CacheKind::queue_pair:
      return qp_context;
    case CacheKind::memory_key:
      return memory_key;
    case CacheKind::translation:
      return translation;
    case CacheKind::send_wqe:
      return send_wqe;
    case CacheKind::completion_queue:
      return cq_context;
    case CacheKind::count_:
      break;
  }
  throw ModelError("cache: an unknown kind of entry");
}

Bytes OnChipMemoryConfig::reorder_state(std::uint32_t window) const {
  constexpr std::int64_t word_bits = 64, word_bytes = 8;
  const std::int64_t bits = reorder_bits.value_or(window);
  return Bytes((bits + word_bits - 1) / word_bits * word_bytes);
}

const Schema<OnChipMemoryConfig>& OnChipMemoryConfig::schema() {
  static const Schema<OnChipMemoryConfig> s =
      Schema<OnChipMemoryConfig>("sram", "The memory on the NIC's chip and what lives in it.")
          .field("limited", &OnChipMemoryConfig::limited,
                 {.doc = "contexts compete for the on-chip memory; false: every access hits"})
          .field("total", &OnChipMemoryConfig::total,
                 {.doc = "memory on the chip",
                  .min = 4_KiB,
                  .max = largest,
                  .source = "about 2 MB on ConnectX-5, recalled from eRPC (NSDI 2019)",
                  .verified = false})
          .field(
              "qp_context", &OnChipMemoryConfig::qp_context,
              {.doc = "context of a queue pair, including the part that only the hardware sees",
               .min = 16_B,
               .max = 4_KiB,
               .source = "about 375 bytes per connection of ConnectX-5, recalled from eRPC (NSDI "
                         "2019); 232 bytes are visible to software (rdma-core mlx5_ifc.h); HIP08 "
                         "256, HIP09 512 (Linux hns_roce_hw_v2.h)",
               .verified = false})
          .field("memory_key", &OnChipMemoryConfig::memory_key,
                 {.doc = "entry of the memory protection table",
                  .min = 8_B,
                  .max = 4_KiB,
                  .source = "Linux mlx5_ifc.h, mkc: 512 bits; hns_roce_hw_v2.h: 64 bytes"})
          .field(
              "translation", &OnChipMemoryConfig::translation,
              {.doc = "entry of the memory translation table; in a cache of whole lines, one line",
               .min = 1_B,
               .max = 4_KiB,
               .source = "a 64-bit page address, as drivers write it (Linux mlx5 mr.c)"})
          .field("page", &OnChipMemoryConfig::page,
                 {.doc = "memory that one translation maps",
                  .min = 4_KiB,
                  .max = 1024_MiB,
                  .source = "x86-64 page; 2 MiB for buffers in huge pages (perftest "
                            "--use_hugepages)"})
          .field("send_wqe", &OnChipMemoryConfig::send_wqe,
                 {.doc = "send work queue element",
                  .min = 16_B,
                  .max = 1_KiB,
                  .source = "rdma-core mlx5dv.h: basic block of 64 bytes; a write of one segment "
                            "takes 48"})
          .field("cq_context", &OnChipMemoryConfig::cq_context,
                 {.doc = "context of a completion queue",
                  .min = 8_B,
                  .max = 4_KiB,
                  .source = "Linux mlx5_ifc.h, cqc: 512 bits; hns_roce_hw_v2.h: 64 bytes"})
          .field("wqes_held", &OnChipMemoryConfig::wqes_held,
                 {.doc = "most work queue elements of a queue pair that are in use at once",
                  .max = 32768,
                  .source = "no public value; eight are one read of 512 bytes, PCIe's default "
                            "largest",
                  .verified = false})
          .field("tx_buffer", &OnChipMemoryConfig::tx_buffer,
                 {.doc = "buffer for payload of all queue pairs that is fetched and not yet sent; "
                         "one packet always fits",
                  .min = 0_B,
                  .max = 1024_MiB,
                  .source = "no public value; estimates 64 to 512 KiB",
                  .verified = false})
          .field("rx_buffer", &OnChipMemoryConfig::rx_buffer,
                 {.doc = "buffer for payload received and not yet in host memory; packets that "
                         "find it full are dropped",
                  .min = 0_B,
                  .max = 1024_MiB,
                  .source =
                      "no public value of the whole; mlnx_qos shows buffers of 261888 bytes on an "
                      "mlx5 NIC, and max_buffer_size=4151520 on ConnectX-7",
                  .verified = false})
          .field("reorder_bits", &OnChipMemoryConfig::reorder_bits,
                 {.doc = "bits of a queue pair's reorder bitmap; absent: the transport's window",
                  .max = 65536,
                  .source = "one bit for each packet that may be under way"})
          .field(
              "retransmit_state", &OnChipMemoryConfig::retransmit_state,
              {.doc = "memory of a queue pair beside its context: list of unacknowledged packets, "
                      "and timer",
               .min = 0_B,
               .max = 64_KiB,
               .source = "no public value; oldest and newest PSN with their work queue elements, "
                         "a deadline and counts are about 32 bytes",
               .verified = false})
          .choice("policy_state", &OnChipMemoryConfig::policy_state,
                  {{"context", PolicyPlace::context}, {"chip", PolicyPlace::chip}},
                  {.doc = "where a queue pair's state of its entropy scheme and its congestion "
                          "control is: cached with its context, or always on the chip",
                   .source = "context: it is touched by every packet and acknowledgement, as the "
                             "context is; no public value",
                   .verified = false});
  return s;
}

}  // namespace horae::rnic
