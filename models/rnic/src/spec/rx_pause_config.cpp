#include "horae/rnic/spec/rx_pause_config.hpp"

#include "horae/params/schema.hpp"

namespace horae::rnic {

const Schema<RxPauseConfig>& RxPauseConfig::schema() {
  static const Schema<RxPauseConfig> s =
      Schema<RxPauseConfig>("pfc",
                            "Priority flow control that the NIC sends when its RX buffer fills, "
                            "for each port and class. Absent: it obeys pauses and sends none.")
          .required("xoff", &RxPauseConfig::xoff,
                    {.doc = "received payload of a port and class, not in host memory yet, above "
                            "which its peer is paused",
                     .min = 1_B,
                     .max = 1024_MiB,
                     .source = "set by the operator: mlnx_qos --buffer_size, devlink sb; IEEE "
                               "802.1Q clause 36 leaves thresholds to the receiver"})
          .required("xon", &RxPauseConfig::xon,
                    {.doc = "the same, at or below which the peer is resumed",
                     .min = 0_B,
                     .max = 1024_MiB})
          .field("headroom", &RxPauseConfig::headroom,
                 {.doc = "part of sram.rx_buffer for what arrives after a pause was sent; 0: the "
                         "least that is lossless with the port's own link",
                  .min = 0_B,
                  .max = 1024_MiB})
          .field("priorities", &RxPauseConfig::priorities,
                 {.doc = "traffic classes that pause; packets of others are dropped when the "
                         "buffer is full. Absent: all",
                  .max = 7,
                  .source = "IEEE 802.1Q 36.1.1: PFC is enabled for each priority"});
  return s;
}

fabric::PfcConfig RxPauseConfig::thresholds() const {
  fabric::PfcConfig out;
  out.xoff = xoff;
  out.xon = xon;
  out.headroom = headroom;
  out.priorities = priorities;
  return out;
}

}  // namespace horae::rnic
