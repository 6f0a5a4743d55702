#include "horae/tofino/chip_config.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "horae/dataplane/chip_spec.hpp"
#include "horae/params/schema.hpp"

namespace horae::tofino {
namespace {

constexpr const char* no_public_value =
    "no public value for Tofino2; parser, TM, deparser and MAC together are 350 to 450 ns on "
    "Tofino1 "
    "if its 600 ns recirculation (Lucid manual) is what remains beside two MAU passes; split by "
    "judgement";

RangedFieldInfo<Picoseconds> unverified(const char* doc) {
  return {.doc = doc, .min = 0_ps, .max = 100_us, .source = no_public_value, .verified = false};
}

}  // namespace

const Schema<ChipConfig>& ChipConfig::schema() {
  static const Schema<ChipConfig> s =
      Schema<ChipConfig>("tofino", "A Tofino switch.")
          .field("chip", &ChipConfig::chip,
                 {.doc = "name of `horae list chips`, or a .toml file beside the platform; gives "
                         "the budget, and the defaults of pipelines, ports, clock and buffer"})
          .field("pipelines", &ChipConfig::pipelines,
                 {.doc = "pipelines of the chip",
                  .min = 1,
                  .max = 8,
                  .source = "open-p4studio lld_sku.h: 4; the open compiler's device.h: 4"})
          .field(
              "pipeline_of_port", &ChipConfig::pipeline_of_port,
              {.doc = "pipeline of each port, in port order; empty: consecutive ports", .max = 7})
          .field("ports_per_pipeline", &ChipConfig::ports_per_pipeline,
                 {.doc = "ports of each pipeline when pipeline_of_port is empty",
                  .min = 1,
                  .max = 72,
                  .source = "8 x 400G: open-p4studio port_mgr_tof2_map.c"})
          .field("mau_clock", &ChipConfig::mau_clock,
                 {.doc = "clock of the match-action pipeline; one packet header per cycle",
                  .min = Hertz(1'000'000),
                  .max = Hertz(10'000'000'000),
                  .source = "open-p4studio lld_dev_tof2.c: PPS clock 1.5 GHz"})
          .field("mac_rx", &ChipConfig::mac_rx, unverified("MAC and PCS, receive"))
          .field("ingress_parser", &ChipConfig::ingress_parser,
                 unverified("time in the ingress parser"))
          .field("ingress_deparser", &ChipConfig::ingress_deparser,
                 unverified("time in the ingress deparser"))
          .field("traffic_manager", &ChipConfig::traffic_manager,
                 unverified("traffic manager, unloaded: deparser to queue and queue to egress"))
          .field("egress_parser", &ChipConfig::egress_parser,
                 unverified("time in the egress parser"))
          .field("egress_deparser", &ChipConfig::egress_deparser,
                 unverified("time in the egress deparser"))
          .field("mac_tx", &ChipConfig::mac_tx, unverified("MAC and PCS, transmit"))
          .field("cells", &ChipConfig::cells,
                 {.doc = "packet buffer, in cells",
                  .min = 1,
                  .source = "open-p4studio tm_tof2.h: 384 Ki"})
          .field("cell", &ChipConfig::cell,
                 {.doc = "bytes of a cell",
                  .min = 16_B,
                  .max = 4096_B,
                  .source = "open-p4studio tm_tof2.h: 176"})
          .field(
              "queues_per_port", &ChipConfig::queues_per_port,
              {.doc = "queues of each egress port: eight for the traffic classes, the rest for "
                      "programs",
               .min = 8,
               .max = 128,
               .source = "open-p4studio tm_tof2.h: 128 for a group of 8 ports, 16 to 128 for one"})
          .field("queue_limit", &ChipConfig::queue_limit,
                 {.doc = "drop-tail limit of each egress port's queues together, 0 for none",
                  .min = 0_B})
          .field("ecn_kmin", &ChipConfig::ecn_kmin,
                 {.doc = "queue depth up to which no packet is marked", .min = 0_B})
          .field(
              "ecn_kmax", &ChipConfig::ecn_kmax,
              {.doc = "queue depth above which every packet is marked; 0: no marking", .min = 0_B})
          .field("ecn_pmax", &ChipConfig::ecn_pmax,
                 {.doc = "marking probability at ecn_kmax", .min = 0.0, .max = 1.0})
          .table("ecn", &ChipConfig::ecn, fabric::RedConfig::schema(),
                 {.doc = "ECN as plain switches have it, in place of ecn_kmin, ecn_kmax and "
                         "ecn_pmax. At dequeue the egress program sees the mark"})
          .table("pfc", &ChipConfig::pfc, fabric::PfcConfig::schema(),
                 {.doc = "pauses that the chip sends, as plain switches do; a packet counts with "
                         "the bytes of its cells. Absent: it sends none"})
          .field("control_class", &ChipConfig::control_class,
                 {.doc = "class of acknowledgements and CNPs, which take no cells, are never "
                         "refused, pause nobody and are not marked; absent: there is none",
                  .max = 7,
                  .source = "class 0 in switch-mmu.cc and switch-node.cc of the simulator of HPCC "
                            "(SIGCOMM 2019), alibaba-edu at 9f4be2a"})
          .field(
              "free_queues", &ChipConfig::free_queues,
              {.doc = "packets in queues of a program's own, which it holds and releases, take no "
                      "cells, are never refused and pause nobody: for comparisons with simulators "
                      "in which what is held is free. Absent: false",
               .source = "conweave-ns3 at 236a801a: reorder queues are unlimited and not in the "
                         "buffer; no chip has such"})
          .table("loopback", &ChipConfig::loopback, LoopbackConfig::schema())
          .table("mirror", &ChipConfig::mirror, MirrorConfig::schema())
          .table("timing", &ChipConfig::timing, TimingConfig::schema())
          .field("replication", &ChipConfig::replication,
                 {.doc = "multicast copies that the traffic manager makes, of all groups together. "
                         "Absent: 1.3125 GHz",
                  .min = Hertz(1'000'000),
                  .max = Hertz(10'000'000'000),
                  .source = "no public value: one per clock of the traffic manager, 1.3125 GHz "
                            "(open-p4studio lld_dev_tof2.c)",
                  .verified = false})
          .tables("class", &ChipConfig::classes, fabric::ClassConfig::schema())
          .tables("pool", &ChipConfig::pools, fabric::PoolConfig::schema());
  return s;
}

bool ChipConfig::limits_classes() const {
  return classes && std::ranges::any_of(*classes, &fabric::ClassConfig::limited);
}

ChipConfig ChipConfig::read(const Section& section, const std::vector<std::string>& also_known) {
  auto config = section.read<ChipConfig>(also_known);
  if (config.classes) fabric::check_classes(*config.classes, section);
  const auto chip = dataplane::ChipSpec::find(config.chip);
  const auto take = [&](std::string_view key, auto& to, auto from) {
    if (!section.has(key)) to = from;
  };
  take("pipelines", config.pipelines, chip.pipelines);
  take("ports_per_pipeline", config.ports_per_pipeline, chip.ports_per_pipeline);
  take("mau_clock", config.mau_clock, chip.mau_clock);
  take("cells", config.cells, chip.traffic_manager.cells);
  take("cell", config.cell, chip.traffic_manager.cell);
  if (config.pools) fabric::check_pools(*config.pools, config.buffer(), section);
  if (config.loopback && config.loopback->rates) {
    const auto given = config.loopback->rates->size();
    if (given != config.pipelines) {
      throw section.child("loopback")
          .error("rates", fmt::format("rates has {} entries; expected {}, one per pipeline", given,
                                      config.pipelines));
    }
  }
  return config;
}

}  // namespace horae::tofino
