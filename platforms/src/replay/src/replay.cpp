#include "horae/replay/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "horae/build/switches.hpp"
#include "horae/config/effective.hpp"
#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/core/stats.hpp"
#include "horae/replay/connections.hpp"
#include "horae/replay/port.hpp"
#include "horae/replay/recorder.hpp"
#include "horae/results/exit_code.hpp"
#include "horae/results/progress.hpp"
#include "horae/results/version.hpp"

namespace horae::replay {
namespace {

using nlohmann::ordered_json;

/// ConWeave puts its kind into bits 5 and 6 of the reserved ones, and four bytes behind the BTH of
/// data (models/programs/src/conweave/header.hpp).
constexpr std::uint16_t conweave_kind = 0x60, conweave_data = 0x20;

bool is_switch(const config::PlatformConfig& platform, std::size_t vertex) {
  const config::Profile& profile = platform.profiles.at(platform.devices[vertex].profile);
  return std::holds_alternative<config::TofinoProfile>(profile) ||
         std::holds_alternative<fabric::SwitchConfig>(profile);
}

/// The switch to be replayed.
unsigned find_device(const config::PlatformConfig& platform,
                     const std::optional<std::string>& name) {
  std::vector<std::string> names;
  unsigned found = 0;
  for (std::size_t i = 0; i < platform.devices.size(); ++i) {
    if (!is_switch(platform, i)) continue;
    names.push_back(platform.devices[i].name);
    if (!name || *name == names.back()) found = static_cast<unsigned>(i);
  }
  if (names.empty()) throw InputError(fmt::format("{} has no switch", platform.about.name));
  if (!name) {
    if (names.size() == 1) return found;
    throw InputError(fmt::format(
        "--device: expected one of the {} switches of {}: {}{}", names.size(), platform.about.name,
        fmt::join(names.begin(), names.begin() + std::min<long>(8, static_cast<long>(names.size())),
                  ", "),
        names.size() > 8 ? ", ..." : ""));
  }
  if (std::find(names.begin(), names.end(), *name) == names.end())
    throw InputError(fmt::format("--device {}: no such switch{}", *name, suggestion(*name, names)));
  return found;
}

/// A port of the switch and what it leads to.
struct PortSpec {
  unsigned port = 0;
  std::string neighbour;
  fabric::LinkConfig link;  ///< from the switch
  fabric::LinkConfig back;
};

/// By port. Links are perfect: it is the switch that is looked at.
std::vector<PortSpec> ports_of(const config::PlatformConfig& platform, unsigned vertex) {
  std::vector<PortSpec> ports(platform.topology.vertices()[vertex].ports);
  const auto perfect = [](const fabric::LinkConfig& link) {
    return fabric::LinkConfig{.rate = link.rate, .delay = link.delay};
  };
  for (std::size_t i = 0; i < platform.links.size(); ++i) {
    const auto& e = platform.topology.edges()[i];
    const auto& link = platform.links[i];
    if (e.a == vertex) {
      ports[e.port_a] = {e.port_a, platform.devices[e.b].name, perfect(link.config),
                         perfect(link.backward)};
    } else if (e.b == vertex) {
      ports[e.port_b] = {e.port_b, platform.devices[e.a].name, perfect(link.backward),
                         perfect(link.config)};
    }
  }
  return ports;
}

/// A port by its number or by the only neighbour of that name.
unsigned find_port(const std::vector<PortSpec>& ports, const std::string& text) {
  std::vector<unsigned> found;
  std::vector<std::string> names;
  for (const auto& p : ports) {
    names.push_back(p.neighbour);
    if (p.neighbour == text) found.push_back(p.port);
  }
  if (found.size() == 1) return found[0];
  if (found.size() > 1)
    throw InputError(fmt::format("--port {}: ports {} lead there; expected a number", text,
                                 fmt::join(found, ", ")));
  const bool digits =
      !text.empty() && text.size() < 9 && text.find_first_not_of("0123456789") == std::string::npos;
  if (digits && std::stoul(text) < ports.size()) return static_cast<unsigned>(std::stoul(text));
  const std::string near = nearest_name(text, names);
  throw InputError(fmt::format(
      "--port {}: no such port; expected a number from 0 to {} or a neighbour's name{}", text,
      ports.size() - 1, near.empty() ? "" : fmt::format(", did you mean '{}'?", near)));
}

/// The whole of a replay.
class Replay {
 public:
  Replay(const config::PlatformConfig& platform, const ReplayOptions& options,
         results::ResultFolder* folder)
      : platform_(platform),
        options_(options),
        folder_(folder),
        vertex_(find_device(platform, options.device)),
        routes_(platform.topology.shortest_path_routes()),
        specs_(ports_of(platform, vertex_)),
        addresses_(platform.topology, options.maps, options.unknown),
        context_({}, platform.sim.seed),
        progress_(options.progress) {
    find_entries();
    learn();
    build();
    record();
  }

  ReplayOutcome run() {
    run_to_end();
    recorder_.finish();
    ReplayOutcome outcome;
    outcome.summary = summary();
    if (!complete()) {
      outcome.exit_code = results::exit_stuck;
      outcome.dump = device_->describe_queues();
      for (const auto& entry : entries_) {
        if (entry.trace->finished()) continue;
        outcome.dump.push_back(fmt::format("{}: paused, and so is what is left of {}",
                                           ends_[entry.port]->name(), entry.trace->path()));
      }
    }
    return outcome;
  }

 private:
  struct Entry {
    unsigned port;
    std::unique_ptr<Trace> trace;
  };

  const std::string& device_name() const { return platform_.devices[vertex_].name; }
  const config::TofinoProfile* chip_profile() const {
    return std::get_if<config::TofinoProfile>(
        &platform_.profiles.at(platform_.devices[vertex_].profile));
  }

  void find_entries() {
    std::set<unsigned> used;
    for (const auto& input : options_.inputs) {
      const unsigned port = find_port(specs_, input.port);
      if (!used.insert(port).second)
        throw InputError(fmt::format("--port {}: two traces by one port", input.port));
      entry_ports_.push_back(port);
    }
  }

  capture::DissectOptions dissect_options() const {
    capture::DissectOptions dissect{.fcs = options_.fcs};
    const auto* chip = chip_profile();
    if (chip != nullptr && chip->program->config().at("name") == "conweave") {
      dissect.extra_mask = conweave_kind;
      dissect.extra_value = conweave_data;
    }
    return dissect;
  }

  std::vector<Entry> open_traces(ReplayAddresses& addresses) const {
    std::vector<Entry> entries;
    std::optional<std::int64_t> first;
    for (std::size_t i = 0; i < options_.inputs.size(); ++i) {
      const unsigned port = entry_ports_[i];
      auto sides = ReplayAddresses::sides_of(platform_.topology, routes_[vertex_], port);
      entries.push_back(
          {port, std::make_unique<Trace>(options_.inputs[i], options_, dissect_options(), addresses,
                                         std::move(sides))});
      const auto stamp = entries.back().trace->first_stamp_ns();
      if (stamp) first = std::min(first.value_or(*stamp), *stamp);
    }
    for (auto& entry : entries) entry.trace->start(first.value_or(0));
    return entries;
  }

  /// What a first look at all of the traces tells of connections.
  void learn() {
    const auto* chip = chip_profile();
    if (chip == nullptr || !chip->program->knows_connections() || options_.connections == "none")
      return;
    if (options_.connections != "learn") {
      connections_ = read_connections(options_.connections, platform_.topology);
      return;
    }
    for (const auto& input : options_.inputs) {
      std::error_code ignored;
      const auto status = std::filesystem::status(input.trace, ignored);
      if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status)) continue;
      throw InputError(
          fmt::format("{}: is read twice to learn connections; expected a file, or "
                      "--connections FILE or none",
                      input.trace));
    }
    ReplayAddresses addresses = addresses_;
    auto entries = open_traces(addresses);
    ConnectionLearner learner;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      Trace& trace = *entries[i].trace;
      std::uint64_t packets = 0;
      while (const TracePacket* packet = trace.peek()) {
        if (packet->dissection.kind == capture::FrameKind::roce)
          learner.see(packet->dissection.packet, packet->at);
        trace.take();
        if (++packets % look_every == 0)
          look(trace.share() / static_cast<double>(entries.size()), "learning connections");
      }
    }
    connections_ = learner.finish();
  }

  void build() {
    if (chip_profile() != nullptr) {
      auto chip = build::build_tofino(platform_, vertex_, context_, routes_);
      chip_ = chip.get();
      device_ = std::move(chip);
      for (const auto& c : connections_.list) {
        try {
          chip_->connect(c);
        } catch (const InputError&) {
          ++not_added_;  // a full table
        }
      }
    } else {
      device_ = build::build_switch(platform_, vertex_, context_, routes_);
    }
    entries_ = open_traces(addresses_);
    for (const auto& entry : entries_) {
      lead_ = std::max(lead_, specs_[entry.port].back.delay);
      if (const auto stamp = entry.trace->first_stamp_ns())
        stamp_ns_ = stamp_ns_ ? std::min(*stamp_ns_, *stamp) : *stamp;
    }
    watched_ =
        folder_ != nullptr && (options_.packets || options_.ports || !options_.registers.empty());
    for (const auto& spec : specs_) {
      const auto entry = std::find_if(entries_.begin(), entries_.end(),
                                      [&](const Entry& e) { return e.port == spec.port; });
      ends_.push_back(
          std::make_unique<replay_port>(fmt::format("port{}", spec.port).c_str(), context_,
                                        entry != entries_.end() ? entry->trace.get() : nullptr,
                                        lead_, watched_ ? &recorder_ : nullptr));
      fabric::connect(*device_, spec.port, *ends_.back(), 0, spec.link, spec.back);
    }
  }

  /// Where the folder's files are, under names that messages can show.
  results::ResultStream stream(const std::string& name) {
    return results::ResultStream(folder_->place(name), fmt::format("--out: {}", name));
  }

  void record() {
    if (!options_.registers.empty()) watch_registers();
    if (folder_ != nullptr && !connections_.list.empty())
      folder_->write("connections.csv", connections_csv(connections_, platform_.topology));
    if (!watched_) return;
    if (options_.packets) recorder_.write_packets(stream("packets.csv"));
    if (!options_.registers.empty()) recorder_.write_registers(stream("registers.csv"));
    if (options_.ports) {
      std::vector<capture::CaptureWriter> files;
      for (const auto& spec : specs_) {
        const std::string name = fmt::format("ports/{}_{}.pcap", device_name(), spec.port);
        files.emplace_back(folder_->place(name).string(), fmt::format("--out: {}", name));
      }
      recorder_.write_ports(std::move(files));
    }
    ReplayRecorder::Setting setting;
    setting.lead = lead_;
    // Stamps that a file cannot have (before 1970, after 2105) count from 0.
    constexpr std::int64_t latest = 4'280'000'000LL * 1'000'000'000;
    const std::int64_t stamp = stamp_ns_.value_or(0);
    setting.stamp_ns = stamp >= 0 && stamp < latest ? stamp : 0;
    setting.fcs = options_.fcs;
    for (const auto& v : platform_.topology.vertices()) {
      if (v.node != fabric::Topology::no_node) setting.nodes.push_back(v.name);
    }
    for (const auto& spec : specs_) setting.entry[ends_[spec.port].get()] = spec.port;
    recorder_.start(*device_, std::move(setting));
    context_.watcher = &recorder_;
    if (chip_ != nullptr) chip_->watch_passes(&recorder_);
  }

  /// By full name ("tor0.pipe1.path") or in every pipeline by its own ("path").
  void watch_registers() {
    std::vector<std::string> names;
    for (unsigned i = 0; chip_ != nullptr && i < chip_->config().pipelines; ++i) {
      for (const auto& object : chip_->objects(i).design().objects) {
        if (std::holds_alternative<dataplane::RegisterSpec>(object.spec))
          names.push_back(object.name);
      }
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    for (const auto& wanted : options_.registers) {
      bool found = false;
      for (unsigned i = 0; chip_ != nullptr && i < chip_->config().pipelines; ++i) {
        for (dataplane::Object* object : chip_->objects(i).objects()) {
          if (object->name() == wanted || object->short_name() == wanted)
            found = object->watch(recorder_) || found;
        }
      }
      if (found) continue;
      throw InputError(fmt::format("--registers {}: no such register in {}{}", wanted,
                                   device_name(),
                                   names.empty() ? ", which has none" : suggestion(wanted, names)));
    }
    if (folder_ == nullptr)
      throw InputError("--registers: expected --out DIR as well, where registers.csv goes");
  }

  /// Whether every packet came in and went out, or was dropped.
  bool complete() const {
    return device_->held() == 0 && std::all_of(entries_.begin(), entries_.end(),
                                               [](const Entry& e) { return e.trace->finished(); });
  }

  /// The last bit of a packet in, or the first one of a packet out, whichever is later.
  Picoseconds ended() const {
    Picoseconds last = lead_;
    for (const auto& end : ends_)
      last = std::max({last, end->counters().last_in, end->counters().last_out});
    return last;
  }

  double share() const {
    double sum = 0;
    for (const auto& entry : entries_) sum += entry.trace->share();
    return sum / static_cast<double>(entries_.size());
  }

  /// Shows how far it is, and gives up when the user asks for that.
  void look(double done, std::string_view what) {
    if (folder_ != nullptr && folder_->interrupted()) throw InputError("interrupted");
    if (!progress_.due()) return;
    progress_.update(done, std::string(what));
  }

  void run_to_end() {
    constexpr Picoseconds step = 100_us;
    auto& clock = context_.clock;
    Picoseconds now{};
    clock.run_to(now);
    for (;;) {
      Picoseconds next = never;
      for (const auto* d : clock.devices()) next = std::min(next, d->next_time());
      if (next == never) break;
      now = std::max(now + step, next + 1_us);
      clock.run_to(now);
      while (fabric::from_sc_time(sc_core::sc_time_stamp()) < now && !clock.idle())
        clock.run_to(now);
      if (progress_.due() || folder_ != nullptr) {
        std::uint64_t sent = 0;
        for (const auto& end : ends_) sent += end->counters().sent;
        look(share(), progress_.due()
                          ? fmt::format("{} packets  {:.0f} packets/s", sent,
                                        static_cast<double>(sent) / progress_.elapsed_seconds())
                          : std::string());
      }
    }
  }

  ordered_json packets_json() const;
  ordered_json results_json() const;
  ordered_json port_rows() const;
  ordered_json kind_rows() const;
  ordered_json statistics() const;
  ordered_json request() const;
  ordered_json summary() const;

  static constexpr std::uint64_t look_every = 1 << 16;

  const config::PlatformConfig& platform_;
  const ReplayOptions& options_;
  results::ResultFolder* folder_;
  unsigned vertex_;
  std::vector<fabric::RouteTable> routes_;
  std::vector<PortSpec> specs_;
  ReplayAddresses addresses_;
  std::vector<unsigned> entry_ports_;
  ReplayConnections connections_;
  std::uint64_t not_added_ = 0;
  fabric::sim_context context_;
  results::Progress progress_;
  ReplayRecorder recorder_;
  std::unique_ptr<fabric::device> device_;
  tofino::tofino_switch* chip_ = nullptr;
  std::vector<Entry> entries_;
  Picoseconds lead_{};
  std::optional<std::int64_t> stamp_ns_;
  bool watched_ = false;
  std::vector<std::unique_ptr<replay_port>> ends_;  ///< by port
};

/// Packets of the traces and copies = delivered + dropped + held, or the model lost one.
ordered_json Replay::packets_json() const {
  const auto& pool = context_.pool;
  const std::uint64_t held = device_->held();
  std::uint64_t ends = 0, sent = 0, received = 0, injected = 0;
  for (const auto& end : ends_) {
    ends += end->held();
    sent += end->counters().sent;
    received += end->counters().received;
  }
  for (const auto& entry : entries_) injected += entry.trace->counts().injected;
  const std::uint64_t copies = chip_ != nullptr ? chip_->counters().mirrored : 0;
  if (pool.live() != pool.outstanding() || pool.live() != held || ends != 0 || sent != injected ||
      pool.created() != sent + copies || pool.delivered() != received) {
    throw ModelError(fmt::format(
        "packets do not balance: {} of traces, {} sent, {} copies, {} created, {} left the switch, "
        "{} delivered, {} dropped, {} held, {} under way, {} out of the pool",
        injected, sent, copies, pool.created(), received, pool.delivered(), pool.dropped(), held,
        ends, pool.outstanding()));
  }
  ordered_json dropped = ordered_json::object();
  for (std::size_t c = 0; c < fabric::drop_causes; ++c) {
    const auto cause = static_cast<fabric::DropCause>(c);
    dropped[std::string(fabric::name_of(cause))] = pool.dropped(cause);
  }
  return {{"created", pool.created()},
          {"delivered", pool.delivered()},
          {"dropped", dropped},
          {"in_flight", held},
          {"copies", copies}};
}

ordered_json Replay::results_json() const {
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
  std::uint64_t filtered = 0, broken = 0;
  for (const auto& entry : entries_) {
    const auto& c = entry.trace->counts();
    all.cut += c.cut;
    all.padded += c.padded;
    all.limited += c.limited;
    all.tagged += c.tagged;
    all.backward += c.backward;
    all.skipped += c.skipped;
    broken += c.broken ? 1 : 0;
    filtered += entry.trace->filtered();
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
    add("copies_made", c.mirrored, "packets");
    add("recirculated", c.recirculated, "passes");
    const auto passes = static_cast<double>(std::max<std::uint64_t>(c.ingress_passes, 1));
    add("pipeline_wait_mean", static_cast<double>(c.pipeline_wait.count()) / passes / 1000, "ns");
  }
  add("late_packets", sum.late, "packets");
  add("largest_lateness", static_cast<double>(sum.lateness.count()) / 1000, "ns");
  add("backward_stamps", all.backward, "packets");
  add("captured_in_part", all.cut, "packets");
  add("padded", all.padded, "packets");
  add("shortened", all.limited, "packets");
  add("vlan_tagged", all.tagged, "packets");
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

ordered_json Replay::port_rows() const {
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
    rows.push_back(row);
  }
  return rows;
}

ordered_json Replay::kind_rows() const {
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

ordered_json Replay::statistics() const {
  StatTree tree;
  StatTree& device = tree.group(device_name());
  device.value("events", device_->events_handled(), "events");
  device_->statistics(device);
  device_->program_statistics(device);
  return tree.to_json();
}

/// What was asked for, beside the platform.
ordered_json Replay::request() const {
  ordered_json inputs = ordered_json::array();
  for (const auto& entry : entries_)
    inputs.push_back({{"trace", entry.trace->path()}, {"port", entry.port}});
  return {{"device", device_name()},
          {"inputs", inputs},
          {"filter", options_.filter},
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

ordered_json Replay::summary() const {
  ordered_json config = platform_.effective;
  config.erase("sweep");
  const ordered_json packets = packets_json();
  std::uint64_t events = device_->events_handled(), hops = 0;
  for (unsigned i = 0; i < device_->ports(); ++i) hops += device_->tx(i).counters().packets;
  for (const auto& end : ends_) {
    events += end->events_handled();
    hops += end->tx(0).counters().packets;
  }
  return {{"schema", 1},
          {"platform", platform_.about.name},
          {"config", config},
          {"config_hash", config::hash_of(config)},
          {"seed", platform_.sim.seed},
          {"version", results::version()},
          {"verdict", complete() ? "complete" : "stuck"},
          {"sim_time_ps", (ended() - lead_).count()},
          {"wall_s", progress_.elapsed_seconds()},
          {"replay", request()},
          {"packets", packets},
          {"events", events},
          {"packet_hops", hops},
          {"results", results_json()},
          {"rows", {{"ports", port_rows()}, {"kinds", kind_rows()}}},
          {"validation", ordered_json::array()},
          {"statistics", statistics()}};
}

}  // namespace

ReplayOutcome replay(const config::PlatformConfig& platform, const ReplayOptions& options,
                     results::ResultFolder* folder) {
  return Replay(platform, options, folder).run();
}

}  // namespace horae::replay
