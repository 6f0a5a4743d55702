#include "horae/run/measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "horae/core/stats.hpp"

namespace horae::run {
namespace {

using rnic::IdleCause;
using rnic::RnicCounters;

/// Bytes of data packets sent for the first time, headers included, in the layer rates are given
/// in.
double fresh_data_bytes(const RnicCounters& c, Layer layer) {
  constexpr auto fresh = static_cast<std::size_t>(policy::SendKind::fresh);
  const auto overhead =
      static_cast<double>(layer == Layer::l1 ? wire::preamble + wire::inter_packet_gap : 0);
  return static_cast<double>(c.sent_frames[fresh]) + overhead * static_cast<double>(c.sent[fresh]);
}

/// Payload written to the memory of all receivers, each byte once.
double delivered_bytes(const build::Simulation& s, const Snapshot& from, const Snapshot& to) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < s.nics().size(); ++i)
    sum += to.nics[i].delivered_bytes - from.nics[i].delivered_bytes;
  return static_cast<double>(sum);
}

void sender_results(const build::Simulation& s, const Snapshot& from, const Snapshot& to,
                    std::vector<Result>& out) {
  const double window = to_seconds(to.time - from.time);
  const Layer layer = s.platform().sim.rate_layer;
  RnicCounters sum;
  double tx_bits = 0, tx_l1_bits = 0, tx_l2_bits = 0, line_bits = 0, fresh_bits = 0;
  const auto& nics = s.nics();
  for (std::size_t i = 0; i < nics.size(); ++i) {
    if (std::find(s.senders().begin(), s.senders().end(), nics[i]) == s.senders().end()) continue;
    const RnicCounters d = to.nics[i] - from.nics[i];
    const auto tx = to.nic_tx[i] - from.nic_tx[i];
    sum = sum + d;
    tx_bits += 8.0 * static_cast<double>(tx.bytes(layer).count());
    tx_l1_bits += 8.0 * static_cast<double>(tx.bytes(Layer::l1).count());
    tx_l2_bits += 8.0 * static_cast<double>(tx.bytes(Layer::l2).count());
    line_bits += static_cast<double>(nics[i]->tx(0).link().rate.count()) * window;
    fresh_bits += 8.0 * fresh_data_bytes(d, layer);
  }
  const auto n = static_cast<double>(s.senders().size());
  const auto packets = static_cast<double>(sum.sent_packets());
  const auto add = [&](std::string name, double value, std::string unit) {
    out.push_back({"senders." + std::move(name), value, std::move(unit)});
  };
  add("tx_share", ratio(tx_l1_bits, line_bits), "share of line rate");
  add("tx_share_l2", ratio(tx_l2_bits, line_bits), "share of line rate");
  add("tx_rate", tx_bits / n / window / 1e9, "Gbps");
  add("tx_rate_l1", tx_l1_bits / n / window / 1e9, "Gbps");
  add("tx_rate_l2", tx_l2_bits / n / window / 1e9, "Gbps");
  add("goodput_ratio", ratio(fresh_bits, tx_bits), "ratio");
  add("payload_ratio", ratio(8.0 * delivered_bytes(s, from, to), tx_l2_bits), "ratio");
  add("goodput", fresh_bits / n / window / 1e9, "Gbps");
  add("completed_rate", 8.0 * static_cast<double>(sum.bytes_completed) / n / window / 1e9,
      "Gbps of payload");
  add("data_packets", packets, "packets");
  add("nacks_per_packet", ratio(static_cast<double>(sum.nacks_received), packets), "NACKs/packet");
  add("nack_rate", static_cast<double>(sum.nacks_received) / n / window / 1e6, "Mpps");
  add("nack_rate_total", static_cast<double>(sum.nacks_received) / window / 1e6, "Mpps");
  add("nacks_received", static_cast<double>(sum.nacks_received), "packets");
  add("nacks_served", static_cast<double>(sum.nacks_served), "packets");
  add("nacks_stale", static_cast<double>(sum.nacks_stale), "packets");
  add("nacks_merged", static_cast<double>(sum.nacks_merged), "packets");
  add("served_per_packet", ratio(static_cast<double>(sum.nacks_served), packets), "NACKs/packet");
  add("service_time", ratio(to_microseconds(sum.service_time), static_cast<double>(sum.services)),
      "us, mean");
  add("cnps_received", static_cast<double>(sum.cnps_received), "packets");
  add("context_misses_per_packet", ratio(static_cast<double>(sum.context_misses), packets),
      "misses/packet");
  add("acks_received", static_cast<double>(sum.acks_received), "packets");
  add("sacks_received", static_cast<double>(sum.sacks_received), "packets");
  for (std::size_t k = 1; k < policy::send_kinds; ++k) {
    add(fmt::format("retransmitted_{}", rnic::name_of(static_cast<policy::SendKind>(k))),
        static_cast<double>(sum.sent[k]), "packets");
  }
  add("timeouts", static_cast<double>(sum.timeouts), "timeouts");
  for (std::size_t c = 0; c < rnic::idle_causes; ++c) {
    add(fmt::format("idle_{}", rnic::name_of(static_cast<IdleCause>(c))),
        to_seconds(sum.idle[c]) / n / window, "share of time");
  }
  add("messages_completed", static_cast<double>(sum.messages_completed), "messages");
}

void receiver_results(const build::Simulation& s, const Snapshot& from, const Snapshot& to,
                      std::vector<Result>& out) {
  const double window = to_seconds(to.time - from.time);
  RnicCounters sum;
  Histogram depth;
  const auto& nics = s.nics();
  for (std::size_t i = 0; i < nics.size(); ++i) {
    if (std::find(s.receivers().begin(), s.receivers().end(), nics[i]) == s.receivers().end())
      continue;
    sum = sum + (to.nics[i] - from.nics[i]);
    depth.merge(nics[i]->reorder_depth());
  }
  const auto n = static_cast<double>(s.receivers().size());
  const auto add = [&](std::string name, double value, std::string unit) {
    out.push_back({"receivers." + std::move(name), value, std::move(unit)});
  };
  add("delivered_rate", 8.0 * static_cast<double>(sum.delivered_bytes) / n / window / 1e9,
      "Gbps of payload");
  add("data_packets", static_cast<double>(sum.data_received), "packets");
  add("out_of_order",
      ratio(static_cast<double>(sum.out_of_order), static_cast<double>(sum.data_received)),
      "share of packets");
  add("reorder_mean", depth.empty() ? 0.0 : depth.mean(), "packets");
  add("reorder_p99", depth.empty() ? 0.0 : static_cast<double>(depth.percentile(0.99)), "packets");
  add("reorder_max", depth.empty() ? 0.0 : static_cast<double>(depth.max()), "packets");
  add("nacks_sent", static_cast<double>(sum.nacks_sent), "packets");
  add("acks_sent", static_cast<double>(sum.acks_sent), "packets");
  add("sacks_sent", static_cast<double>(sum.sacks_sent), "packets");
  add("duplicates", static_cast<double>(sum.duplicates), "packets");
  add("discarded", static_cast<double>(sum.discarded), "packets");
  add("nacks_suppressed", static_cast<double>(sum.nacks_suppressed), "packets");
  add("cnps_sent", static_cast<double>(sum.cnps_sent), "packets");
  add("context_misses_per_packet",
      ratio(static_cast<double>(sum.context_misses), static_cast<double>(sum.data_received)),
      "misses/packet");
  add("rx_buffer_drops", static_cast<double>(sum.rx_buffer_drops), "packets");
  add("bitmap_words", static_cast<double>(sum.bitmap_words), "64-bit words");
}

/// What the ordering engines of the receivers did and held, per NIC.
void ordering_results(const build::Simulation& s, const Snapshot& from, const Snapshot& to,
                      const Snapshot& loaded, std::vector<Result>& out) {
  RnicCounters sum;
  double mean = 0, bitmap = 0, n = 0;
  std::int64_t most = 0;
  bool modelled = true;
  for (std::size_t i = 0; i < s.nics().size(); ++i) {
    const rnic::rnic& nic = *s.nics()[i];
    if (nic.ordering() == nullptr) continue;
    modelled = modelled && nic.config().ordering.level != "rtl";
    const auto& use = loaded.ordering[i];
    mean += use.mean_bytes;
    bitmap += use.mean_bitmap_bytes;
    most = std::max(most, use.most.count());
    sum = sum + (to.nics[i] - from.nics[i]);
    ++n;
  }
  if (n == 0) return;
  const auto add = [&](std::string name, double value, std::string unit) {
    out.push_back({"ordering." + std::move(name), value, std::move(unit)});
  };
  const auto packets = static_cast<double>(sum.data_received);
  add("bytes_mean", mean / n, "bytes/NIC");
  add("bitmap_bytes_mean", bitmap / n, "bytes/NIC");
  add("bytes_max", static_cast<double>(most), "bytes");
  const auto counted = [&](std::uint64_t count) {
    return modelled ? ratio(static_cast<double>(count), packets)
                    : std::numeric_limits<double>::quiet_NaN();
  };
  add("words_per_packet", counted(sum.ordering_words), "words/packet");
  add("searched_per_packet", counted(sum.ordering_searched), "positions/packet");
  add("cycles_per_packet", ratio(static_cast<double>(sum.ordering_cycles), packets),
      "clocks/packet");
  add("wait_mean", ratio(to_microseconds(sum.ordering_wait) * 1e3, packets), "ns/packet");
  const auto rejected = [&](const char* name, policy::Rejection cause) {
    add(name, static_cast<double>(sum.rejected[static_cast<std::size_t>(cause)]), "packets");
  };
  rejected("rejected_reach", policy::Rejection::reach);
  rejected("rejected_no_block", policy::Rejection::no_block);
  rejected("rejected_no_metadata", policy::Rejection::no_metadata);
  add("writes_held", static_cast<double>(sum.writes_held), "packets");
}

/// Completion times of messages and collectives over the whole run; no number while unfinished.
void completion_results(const build::Simulation& s, std::vector<Result>& out) {
  Histogram fct;
  std::uint64_t nacks = 0, timeouts = 0;
  bool finite = true;
  for (const auto& flow : s.flows()) {
    const auto& qp = flow.sender->queue_pair(flow.sender_qp);
    qp.merge_latency(fct);
    finite = finite && qp.finished();
    nacks = std::max(nacks, qp.progress().nacks);
    timeouts = std::max(timeouts, qp.progress().timeouts);
  }
  const double none = std::numeric_limits<double>::quiet_NaN();
  const auto add = [&](const char* name, auto&& picoseconds) {
    const double value = fct.empty() ? none : static_cast<double>(picoseconds()) * 1e-6;
    out.push_back({name, value, "us"});
  };
  add("flows.fct_mean", [&] { return fct.mean(); });
  add("flows.fct_p50", [&] { return fct.percentile(0.5); });
  add("flows.fct_p99", [&] { return fct.percentile(0.99); });
  add("flows.fct_max", [&] { return finite ? static_cast<double>(fct.max()) : none; });
  out.push_back({"flows.nacks_max", static_cast<double>(nacks), "packets"});
  out.push_back({"flows.timeouts_max", static_cast<double>(timeouts), "timeouts"});
  if (s.groups().empty()) return;
  double most = 0, sum = 0;
  for (const auto& group : s.groups()) {
    const auto end = end_of(s, group);
    const double cct = end ? to_microseconds(*end - group.start) : none;
    most = std::isnan(cct) || std::isnan(most) ? none : std::max(most, cct);
    sum += cct;
  }
  out.push_back({"collectives.cct_max", most, "us"});
  out.push_back({"collectives.cct_mean", sum / static_cast<double>(s.groups().size()), "us"});
}

void host_results(const build::Simulation& s, const Snapshot& from, const Snapshot& to,
                  std::vector<Result>& out) {
  if (s.hosts().empty()) return;
  double sent = 0, received = 0, bytes = 0, latency = 0;
  for (std::size_t i = 0; i < s.hosts().size(); ++i) {
    sent += static_cast<double>(to.hosts[i].sent - from.hosts[i].sent);
    received += static_cast<double>(to.hosts[i].received - from.hosts[i].received);
    bytes += static_cast<double>(to.hosts[i].received_bytes - from.hosts[i].received_bytes);
    latency += to_microseconds(to.hosts[i].latency_sum - from.hosts[i].latency_sum);
  }
  const auto n = static_cast<double>(s.hosts().size());
  out.push_back({"hosts.sent", sent, "packets"});
  out.push_back({"hosts.received", received, "packets"});
  out.push_back({"hosts.delivered_rate", 8 * bytes / n / to_seconds(to.time - from.time) / 1e9,
                 "Gbps of payload"});
  out.push_back({"hosts.latency_mean", ratio(latency, received), "us"});
}

unsigned connected_ports(const fabric::device& d) {
  unsigned n = 0;
  for (unsigned i = 0; i < d.ports(); ++i) n += d.tx(i).connected() ? 1 : 0;
  return n;
}

Picoseconds paused(const fabric::device& d, Picoseconds now) {
  Picoseconds sum{};
  for (unsigned i = 0; i < d.ports(); ++i) sum += d.pauses(i).held(now);
  return sum;
}

void pause_results(const build::Simulation& s, const Snapshot& from, const Snapshot& to,
                   std::vector<Result>& out) {
  const double window = to_seconds(to.time - from.time);
  const auto add = [&](const char* name, const auto& devices, Picoseconds held) {
    if (devices.empty()) return;
    double ports = 0;
    for (const auto* d : devices) ports += connected_ports(*d);
    out.push_back({name, ratio(to_seconds(held), ports * window), "share of time"});
  };
  add("switches.paused", s.switches(), to.switches_paused - from.switches_paused);
  add("nics.paused", s.nics(), to.nics_paused - from.nics_paused);
}

void switch_results(const build::Simulation& s, std::vector<Result>& out) {
  for (const auto* t : s.tofinos()) {
    const auto& c = t->counters();
    const std::string name = t->name();
    out.push_back({name + ".ingress_passes", static_cast<double>(c.ingress_passes), "passes"});
    out.push_back({name + ".egress_passes", static_cast<double>(c.egress_passes), "passes"});
    out.push_back({name + ".marked", static_cast<double>(c.marked), "packets"});
    out.push_back({name + ".dropped_program", static_cast<double>(c.dropped_program), "packets"});
    out.push_back({name + ".dropped_buffer", static_cast<double>(c.dropped_buffer), "packets"});
    out.push_back({name + ".dropped_queue", static_cast<double>(c.dropped_queue), "packets"});
    out.push_back({name + ".most_cells", static_cast<double>(t->most_cells_used()), "cells"});
    StatTree program;
    t->program_statistics(program);
    program.for_each([&](const std::string& counter, double count, const std::string& unit) {
      out.push_back({name + "." + counter, count, unit});
    });
  }
  if (s.switches().empty()) return;
  fabric::output_queued_switch::Counters sum;
  std::int64_t most = 0;
  for (const auto* sw : s.switches()) {
    sum.forwarded += sw->counters().forwarded;
    sum.marked += sw->counters().marked;
    sum.pauses_sent += sw->counters().pauses_sent;
    sum.dropped += sw->counters().dropped;
    sum.deflected += sw->counters().deflected;
    most = std::max(most, sw->most_buffered().count());
  }
  out.push_back({"switches.forwarded", static_cast<double>(sum.forwarded), "packets"});
  out.push_back({"switches.marked", static_cast<double>(sum.marked), "packets"});
  out.push_back({"switches.pauses_sent", static_cast<double>(sum.pauses_sent), "frames"});
  out.push_back({"switches.dropped", static_cast<double>(sum.dropped), "packets"});
  out.push_back({"switches.deflected", static_cast<double>(sum.deflected), "packets"});
  if (most > 0) out.push_back({"switches.most_buffered", static_cast<double>(most), "bytes"});
}

}  // namespace

Snapshot Snapshot::take(const build::Simulation& simulation, Picoseconds now) {
  Snapshot s;
  s.time = now;
  for (const auto* nic : simulation.nics()) {
    s.nics.push_back(nic->counters());
    s.nic_tx.push_back(nic->tx(0).counters());
    s.ordering.push_back(nic->ordering_use(now));
  }
  for (const auto* host : simulation.hosts()) s.hosts.push_back(host->counters());
  for (const auto* sw : simulation.switches()) s.switches_paused += paused(*sw, now);
  for (const auto* nic : simulation.nics()) s.nics_paused += paused(*nic, now);
  return s;
}

std::vector<Result> results_between(const build::Simulation& simulation, const Snapshot& from,
                                    const Snapshot& to, const Snapshot* arrivals) {
  const Snapshot& loaded = arrivals != nullptr ? *arrivals : to;
  std::vector<Result> out;
  if (to.time > from.time) {
    if (!simulation.senders().empty()) {
      sender_results(simulation, from, to, out);
      receiver_results(simulation, from, to, out);
      ordering_results(simulation, from, to, loaded, out);
      completion_results(simulation, out);
    }
    host_results(simulation, from, to, out);
    pause_results(simulation, from, loaded, out);
  }
  switch_results(simulation, out);
  return out;
}

nlohmann::ordered_json find_result(const nlohmann::ordered_json& results, const std::string& name) {
  const auto it = results.find(name);
  return it == results.end() ? nlohmann::ordered_json() : it->at("value");
}

std::optional<Picoseconds> end_of(const build::Simulation& s, const build::Group& group) {
  Picoseconds end{};
  for (std::size_t i = group.first; i < group.first + group.count; ++i) {
    const auto& qp = s.flows()[i].sender->queue_pair(s.flows()[i].sender_qp);
    if (!qp.finished()) return std::nullopt;
    end = std::max(end, qp.progress().last_completion);
  }
  return end;
}

nlohmann::ordered_json group_rows(const build::Simulation& s) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const auto& group : s.groups()) {
    std::uint64_t nacks = 0, timeouts = 0;
    for (std::size_t i = group.first; i < group.first + group.count; ++i) {
      const auto& p = s.flows()[i].sender->queue_pair(s.flows()[i].sender_qp).progress();
      nacks += p.nacks;
      timeouts += p.timeouts;
    }
    const auto end = end_of(s, group);
    nlohmann::ordered_json cct;
    if (end) cct = to_microseconds(*end - group.start);
    rows.push_back({{"traffic", group.traffic},
                    {"group", group.number},
                    {"start_us", to_microseconds(group.start)},
                    {"cct_us", cct},
                    {"nacks_received", nacks},
                    {"timeouts", timeouts}});
  }
  return rows;
}

std::string flows_csv(const build::Simulation& simulation, Picoseconds end) {
  std::string csv =
      "flow,sender,receiver,sender_qpn,receiver_qpn,messages_posted,messages_completed,bytes_"
      "completed,"
      "bytes_delivered,first_post_us,last_completion_us,mean_rate_gbps,message_p50_us,message_p99_"
      "us,"
      "message_max_us,size_bytes,fct_us,ideal_us,slowdown,packets_received,out_of_order,"
      "reorder_mean,reorder_max\n";
  std::size_t n = 0;
  auto planned = simulation.messages().begin();  // in the order of the flows
  for (const auto& flow : simulation.flows()) {
    const auto& sender = flow.sender->queue_pair(flow.sender_qp);
    const auto& receiver = flow.receiver->queue_pair(flow.receiver_qp);
    const auto& p = sender.progress();
    const bool posted = p.first_post != never;
    // Mean over first post to last completion when all is done, else to the end of the run.
    const Picoseconds until = sender.finished() ? p.last_completion : end;
    const double rate =
        posted ? mean_bits_per_second(Bytes(static_cast<std::int64_t>(p.completed_bytes)),
                                      until - p.first_post)
               : 0.0;
    const Histogram h = sender.message_latency();
    const auto at = [&](double q) {
      return h.empty() ? std::string()
                       : fmt::format("{:.3f}", static_cast<double>(h.percentile(q)) * 1e-6);
    };
    csv += fmt::format(
        "{},{},{},{:#x},{:#x},{},{},{},{},{},{},{:.6f},{},{},{}", n, flow.sender->name(),
        flow.receiver->name(), rnic::rnic::first_qpn + flow.sender_qp,
        rnic::rnic::first_qpn + flow.receiver_qp, p.posted_messages, p.completed_messages,
        p.completed_bytes, receiver.progress().delivered_bytes,
        posted ? fmt::format("{:.6f}", to_microseconds(p.first_post)) : "",
        p.completed_messages > 0 ? fmt::format("{:.6f}", to_microseconds(p.last_completion)) : "",
        rate / 1e9, at(0.5), at(0.99),
        h.empty() ? "" : fmt::format("{:.3f}", static_cast<double>(h.max()) * 1e-6));
    if (planned != simulation.messages().end() && planned->connection == n) {
      const Picoseconds fct = p.last_completion - simulation.posted_at(*planned);
      csv += fmt::format(
          ",{},{},{:.6f},{}", planned->flow.message.count(),
          sender.finished() ? fmt::format("{:.6f}", to_microseconds(fct)) : "",
          to_microseconds(planned->ideal),
          sender.finished() ? fmt::format("{:.4f}", static_cast<double>(fct.count()) /
                                                        static_cast<double>(planned->ideal.count()))
                            : "");
      ++planned;
    } else {
      csv += ",,,,";
    }
    const auto& r = receiver.progress();
    csv +=
        fmt::format(",{},{},{:.3f},{}\n", r.received, r.out_of_order,
                    ratio(static_cast<double>(r.reorder_sum), static_cast<double>(r.out_of_order)),
                    r.reorder_max);
    ++n;
  }
  return csv;
}

Series::Series(const build::Simulation& simulation)
    : simulation_(simulation),
      last_(Snapshot::take(simulation, Picoseconds(0))),
      csv_("time_us,window_us,object,quantity,value,unit\n") {}

void Series::line(Picoseconds now, const std::string& object, std::string_view quantity,
                  double value, std::string_view unit) {
  csv_ += fmt::format("{:.6f},{:.6f},{},{},{:.6g},{}\n", to_microseconds(now),
                      to_microseconds(now - last_.time), object, quantity, value, unit);
}

bool Series::wanted(const std::string& device) const {
  const auto& names = simulation_.platform().sim.sample_devices;
  return names.empty() || std::any_of(names.begin(), names.end(),
                                      [&](const auto& name) { return name.value == device; });
}

void Series::sample(Picoseconds now) {
  const Snapshot s = Snapshot::take(simulation_, now);
  const double window = to_seconds(now - last_.time);
  const Layer layer = simulation_.platform().sim.rate_layer;
  for (std::size_t i = 0; i < s.nics.size(); ++i) {
    const RnicCounters d = s.nics[i] - last_.nics[i];
    const std::string name = simulation_.nics()[i]->name();
    if (!wanted(name)) continue;
    const auto tx = s.nic_tx[i] - last_.nic_tx[i];
    line(now, name, "tx_rate", 8.0 * static_cast<double>(tx.bytes(layer).count()) / window / 1e9,
         "Gbps");
    line(now, name, "delivered_rate", 8.0 * static_cast<double>(d.delivered_bytes) / window / 1e9,
         "Gbps");
    line(now, name, "nack_rate", static_cast<double>(d.nacks_received) / window / 1e6, "Mpps");
    if (const auto* ordering = simulation_.nics()[i]->ordering()) {
      const auto memory = ordering->memory();
      line(now, name, "ordering_fixed", static_cast<double>(memory.fixed.count()), "bytes");
      line(now, name, "ordering_bitmap", static_cast<double>(memory.bitmap.count()), "bytes");
      line(now, name, "ordering_metadata", static_cast<double>(memory.metadata.count()), "bytes");
    }
  }
  const auto ports = [&](const fabric::device& device, auto&& port) {
    const std::string name = device.name();
    if (!wanted(name)) return;
    auto& before = ports_[name];
    before.resize(device.ports());
    for (unsigned i = 0; i < device.ports(); ++i) {
      const std::string object = fmt::format("{}.port{}", name, i);
      const auto sent = device.tx(i).counters() - before[i];
      before[i] = device.tx(i).counters();
      line(now, object, "tx_rate",
           8.0 * static_cast<double>(sent.bytes(layer).count()) / window / 1e9, "Gbps");
      line(now, object, "queue_depth", static_cast<double>(port(i).depth().count()), "bytes");
    }
  };
  for (const auto* t : simulation_.tofinos())
    ports(*t, [&](unsigned i) -> const fabric::OutputPort& { return t->port(i); });
  for (const auto* sw : simulation_.switches())
    ports(*sw, [&](unsigned i) -> const fabric::OutputPort& { return sw->port(i); });
  last_ = s;
}

}  // namespace horae::run
