#include "horae/config/sim_config.hpp"

#include "horae/params/schema.hpp"

namespace horae::config {

const Schema<AboutConfig>& AboutConfig::schema() {
  static const Schema<AboutConfig> s =
      Schema<AboutConfig>("platform", "What the platform is.")
          .required("name", &AboutConfig::name, {.doc = "short name, used for result folders"})
          .field("description", &AboutConfig::description, {.doc = "what it reproduces or asks"})
          .field("assumptions", &AboutConfig::assumptions,
                 {.doc = "values chosen without a source; printed under the results, with {key} "
                         "replaced by its value"});
  return s;
}

const Schema<SimConfig>& SimConfig::schema() {
  static const Schema<SimConfig> s =
      Schema<SimConfig>("sim", "Length, seed and schedule of a run.")
          .field("duration", &SimConfig::duration,
                 {.doc = "simulated time, warm-up included",
                  .min = 1_us,
                  .max = Picoseconds(100'000'000'000'000)})
          .field("warmup", &SimConfig::warmup,
                 {.doc = "time before measurement: left out of all rates, shares and histograms",
                  .min = 0_ps})
          .choice(
              "stop", &SimConfig::stop,
              {{"duration", StopRule::duration}, {"finished", StopRule::finished}},
              {.doc = "at `duration`, or when all messages are completed and no packet is in "
                      "flight; or, "
                      "after `stuck_after` without a delivery, none but those that go around in a "
                      "switch or wait for ever"})
          .field("seed", &SimConfig::seed, {.doc = "seed of every random stream"})
          .choice("scheduling", &SimConfig::scheduling,
                  {{"windowed", fabric::scheduling::windowed},
                   {"exact_wake", fabric::scheduling::exact_wake}},
                  {.doc = "how SystemC schedules the devices; results do not depend on it"})
          .field("window", &SimConfig::window,
                 {.doc = "length of a window; 0: the smallest link delay", .min = 0_ps})
          .field("sample", &SimConfig::sample,
                 {.doc = "interval of series.csv; 0: none", .min = 0_ps})
          .field("sample_devices", &SimConfig::sample_devices,
                 {.doc = "devices whose series are written; empty: all"})
          .field("sample_flows", &SimConfig::sample_flows,
                 {.doc = "series.csv also has rate and queue of each connection that sends: lines "
                         "of flow<i>, i as in flows.csv, among those of its NICs; absent: not"})
          .field(
              "checked", &SimConfig::checked,
              {.doc = "every pass through a switch is held to the rules of the dataplane; results "
                      "do not depend on it. Absent: only passes of programs whose own tests do "
                      "not prove that they keep the rules"})
          .field("stuck_after", &SimConfig::stuck_after,
                 {.doc = "the run is stuck when messages are unfinished, no packet is delivered "
                         "for this time, and nothing but repetition is to come: no packet on a "
                         "wire, timer, shaper, start or end of an outage",
                  .min = 10_us})
          .choice("rate_layer", &SimConfig::rate_layer, {{"l1", Layer::l1}, {"l2", Layer::l2}},
                  {.doc = "which bytes rates count: frame, preamble and gap (l1), or the frame "
                          "with FCS only (l2)"})
          .field("nack_trace", &SimConfig::nack_trace,
                 {.doc = "write trace.json (Chrome trace format): the first sending NIC around the "
                         "first NACK that it serves after the warm-up"})
          .field(
              "size_bins", &SimConfig::size_bins,
              {.doc = "upper edges of the size bins for which completion times of flows and incast "
                      "are also reported, in rising order; one more bin has what is larger",
               .min = 1_B})
          .choice(
              "ideal", &SimConfig::ideal,
              {{"idle", IdealTime::idle},
               {"line_rate", IdealTime::line_rate},
               {"base_rtt", IdealTime::base_rtt}},
              {.doc = "what slowdown is relative to: what the same platform takes for the message "
                      "alone, in runs of their own before the run (idle); the same with nothing "
                      "but links and fixed latencies in its way, on the quickest of the shortest "
                      "paths (line_rate); or twice the delays of the path, plus an MTU at each "
                      "link of the way out, plus all packets at the sender's rate (base_rtt). "
                      "Absent: idle",
               .source = "base_rtt: simulators of HPCC (SIGCOMM 2019) and of the long-haul paper"});
  return s;
}

}  // namespace horae::config
