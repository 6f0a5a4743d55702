// summary.json of a replay.
#include <fmt/format.h>

#include <string>
#include <utility>

#include "horae/config/effective.hpp"
#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/core/stats.hpp"
#include "horae/results/exit_code.hpp"
#include "horae/results/summary_head.hpp"
#include "session.hpp"

namespace horae::replay {

using nlohmann::ordered_json;

ordered_json Session::summary() const {
  ordered_json config = platform_.effective;
  config.erase("sweep");
  std::string hash = config::hash_of(config);
  ordered_json summary = results::summary_head(
      {.platform = platform_.about.name,
       .config = std::move(config),
       .config_hash = std::move(hash),
       .seed = platform_.sim.seed,
       .verdict = name_of(complete() ? results::Verdict::complete : results::Verdict::stuck),
       .sim_time = ended() - lead_,
       .wall_s = progress_.elapsed_seconds()});
  std::uint64_t events = device_->events_handled(), hops = 0;
  for (unsigned i = 0; i < device_->ports(); ++i) hops += device_->tx(i).counters().packets;
  for (const auto& end : ends_) {
    events += end->events_handled();
    hops += end->tx(0).counters().packets;
  }
  summary["replay"] = request();
  summary["packets"] = packets_json();
  summary["events"] = events;
  summary["packet_hops"] = hops;
  summary["results"] = results_json();
  summary["rows"] = {{"ports", port_rows()}, {"kinds", kind_rows()}};
  summary["validation"] = ordered_json::array();
  summary["statistics"] = statistics();
  if (works_on_bytes()) summary["program"] = program_json();
  return summary;
}

ordered_json Session::packets_json() const {
  const auto& pool = context_.pool;
  const std::uint64_t held = device_->held();
  std::uint64_t ends = 0, sent = 0, received = 0, injected = 0;
  for (const auto& end : ends_) {
    ends += end->held();
    sent += end->counters().sent;
    received += end->counters().received;
  }
  for (const auto& entry : entries_) injected += entry.trace->counts().injected;
  const std::uint64_t copies =
      chip_ != nullptr ? chip_->counters().mirrored + chip_->counters().replicated : 0;
  const std::uint64_t generated = chip_ != nullptr ? chip_->counters().generated : 0;
  if (pool.live() != pool.outstanding() || pool.live() != held || ends != 0 || sent != injected ||
      pool.created() != sent + copies + generated || pool.delivered() != received) {
    throw ModelError(fmt::format(
        "packets do not balance: {} of traces, {} sent, {} copies, {} generated, {} created, {} "
        "left "
        "the switch, {} delivered, {} dropped, {} held, {} under way, {} out of the pool",
        injected, sent, copies, generated, pool.created(), received, pool.delivered(),
        pool.dropped(), held, ends, pool.outstanding()));
  }
  ordered_json dropped = ordered_json::object();
  for (std::size_t c = 0; c < fabric::drop_causes; ++c) {
    const auto cause = static_cast<fabric::DropCause>(c);
    if (cause >= fabric::DropCause::corrupted)
      continue;  // of end points and modules; here are none
    dropped[std::string(fabric::name_of(cause))] = pool.dropped(cause);
  }
  ordered_json out = {{"created", pool.created()},
                      {"delivered", pool.delivered()},
                      {"dropped", dropped},
                      {"in_flight", held},
                      {"copies", copies}};
  if (generated > 0) out["generated"] = generated;
  return out;
}

ordered_json Session::port_rows() const {
  ordered_json rows = ordered_json::array();
  for (const auto& spec : specs_) {
    const auto& end = *ends_[spec.port];
    const auto& c = end.counters();
    ordered_json row = {{"port", spec.port},
                        {"neighbour", spec.neighbour},
                        {"rate", to_text(spec.link.rate)},
                        {"packets_in", c.sent},
                        {"bytes_in", c.sent_frames.count()},
                        {"packets_out", c.received},
                        {"bytes_out", c.received_frames.count()},
                        {"copies_out", c.copies_received},
                        {"late", c.late}};
    const bool any = !end.latency().empty();
    row["latency_mean_ns"] = any ? ordered_json(end.latency().mean() / 1000) : ordered_json();
    row["latency_max_ns"] =
        any ? ordered_json(static_cast<double>(end.latency().max()) / 1000) : ordered_json();
    row["paused_ns"] = static_cast<double>(device_->pauses(spec.port).held(ended()).count()) / 1000;
    rows.push_back(row);
  }
  return rows;
}

ordered_json Session::kind_rows() const {
  ordered_json rows = ordered_json::array();
  for (const auto& entry : entries_) {
    ordered_json row = {{"port", entry.port}, {"trace", entry.trace->path()}};
    for (std::size_t k = 0; k < capture::frame_kinds; ++k) {
      row[std::string(name_of(static_cast<capture::FrameKind>(k)))] =
          entry.trace->counts().kinds[k];
    }
    rows.push_back(row);
  }
  return rows;
}

/// Contents of the program's registers and counters, and the stages that its passes take.
ordered_json Session::program_json() const {
  ordered_json out = {{"name", chip_profile()->program->config().at("name")}};
  const dataplane::Ledger& ledger = chip_->ledger();
  out["stages"] = ledger.stages_used();
  out["ingress_latency_ns"] = static_cast<double>(chip_->ingress_latency(0).count()) / 1000;
  out["egress_latency_ns"] = static_cast<double>(chip_->egress_latency(0).count()) / 1000;
  out["pipes"] = ordered_json::object();
  chip_->program_report(out["pipes"]);
  return out;
}

ordered_json Session::statistics() const {
  StatTree tree;
  StatTree& device = tree.group(device_name());
  device.value("events", device_->events_handled(), "events");
  device_->statistics(device);
  device_->program_statistics(device);
  return tree.to_json();
}

ordered_json Session::request() const {
  ordered_json inputs = ordered_json::array();
  bool one_filter = true;
  for (const auto& input : options_.inputs)
    one_filter = one_filter && input.filter == options_.inputs.front().filter;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    ordered_json input = {{"trace", entries_[i].trace->path()}, {"port", entries_[i].port}};
    if (!one_filter) input["filter"] = options_.inputs[i].filter;
    inputs.push_back(std::move(input));
  }
  return {{"device", device_name()},
          {"inputs", inputs},
          {"filter", one_filter ? options_.inputs.front().filter : std::string()},
          {"back_to_back", options_.pace.back_to_back},
          {"scale", static_cast<double>(options_.pace.scale) / 1e6},
          {"limit", options_.limit},
          {"fcs", options_.fcs},
          {"maps", options_.maps},
          {"unknown", options_.unknown == UnknownAddress::spread ? "spread"
                      : options_.unknown == UnknownAddress::drop ? "drop"
                                                                 : "refuse"},
          {"connections", options_.connections},
          {"skip_damaged", options_.skip_damaged}};
}

}  // namespace horae::replay
