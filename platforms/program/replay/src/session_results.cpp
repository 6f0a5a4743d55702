// `results` of a replay: what went in and came out, how long it took, what the traces were like.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "horae/core/roce.hpp"
#include "horae/core/stats.hpp"
#include "session.hpp"

namespace horae::replay {

using nlohmann::ordered_json;

ordered_json Session::results_json() const {
  ordered_json results = ordered_json::object();
  const auto add = [&](const std::string& name, auto value, std::string_view unit) {
    results[name] = {{"value", value}, {"unit", unit}};
  };
  Histogram latency;
  TraceCounts all;
  replay_port::Counters sum;
  for (const auto& end : ends_) {
    const auto& c = end->counters();
    latency.merge(end->latency());
    sum.sent += c.sent;
    sum.received += c.received;
    sum.sent_frames += c.sent_frames;
    sum.received_frames += c.received_frames;
    sum.late += c.late;
    sum.lateness = std::max(sum.lateness, c.lateness);
  }
  std::uint64_t filtered = 0, broken = 0, lost = 0, link_local = 0, mirrored = 0;
  for (const auto& entry : entries_) {
    const auto& c = entry.trace->counts();
    all.cut += c.cut;
    all.padded += c.padded;
    all.limited += c.limited;
    all.tagged += c.tagged;
    all.tunnelled += c.tunnelled;
    all.rocev1 += c.rocev1;
    all.pauses += c.pauses;
    all.lldp += c.lldp;
    all.lacp += c.lacp;
    link_local += c.kinds[static_cast<std::size_t>(capture::FrameKind::link_local)];
    mirrored += entry.trace->mirrored();
    all.backward += c.backward;
    all.skipped += c.skipped;
    broken += c.broken ? 1 : 0;
    filtered += entry.trace->filtered();
    lost += entry.trace->lost();
  }
  add("packets_in", sum.sent, "packets");
  add("packets_out", sum.received, "packets");
  add("packets_dropped", context_.pool.dropped(), "packets");
  if (!latency.empty()) {
    add("latency_mean", latency.mean() / 1000, "ns");
    add("latency_p50", static_cast<double>(latency.percentile(0.5)) / 1000, "ns");
    add("latency_p99", static_cast<double>(latency.percentile(0.99)) / 1000, "ns");
    add("latency_max", static_cast<double>(latency.max()) / 1000, "ns");
  }
  const Picoseconds window = ended() - lead_;
  if (window > Picoseconds(0)) {
    const auto rate = [&](Bytes frames, std::uint64_t packets) {
      const bool l1 = platform_.sim.rate_layer == Layer::l1;
      const auto overhead =
          static_cast<std::int64_t>(packets) * (wire::preamble + wire::inter_packet_gap);
      return mean_bits_per_second(frames + Bytes(l1 ? overhead : 0), window) / 1e9;
    };
    add("rate_window", to_microseconds(window), "us");
    add("rate_in", rate(sum.sent_frames, sum.sent), "Gbps");
    add("rate_out", rate(sum.received_frames, sum.received), "Gbps");
    add("packet_rate_out", static_cast<double>(sum.received) / to_seconds(window) / 1e6, "Mpps");
  }
  if (chip_ != nullptr) {
    const auto& c = chip_->counters();
    add("copies_made", c.mirrored + c.replicated, "packets");
    add("recirculated", c.recirculated, "passes");
    const auto passes = static_cast<double>(std::max<std::uint64_t>(c.ingress_passes, 1));
    add("pipeline_wait_mean", static_cast<double>(c.pipeline_wait.count()) / passes / 1000, "ns");
  }
  const auto* chip = chip_profile();
  const auto* plain =
      std::get_if<fabric::SwitchConfig>(&platform_.profiles.at(platform_.devices[vertex_].profile));
  if (chip != nullptr && chip->program->takes_deflected())
    add("deflected", chip_->counters().deflected, "packets");
  if (plain != nullptr && plain->deflect) {
    const auto& sw = static_cast<const fabric::output_queued_switch&>(*device_);
    add("deflected", sw.counters().deflected, "packets");
  }
  add("late_packets", sum.late, "packets");
  add("largest_lateness", static_cast<double>(sum.lateness.count()) / 1000, "ns");
  add("backward_stamps", all.backward, "packets");
  add("captured_in_part", all.cut, "packets");
  add("padded", all.padded, "packets");
  add("shortened", all.limited, "packets");
  add("vlan_tagged", all.tagged, "packets");
  // Counts of links and tunnels that most traces do not have.
  if (all.tunnelled > 0) add("tunnelled", all.tunnelled, "packets");
  if (mirrored > 0) add("mirrored_by_erspan", mirrored, "packets");
  if (link_local > 0) {
    add("link_local", link_local, "packets");
    add("pause_frames", all.pauses, "packets");
    add("lldp", all.lldp, "packets");
    add("lacp", all.lacp, "packets");
  }
  if (all.rocev1 > 0) add("rocev1", all.rocev1, "packets");
  if (lost > 0) add("lost_by_capture", lost, "packets");
  add("filtered_out", filtered, "packets");
  add("damaged_skipped", all.skipped, "packets");
  add("traces_ended_by_damage", broken, "traces");
  add("unknown_sources", addresses_.unknown_sources(), "packets");
  add("unknown_destinations", addresses_.unknown_destinations(), "packets");
  add("connections", connections_.list.size(), "connections");
  add("connections_without_sender_qp", connections_.unpaired, "connections");
  add("connections_not_added", not_added_, "connections");
  add("untracked_connection_packets", connections_.too_many, "packets");
  return results;
}

}  // namespace horae::replay
