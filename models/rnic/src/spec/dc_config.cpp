#include "horae/rnic/spec/dc_config.hpp"

#include "horae/params/schema.hpp"

namespace horae::rnic {

const Schema<DcConfig>& DcConfig::schema() {
  static const Schema<DcConfig> s =
      Schema<DcConfig>("dc",
                       "Queue pairs that are connected on demand (service = \"dc\"). Absent: the "
                       "values here.")
          .field("initiators", &DcConfig::initiators,
                 {.doc = "initiators of the NIC, each of which serves one target at a time",
                  .min = 1,
                  .max = 65536,
                  .source = "32: NUM_DCI of UCX (openucx/ucx, dc_mlx5.c; 8 before 2024)"})
          .field("quota", &DcConfig::quota,
                 {.doc = "messages that a queue pair posts in its turn while others wait for an "
                         "initiator; it gives its own up when all of them are completed",
                  .min = 1,
                  .max = 65536,
                  .source = "32: QUOTA of UCX's policy dcs_quota (the same)"})
          .field("connect", &DcConfig::connect,
                 {.doc = "time from an initiator's turn to another target until its first WQE may "
                         "be posted: the connect packet, behind which data follows at once (half "
                         "handshake). The packet itself is not on the wire",
                  .max = 100_us,
                  .source = "60 ns: UCX's estimate of a connect packet and its CQE (the same); "
                            "with a full handshake 2.7 us more (openucx/ucx#10415)",
                  .verified = false});
  return s;
}

}  // namespace horae::rnic
