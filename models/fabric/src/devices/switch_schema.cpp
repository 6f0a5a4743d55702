// Parameters of a plain switch for the user.
#include <algorithm>
#include <cmath>

#include "horae/fabric/devices/output_queued_switch.hpp"
#include "horae/params/schema.hpp"
#include "horae/policy/hardware_choice.hpp"
#include "horae/policy/own_parameters.hpp"

namespace horae::fabric {

const Schema<RedConfig>& RedConfig::schema() {
  static const Schema<RedConfig> s =
      Schema<RedConfig>("ecn", "ECN marking by queue depth.")
          .field(
              "kmin", &RedConfig::kmin,
              {.doc = "queue depth up to which no packet is marked",
               .min = 0_B,
               .source = "800 KB at 200 Gbps, 400 KB at 100 Gbps: packet-spraying paper 6.1, 6.2"})
          .field("kmax", &RedConfig::kmax,
                 {.doc = "queue depth above which every packet is marked; 0: no marking",
                  .min = 0_B,
                  .source =
                      "3200 KB at 200 Gbps, 1600 KB at 100 Gbps: packet-spraying paper 6.1, 6.2"})
          .field("pmax", &RedConfig::pmax,
                 {.doc = "marking probability at kmax",
                  .min = 0.0,
                  .max = 1.0,
                  .source = "0.2: packet-spraying paper 6.1"})
          .choice("at", &RedConfig::at,
                  {{"enqueue", MarkAt::enqueue}, {"dequeue", MarkAt::dequeue}},
                  {.doc = "a packet is marked when it is queued, by what is before it (enqueue); "
                          "or when it leaves the queue, by what is left of its class (dequeue). "
                          "Absent: enqueue",
                   .source = "dequeue: switch-node.cc of the simulator of HPCC (SIGCOMM 2019), "
                             "alibaba-edu at 9f4be2a"})
          .tables("by_rate", &RedConfig::by_rate, RedOfRate::schema())
          .tables("by_class", &RedConfig::by_class, RedOfClass::schema());
  return s;
}

const Schema<RedOfRate>& RedOfRate::schema() {
  static const Schema<RedOfRate> s =
      Schema<RedOfRate>("by_rate", "ECN thresholds of the ports of one rate.")
          .required("rate", &RedOfRate::rate, {.doc = "line rate of the ports", .min = 1_Gbps})
          .required("kmin", &RedOfRate::kmin,
                    {.doc = "queue depth up to which no packet is marked", .min = 0_B})
          .required(
              "kmax", &RedOfRate::kmax,
              {.doc = "queue depth above which every packet is marked; 0: no marking", .min = 0_B})
          .field("pmax", &RedOfRate::pmax,
                 {.doc = "marking probability at kmax; absent: that of [ecn]",
                  .min = 0.0,
                  .max = 1.0});
  return s;
}

const Schema<RedOfClass>& RedOfClass::schema() {
  static const Schema<RedOfClass> s =
      Schema<RedOfClass>("by_class", "ECN thresholds of one traffic class, at ports of every rate.")
          .required("number", &RedOfClass::number,
                    {.doc = "number of the traffic class",
                     .max = 7,
                     .source = "a WRED profile belongs to a queue: SONiC's QUEUE table"})
          .required("kmin", &RedOfClass::kmin,
                    {.doc = "queue depth up to which no packet is marked", .min = 0_B})
          .required(
              "kmax", &RedOfClass::kmax,
              {.doc = "queue depth above which every packet is marked; 0: no marking", .min = 0_B})
          .field("pmax", &RedOfClass::pmax,
                 {.doc = "marking probability at kmax; absent: that of [ecn]",
                  .min = 0.0,
                  .max = 1.0});
  return s;
}

bool RedConfig::enabled() const {
  const auto marks = [](const auto& r) { return r.kmax.count() > 0; };
  return kmax.count() > 0 || (by_rate && std::any_of(by_rate->begin(), by_rate->end(), marks)) ||
         (by_class && std::any_of(by_class->begin(), by_class->end(), marks));
}

Bytes in_proportion(Bytes bytes, BitRate rate, BitRate reference) {
  if (rate == reference) return bytes;
  return Bytes(std::llround(static_cast<double>(bytes.count()) * static_cast<double>(rate.count()) /
                            static_cast<double>(reference.count())));
}

RedThresholds in_proportion(const RedThresholds& t, BitRate rate,
                            std::optional<BitRate> reference) {
  if (!reference) return t;
  return {in_proportion(t.kmin, rate, *reference), in_proportion(t.kmax, rate, *reference), t.pmax};
}

RedThresholds RedConfig::of(BitRate rate, std::optional<BitRate> reference) const {
  if (by_rate) {
    for (const RedOfRate& r : *by_rate) {
      if (r.rate == rate) return {r.kmin, r.kmax, r.pmax.value_or(pmax)};
    }
  }
  return in_proportion({kmin, kmax, pmax}, rate, reference);
}

RedOfPort RedConfig::of_port(BitRate rate, std::optional<BitRate> reference) const {
  RedOfPort out;
  out.fill(of(rate, reference));
  for (const RedOfClass& c : by_class.value_or(std::vector<RedOfClass>{}))
    out.at(c.number) = in_proportion({c.kmin, c.kmax, c.pmax.value_or(pmax)}, rate, reference);
  return out;
}

const Schema<PfcConfig>& PfcConfig::schema() {
  static const Schema<PfcConfig> s =
      Schema<PfcConfig>("pfc", "Priority flow control, per ingress port and class.")
          .field("xoff", &PfcConfig::xoff,
                 {.doc = "buffered bytes of a port and class above which it pauses its peer; 0: no "
                         "fixed threshold",
                  .min = 0_B,
                  .source = "IEEE 802.1Q clause 36 leaves thresholds to the switch"})
          .field("xon", &PfcConfig::xon,
                 {.doc = "buffered bytes at or below which it resumes its peer", .min = 0_B})
          .field("headroom", &PfcConfig::headroom,
                 {.doc = "buffer for what arrives after a pause was sent; 0: the least that is "
                         "lossless with the port's own link",
                  .min = 0_B})
          .field("headroom_delays", &PfcConfig::headroom_delays,
                 {.doc = "in place of headroom: so many times rate x delay of the port's own link",
                  .min = 0.0,
                  .max = 100.0,
                  .source = "3: third.cc of the simulator of HPCC (SIGCOMM 2019), alibaba-edu at "
                            "9f4be2a"})
          .field("alpha", &PfcConfig::alpha,
                 {.doc = "dynamic threshold in place of xoff and xon: pause above alpha x free "
                         "shared buffer, which is `buffer` without headrooms and minima; 0: off",
                  .min = 0.0,
                  .max = 256.0,
                  .source = "0.0625: switch-mmu of conweave-ns3 at 236a801a"})
          .field("hysteresis", &PfcConfig::hysteresis,
                 {.doc = "with alpha: resume this far below the threshold",
                  .min = 0_B,
                  .source = "switch-mmu of conweave-ns3 at 236a801a"})
          .field("minimum", &PfcConfig::minimum,
                 {.doc = "with alpha: bytes reserved for each port and class",
                  .min = 0_B,
                  .source = "one MTU of 1048 B: switch-mmu of conweave-ns3 at 236a801a"})
          .field("classes", &PfcConfig::classes,
                 {.doc = "with alpha: classes per port that have headroom and minimum",
                  .min = 1,
                  .max = 8})
          .field("priorities", &PfcConfig::priorities,
                 {.doc = "traffic classes that pause, each with headroom and minimum in place of "
                         "`classes`. All other classes never pause: they have what is free of the "
                         "shared buffer, and queue_limit, queue_share and shares of classes are "
                         "of them alone. Absent: all classes of data pause",
                  .max = 7,
                  .source = "IEEE 802.1Q 36.1.1: PFC is enabled for each priority"})
          .tables("by_rate", &PfcConfig::by_rate, PfcOfRate::schema())
          .tables("by_class", &PfcConfig::by_class, PfcOfClass::schema());
  return s;
}

const Schema<VoqConfig>& VoqConfig::schema() {
  static const Schema<VoqConfig> s =
      Schema<VoqConfig>("voq",
                        "A queue per destination for data that comes from far away, and a window "
                        "of bytes under way to it (BiCC's near-destination loop).")
          .field("window", &VoqConfig::window,
                 {.doc = "frame bytes under way from here to one destination at most; one packet "
                         "always is",
                  .min = 1_B,
                  .source = "long-haul paper III: the BDP within the data center; ours: 100 Gbps x "
                            "8.4 us"})
          .field("timeout", &VoqConfig::timeout,
                 {.doc = "when nothing came back from a destination for so long, what is under way "
                         "to it counts as lost",
                  .min = 1_us,
                  .max = 10000_ms,
                  .source = "ours: neither the long-haul paper nor its account of BiCC has one"})
          .field("round_trip", &VoqConfig::round_trip,
                 {.doc = "a packet that its receiver will not answer counts as under way for so "
                         "long: of a flow that goes back, or a duplicate",
                  .min = 1_ns,
                  .max = 1000_ms,
                  .source = "ours: that of the window"})
          .field("remote_nodes", &VoqConfig::remote_nodes,
                 {.doc = "nodes beyond the long link; empty: all nodes of another site than this "
                         "switch, or, without sites, all that are not attached to it"});
  return s;
}

const Schema<NoticeConfig>& NoticeConfig::schema() {
  static const Schema<NoticeConfig> s =
      Schema<NoticeConfig>("notify", "CNPs of the switch for packets that leave it marked.")
          .field("gap", &NoticeConfig::gap,
                 {.doc = "least time between CNPs of a flow",
                  .max = 1000_ms,
                  .source = "50 us: DCQCN (SIGCOMM 2015) 3.1, of its receivers"})
          .field("delay", &NoticeConfig::delay,
                 {.doc = "from the mark to the CNP being queued",
                  .max = 1_ms,
                  .source = "2 us in the simulator of the long-haul paper's authors (d941dc1)"})
          .field("clear_ce", &NoticeConfig::clear_ce,
                 {.doc = "take the mark away; false: the receiver sends a CNP as well"})
          .choice("scope", &NoticeConfig::scope,
                  {{"own", NoticeScope::own}, {"any", NoticeScope::any}},
                  {.doc = "marks that are answered: those this switch makes; or of all data that "
                          "leaves, whichever switch made them",
                   .source = "own: Annulus (SIGCOMM 2020), where a ToR tells of its own queues; "
                             "any: the simulator of the long-haul paper's authors"});
  return s;
}

const Schema<SwitchConfig>& SwitchConfig::schema() {
  static const Schema<SwitchConfig> s =
      Schema<SwitchConfig>("switch", "A plain output-queued switch.")
          .field("latency", &SwitchConfig::latency,
                 {.doc = "from the last bit received to the packet being queued",
                  .max = 1_ms,
                  .source =
                      "0.4 to 0.8 us per hop is usual for data-centre switches; no particular one",
                  .verified = false})
          .field("queue_limit", &SwitchConfig::queue_limit,
                 {.doc = "drop-tail limit of each egress queue; 0: none", .min = 0_B})
          .field("queue_share", &SwitchConfig::queue_share,
                 {.doc = "dynamic limit of each egress queue: queue_share x free part of `buffer`; "
                         "0: none",
                  .min = 0.0,
                  .max = 256.0,
                  .source = "Choudhury and Hahne, IEEE/ACM ToN 6(2), 1998; 1 in conweave-ns3 at "
                            "236a801a"})
          .field("buffer", &SwitchConfig::buffer,
                 {.doc = "packet buffer shared by all queues; 0: unlimited",
                  .min = 0_B,
                  .source = "64 MB: packet-spraying paper 6.2"})
          .field("deflect", &SwitchConfig::deflect,
                 {.doc = "a packet that finds its egress queue full goes to a random other port "
                         "that leads to a switch, and its hop limit is decremented",
                  .source = "DIBS: Zarifis et al., EuroSys 2014"})
          .choice("limit_of", &SwitchConfig::limit_of,
                  {{"port", LimitOf::port}, {"class", LimitOf::traffic_class}},
                  {.doc = "whose waiting bytes queue_limit and queue_share limit: all of the port, "
                          "or those of the packet's class. Absent: port; class if packets are "
                          "trimmed"})
          .choice("full", &SwitchConfig::full,
                  {{"arriving", WhenFull::arriving}, {"half", WhenFull::half}},
                  {.doc = "which packet goes when its egress queue is full: the arriving one, or "
                          "with probability 1/2 the last of its class in the queue, if that is no "
                          "shorter. Absent: arriving",
                   .source = "half: NDP (Handley et al., SIGCOMM 2017) 3.1, and compositequeue.cpp "
                             "of htsim"})
          .field(
              "trim", &SwitchConfig::trim,
              {.doc = "data that finds no room in its queue or the buffer is cut to a frame of "
                      "so many bytes, 44 or more, and goes on in trim_class; absent or 0 B: it is "
                      "dropped",
               .min = 0_B,
               .max = 256_B,
               .source = "64 B: NDP (SIGCOMM 2017) 3, Ultra Ethernet 1.0 and htsim; 44 B where "
                         "NICs have frames = \"htsim\", whose 64 contain preamble and gap"})
          .field("trim_class", &SwitchConfig::trim_class,
                 {.doc = "class of trimmed packets, above those of data: without a limit, without "
                         "the buffer, never marked. Absent: control_class; without one 7",
                  .min = 1,
                  .max = 7})
          .field(
              "reference_rate", &SwitchConfig::reference_rate,
              {.doc = "queue_limit, kmin and kmax are of ports of this rate; ports of another "
                      "rate have them in proportion, but for rates that ecn.by_rate has. Absent: "
                      "all ports have the same",
               .min = 1_Gbps,
               .source = "htsim of REPS (EuroSys 2026): a link of half the rate has half the "
                         "buffer and half the thresholds"})
          .choice("schedule", &SwitchConfig::schedule,
                  {{"fifo", QueueSchedule::fifo},
                   {"srpt", QueueSchedule::srpt},
                   {"srpt_packet", QueueSchedule::srpt_packet}},
                  {.doc = "order within a class: arrival (fifo); the flow with the fewest "
                          "remaining packets first (srpt, pFabric); or the packet with the fewest "
                          "remaining packets first (srpt_packet, Eunomia 5.4: flows arrive in "
                          "reverse). With srpt acknowledgements and CNPs go before data"})
          .field("control_class", &SwitchConfig::control_class,
                 {.doc = "class of acknowledgements and CNPs, which take no buffer, are never "
                         "refused, pause nobody and are not marked; absent: there is none",
                  .max = 7,
                  .source = "class 0 in switch-mmu.cc and switch-node.cc of the simulator of HPCC "
                            "(SIGCOMM 2019), alibaba-edu at 9f4be2a"})
          .field(
              "telemetry", &SwitchConfig::telemetry,
              {.doc = "ports add telemetry to data packets of NICs that ask for it (hpcc): rate, "
                      "time, bytes sent and bytes queued when the packet leaves its queue, 8 "
                      "bytes a hop. Absent: false",
               .source = "HPCC: Li et al., SIGCOMM 2019, 3.1 and Figure 7"})
          .tables("class", &SwitchConfig::classes, ClassConfig::schema())
          .tables("pool", &SwitchConfig::pools, PoolConfig::schema())
          .include(ClassMaps::schema(), &SwitchConfig::maps)
          .table("ecn", &SwitchConfig::red, RedConfig::schema())
          .table("pfc", &SwitchConfig::pfc, PfcConfig::schema())
          .table("voq", &SwitchConfig::voq, VoqConfig::schema())
          .table("notify", &SwitchConfig::notify, NoticeConfig::schema())
          .field("balance", &SwitchConfig::balance,
                 {.doc = "load balancer (`horae list policies`)"})
          .choice("balance_depth", &SwitchConfig::balance_depth,
                  {{"port", BalanceDepth::port}, {"queue", BalanceDepth::queue}},
                  {.doc = "depth of a port that the load balancer sees: bytes that wait and the "
                          "rest of the packet being sent, or only the bytes that wait, to which a "
                          "port that sends its last packet looks idle. Absent: port",
                   .source = "port: htsim's queues count a packet until its last bit has left; "
                             "queue: switch-mmu of conweave-ns3 at 236a801a"})
          .field(
              "balance_responses", &SwitchConfig::balance_responses,
              {.doc = "whether acknowledgements, NACKs and CNPs are balanced as data is; false: "
                      "they go by the hash of their flow, in order. Absent: true",
               .source = "false: SwitchNode of conweave-ns3 at 236a801a sends control packets by "
                         "ECMP whatever balances data"})
          .include(policy::schema_of(
                       {policy::keys_of<policy::HardwareChoice, &policy::balance_hardware>()}),
                   &SwitchConfig::balancing)
          .include(policy::parameters_of(policy::load_balancers()), &SwitchConfig::balancing);
  return s;
}

}  // namespace horae::fabric
