#include "horae/rnic/spec/host_queues_config.hpp"

#include "horae/params/schema.hpp"

namespace horae::rnic {

const Schema<PostConfig>& PostConfig::schema() {
  using T = PostConfig;
  static const Schema<T> s =
      Schema<T>("post",
                "How the host writes WQEs and tells the NIC of them. Absent: it takes no time, one "
                "doorbell tells of all that is posted at once, and nothing is inline")
          .field("threads", &T::threads,
                 {.doc = "threads that post; queue pair n is posted by thread n modulo threads",
                  .min = 1,
                  .max = 65536,
                  .source = "of the application rather than the NIC",
                  .verified = false})
          .field("wqe", &T::wqe,
                 {.doc = "time of a thread for one WQE",
                  .max = 1_ms,
                  .source = "a GPU thread: 190 ns, from 1.79 and 4.70 M/s with 1 and 16 WQEs a "
                            "doorbell (Dissecting GPU-initiated communication, 2026, table 5)",
                  .verified = false})
          .field("doorbell", &T::doorbell,
                 {.doc = "time of a thread for one doorbell",
                  .max = 1_ms,
                  .source = "a GPU thread: 369 ns, from the same",
                  .verified = false})
          .field("lanes", &T::lanes,
                 {.doc = "WQEs of one doorbell that a thread writes at the same time, each in "
                         "`wqe`: lanes of a warp. What posts then is the warp",
                  .min = 1,
                  .max = 1024,
                  .source = "a GPU's warp has 32 lanes; of the application"})
          .field("shared", &T::shared,
                 {.doc = "time of what all threads share, for one WQE, behind `wqe`: what one "
                         "multiprocessor of a GPU can write",
                  .max = 1_us,
                  .source = "64 threads of one multiprocessor: 206 M/s (Dissecting GPU-initiated "
                            "communication, 2026)",
                  .verified = false})
          .field("batch", &T::batch,
                 {.doc = "WQEs that one doorbell tells of, at most; fewer where no more are posted",
                  .min = 1,
                  .max = 4096,
                  .source = "perftest --post_list; of the application",
                  .verified = false})
          .choice("method", &T::method,
                  {{"doorbell", PostMethod::doorbell}, {"blue_flame", PostMethod::blue_flame}},
                  {.doc = "how the NIC comes by WQEs: it is told by an MMIO write of 8 bytes and "
                          "reads them (doorbell), or the WQEs are MMIO writes themselves, a TLP "
                          "for each 64 bytes (blue_flame)",
                   .source = "rdma-core providers/mlx5/qp.c: BlueFlame copies the WQE by 64 bytes"})
          .field("inline", &T::inline_most,
                 {.doc = "largest payload that lies in the WQE",
                  .max = 1_KiB,
                  .source = "rdma-core mlx5dv.h: mlx5_wqe_inline_seg; of the queue pair's maker"})
          .field(
              "sges", &T::sges,
              {.doc = "buffers that the payload of a message is gathered from, of equal lengths, "
                      "each at a cache line of its own and with 16 bytes in the WQE; a packet "
                      "is one read for each buffer that it has bytes of. Not with inline",
               .min = 1,
               .max = 30,
               .source = "of the application; at most (512 - 16 - 16) / 16 (Linux "
                         "drivers/infiniband/hw/mlx5/main.c: max_sq_sg)"})
          .field("header", &T::header,
                 {.doc = "bytes of a WQE before inline payload, the 4 of its length included; what "
                         "is not inline has 16 for each buffer in their place",
                  .min = 16_B,
                  .max = 512_B,
                  .source = "36 of an RC WRITE, 68 of a UD SEND (Kalia et al., USENIX ATC 2016); "
                            "rdma-core mlx5dv.h: control 16, remote address 16, datagram 48"})
          .field("block", &T::block,
                 {.doc = "a WQE is whole blocks of so many bytes",
                  .min = 16_B,
                  .max = 256_B,
                  .source = "rdma-core mlx5dv.h: MLX5_SEND_WQE_BB"})
          .field("queue_read", &T::queue_read,
                 {.doc = "time by which a read of WQEs takes longer than one of payload: queues in "
                         "other memory than memory.round_trip is of",
                  .max = 100_us,
                  .source = "no public value of the difference",
                  .verified = false})
          .choice("ringer", &T::ringer, {{"poster", Ringer::poster}, {"proxy", Ringer::proxy}},
                  {.doc = "who rings: the thread that wrote the WQEs (poster), or one thread for "
                          "all (proxy), as where a CPU rings for what a GPU posts",
                   .source = "IBGDA with CPU-assisted doorbells (NVSHMEM documentation)"})
          .field("proxy", &T::proxy,
                 {.doc = "ringer = proxy: its time for one doorbell",
                  .max = 1_ms,
                  .source = "no public value",
                  .verified = false});
  return s;
}

const Schema<CqConfig>& CqConfig::schema() {
  using T = CqConfig;
  static const Schema<T> s =
      Schema<T>("cq",
                "How the host learns of completions: a message ends when its CQE is found. Absent: "
                "when its acknowledgement takes effect")
          .field("poll_interval", &T::poll_interval,
                 {.doc = "the host looks for CQEs at whole multiples of it; 0: always",
                  .max = 10_ms,
                  .source = "of the application",
                  .verified = false})
          .field("poll", &T::poll,
                 {.doc = "from a CQE that is found to the application's next step",
                  .max = 1_ms,
                  .source = "a GPU thread: 4.03 us for a message, of which 3.30 us from doorbell "
                            "to CQE (Dissecting GPU-initiated communication, 2026, table 3)",
                  .verified = false})
          .field("messages", &T::messages,
                 {.doc = "messages of a queue pair that one CQE tells of; the last message posted "
                         "always has one",
                  .min = 1,
                  .max = 4096,
                  .source = "perftest --cq-mod, 100 by default: which WQEs are signalled",
                  .verified = false})
          .field("hold", &T::hold,
                 {.doc = "a CQE for fewer messages is written so long after the first of them; 0: "
                         "not before the last posted",
                  .max = 10_ms,
                  .source = "no public value",
                  .verified = false})
          .field("cqe", &T::cqe,
                 {.doc = "bytes that a CQE takes on PCIe",
                  .min = 4_B,
                  .max = 128_B,
                  .source = "rdma-core mlx5: 64 or 128 bytes"})
          .field("mini_cqe", &T::mini_cqe,
                 {.doc = "CQE compression: CQEs of a queue pair that are written together are one "
                         "CQE and so many bytes for each of them, in whole CQEs, where that is "
                         "less. Absent: none",
                  .min = 1_B,
                  .max = 64_B,
                  .source = "rdma-core providers/mlx5/cq.c: a title CQE, then arrays of mini CQEs "
                            "of 8 bytes, 8 in a block of 64"});
  return s;
}

}  // namespace horae::rnic
