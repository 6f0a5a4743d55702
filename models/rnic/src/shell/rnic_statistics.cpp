// Counters of a NIC, for reports at the end of a run.
#include <fmt/format.h>

#include <bit>

#include "horae/core/stats.hpp"
#include "horae/rnic/rnic.hpp"

namespace horae::rnic {
namespace {

/// Counters of the NIC's host side.
void host_statistics(const rnic& nic, StatTree& tree) {
  const auto& f = nic.fetcher()->counters();
  tree.value("wqe_reads", f.wqe_reads, "reads").value("wqes_read", f.wqes_read, "WQEs");
  tree.value("payload_reads", f.payload_reads, "reads");
  tree.value("payload_bytes_read", f.payload_bytes, "bytes");
  tree.value("payload_bytes_discarded", f.discarded_bytes, "bytes");
  tree.value("tx_buffer_most_used", nic.fetcher()->most_used().count(), "bytes");
  tree.value("retransmit_reads", nic.counters().retransmit_reads, "reads");
  tree.value("retransmit_bytes_read", nic.counters().retransmit_read_bytes, "bytes");
  tree.value("context_misses", nic.counters().context_misses, "misses");
  const auto& pcie = nic.host()->counters();
  tree.value("pcie_read_requests", pcie.read_requests, "requests");
  tree.value("pcie_bytes_read", pcie.bytes_completed, "bytes");
  tree.value("pcie_bytes_written", pcie.bytes_written, "bytes");
  tree.value("pcie_upstream_busy", pcie.upstream_busy.count(), "ps");
  tree.value("pcie_downstream_busy", pcie.downstream_busy.count(), "ps");
  tree.value("pcie_reads_in_flight", pcie.reads_in_flight.count(), "ps, summed over reads");
  for (std::size_t w = 0; w < pcie_waits; ++w) {
    tree.value(fmt::format("pcie_wait_{}", name_of(static_cast<PcieWait>(w))),
               pcie.waited[w].count(), "ps, summed over requests");
  }
  if (MemoryRates::limited(nic.config().memory)) {
    const MemoryCounters memory = nic.host()->totals().memory;
    tree.value("dram_read", memory.dram_read, "bytes");
    tree.value("dram_written", memory.dram_written, "bytes");
    tree.value("ddio_lines", memory.lines_written, "lines");
    tree.value("ddio_spilled", memory.lines_spilled, "lines");
    for (std::size_t p = 0; p < memory_parts; ++p) {
      tree.value(fmt::format("memory_wait_{}", name_of(static_cast<MemoryPart>(p))),
                 memory.waited[p].count(), "ps, summed over accesses");
    }
  }
  for (std::size_t u = 0; u < pcie_uses; ++u) {
    for (std::size_t d = 0; d < pcie_directions; ++d) {
      const auto use = static_cast<PcieUse>(u);
      const auto direction = static_cast<PcieDirection>(d);
      if (!occurs(use, direction) || (use == PcieUse::receive_wqe && !nic.has_receive_queues()))
        continue;
      tree.value(fmt::format("pcie_{}_{}", name_of(use), name_of(direction)),
                 pcie.ledger.bytes(use, direction), "bytes of TLPs");
    }
  }
  for (std::size_t k = 0; nic.cache() != nullptr && k < cache_kinds; ++k) {
    const auto kind = static_cast<CacheKind>(k);
    if (kind == CacheKind::send_wqe) continue;  // in the TX pipe once it is read
    tree.value(fmt::format("{}_misses", name_of(kind)), nic.cache()->counters(kind).misses,
               "accesses");
  }
  tree.value("rx_buffer_drops", nic.counters().rx_buffer_drops, "packets");
  if (nic.config().pfc) tree.value("pauses_sent", nic.counters().pauses_sent, "frames");
}

/// Counters of the packet engine, by the public names of blocks.
void engine_statistics(const EngineCounters& c, StatTree& tree) {
  for (std::size_t w = 0; w < engine_works; ++w) {
    tree.value(fmt::format("{}_busy", name_of(static_cast<EngineWork>(w))), c.busy[w].count(),
               "ps, summed over units");
  }
  tree.value("visits", c.visits, "contexts fetched while a unit waited");
  tree.value("rxb_wait", c.rxb_wait.count(), "ps, summed over received packets");
}

}  // namespace

void rnic::statistics(StatTree& tree) const {
  const RnicCounters& c = counters();
  const bool selective = policy::find_transport(config().transport).selective;
  for (std::size_t k = 0; k < policy::send_kinds; ++k) {
    if (static_cast<policy::SendKind>(k) == policy::SendKind::trimmed && !selective) continue;
    tree.value(fmt::format("sent_{}", name_of(static_cast<policy::SendKind>(k))), c.sent[k],
               "packets");
  }
  tree.value("acks_sent", c.acks_sent, "packets").value("nacks_sent", c.nacks_sent, "packets");
  tree.value("acks_received", c.acks_received, "packets")
      .value("nacks_received", c.nacks_received, "packets");
  tree.value("nacks_served", c.nacks_served, "packets")
      .value("nacks_stale", c.nacks_stale, "packets");
  tree.value("nacks_merged", c.nacks_merged, "packets")
      .value("nacks_suppressed", c.nacks_suppressed, "packets");
  tree.value("nack_services", c.services, "services")
      .value("nack_service_time", c.service_time.count(), "ps");
  tree.value("cnps_sent", c.cnps_sent, "packets")
      .value("cnps_received", c.cnps_received, "packets");
  if (policy::find_congestion_algorithm(config().congestion.algorithm).make_grants != nullptr) {
    tree.value("pulls_sent", c.pulls_sent, "packets")
        .value("pulls_received", c.pulls_received, "packets");
  }
  if (takes_part_in_reads()) {
    tree.value("read_requests_received", c.read_requests_received, "packets")
        .value("reads_answered_again", c.reads_answered_again, "requests")
        .value("reads_requested_again", c.reads_requested_again, "requests");
  }
  if (atomics_ && takes_part_in_reads()) {
    tree.value("atomics_executed", c.atomics_executed, "operations")
        .value("atomic_wait", c.atomic_wait.count(), "ps, summed over operations");
  }
  if (has_receive_queues()) {
    tree.value("rnr_naks_sent", c.rnr_naks_sent, "packets")
        .value("rnr_naks_received", c.rnr_naks_received, "packets")
        .value("rnr_errors", c.rnr_errors, "queue pairs")
        .value("messages_received", c.messages_received, "messages")
        .value("receive_wqe_waits", c.receive_wqe_waits, "packets");
  }
  if (has_unreliable()) {
    tree.value("messages_left", c.messages_left, "messages")
        .value("messages_whole", c.messages_whole, "messages")
        .value("messages_broken", c.messages_broken, "messages")
        .value("messages_unwanted", c.messages_unwanted, "messages")
        .value("psn_gaps", c.psn_gaps, "packets");
  }
  if (initiators_) tree.value("dc_connects", c.dc_connects, "connects");
  tree.value("context_lock_time", c.lock_time.count(), "ps");
  tree.value("timeouts", c.timeouts, "timeouts").value("data_received", c.data_received, "packets");
  tree.value("out_of_order", c.out_of_order, "packets")
      .value("duplicates", c.duplicates, "packets");
  tree.value("discarded", c.discarded, "packets")
      .value("delivered_bytes", c.delivered_bytes, "bytes");
  if (c.trimmed > 0) tree.value("trimmed", c.trimmed, "packets");
  if (const policy::EntropyCounts e = totals().entropy;
      !policy::find_entropy_scheme(config().entropy.scheme).constant) {
    tree.group("entropy")
        .value("recycled", e.recycled, "packets")
        .value("random", e.random, "packets")
        .value("frozen", e.frozen, "packets")
        .value("fixed", e.fixed, "packets")
        .value("freezes", e.freezes, "times")
        .value("frozen_time", e.frozen_time.count(), "ps, summed over queue pairs");
  }
  if (const unsigned classes = scheduler_.classes(); !std::has_single_bit(classes)) {
    for (unsigned rest = classes; rest != 0; rest &= rest - 1) {
      const auto number = static_cast<unsigned>(std::countr_zero(rest));
      const auto& sent = scheduler_.sent_of(number);
      tree.group(fmt::format("class{}", number))
          .value("sent", sent.packets, "packets")
          .value("sent_bytes", sent.bytes, "bytes, on the wire");
    }
  }
  tree.value("messages_completed", c.messages_completed, "messages");
  if (host() != nullptr && host()->calls_out())
    tree.value("host_errors", host()->errors(), "answers of host memory with an error");
  if (config().reliability.retry_count || c.errors > 0) {
    tree.value("messages_failed", c.messages_failed, "messages")
        .value("queue_pairs_in_error", c.errors, "queue pairs");
  }
  for (std::size_t k = 0; k < idle_causes; ++k) {
    if (static_cast<IdleCause>(k) == IdleCause::port && !ports_) continue;
    if (static_cast<IdleCause>(k) == IdleCause::engine && !config().engine) continue;
    if (static_cast<IdleCause>(k) == IdleCause::credits && !config().vl_credits) continue;
    if (static_cast<IdleCause>(k) == IdleCause::receiver && !has_receive_queues()) continue;
    tree.value(fmt::format("idle_{}", name_of(static_cast<IdleCause>(k))), c.idle[k].count(), "ps");
  }
  tree.histogram("reorder_depth_since_warmup", reorder_depth(), "packets");
  if (const auto& h = handshakes_.counts(); config_.shakes_hands() || h.received > 0) {
    tree.group("handshakes")
        .value("segments_sent", h.sent, "packets")
        .value("segments_received", h.received, "packets")
        .value("resets", h.resets, "connections")
        .value("connected", h.connected, "connections");
  }
  if (posting_) {
    tree.group("post")
        .value("doorbells", posting_->doorbells(), "doorbells")
        .value("busy", posting_->busy().count(), "ps, summed over threads");
  }
  if (config().engine) engine_statistics(c.engine, tree.group("engine"));
  if (host() != nullptr) host_statistics(*this, tree.group("host"));
}

}  // namespace horae::rnic
