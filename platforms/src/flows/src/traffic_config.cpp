#include "horae/flows/traffic_config.hpp"

#include "horae/params/schema.hpp"

namespace horae::flows {
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

const TrafficConfig& traffic_of(const config::PlatformConfig& platform, std::size_t table) {
  return static_cast<const TypedTraffic&>(*platform.traffic[table]).config;
}

}  // namespace horae::flows
