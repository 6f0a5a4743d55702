// The schemas of everything a platform file may contain.
#include <type_traits>
#include <utility>

#include "platform_config.hpp"

namespace horae::platforms {

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

const Schema<OutageConfig>& OutageConfig::schema() {
  static const Schema<OutageConfig> s =
      Schema<OutageConfig>("outage", "A time in which a link carries nothing.")
          .required("from", &OutageConfig::from, {.doc = "first moment", .min = 0_ps})
          .required("to", &OutageConfig::to, {.doc = "end", .min = 0_ps});
  return s;
}

namespace {
constexpr double largest_loss = 1.0;
const BitRate slowest = 1_Gbps;
const BitRate fastest = 1600_Gbps;
const Picoseconds shortest_delay = 1_ns;
const Picoseconds longest_delay = 1000_ms;
}  // namespace

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
      Schema<ImpairmentSpec>("impairment", "What is different about one of the links.")
          .required("between", &ImpairmentSpec::between, {.doc = "the two devices' names"})
          .choice("direction", &ImpairmentSpec::direction,
                  {{"both", Direction::both}, {"forward", Direction::forward}},
                  {.doc = "both directions, or from the first device to the second only"})
          .field("rate", &ImpairmentSpec::rate,
                 {.doc = "line rate", .min = slowest, .max = fastest})
          .field("loss", &ImpairmentSpec::loss,
                 {.doc = "loss probability per packet", .min = 0.0, .max = largest_loss})
          .field("converge", &ImpairmentSpec::converge,
                 {.doc = "routing withdraws the link so long after an outage begins, and takes it "
                         "back so long after it ends; absent: never",
                  .min = 0_ps})
          .tables("outage", &ImpairmentSpec::outages, OutageConfig::schema());
  return s;
}

const Schema<LinkDefault>& LinkDefault::schema() {
  static const Schema<LinkDefault> s =
      Schema<LinkDefault>("link_default", "What links have that say nothing else.")
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
          .required("profile", &DeviceSpec::profile, {.doc = "the table that describes them"});
  return s;
}

const Schema<LeafSpineConfig>& LeafSpineConfig::schema() {
  static const Schema<LeafSpineConfig> s =
      Schema<LeafSpineConfig>("leaf_spine",
                              "A generated two-tier Clos: hosts h0.., leaf0.., spine0..")
          .field("leaves", &LeafSpineConfig::leaves,
                 {.doc = "leaf switches", .min = 1, .max = 1024})
          .field("spines", &LeafSpineConfig::spines,
                 {.doc = "spine switches", .min = 1, .max = 1024})
          .field("hosts_per_leaf", &LeafSpineConfig::hosts_per_leaf,
                 {.doc = "end points of a leaf", .min = 1, .max = 1024})
          .required("host", &LeafSpineConfig::host, {.doc = "profile of the end points"})
          .required("leaf", &LeafSpineConfig::leaf, {.doc = "profile of the leaves"})
          .required("spine", &LeafSpineConfig::spine, {.doc = "profile of the spines"});
  return s;
}

const Schema<FatTreeConfig>& FatTreeConfig::schema() {
  static const Schema<FatTreeConfig> s =
      Schema<FatTreeConfig>("fat_tree",
                            "A generated three-tier fat-tree: hosts h0.., edge<pod>_<i>, "
                            "agg<pod>_<i>, core0..")
          .field("k", &FatTreeConfig::k,
                 {.doc = "ports of a switch, even: k pods of k/2 edge and k/2 aggregation "
                         "switches, (k/2)^2 cores, k^3/4 hosts",
                  .min = 2,
                  .max = 64,
                  .source = "Al-Fares et al., SIGCOMM 2008"})
          .field("hosts_per_edge", &FatTreeConfig::hosts_per_edge,
                 {.doc = "end points of an edge switch; 0: k/2", .max = 1024})
          .required("host", &FatTreeConfig::host, {.doc = "profile of the end points"})
          .required("edge", &FatTreeConfig::edge, {.doc = "profile of the edge switches"})
          .required("aggregation", &FatTreeConfig::aggregation,
                    {.doc = "profile of the aggregation switches"})
          .required("core", &FatTreeConfig::core, {.doc = "profile of the core switches"});
  return s;
}

const Schema<JellyfishConfig>& JellyfishConfig::schema() {
  static const Schema<JellyfishConfig> s =
      Schema<JellyfishConfig>("jellyfish", "A generated random graph: hosts h0.., switches s0..")
          .field("switches", &JellyfishConfig::switches,
                 {.doc = "switches",
                  .min = 2,
                  .max = 4096,
                  .source = "80: as many as an 8-ary fat-tree has; Eunomia, section 5.3"})
          .field("ports", &JellyfishConfig::ports,
                 {.doc = "ports of a switch; those without a host go to other switches",
                  .min = 1,
                  .max = 1024})
          .field("hosts", &JellyfishConfig::hosts,
                 {.doc = "end points of all switches together; the first switches have one more "
                         "where they cannot be spread evenly",
                  .min = 1,
                  .max = 65536,
                  .source = "128: as many as an 8-ary fat-tree has; Eunomia, section 5.3"})
          .field("seed", &JellyfishConfig::seed, {.doc = "seed of the graph"})
          .required("host", &JellyfishConfig::host, {.doc = "profile of the end points"})
          .required("switch", &JellyfishConfig::sw, {.doc = "profile of the switches"});
  return s;
}

const Schema<RoutingConfig>& RoutingConfig::schema() {
  using Kind = RoutingConfig::Kind;
  static const Schema<RoutingConfig> s =
      Schema<RoutingConfig>("routing", "Which paths plain switches use.")
          .choice("kind", &RoutingConfig::kind, {{"shortest", Kind::shortest}, {"ksp", Kind::ksp}},
                  {.doc = "all shortest paths, each switch choosing the next hop; or the shortest "
                          "`paths`, longer ones included, the first switch choosing one: `balance` "
                          "of its profile decides which"})
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

const Schema<MessagesConfig>& MessagesConfig::schema() {
  static const Schema<MessagesConfig> s =
      Schema<MessagesConfig>("traffic", "RDMA WRITE messages between NICs.")
          .choice("pattern", &MessagesConfig::pattern,
                  {{"pairs", MessagesConfig::Pattern::pairs},
                   {"permutation", MessagesConfig::Pattern::permutation}},
                  {.doc = "from[i] to to[i], or every NIC to another one at random"})
          .field("from", &MessagesConfig::from, {.doc = "senders of pattern pairs"})
          .field("to", &MessagesConfig::to, {.doc = "their receivers"})
          .field("message", &MessagesConfig::message,
                 {.doc = "size of a message",
                  .min = 0_B,
                  .max = Bytes(0x7fffffff),
                  .source = "64 KiB: perftest default"})
          .field("depth", &MessagesConfig::depth,
                 {.doc = "messages outstanding per queue pair",
                  .min = 1,
                  .max = 65536,
                  .source = "128: perftest default tx-depth"})
          .field("qps", &MessagesConfig::qps,
                 {.doc = "queue pairs per pair",
                  .min = 1,
                  .max = 4096,
                  .source = "1: perftest default"})
          .field("count", &MessagesConfig::count,
                 {.doc = "messages per queue pair; 0: without end"})
          .field("start", &MessagesConfig::start, {.doc = "when the first is posted", .min = 0_ps})
          .field("first_psn", &MessagesConfig::first_psn, {.doc = "initial PSN", .max = Psn::mask});
  return s;
}

const Schema<CollectiveTraffic>& CollectiveTraffic::schema() {
  using T = CollectiveTraffic;
  using traffic::Operation;
  static const Schema<T> s =
      Schema<T>("traffic", "A collective operation of each group of NICs.")
          .choice("operation", &T::operation,
                  {{"ring_permutation", Operation::ring_permutation},
                   {"reduce_scatter", Operation::reduce_scatter},
                   {"all_gather", Operation::all_gather},
                   {"all_reduce", Operation::all_reduce},
                   {"all_to_all", Operation::all_to_all}},
                  {.doc = "what a group does: each rank writes size to the next; the ring "
                          "algorithms; or size/n to each of the others at once"})
          .field("size", &T::size, {.doc = "buffer of a rank", .min = 1_B})
          .field("slices", &T::slices,
                 {.doc = "messages a step of a ring is cut into; a slice goes on when it is there",
                  .min = 1,
                  .max = 4096})
          .field("groups", &T::groups,
                 {.doc = "groups; member i is in group i mod groups, in the order of the members",
                  .min = 1,
                  .max = 65536})
          .field("members", &T::members, {.doc = "NICs; empty: all, in the order of the platform"})
          .field("start", &T::start, {.doc = "when the first group starts", .min = 0_ps})
          .field("stagger", &T::stagger,
                 {.doc = "time between the starts of two groups", .min = 0_ps})
          .field("compute", &T::compute,
                 {.doc = "from a slice received to its being sent on (reduction, software)",
                  .min = 0_ps})
          .field("depth", &T::depth,
                 {.doc = "messages outstanding per queue pair", .min = 1, .max = 65536})
          .field("first_psn", &T::first_psn, {.doc = "initial PSN", .max = Psn::mask});
  return s;
}

namespace {
/// Keys of all open-loop messages. (Members of a base class: their pointers are converted.)
template <class T>
Schema<T> with_arrivals(Schema<T> s) {
  const auto of = [](auto ArrivalConfig::*member) {
    return static_cast<std::remove_reference_t<decltype(std::declval<T>().*member)> T::*>(member);
  };
  s.field("load", of(&ArrivalConfig::load),
          {.doc = "payload that is offered, as a share of the members' links divided by "
                  "oversubscription",
           .min = 0.0001,
           .max = 10.0})
      .field("oversubscription", of(&ArrivalConfig::oversubscription),
             {.doc = "1: load is of the hosts' links; 2: of a core with half their capacity, as "
                     "ConWeave's simulator has it",
              .min = 0.01,
              .max = 100.0})
      .field("start", of(&ArrivalConfig::start), {.doc = "arrivals from then on", .min = 0_ps})
      .field("duration", of(&ArrivalConfig::duration),
             {.doc = "arrivals for so long (a Poisson process)", .min = 1_ns})
      .field("members", of(&ArrivalConfig::members),
             {.doc = "NICs; empty: all, in the order of the platform"})
      .field("random_first_psn", of(&ArrivalConfig::random_first_psn),
             {.doc = "an initial PSN at random for each connection; else 0"});
  return s;
}
}  // namespace

const Schema<FlowTraffic>& FlowTraffic::schema() {
  static const Schema<FlowTraffic> s = with_arrivals(
      Schema<FlowTraffic>(
          "traffic", "Messages of a workload between all NICs, each on a queue pair of its own.")
          .field("workload", &FlowTraffic::workload,
                 {.doc = "sizes: a name of `horae list workloads`, or a .toml file beside this "
                         "one"})
          .field("content", &FlowTraffic::content,
                 {.doc = "of a .toml file: a hash of its bytes, as the effective configuration "
                         "has it; refused if it is another"}));
  return s;
}

const Schema<FlowListTraffic>& FlowListTraffic::schema() {
  using T = FlowListTraffic;
  using traffic::ListFormat;
  static const Schema<T> s =
      Schema<T>("traffic", "Messages of a flow list, each on a queue pair of its own.")
          .required("file", &T::file,
                    {.doc = "the list, beside this file; formats: traces/README.md"})
          .choice("format", &T::format,
                  {{"auto", ListFormat::automatic},
                   {"ns3", ListFormat::ns3},
                   {"htsim", ListFormat::htsim},
                   {"csv", ListFormat::csv}},
                  {.doc = "how it is written; auto: as its first line looks"})
          .field("content", &T::content,
                 {.doc = "a hash of its bytes, as the effective configuration has it; refused if "
                         "it is another"})
          .field("members", &T::members,
                 {.doc = "NICs: node i of the list is the i-th; empty: all, in the order of the "
                         "platform"})
          .choice("nodes", &T::nodes, {{"refuse", T::Nodes::refuse}, {"modulo", T::Nodes::modulo}},
                  {.doc = "of nodes that the platform does not have: refuse the list, or take the "
                          "remainder; a flow that then ends where it begins is left out"})
          .field("from", &T::from,
                 {.doc = "flows that start before, by the list's clock, are left out; this time "
                         "becomes start",
                  .min = 0_ps})
          .field("to", &T::to, {.doc = "flows that start then or later are left out", .min = 0_ps})
          .field("scale_time", &T::scale_time,
                 {.doc = "times since from are multiplied by this: 0.5 doubles the load",
                  .min = 1e-9,
                  .max = 1e9})
          .field("scale_bytes", &T::scale_bytes,
                 {.doc = "sizes are multiplied by this, rounded, at least a byte",
                  .min = 1e-9,
                  .max = 1e9})
          .field("start", &T::start, {.doc = "added to every time, after scaling", .min = 0_ps})
          .choice("priorities", &T::priorities,
                  {{"refuse", T::Priorities::refuse}, {"ignore", T::Priorities::ignore}},
                  {.doc = "a NIC has one traffic class: of lists whose flows have different "
                          "priorities, refuse, or treat all alike"})
          .choice("send_done", &T::send_done,
                  {{"local", T::Triggers::local}, {"on_receipt", T::Triggers::on_receipt}},
                  {.doc = "of a send_done_trigger that starts a flow of the receiver: refuse, or "
                          "fire when the message has arrived, which is earlier by the "
                          "acknowledgement's way"})
          .field("random_first_psn", &T::random_first_psn,
                 {.doc = "an initial PSN at random for each connection; else 0"});
  return s;
}

const Schema<IncastTraffic>& IncastTraffic::schema() {
  static const Schema<IncastTraffic> s = with_arrivals(
      Schema<IncastTraffic>("traffic", "Queries: many NICs send to one at the same time.")
          .field("fan_in", &IncastTraffic::fan_in,
                 {.doc = "senders of a query", .min = 1, .max = 65535, .source = "50: Eunomia 5.5"})
          .field("size", &IncastTraffic::size,
                 {.doc = "bytes of each",
                  .min = 1_B,
                  .max = Bytes(0x7fffffff),
                  .source = "40 KB: Eunomia 5.5"}));
  return s;
}

const Schema<PacketsConfig>& PacketsConfig::schema() {
  static const Schema<PacketsConfig> s =
      Schema<PacketsConfig>("traffic", "Open-loop packets between hosts without a transport.")
          .choice("pattern", &PacketsConfig::pattern,
                  {{"pairs", MessagesConfig::Pattern::pairs},
                   {"permutation", MessagesConfig::Pattern::permutation}},
                  {.doc = "from[i] to to[i], or every host to another one at random"})
          .field("from", &PacketsConfig::from, {.doc = "senders of pattern pairs"})
          .field("to", &PacketsConfig::to, {.doc = "their receivers"})
          .field("payload", &PacketsConfig::payload,
                 {.doc = "payload of a packet", .min = 0_B, .max = 9000_B})
          .field("load", &PacketsConfig::load,
                 {.doc = "share of the line rate, on the wire", .min = 0.0001, .max = 1.0})
          .field("count", &PacketsConfig::count, {.doc = "packets per host; 0: without end"})
          .field("start", &PacketsConfig::start, {.doc = "when the first is sent", .min = 0_ps});
  return s;
}

const Schema<SweepPoint>& SweepPoint::schema() {
  static const Schema<SweepPoint> s =
      Schema<SweepPoint>("point", "One run of a sweep.")
          .required("label", &SweepPoint::label, {.doc = "its row's name"})
          .field("set", &SweepPoint::set, {.doc = "overrides, as for --set"});
  return s;
}

const Schema<ColumnSpec>& ColumnSpec::schema() {
  static const Schema<ColumnSpec> s =
      Schema<ColumnSpec>("column", "A column of the table.")
          .required("title", &ColumnSpec::title, {.doc = "heading"})
          .required("metric", &ColumnSpec::metric, {.doc = "name of a result"})
          .field("digits", &ColumnSpec::digits, {.doc = "decimals", .max = 9});
  return s;
}

const Schema<PublishedSpec>& PublishedSpec::schema() {
  static const Schema<PublishedSpec> s =
      Schema<PublishedSpec>("published", "A published number beside a result.")
          .required("id", &PublishedSpec::id, {.doc = "stable name of the number"})
          .field("point", &PublishedSpec::point, {.doc = "label of the sweep point"})
          .required("metric", &PublishedSpec::metric, {.doc = "name of the result"})
          .required("value", &PublishedSpec::value, {.doc = "as published"})
          .field("unit", &PublishedSpec::unit, {.doc = "its unit"})
          .required("source", &PublishedSpec::source, {.doc = "paper, section, figure"});
  return s;
}

const Schema<SweepConfig>& SweepConfig::schema() {
  static const Schema<SweepConfig> s =
      Schema<SweepConfig>("sweep", "Several runs of the platform, in one table.")
          .field("title", &SweepConfig::title, {.doc = "heading of the table"})
          .field("label_title", &SweepConfig::label_title, {.doc = "heading of the first column"})
          .tables("point", &SweepConfig::points, SweepPoint::schema())
          .tables("column", &SweepConfig::columns, ColumnSpec::schema())
          .tables("published", &SweepConfig::published, PublishedSpec::schema());
  return s;
}

const Schema<PublishedSizeSpec>& PublishedSizeSpec::schema() {
  static const Schema<PublishedSizeSpec> s =
      Schema<PublishedSizeSpec>("published", "A published figure of what a program costs.")
          .required("id", &PublishedSizeSpec::id, {.doc = "name of the figure"})
          .required("profile", &PublishedSizeSpec::profile, {.doc = "profile of the chip"})
          .required("quantity", &PublishedSizeSpec::quantity,
                    {.doc = "an account of the program, a resource, one with _percent, or stages"})
          .field("over_stages", &PublishedSizeSpec::over_stages,
                 {.doc = "per cent of so many stages; 0: of those used", .max = 256})
          .required("value", &PublishedSizeSpec::value, {.doc = "the published value"})
          .field("unit", &PublishedSizeSpec::unit, {.doc = "its unit"})
          .required("source", &PublishedSizeSpec::source, {.doc = "where it is published"})
          .field("note", &PublishedSizeSpec::note, {.doc = "what explains a difference"});
  return s;
}

const Schema<SizeConfig>& SizeConfig::schema() {
  static const Schema<SizeConfig> s =
      Schema<SizeConfig>("size", "What `horae size` compares with.")
          .tables("published", &SizeConfig::published, PublishedSizeSpec::schema(),
                  {.doc = "published figures"});
  return s;
}

const Schema<ExplainConfig>& ExplainConfig::schema() {
  static const Schema<ExplainConfig> s =
      Schema<ExplainConfig>("explain", "What `horae explain` reads, relative to this file.")
          .field("observations", &ExplainConfig::observations, {.doc = "file of published numbers"})
          .field("hypotheses", &ExplainConfig::hypotheses, {.doc = "file of mechanisms to test"});
  return s;
}

}  // namespace horae::platforms
