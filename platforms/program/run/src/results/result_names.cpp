#include "horae/run/result_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "horae/rnic/counters.hpp"
#include "horae/rnic/host/pcie_link.hpp"

namespace horae::run {
namespace {

using Names = std::vector<ResultName>;

/// Several of one kind, under one name.
Names under(const std::string& prefix, Names names) {
  for (auto& n : names) n.name = prefix + n.name;
  return names;
}

std::string waits_for(rnic::IdleCause cause) {
  switch (cause) {
    case rnic::IdleCause::no_work:
      return "nothing was posted that was not sent";
    case rnic::IdleCause::window:
      return "the window of the transport or of congestion control was full";
    case rnic::IdleCause::shaper:
      return "all that could be sent waited for its rate";
    case rnic::IdleCause::paused:
      return "PFC held it";
    case rnic::IdleCause::doorbell:
      return "the host's doorbell was on its way";
    case rnic::IdleCause::wqe:
      return "a WQE was read from the host's memory";
    case rnic::IdleCause::payload:
      return "payload was read from the host's memory";
    case rnic::IdleCause::context:
      return "a context or translation was read from the host's memory";
    case rnic::IdleCause::lock:
      return "the receive side used the queue pair's context";
    case rnic::IdleCause::retransmit:
      return "a NACK was served";
    case rnic::IdleCause::recovery:
      return "new data waited for the acknowledgement of retransmissions";
    case rnic::IdleCause::gap_window:
      return "new data waited for the window of an open gap";
    case rnic::IdleCause::port:
      return "of several ports, that of the next packet had no room in its line";
    case rnic::IdleCause::engine:
      return "all units of the packet engine that had work were busy";
    case rnic::IdleCause::credits:
      return "the virtual lane had no credits";
    case rnic::IdleCause::receiver:
      return "an RNR NAK asked to wait for receive WQEs";
    case rnic::IdleCause::count_:
      break;
  }
  return {};
}

Names sender_names() {
  Names out = {
      {"tx_share", "share of line rate", "what left the ports, preamble and gap included"},
      {"tx_share_l2", "share of line rate", "the same in frames"},
      {"tx_rate", "Gbps", "what left the ports, in the layer of sim.rate_layer; mean of NICs"},
      {"tx_rate_l1", "Gbps", "the same with preamble and gap"},
      {"tx_rate_l2", "Gbps", "the same in frames"},
      {"goodput_ratio", "ratio", "data packets sent first, over all that was sent, in bytes"},
      {"payload_ratio", "ratio", "payload in memories of receivers, over frames sent"},
      {"goodput", "Gbps", "tx_rate times goodput_ratio"},
      {"completed_rate", "Gbps of payload", "payload of messages completed; mean of NICs"},
      {"data_packets", "packets", "data packets sent"},
      {"nacks_per_packet", "NACKs/packet", "NACKs received, over data packets sent"},
      {"nack_rate", "Mpps", "NACKs received; mean of NICs"},
      {"nack_rate_total", "Mpps", "NACKs received by all NICs"},
      {"nacks_received", "packets", "NACKs received"},
      {"nacks_served", "packets", "NACKs that made the sender retransmit"},
      {"nacks_stale", "packets", "NACKs of what was acknowledged meanwhile"},
      {"nacks_merged", "packets", "NACKs that took the place of earlier ones"},
      {"served_per_packet", "NACKs/packet", "NACKs served, over data packets sent"},
      {"service_time", "us, mean", "of a NACK that the retransmit unit worked on"},
      {"cnps_received", "packets", "CNPs received"},
      {"context_misses_per_packet", "misses/packet", "contexts read from the host's memory"},
      {"acks_received", "packets", "ACKs received"},
      {"sacks_received", "packets", "SACKs received"},
      {"rnr_naks_received", "packets", "RNR NAKs received"},
      {"dc_connects", "connects", "initiators of DC that turned to another target"},
      {"timeouts", "timeouts", "retransmission timers that ran out"},
      {"engine_busy", "share of time of the engine's units", "units of the packet engine worked"},
      {"engine_visits_per_packet", "visits/packet", "visits to a queue pair that was away"},
      {"entropy_recycled", "share of packets", "entropy values used again"},
      {"entropy_random", "share of packets", "entropy values drawn"},
      {"entropy_frozen", "share of packets", "entropy values of a frozen ring"},
      {"entropy_fixed", "share of packets", "entropy values that stay"},
      {"entropy_freezes", "times", "rings that froze"},
      {"entropy_frozen_time", "us, sum of queue pairs", "time in which rings were frozen"},
      {"messages_completed", "messages", "messages completed"},
      {"pcie_bytes_per_message", "bytes of TLPs/message",
       "all that the PCIe links of senders carried in both directions, over messages completed"},
      {"pcie_fetched_per_message", "bytes of TLPs/message",
       "of it, WQEs and payload that NICs read, with the requests"},
  };
  for (const char* kind : {"expected", "last", "rewind", "timeout", "trimmed"}) {
    out.push_back({fmt::format("retransmitted_{}", kind), "packets",
                   fmt::format("data packets sent again, of kind {}", kind)});
  }
  for (std::size_t c = 0; c < rnic::idle_causes; ++c) {
    const auto cause = static_cast<rnic::IdleCause>(c);
    out.push_back({fmt::format("idle_{}", name_of(cause)), "share of time",
                   "the line was idle: " + waits_for(cause)});
  }
  return out;
}

Names receiver_names() {
  return {
      {"delivered_rate", "Gbps of payload", "payload in the memory of receivers; mean of NICs"},
      {"data_packets", "packets", "data packets received"},
      {"out_of_order", "share of packets", "of them, ahead of the one expected"},
      {"reorder_mean", "packets", "how far ahead, mean"},
      {"reorder_p99", "packets", "the same, 99th percentile"},
      {"reorder_max", "packets", "the furthest"},
      {"nacks_sent", "packets", "NACKs sent"},
      {"acks_sent", "packets", "ACKs sent"},
      {"sacks_sent", "packets", "SACKs sent"},
      {"duplicates", "packets", "data that was there already"},
      {"discarded", "packets", "data that the transport refused"},
      {"nacks_suppressed", "packets", "NACKs not sent by the limit of their rate"},
      {"cnps_sent", "packets", "CNPs sent"},
      {"pulls_sent", "packets", "grants sent"},
      {"context_misses_per_packet", "misses/packet", "contexts read from the host's memory"},
      {"rxb_wait", "us a data packet received, for the packet engine",
       "data waited in the RX buffer for a unit"},
      {"messages_received", "messages", "messages of which the host found the CQE"},
      {"receive_wqe_waits", "packets", "data that waited while receive WQEs were read"},
      {"messages_whole", "messages", "messages of UC and UD that arrived whole"},
      {"messages_broken", "messages", "messages of UC of which a part was taken, and a part lost"},
      {"messages_unwanted", "messages", "messages of UC and UD that found no receive WQE"},
      {"messages_lost", "messages",
       "messages of UC and UD that left and did not arrive whole; those under way count"},
      {"psn_gaps", "packets", "packets of UC with another PSN than expected, of a row the first"},
      {"rx_buffer_drops", "packets", "data that found the RX buffer full"},
      {"bitmap_words", "64-bit words", "reorder bitmap read or written"},
  };
}

std::string pcie_wait_of(rnic::PcieWait wait) {
  switch (wait) {
    case rnic::PcieWait::tag:
      return "reads that wait for a tag";
    case rnic::PcieWait::credit:
      return "requests that wait for credits of the root complex";
    case rnic::PcieWait::upstream:
      return "requests that wait for other TLPs towards the host";
    case rnic::PcieWait::downstream:
      return "reads whose data waits for other TLPs towards the NIC";
    case rnic::PcieWait::count_:
      break;
  }
  return {};
}

Names block_names() {
  Names out = {
      {"pcie_read_rate", "Gbps of data, mean of NICs", "read over PCIe"},
      {"pcie_write_rate", "Gbps of data, mean of NICs", "written over PCIe"},
      {"pcie_upstream_busy", "share of time", "TLPs towards the host occupied the link"},
      {"pcie_downstream_busy", "share of time", "TLPs towards the NIC did"},
      {"pcie_reads_in_flight", "reads, mean over time", "from a read's tag to its last data"},
      {"paused", "share of time", "PFC held a port of a NIC, mean of ports"},
      {"pausing", "share of time", "a NIC paused a class of its peer, mean of ports"},
      {"pauses_sent", "frames", "PFC pauses of NICs"},
  };
  const char* const carried[] = {"doorbells",
                                 "WQEs, and requests for them",
                                 "payload, and requests for it",
                                 "contexts, and requests for them",
                                 "memory keys and translations, and requests for them",
                                 "CQEs",
                                 "receive WQEs, and requests for them"};
  for (std::size_t u = 0; u < rnic::pcie_uses; ++u) {
    for (std::size_t d = 0; d < rnic::pcie_directions; ++d) {
      const auto use = static_cast<rnic::PcieUse>(u);
      const auto direction = static_cast<rnic::PcieDirection>(d);
      if (!occurs(use, direction)) continue;
      out.push_back({fmt::format("pcie_{}_{}", name_of(use), name_of(direction)),
                     "Gbps of TLPs, mean of NICs", fmt::format("TLPs with {}", carried[u])});
    }
  }
  for (std::size_t w = 0; w < rnic::pcie_waits; ++w) {
    const auto wait = static_cast<rnic::PcieWait>(w);
    out.push_back({fmt::format("pcie_wait_{}", name_of(wait)), "requests that wait, mean over time",
                   pcie_wait_of(wait)});
  }
  out.push_back({"dram_read", "Gbps of lines, mean of NICs",
                 "DRAM of the host gave the NIC, in lines of 64 bytes"});
  out.push_back({"dram_written", "Gbps of lines, mean of NICs",
                 "DRAM of the host took from the NIC, or from the last-level cache for it"});
  out.push_back({"ddio_spilled", "lines/line written",
                 "lines that writes of the NIC pushed out of the last-level cache"});
  const char* const parts[] = {"the link between sockets", "DRAM of the host",
                               "the memory of a GPU"};
  for (std::size_t p = 0; p < rnic::memory_parts; ++p) {
    out.push_back({fmt::format("memory_wait_{}", name_of(static_cast<rnic::MemoryPart>(p))),
                   "accesses that wait, mean over time",
                   fmt::format("accesses of the NIC that wait for {}", parts[p])});
  }
  for (const auto& [kind, of] :
       {std::pair{rnic::CacheKind::queue_pair, "contexts of queue pairs"},
        {rnic::CacheKind::memory_key, "memory keys"},
        {rnic::CacheKind::translation, "translations"},
        {rnic::CacheKind::completion_queue, "contexts of completion queues"}}) {
    out.push_back({fmt::format("{}_misses", name_of(kind)), "misses/packet",
                   fmt::format("accesses to {} that were not on the chip", of)});
  }
  out.push_back({"atomics_executed", "operations", "atomics that NICs executed as responders"});
  out.push_back(
      {"atomic_wait", "us an operation", "atomics waited for others that held their slot, mean"});
  const char* const what[] = {"data sent", "data received", "responses sent", "responses received",
                              "visits to queue pairs that were away"};
  for (std::size_t w = 0; w < rnic::engine_works; ++w) {
    out.push_back({fmt::format("{}_busy", name_of(static_cast<rnic::EngineWork>(w))),
                   "share of time of the engine's units", fmt::format("worked on {}", what[w])});
  }
  return out;
}

Names flow_names() {
  return {
      {"fct_mean", "us", "posting to completion of a message, mean"},
      {"fct_p50", "us", "the same, median"},
      {"fct_p99", "us", "the same, 99th percentile"},
      {"fct_max", "us", "the longest"},
      {"nacks_max", "packets", "NACKs of a connection, the most"},
      {"timeouts_max", "timeouts", "timeouts of a connection, the most"},
      {"in_error", "connections, whole run", "connections that gave up"},
      {"messages_failed", "messages, whole run", "their messages that ended with an error"},
      {"error_time", "us",
       "posting of a connection's oldest message that failed to the error, the "
       "longest"},
      {"first_error", "us", "the first error, from the start of the run"},
      {"rnr_in_error", "connections, whole run", "connections that gave up after an RNR NAK"},
  };
}

Names message_names() {
  return {
      {"completed", "messages", "messages completed"},
      {"unfinished", "messages", "messages not completed at the end"},
      {"failed", "messages", "messages that ended with an error"},
      {"mean", "us", "completion time, mean"},
      {"p50", "us", "completion time, median"},
      {"p99", "us", "completion time, 99th percentile"},
      {"p99_9", "us", "completion time, 99.9th percentile"},
      {"max", "us", "completion time, the longest"},
      {"slowdown_mean", "ratio", "completion time over that of the message alone, mean"},
      {"slowdown_p99", "ratio", "the same, 99th percentile"},
      {"out_of_order", "share of packets", "packets ahead of the one expected"},
      {"reordered", "share of messages", "messages with such packets"},
      {"reorder_mean", "packets", "how far ahead, mean"},
      {"reorder_max", "packets", "the furthest"},
  };
}

Names traffic_names() {
  return {
      {"rate", "Gbps of payload", "payload delivered, all its receivers together"},
      {"completed_rate", "Gbps of payload", "payload of messages completed"},
      {"message_rate", "million messages per second", "messages completed"},
      {"latency_mean", "us", "posting to completion, mean"},
      {"latency_p50", "us", "the same, median"},
      {"latency_p99", "us", "the same, 99th percentile"},
      {"latency_max", "us", "the longest"},
      {"in_error", "connections, whole run", "connections that gave up"},
  };
}

Names ordering_names() {
  return {
      {"bytes_mean", "bytes/NIC", "memory of the ordering engine in use, mean"},
      {"bitmap_bytes_mean", "bytes/NIC", "of it, bitmaps"},
      {"bytes_max", "bytes", "the most of a NIC"},
      {"words_per_packet", "words/packet", "accesses to its memory"},
      {"searched_per_packet", "positions/packet", "positions of allocation maps looked at"},
      {"cycles_per_packet", "clocks/packet", "its clocks"},
      {"wait_mean", "ns/packet", "packets waited for it"},
      {"rejected_reach", "packets", "refused: too far ahead"},
      {"rejected_no_block", "packets", "refused: no block free"},
      {"rejected_no_metadata", "packets", "refused: no metadata free"},
      {"writes_held", "packets", "last packets of WRITEs that were copied later"},
  };
}

Names other_names() {
  return {
      {"fct.throughput", "Gbps of payload", "delivered until arrivals end"},
      {"connections.fairness", "Jain's index",
       "of the payload that connections of tables with names delivered"},
      {"queries.completed", "queries", "queries completed"},
      {"queries.unfinished", "queries", "queries not completed"},
      {"queries.qct_mean", "us", "completion time of a query, mean"},
      {"queries.qct_p50", "us", "the same, median"},
      {"queries.qct_p99", "us", "the same, 99th percentile"},
      {"sites.<site>.<size>completed", "messages", "of the site class, completed"},
      {"sites.<site>.<size>unfinished", "messages", "not completed at the end"},
      {"sites.<site>.<size>fct_mean", "us", "completion time, mean"},
      {"sites.<site>.<size>slowdown_mean", "ratio", "over that of the message alone, mean"},
      {"sites.<site>.<size>slowdown_p99", "ratio", "the same, 99th percentile"},
      {"sites.unfairness", "ratio", "mean slowdown within a site over that between sites"},
      {"pauses.one_stream", "share of time", "from the first port held to the first released"},
      {"pauses.any_port", "share of time", "some port was held"},
      {"pauses.all_ports", "shares of time, added up", "of all ports"},
      {"collectives.cct_max", "us", "completion time of a collective, the longest"},
      {"collectives.cct_mean", "us", "the same, mean"},
      {"schedules.end_max", "us", "last operation of a rank, the latest"},
      {"schedules.end_mean", "us", "the same, mean of ranks"},
      {"schedules.unfinished", "ranks", "ranks that have not ended"},
      {"events.dropped", "packets, whole run", "that events (injections) dropped"},
      {"events.marked", "packets, whole run", "that they marked with CE"},
      {"events.corrupted", "packets, whole run", "that they gave a bit error"},
      {"events.delayed", "packets, whole run", "that they delayed"},
      {"events.duplicated", "packets, whole run", "that they made a copy of"},
      {"hosts.sent", "packets", "sent by open-loop hosts"},
      {"hosts.received", "packets", "received by them"},
      {"hosts.delivered_rate", "Gbps of payload", "mean of hosts"},
      {"hosts.latency_mean", "us", "of a packet"},
      {"switches.forwarded", "packets", "by plain switches"},
      {"switches.marked", "packets", "with CE"},
      {"switches.pauses_sent", "frames", "PFC pauses"},
      {"switches.dropped", "packets", "dropped"},
      {"switches.deflected", "packets", "sent elsewhere than the shortest way"},
      {"switches.trimmed", "packets", "cut to their headers"},
      {"switches.most_buffered", "bytes", "in one plain switch, the most"},
      {"switches.paused", "share of time", "PFC held a port of a plain switch, mean of ports"},
      {"tofinos.paused", "share of time", "PFC held a port of a chip, mean of ports"},
  };
}

Names all_names() {
  Names out;
  const auto add = [&](Names names) { out.insert(out.end(), names.begin(), names.end()); };
  add(under("senders.", sender_names()));
  add(under("receivers.", receiver_names()));
  add(under("nics.", block_names()));
  add(under("flows.", flow_names()));
  add(under("traffic.<traffic>.", traffic_names()));
  add(under("fct.<size>", message_names()));
  add(under("ordering.", ordering_names()));
  add(other_names());
  return out;
}

}  // namespace

bool ResultName::fits(const std::string& result) const {
  // At most one part in brackets has a text of its own after it that a name may contain as well.
  const auto match = [](const auto& self, std::string_view pattern, std::string_view text) -> bool {
    const auto open = pattern.find('<');
    if (open == std::string_view::npos) return pattern == text;
    if (!text.starts_with(pattern.substr(0, open))) return false;
    text.remove_prefix(open);
    pattern.remove_prefix(pattern.find('>') + 1);
    for (std::size_t n = 0; n <= text.size(); ++n) {
      // The wildcard stands for names that end with a dot, or for nothing.
      if (n > 0 && pattern.front() != '.' && text[n - 1] != '.') continue;
      if (self(self, pattern, text.substr(n))) return true;
    }
    return false;
  };
  return match(match, name, result);
}

const std::vector<ResultName>& result_names() {
  static const Names all = all_names();
  return all;
}

const ResultName* find_result_name(const std::string& result) {
  const auto& all = result_names();
  const auto it =
      std::find_if(all.begin(), all.end(), [&](const auto& n) { return n.fits(result); });
  return it == all.end() ? nullptr : &*it;
}

}  // namespace horae::run
