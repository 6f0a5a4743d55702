#include "horae/rnic/spec/receive_config.hpp"

#include "horae/params/schema.hpp"

namespace horae::rnic {

const Schema<ReceiveConfig>& ReceiveConfig::schema() {
  static const Schema<ReceiveConfig> s =
      Schema<ReceiveConfig>("receive",
                            "Receive queues, for verbs that take receive WQEs. Absent: the values "
                            "here.")
          .field("depth", &ReceiveConfig::depth,
                 {.doc = "receive WQEs of a queue, posted before the run; each is posted again "
                         "when the host has taken its message. A message that finds none brings "
                         "an RNR NAK",
                  .min = 1,
                  .max = 65536,
                  .source = "512: rx-depth of perftest"})
          .field("shared", &ReceiveConfig::shared,
                 {.doc = "one queue for all queue pairs of the NIC (SRQ)",
                  .source = "IBTA vol. 1, 10.2.9: shared receive queues"})
          .field("post", &ReceiveConfig::post,
                 {.doc = "time of the thread that serves a queue, for each message: from its CQE, "
                         "or the message before, until its WQE is posted again",
                  .max = 1_ms,
                  .source = "no public value; 1/16.6 M of a core that serves one queue pair "
                            "(Kalia et al., ATC 2016) is 60 ns with all that it does",
                  .verified = false})
          .field("batch", &ReceiveConfig::batch,
                 {.doc = "receive WQEs that the host posts together",
                  .min = 1,
                  .max = 65536,
                  .source = "1: perftest; 64 in Collie (NSDI 2022), anomaly 1"})
          .field("prefetch", &ReceiveConfig::prefetch,
                 {.doc = "host = \"pcie\": receive WQEs of a queue that the NIC keeps on the chip "
                         "at most. It reads on, as many as fit, in one read, when half of them "
                         "are left; a message that finds none waits for the read",
                  .min = 1,
                  .max = 1024,
                  .source = "no public value",
                  .verified = false})
          .field("wqe", &ReceiveConfig::wqe,
                 {.doc = "host = \"pcie\": bytes of a receive WQE",
                  .min = 16_B,
                  .max = 1024_B,
                  .source = "16 of one segment: rdma-core mlx5dv.h, mlx5_wqe_data_seg; Kalia et "
                            "al., ATC 2016"});
  return s;
}

}  // namespace horae::rnic
