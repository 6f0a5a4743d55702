#include "horae/config/network_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

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
          .required("to", &OutageConfig::to, {.doc = "time at which the outage ends", .min = 0_ps});
  return s;
}

const Schema<LinkSpec>& LinkSpec::schema() {
  static const Schema<LinkSpec> s =
      Schema<LinkSpec>("link", "A full-duplex link between two devices.")
          .required("between", &LinkSpec::between, {.doc = "the two devices' names"})
          .field("rate", &LinkSpec::rate,
                 {.doc = "line rate in each direction", .min = slowest, .max = fastest})
          .field("delay", &LinkSpec::delay,
                 {.doc = "propagation delay from end to end",
                  .min = shortest_delay,
                  .max = longest_delay})
          .field("loss", &LinkSpec::loss,
                 {.doc = "loss probability per packet", .min = 0.0, .max = largest_loss})
          .field(
              "whole_nanoseconds", &LinkSpec::whole_nanoseconds,
              {.doc = "the time of a packet on the wire is rounded down to whole nanoseconds, for "
                      "comparisons with ns-3. Absent: as link_default",
               .source = "83 ns for 1048 bytes at 100 Gbps: conweave-ns3 at 236a801a"})
          .tables("outage", &LinkSpec::outages, OutageConfig::schema());
  return s;
}

void LinkChange::apply(fabric::LinkConfig& direction) const {
  direction.rate = rate.value_or(direction.rate);
  direction.loss = loss.value_or(direction.loss);
  direction.bit_errors = bit_errors.value_or(direction.bit_errors);
  if (packets) direction.data_only = packets == Packets::data;
  for (const auto& o : outages) direction.outages.push_back({o.from, o.to});
}

namespace {

/// Adds the parameters. (Members of a base class: their pointers are converted.)
template <class T>
Schema<T> with_change(Schema<T> s) {
  using Packets = LinkChange::Packets;
  const auto of = [](auto LinkChange::*member) {
    return static_cast<std::remove_reference_t<decltype(std::declval<T>().*member)> T::*>(member);
  };
  s.field("rate", of(&LinkChange::rate),
          {.doc = "line rate in each direction", .min = slowest, .max = fastest})
      .field("loss", of(&LinkChange::loss),
             {.doc = "loss probability per packet", .min = 0.0, .max = largest_loss})
      .field("bit_errors", of(&LinkChange::bit_errors),
             {.doc = "probability that a packet gets a bit error, which the NIC or host that "
                     "receives it finds: it drops the packet (cause corrupted)",
              .min = 0.0,
              .max = 1.0,
              .source = "REPS (EuroSys 2026) 4.3.3 and its htsim: 1 % of the traversals"})
      .choice("packets", of(&LinkChange::packets), {{"all", Packets::all}, {"data", Packets::data}},
              {.doc = "packets that are lost (loss, outages) or get bit errors: all, or those of "
                      "data only. Absent: all",
               .source = "data: htsim of REPS (EuroSys 2026), where acknowledgements pass"})
      .field("converge", of(&LinkChange::converge),
             {.doc = "time after which routing withdraws a link that went down, and uses it "
                     "again after it came up; absent: never",
              .min = 0_ps})
      .tables("outage", of(&LinkChange::outages), OutageConfig::schema());
  return s;
}

}  // namespace

const Schema<ImpairmentSpec>& ImpairmentSpec::schema() {
  using Direction = ImpairmentSpec::Direction;
  static const Schema<ImpairmentSpec> s = with_change(
      Schema<ImpairmentSpec>("impairment", "Changes to one of the generated links.")
          .required("between", &ImpairmentSpec::between, {.doc = "the two devices' names"})
          .choice("direction", &ImpairmentSpec::direction,
                  {{"both", Direction::both}, {"forward", Direction::forward}},
                  {.doc = "both directions, or from the first device to the second only"}));
  return s;
}

const Schema<ImpairmentGroup>& ImpairmentGroup::schema() {
  using T = ImpairmentGroup;
  using Of = T::Of;
  using Direction = T::Direction;
  static const Schema<T> s = with_change(
      Schema<T>("impairment_group",
                "The same change to links between switches, or to what switches send, drawn at "
                "random.")
          .choice(
              "of", &T::of, {{"cables", Of::cables}, {"switches", Of::switches}},
              {.doc = "what is drawn: links between switches, or switches (all that they send)"})
          .choice(
              "direction", &T::direction,
              {{"both", Direction::both},
               {"one", Direction::one},
               {"up", Direction::up},
               {"down", Direction::down}},
              {.doc = "of cables: both directions; a random one, where directions are drawn and "
                      "both may be; the one away from the end points, or towards them, where "
                      "links within a level are not drawn. Absent: both",
               .source = "one: a cable of htsim's failure generator is one direction"})
          .field("share", &T::share,
                 {.doc = "of the cables or switches that may be drawn; at least one is",
                  .min = 0.0,
                  .max = 1.0,
                  .source = "0.02 slow, 0.05 failed: REPS (EuroSys 2026) 4.3"})
          .field("count", &T::count, {.doc = "in place of share: so many", .min = 1})
          .field(
              "level", &T::level,
              {.doc = "links to the nearest end point: of the switch, or of a cable's end that is "
                      "nearer; 1: ToRs and their uplinks. Absent: any",
               .min = 1})
          .field("seed", &T::seed, {.doc = "seed of what is drawn"})
          .field(
              "keep_paths", &T::keep_paths,
              {.doc = "what an outage or a loss of 1 would leave without a path, between a NIC or "
                      "host that sends and the one it sends to, is not drawn; a path is one of "
                      "the shortest. With packets = \"all\" also for what comes back",
               .source = "htsim of REPS (EuroSys 2026)"}));
  return s;
}

const Schema<LinkDefault>& LinkDefault::schema() {
  static const Schema<LinkDefault> s =
      Schema<LinkDefault>("link_default", "Defaults of all links.")
          .field("rate", &LinkDefault::rate,
                 {.doc = "line rate in each direction", .min = slowest, .max = fastest})
          .field("delay", &LinkDefault::delay,
                 {.doc = "propagation delay from end to end",
                  .min = shortest_delay,
                  .max = longest_delay})
          .field("loss", &LinkDefault::loss,
                 {.doc = "loss probability per packet", .min = 0.0, .max = largest_loss})
          .field(
              "whole_nanoseconds", &LinkDefault::whole_nanoseconds,
              {.doc = "the time of a packet on the wire is rounded down to whole nanoseconds, for "
                      "comparisons with ns-3. Absent: false",
               .source = "83 ns for 1048 bytes at 100 Gbps: conweave-ns3 at 236a801a"});
  return s;
}

const Schema<DeviceSpec>& DeviceSpec::schema() {
  static const Schema<DeviceSpec> s =
      Schema<DeviceSpec>("device", "Devices of one profile.")
          .required("names", &DeviceSpec::names, {.doc = "names of the devices of this kind"})
          .required("profile", &DeviceSpec::profile, {.doc = "the table that describes them"})
          .field("site", &DeviceSpec::site,
                 {.doc = "data centre in which they are, by its number: results of messages are "
                         "then also by whether they stay in one",
                  .max = 63});
  return s;
}

const Schema<ModuleSpec>& ModuleSpec::schema() {
  static const Schema<ModuleSpec> s =
      Schema<ModuleSpec>("module", "A SystemC module in the middle of a link.")
          .required("name", &ModuleSpec::name, {.doc = "what results call it"})
          .required("kind", &ModuleSpec::kind,
                    {.doc = "what it is: `horae list modules`; its parameters are keys of this "
                            "table"})
          .required("between", &ModuleSpec::between,
                    {.doc = "names of the two devices whose link it is on, which may be a "
                            "generated one. Half of the link's delay is on either side of it"})
          .field("link", &ModuleSpec::link,
                 {.doc = "which of several links between the two, from 0"});
  return s;
}

const std::vector<std::string>& ModuleSpec::keys() {
  static const std::vector<std::string> all = {"name", "kind", "between", "link"};
  return all;
}

const Schema<MemorySpec>& MemorySpec::schema() {
  static const Schema<MemorySpec> s =
      Schema<MemorySpec>("host_memory", "A SystemC module in the place of NICs' host memory.")
          .required("name", &MemorySpec::name, {.doc = "what results call it"})
          .required("kind", &MemorySpec::kind,
                    {.doc = "what it is, by a plug-in; its parameters are keys of this table"})
          .field("nics", &MemorySpec::nics,
                 {.doc = "names of the NICs whose memory it is; without it all with host = "
                         "\"pcie\""});
  return s;
}

const std::vector<std::string>& MemorySpec::keys() {
  static const std::vector<std::string> all = {"name", "kind", "nics"};
  return all;
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

const Schema<ClassesConfig>& ClassesConfig::schema() {
  static const Schema<ClassesConfig> s =
      Schema<ClassesConfig>("classes", "Codes of the traffic classes in frames.")
          .field("dscp", &ClassesConfig::dscp,
                 {.doc = "DSCP of classes 0 to 7, in that order: captures and bytes have it, and "
                         "switches class packets by it. Absent: 0, 8, 16, 24, 32, 40, 48, 56",
                  .max = 63,
                  .source = "class selectors: RFC 2474 4.2.2.2"})
          .field("pcp", &ClassesConfig::pcp,
                 {.doc = "PCP of classes 0 to 7, of frames with a VLAN tag, which captures have. "
                         "Absent: 0 to 7",
                  .max = 7,
                  .source = "IEEE 802.1Q 6.9.3"});
  return s;
}

ClassCodes ClassesConfig::codes(const Section& section) const {
  ClassCodes out;
  const auto take = [&](const char* key, const std::optional<std::vector<std::uint32_t>>& given,
                        std::array<std::uint8_t, 8>& to) {
    if (!given) return;
    if (given->size() != to.size())
      throw section.error(key, fmt::format("{} has {} codes; expected {}, one for each class", key,
                                           given->size(), to.size()));
    std::transform(given->begin(), given->end(), to.begin(),
                   [](std::uint32_t code) { return static_cast<std::uint8_t>(code); });
  };
  take("dscp", dscp, out.dscp);
  take("pcp", pcp, out.pcp);
  return out;
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
          .field("start", &FailuresConfig::start,
                 {.doc = "time of the first failures", .min = 0_ps})
          .field("seed", &FailuresConfig::seed, {.doc = "seed of which links fail"});
  return s;
}

}  // namespace horae::config
