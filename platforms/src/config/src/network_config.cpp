#include "horae/config/network_config.hpp"

#include "horae/params/schema.hpp"

namespace horae::config {
namespace {

constexpr double largest_loss = 1.0;
const BitRate slowest = 1_Gbps;
const BitRate fastest = 1600_Gbps;
const Picoseconds shortest_delay = 1_ns;
const Picoseconds longest_delay = 1000_ms;

}  // namespace

const Schema<OutageConfig>& OutageConfig::schema() {
  static const Schema<OutageConfig> s =
      Schema<OutageConfig>("outage", "A time in which a link is down.")
          .required("from", &OutageConfig::from, {.doc = "when the link goes down", .min = 0_ps})
          .required("to", &OutageConfig::to, {.doc = "end", .min = 0_ps});
  return s;
}

const Schema<LinkSpec>& LinkSpec::schema() {
  static const Schema<LinkSpec> s =
      Schema<LinkSpec>("link", "A full-duplex link between two devices.")
          .required("between", &LinkSpec::between, {.doc = "the two devices' names"})
          .field("rate", &LinkSpec::rate, {.doc = "line rate", .min = slowest, .max = fastest})
          .field("delay", &LinkSpec::delay,
                 {.doc = "propagation", .min = shortest_delay, .max = longest_delay})
          .field("loss", &LinkSpec::loss,
                 {.doc = "loss probability per packet", .min = 0.0, .max = largest_loss})
          .tables("outage", &LinkSpec::outages, OutageConfig::schema());
  return s;
}

const Schema<ImpairmentSpec>& ImpairmentSpec::schema() {
  using Direction = ImpairmentSpec::Direction;
  static const Schema<ImpairmentSpec> s =
      Schema<ImpairmentSpec>("impairment", "Changes to one of the generated links.")
          .required("between", &ImpairmentSpec::between, {.doc = "the two devices' names"})
          .choice("direction", &ImpairmentSpec::direction,
                  {{"both", Direction::both}, {"forward", Direction::forward}},
                  {.doc = "both directions, or from the first device to the second only"})
          .field("rate", &ImpairmentSpec::rate,
                 {.doc = "line rate", .min = slowest, .max = fastest})
          .field("loss", &ImpairmentSpec::loss,
                 {.doc = "loss probability per packet", .min = 0.0, .max = largest_loss})
          .field("converge", &ImpairmentSpec::converge,
                 {.doc = "time after which routing withdraws a link that went down, and uses it "
                         "again after it came up; absent: never",
                  .min = 0_ps})
          .tables("outage", &ImpairmentSpec::outages, OutageConfig::schema());
  return s;
}

const Schema<LinkDefault>& LinkDefault::schema() {
  static const Schema<LinkDefault> s =
      Schema<LinkDefault>("link_default", "Defaults of all links.")
          .field("rate", &LinkDefault::rate, {.doc = "line rate", .min = slowest, .max = fastest})
          .field("delay", &LinkDefault::delay,
                 {.doc = "propagation", .min = shortest_delay, .max = longest_delay})
          .field("loss", &LinkDefault::loss,
                 {.doc = "loss probability per packet", .min = 0.0, .max = largest_loss});
  return s;
}

const Schema<DeviceSpec>& DeviceSpec::schema() {
  static const Schema<DeviceSpec> s =
      Schema<DeviceSpec>("device", "Devices of one profile.")
          .required("names", &DeviceSpec::names, {.doc = "their names"})
          .required("profile", &DeviceSpec::profile, {.doc = "the table that describes them"})
          .field("site", &DeviceSpec::site,
                 {.doc = "data centre in which they are, by its number: results of messages are "
                         "then also by whether they stay in one",
                  .max = 63});
  return s;
}

const Schema<RoutingConfig>& RoutingConfig::schema() {
  using Kind = RoutingConfig::Kind;
  static const Schema<RoutingConfig> s =
      Schema<RoutingConfig>("routing", "Which paths plain switches use.")
          .choice("kind", &RoutingConfig::kind, {{"shortest", Kind::shortest}, {"ksp", Kind::ksp}},
                  {.doc = "all shortest paths, where each switch chooses the next hop; or the k = "
                          "`paths` shortest paths, where the first switch chooses one of them. "
                          "`balance` of the switch's profile decides"})
          .field("paths", &RoutingConfig::paths,
                 {.doc = "paths between two switches with kind ksp",
                  .min = 1,
                  .max = 64,
                  .source = "8: Jellyfish, Singla et al., NSDI 2012, section 5"});
  return s;
}

const Schema<FailuresConfig>& FailuresConfig::schema() {
  static const Schema<FailuresConfig> s =
      Schema<FailuresConfig>("failures",
                             "Links between switches that fail: another random set per interval.")
          .field("share", &FailuresConfig::share,
                 {.doc = "share of the links between switches that is down at a time; at least one",
                  .min = 0.0,
                  .max = 1.0,
                  .source = "0.01 to 0.1: Eunomia, section 5.6"})
          .field("interval", &FailuresConfig::interval,
                 {.doc = "after so long failed links are back and others fail",
                  .min = 1_us,
                  .source = "100 ms: Eunomia, section 5.6"})
          .field("start", &FailuresConfig::start, {.doc = "the first failures", .min = 0_ps})
          .field("seed", &FailuresConfig::seed, {.doc = "seed of which links fail"});
  return s;
}

}  // namespace horae::config
