#include "horae/config/sim_config.hpp"

#include "horae/params/schema.hpp"

namespace horae::config {

const Schema<AboutConfig>& AboutConfig::schema() {
  static const Schema<AboutConfig> s =
      Schema<AboutConfig>("platform", "What the platform is.")
          .required("name", &AboutConfig::name, {.doc = "short name, used for result folders"})
          .field("description", &AboutConfig::description, {.doc = "what it reproduces or asks"})
          .field(
              "assumptions", &AboutConfig::assumptions,
              {.doc =
                   "what no source gives and was chosen; printed under the result, {key} replaced "
                   "by the value in effect"});
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
              {.doc = "at `duration`, or when all messages are completed and nothing is under way"})
          .field("seed", &SimConfig::seed, {.doc = "seed of every random stream"})
          .choice("scheduling", &SimConfig::scheduling,
                  {{"windowed", fabric::scheduling::windowed},
                   {"exact_wake", fabric::scheduling::exact_wake}},
                  {.doc = "how SystemC runs the devices; results are the same"})
          .field("window", &SimConfig::window,
                 {.doc = "length of a window; 0: the smallest link delay", .min = 0_ps})
          .field("sample", &SimConfig::sample,
                 {.doc = "interval of series.csv; 0: none", .min = 0_ps})
          .field("sample_devices", &SimConfig::sample_devices,
                 {.doc = "devices whose series are written; empty: all"})
          .field(
              "stuck_after", &SimConfig::stuck_after,
              {.doc = "no packet delivered for so long with messages unfinished: the run is stuck",
               .min = 10_us})
          .choice(
              "rate_layer", &SimConfig::rate_layer, {{"l1", Layer::l1}, {"l2", Layer::l2}},
              {.doc = "bytes of a rate: with preamble and gap (l1), or frames with FCS only (l2)"})
          .field("nack_trace", &SimConfig::nack_trace,
                 {.doc = "trace.json (Chrome trace format): what the first sending NIC does around "
                         "the first NACK that it serves after the warm-up"})
          .field("size_bins", &SimConfig::size_bins,
                 {.doc = "completion times of [[traffic]] flows and incast are also given by size: "
                         "upper edges of the bins, rising; what is above the last is one more",
                  .min = 1_B});
  return s;
}

}  // namespace horae::config
