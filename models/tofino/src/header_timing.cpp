#include "horae/tofino/header_timing.hpp"

namespace horae::tofino {

const Schema<TimingConfig>& TimingConfig::schema() {
  using T = TimingConfig;
  static const Schema<T> s =
      Schema<T>("timing",
                "Times that the fixed latencies leave out; absent: store and forward, egress and "
                "parsers without a clock.")
          .field("egress_clock", &T::egress_clock,
                 {.doc = "egress takes one header per clock of a pipeline; others wait"})
          .field("parser_bytes", &T::parser_bytes,
                 {.doc = "bytes of headers that a parser takes per clock, in time beyond "
                         "ingress_parser and egress_parser; 0: none",
                  .min = 0_B,
                  .max = 64_B,
                  .source = "at most 32 B a state: p4c parde_spec.h"})
          .field("parser_clock", &T::parser_clock,
                 {.doc = "clock of the parsers",
                  .min = Hertz(1'000'000),
                  .max = Hertz(10'000'000'000),
                  .source = "open-p4studio lld_dev_tof2.c: BPS clock 1.3125 GHz"})
          .field("cut_through", &T::cut_through,
                 {.doc = "ingress begins when so many bytes of a frame are in, and a packet may "
                         "leave by a port that is no faster before it is whole. Absent: packets "
                         "are stored first",
                  .min = 64_B,
                  .max = 9216_B,
                  .source = "TNA 5.6: store and forward is the default; cut-through where the "
                            "egress port is no faster than the ingress port"});
  return s;
}

}  // namespace horae::tofino
