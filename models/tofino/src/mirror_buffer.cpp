#include "horae/tofino/mirror_buffer.hpp"

namespace horae::tofino {

const Schema<MirrorConfig>& MirrorConfig::schema() {
  using T = MirrorConfig;
  static const Schema<T> s =
      Schema<T>("mirror",
                "The mirror buffer of each pipeline; absent: copies never wait and are never lost.")
          .field(
              "buffer", &T::buffer,
              {.doc = "frame bytes that it holds; a copy that finds no room is lost. 0: no limit",
               .min = 0_B,
               .source = "no public size; a full one raises an interrupt: open-p4studio "
                         "pipe_mgr_tof2_interrupt.c",
               .verified = false})
          .required("rate", &T::rate,
                    {.doc = "at which copies go to the traffic manager, of frame bytes",
                     .min = 1_Gbps,
                     .max = 6400_Gbps,
                     .source = "no public value",
                     .verified = false});
  return s;
}

}  // namespace horae::tofino
