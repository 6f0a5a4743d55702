#include "horae/tofino/loopback_config.hpp"

#include "horae/params/schema.hpp"

namespace horae::tofino {

const Schema<LoopbackConfig>& LoopbackConfig::schema() {
  using T = LoopbackConfig;
  static const Schema<T> s =
      Schema<T>("loopback",
                "Ports that recirculating packets take; absent: one of each pipeline, at the "
                "chip's rate.")
          .field("ports", &T::ports,
                 {.doc = "loopback ports of each pipeline. A program that knows of them spreads "
                         "flows over them",
                  .min = 1,
                  .max = 64})
          .field("rate", &T::rate,
                 {.doc = "rate of each; 0: that of the chip's recirculation port",
                  .min = BitRate(0),
                  .max = 6400_Gbps})
          .field("rates", &T::rates,
                 {.doc = "the same by pipeline. Absent: `rate` in all",
                  .min = 1_Gbps,
                  .max = 6400_Gbps,
                  .source = "400 Gbps a pipeline, of pipeline 0 150 without the CPU's port: "
                            "open-p4studio bf_pm_intf.c, port_mgr_tof2_map.c"})
          .field(
              "limit", &T::limit,
              {.doc = "frame bytes that the packets of a port may hold; 0: no limit", .min = 0_B})
          .field("share", &T::share,
                 {.doc = "part of the buffer's cells that packets of all loopback ports may hold; "
                         "0: no limit",
                  .min = 0.0,
                  .max = 1.0})
          .field("dummy_bytes", &T::dummy_bytes,
                 {.doc = "dummies that circulate by each port, bytes on the wire: a trip takes "
                         "dummy_bytes / rate, if that is longer than an empty one",
                  .min = 0_B,
                  .source = "long-haul paper V-B: \"a few dummy packets\" by the control plane, "
                            "without a number; 0: none"});
  return s;
}

}  // namespace horae::tofino
