// Results of senders: rates, shares of the line, NACKs, idle time by its cause.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "horae/core/roce.hpp"
#include "horae/run/line_share.hpp"
#include "result_parts.hpp"

namespace horae::run {
namespace {

/// Bytes of data packets sent for the first time, headers included, in the layer rates are given
/// in.
double fresh_data_bytes(const rnic::RnicCounters& c, Layer layer) {
  constexpr auto fresh = static_cast<std::size_t>(policy::SendKind::fresh);
  const auto overhead =
      static_cast<double>(layer == Layer::l1 ? wire::preamble + wire::inter_packet_gap : 0);
  return static_cast<double>(c.sent_frames[fresh]) + overhead * static_cast<double>(c.sent[fresh]);
}

/// Payload written to the memory of all receivers, each byte once.
double delivered_bytes(const elaboration::Simulation& s, const Snapshot& from, const Snapshot& to) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < s.nics().size(); ++i)
    sum += to.nics[i].delivered_bytes - from.nics[i].delivered_bytes;
  return static_cast<double>(sum);
}

/// Share of its units' time in which the engine worked.
double busy_share(const rnic::EngineConfig& engine, const rnic::EngineCounters& c, double window) {
  const unsigned pools = engine.pools == rnic::EnginePools::apart ? 2 : 1;
  Picoseconds sum{};
  for (const Picoseconds busy : c.busy) sum += busy;
  return ratio(to_seconds(sum), window * pools * engine.units);
}

}  // namespace

void sender_results(const elaboration::Simulation& s, const Snapshot& from, const Snapshot& to,
                    std::vector<NamedResult>& out) {
  const double window = to_seconds(to.time - from.time);
  const Layer layer = s.platform().sim.rate_layer;
  rnic::RnicCounters sum;
  double tx_bits = 0, tx_l1_bits = 0, tx_l2_bits = 0, line_bits = 0, fresh_bits = 0;
  fabric::BitsLeft left_before, left_after;  // by the begin and the end of the window
  double line_rate = 0;                      // of all of them, bits per second
  double picosecond_bits = 0;
  double engine_share = 0;  // summed over NICs
  // Idle times are of equal NICs, or each counts by its rate: so that shares add up to one.
  std::array<double, rnic::idle_causes> idle_bits{};
  bool equal_rates = true;
  rnic::PcieCounters pcie;
  bool selective = false, steered = false, several_ports = false, engine = false, credits = false;
  bool hosts = false;
  const bool receives = std::ranges::any_of(s.flows(), &elaboration::Connection::receives);
  const auto& nics = s.nics();
  for (std::size_t i = 0; i < nics.size(); ++i) {
    if (!among(s.senders(), *nics[i])) continue;
    const rnic::RnicConfig& nic = nics[i]->config();
    selective |= policy::find_transport(nic.transport).selective;
    steered |= !policy::find_entropy_scheme(nic.entropy.scheme).constant;
    several_ports |= nic.port_count() > 1;
    engine |= nic.engine.has_value();
    credits |= nic.vl_credits.has_value();
    hosts |= nic.host != rnic::HostModel::none;
    pcie = pcie + (to.nic_hosts[i].pcie - from.nic_hosts[i].pcie);
    const rnic::RnicCounters d = to.nics[i] - from.nics[i];
    const auto tx = to.nic_tx[i] - from.nic_tx[i];
    sum = sum + d;
    tx_bits += 8.0 * static_cast<double>(tx.bytes(layer).count());
    tx_l1_bits += 8.0 * static_cast<double>(tx.bytes(Layer::l1).count());
    tx_l2_bits += 8.0 * static_cast<double>(tx.bytes(Layer::l2).count());
    // Pause frames leave by the same ports.
    const auto pauses = static_cast<double>(tx.pauses);
    const double l2_pauses = 8.0 * wire::minimum_frame * pauses;
    const double l1_pauses =
        8.0 * static_cast<double>(l1_bytes(Bytes(wire::minimum_frame)).count()) * pauses;
    tx_l2_bits += l2_pauses;
    tx_l1_bits += l1_pauses;
    tx_bits += layer == Layer::l1 ? l1_pauses : l2_pauses;
    const BitRate line = nics[i]->line_rate();
    const auto rate = static_cast<double>(line.count());
    line_rate += rate;
    line_bits += rate * window;
    picosecond_bits += rate * 1e-12;
    // A packet's time is rounded down to a nanosecond there.
    if (nics[i]->tx(0).link().whole_nanoseconds)
      picosecond_bits += rate * 1e-9 * static_cast<double>(tx.packets);
    left_before += from.nic_left[i];
    left_after += to.nic_left[i];
    equal_rates &= line == s.senders().front()->line_rate();
    for (std::size_t c = 0; c < rnic::idle_causes; ++c)
      idle_bits[c] += to_seconds(d.idle[c]) * rate;
    fresh_bits += 8.0 * fresh_data_bytes(d, layer);
    if (nic.engine) engine_share += busy_share(*nic.engine, d.engine, window);
  }
  const auto n = static_cast<double>(s.senders().size());
  engine_share /= n;
  const auto packets = static_cast<double>(sum.sent_packets());
  const auto add = [&](std::string name, double value, std::string unit) {
    out.push_back({"senders." + std::move(name), value, std::move(unit)});
  };
  // Bits that left in the window; counts are of packets that began in it.
  const double l1_on_wire =
      within_line(tx_l1_bits - (left_after.l1 - left_before.l1), line_bits, picosecond_bits);
  const double l2_on_wire = tx_l2_bits - (left_after.l2 - left_before.l2);
  const double on_wire = layer == Layer::l1 ? l1_on_wire : l2_on_wire;
  add("tx_share", ratio(l1_on_wire, line_bits), "share of line rate");
  add("tx_share_l2", ratio(l2_on_wire, line_bits), "share of line rate");
  // A full line has exactly its rate.
  const auto rate = [&](double bits) {
    return std::min(bits / n / window / 1e9, line_rate / n / 1e9);
  };
  add("tx_rate", rate(on_wire), "Gbps");
  add("tx_rate_l1", rate(l1_on_wire), "Gbps");
  add("tx_rate_l2", rate(l2_on_wire), "Gbps");
  add("goodput_ratio", ratio(fresh_bits, tx_bits), "ratio");
  // Payload of READs is in frames of the other end.
  if (std::ranges::none_of(s.flows(), &elaboration::Connection::reads))
    add("payload_ratio", ratio(8.0 * delivered_bytes(s, from, to), tx_l2_bits), "ratio");
  const double left_of_begun = on_wire == tx_bits ? 1 : ratio(on_wire, tx_bits);
  add("goodput",
      fresh_bits == tx_bits ? rate(on_wire) : fresh_bits * left_of_begun / n / window / 1e9,
      "Gbps");
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
  if (receives) add("rnr_naks_received", static_cast<double>(sum.rnr_naks_received), "packets");
  if (std::ranges::any_of(
          s.flows(), [](const elaboration::Connection& c) { return c.service == Service::dc; }))
    add("dc_connects", static_cast<double>(sum.dc_connects), "connects");
  for (std::size_t k = 1; k < policy::send_kinds; ++k) {
    if (static_cast<policy::SendKind>(k) == policy::SendKind::trimmed && !selective) continue;
    add(fmt::format("retransmitted_{}", rnic::name_of(static_cast<policy::SendKind>(k))),
        static_cast<double>(sum.sent[k]), "packets");
  }
  add("timeouts", static_cast<double>(sum.timeouts), "timeouts");
  for (std::size_t c = 0; c < rnic::idle_causes; ++c) {
    if (static_cast<rnic::IdleCause>(c) == rnic::IdleCause::port && !several_ports) continue;
    if (static_cast<rnic::IdleCause>(c) == rnic::IdleCause::engine && !engine) continue;
    if (static_cast<rnic::IdleCause>(c) == rnic::IdleCause::credits && !credits) continue;
    if (static_cast<rnic::IdleCause>(c) == rnic::IdleCause::receiver && !receives) continue;
    add(fmt::format("idle_{}", rnic::name_of(static_cast<rnic::IdleCause>(c))),
        equal_rates ? to_seconds(sum.idle[c]) / n / window : ratio(idle_bits[c], line_bits),
        "share of time");
  }
  if (engine) {
    add("engine_busy", engine_share, "share of time of the engine's units");
    add("engine_visits_per_packet", ratio(static_cast<double>(sum.engine.visits), packets),
        "visits/packet");
  }
  if (steered) {
    const policy::EntropyCounts& e = sum.entropy;
    const auto share = [&](const char* name, std::uint64_t of) {
      add(std::string("entropy_") + name, ratio(static_cast<double>(of), packets),
          "share of packets");
    };
    share("recycled", e.recycled);
    share("random", e.random);
    share("frozen", e.frozen);
    share("fixed", e.fixed);
    add("entropy_freezes", static_cast<double>(e.freezes), "times");
    add("entropy_frozen_time", to_microseconds(e.frozen_time), "us, sum of queue pairs");
  }
  if (hosts) {
    const auto each = [&](std::uint64_t bytes) {
      return ratio(static_cast<double>(bytes), static_cast<double>(sum.messages_completed));
    };
    add("pcie_bytes_per_message", each(pcie.ledger.total()), "bytes of TLPs/message");
    add("pcie_fetched_per_message",
        each(pcie.ledger.fetched(rnic::PcieUse::wqe) + pcie.ledger.fetched(rnic::PcieUse::payload)),
        "bytes of TLPs/message");
  }
  add("messages_completed", static_cast<double>(sum.messages_completed), "messages");
}

}  // namespace horae::run
