#include "config.hpp"

#include <fmt/format.h>

#include <bit>
#include <set>

#include "horae/core/error.hpp"
#include "horae/params/schema.hpp"
#include "horae/programs/shared/port_groups.hpp"

namespace horae::programs {
namespace {

constexpr const char* sizes = "conweave-p4 leaf_conweave_resource macro.p4";
constexpr Picoseconds longest = 4000_ms;

}  // namespace

const Schema<ConweaveConfig>& ConweaveConfig::schema() {
  using T = ConweaveConfig;
  static const Schema<T> s =
      Schema<T>("program", "ConWeave: per-flow rerouting with reordering at the receivers' ToR.")
          .field(
              "flow_entries", &T::flow_entries,
              {.doc =
                   "entries of the flow table and of each flow register, at source and destination",
               .min = 1,
               .max = 65536,
               .source = sizes})
          .field("rack_entries", &T::rack_entries,
                 {.doc = "cells of the registers of busy paths, one per rack",
                  .min = 1,
                  .max = 65536,
                  .source = sizes})
          .field("queue_entries", &T::queue_entries,
                 {.doc = "cells of the registers of reorder queues, one per queue of each port "
                         "with a NIC",
                  .min = 1,
                  .max = 1024,
                  .source = sizes})
          .field("queues", &T::queues,
                 {.doc = "reorder queues of each port; three times a power of two",
                  .min = 3,
                  .max = 96,
                  .source = "24 of 32 queues at 100G: macro.p4 (three groups of 8); the paper's "
                            "simulation has 31"})
          .field("nodes_per_rack", &T::nodes_per_rack,
                 {.doc = "nodes that share their paths: node / nodes_per_rack is the rack",
                  .min = 1,
                  .max = 65536})
          .field("reply_timeout", &T::reply_timeout,
                 {.doc = "theta_reply: a reply that takes longer reroutes the flow",
                  .min = 2_us,
                  .max = longest,
                  .source = "ConWeave paper: 8 us for 100G leaf-spine and fat tree (best of 5 to "
                            "68 us), 12 us on the 25G testbed"})
          .field("path_busy", &T::path_busy,
                 {.doc = "theta_path_busy: time after a NOTIFY in which no flow is put on the path",
                  .min = 1_us,
                  .max = longest,
                  .source = "ConWeave paper: 8 us leaf-spine, 16 us fat tree, 32 us testbed: ECN "
                            "threshold over link rate"})
          .field("inactive", &T::inactive,
                 {.doc = "theta_inactive: a flow starts over after this time without a packet",
                  .min = 2_us,
                  .max = longest,
                  .source = "ConWeave paper: 300 us leaf-spine, 10 ms testbed"})
          .field(
              "resume_default", &T::resume_default,
              {.doc =
                   "X_DEFAULT: time to wait for the TAIL when no packet of the old path was seen",
               .min = 1_us,
               .max = longest,
               .source = "ConWeave paper: 200 us leaf-spine"})
          .field("resume_extra", &T::resume_extra,
                 {.doc = "X_EXTRA: added to the estimate of the TAIL's arrival",
                  .min = 0_us,
                  .max = longest,
                  .source = "ConWeave paper: 64 us with PFC, 16 us with IRN"})
          .field("reply_extension", &T::reply_extension,
                 {.doc = "added to the deadline while a reply recirculates",
                  .min = 1_us,
                  .max = longest,
                  .source = "conweave-p4 leaf_conweave macro.p4: 4 us (for a resubmission)"})
          .field("abort_without_path", &T::abort_without_path,
                 {.doc = "do not reroute when both sampled paths are busy; false: reroute onto the "
                         "same path",
                  .source = "true: ConWeave paper; false: conweave-ns3 and conweave-p4"})
          .field("control_class", &T::control_class,
                 {.doc = "traffic class of replies, notifications and timers",
                  .max = 7,
                  .source = "ConWeave paper: strict highest priority"})
          .field("route_entries", &T::route_entries,
                 {.doc = "entries of the destination table",
                  .min = 1,
                  .max = 1 << 20,
                  .source = sizes})
          .field("member_entries", &T::member_entries,
                 {.doc = "entries of the table from paths to ports",
                  .min = 1,
                  .max = 65536,
                  .source = "conweave-p4 tables_ingress.p4: 256"});
  return s;
}

namespace conweave {

void check(const ConweaveConfig& config, const Section& parameters) {
  if (config.queues % 3 != 0 || !std::has_single_bit(config.queues / 3)) {
    throw parameters.error("queues",
                           fmt::format("queues = {} is not three times a power of two: "
                                       "bits of a hash choose one in each of three groups",
                                       config.queues));
  }
}

void check(const ConweaveConfig& config, const Routes& routes, const std::string& pipeline) {
  const auto& of_port = routes.pipeline_of_port;
  if (std::set<unsigned>(of_port.begin(), of_port.end()).size() > 1) {
    throw InputError(fmt::format(
        "{}: ConWeave needs all ports on one pipeline: packets of a flow enter by different "
        "uplinks, and the queue they wait in is chosen in ingress by the flow's state",
        pipeline));
  }
  constexpr unsigned class_queues = 8;
  if (routes.queues_per_port != 0 && routes.queues_per_port < class_queues + config.queues) {
    throw InputError(
        fmt::format("{}: program.queues = {} need queues_per_port = {} of the chip, which has {}",
                    pipeline, config.queues, class_queues + config.queues, routes.queues_per_port));
  }
  PortGroups(routes).check_sizes(pipeline, config.route_entries, config.member_entries);
  std::set<NodeId> racks;
  for (const auto& entry : routes.entries) {
    racks.insert(entry.node / config.nodes_per_rack);
    if (entry.ports.size() > 256) {
      throw InputError(fmt::format("{}: {} paths to node {}, but a path has 8 bits", pipeline,
                                   entry.ports.size(), entry.node));
    }
  }
  if (racks.size() > config.rack_entries) {
    throw InputError(fmt::format("{}: program.rack_entries = {} is too small for {} racks",
                                 pipeline, config.rack_entries, racks.size()));
  }
}

}  // namespace conweave
}  // namespace horae::programs
