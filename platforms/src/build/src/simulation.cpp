#include "horae/build/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "horae/config/chip_routes.hpp"
#include "horae/config/path_tiers.hpp"
#include "horae/core/error.hpp"
#include "horae/flows/collective.hpp"
#include "horae/flows/flow_list.hpp"
#include "horae/flows/nic_fit.hpp"
#include "horae/flows/traffic_config.hpp"
#include "horae/rtl/ordering.hpp"
#include "horae/traffic/source.hpp"

namespace horae::build {
namespace {

/// Sources of open-loop hosts, by node.
std::vector<std::unique_ptr<traffic::TrafficSource>> host_sources(
    const config::PlatformConfig& platform) {
  std::vector<std::unique_ptr<traffic::TrafficSource>> sources(platform.topology.endpoints());
  for (std::size_t table = 0; table < platform.traffic.size(); ++table) {
    const auto& traffic = flows::traffic_of(platform, table);
    const auto* config = std::get_if<flows::PacketsConfig>(&traffic);
    if (config == nullptr) continue;
    std::vector<std::pair<NodeId, NodeId>> pairs;
    if (config->pattern == flows::MessagesConfig::Pattern::pairs) {
      for (std::size_t i = 0; i < config->from.size(); ++i) {
        const auto& v = platform.topology.vertices();
        pairs.emplace_back(v[platform.topology.find(config->from[i])].node,
                           v[platform.topology.find(config->to[i])].node);
      }
    } else {
      std::vector<NodeId> nodes;
      for (std::size_t i = 0; i < platform.devices.size(); ++i) {
        if (std::holds_alternative<config::HostProfile>(
                platform.profiles.at(platform.devices[i].profile))) {
          nodes.push_back(platform.topology.vertices()[i].node);
        }
      }
      const auto to =
          traffic::permutation_pattern(static_cast<std::uint32_t>(nodes.size()), platform.sim.seed);
      for (std::size_t i = 0; i < nodes.size(); ++i) pairs.emplace_back(nodes[i], nodes[to[i]]);
    }
    for (const auto& [from, to] : pairs) {
      // The host's own link sets the pace.
      BitRate rate{};
      for (std::size_t e = 0; e < platform.links.size(); ++e) {
        const auto& edge = platform.topology.edges()[e];
        const auto& v = platform.topology.vertices();
        if (v[edge.a].node == from || v[edge.b].node == from) rate = platform.links[e].config.rate;
      }
      const Bytes wire = l1_bytes(frame_bytes(Opcode::write_middle, config->payload));
      const double interval =
          static_cast<double>(serialisation_time(wire, rate).count()) / config->load;
      sources[from] = std::make_unique<traffic::ConstantSource>(traffic::ConstantSource::Config{
          .dst = to,
          .bytes = config->payload,
          .start = config->start,
          .interval = Picoseconds(static_cast<std::int64_t>(interval)),
          .count = config->count,
          .flow = static_cast<std::uint16_t>(from)});
    }
  }
  return sources;
}

/// A queue pair that is not connected yet.
rnic::QueuePairConfig queue_pair(std::uint32_t depth, Bytes buffer,
                                 std::unique_ptr<traffic::TrafficSource> source) {
  rnic::QueuePairConfig config;
  config.depth = depth;
  config.buffer = buffer;
  config.source = std::move(source);
  return config;
}

/// Bytes of the largest frame any end point of the platform sends.
Bytes largest_frame(const config::PlatformConfig& platform) {
  Bytes largest = frame_bytes(Opcode::write_first, 4_KiB);
  for (std::size_t table = 0; table < platform.traffic.size(); ++table) {
    const auto& traffic = flows::traffic_of(platform, table);
    if (const auto* config = std::get_if<flows::PacketsConfig>(&traffic)) {
      largest = std::max(largest, frame_bytes(Opcode::write_first, config->payload));
    }
  }
  return largest;
}

/// What a paused sender may have let go of before its first bit is on the wire: the longest of the
/// platform. A chip's is taken with the longest egress a program can have (600 cycles: the open
/// Tofino compiler's limit for 20 stages).
Picoseconds longest_transmit_pipeline(const config::PlatformConfig& platform) {
  constexpr Cycles longest_egress(600);
  Picoseconds longest{};
  for (const auto& [name, profile] : platform.profiles) {
    if (const auto* nic = std::get_if<rnic::RnicConfig>(&profile)) {
      longest = std::max(longest, nic->tx_latency);
    } else if (const auto* chip = std::get_if<config::TofinoProfile>(&profile)) {
      longest = std::max(longest, chip->chip.egress_parser +
                                      Clock(chip->chip.mau_clock).edge(longest_egress) +
                                      chip->chip.egress_deparser + chip->chip.mac_tx);
    }
  }
  return longest;
}

}  // namespace

std::unique_ptr<tofino::tofino_switch> build_tofino(const config::PlatformConfig& platform,
                                                    unsigned vertex, fabric::sim_context& context,
                                                    const std::vector<fabric::RouteTable>& routes) {
  const auto& spec = platform.devices[vertex];
  const auto& profile = std::get<config::TofinoProfile>(platform.profiles.at(spec.profile));
  return std::make_unique<tofino::tofino_switch>(
      spec.name.c_str(), context, profile.chip, platform.topology.vertices()[vertex].ports,
      *profile.program, config::steered_routes(platform, vertex, routes));
}

std::unique_ptr<fabric::output_queued_switch> build_switch(
    const config::PlatformConfig& platform, unsigned vertex, fabric::sim_context& context,
    const std::vector<fabric::RouteTable>& routes) {
  const auto& spec = platform.devices[vertex];
  fabric::SwitchConfig config = std::get<fabric::SwitchConfig>(platform.profiles.at(spec.profile));
  config.ports = platform.topology.vertices()[vertex].ports;
  if (config.pfc.enabled() && config.pfc.headroom.count() == 0) {
    for (const auto& link : platform.links) {
      config.pfc.headroom = std::max(
          config.pfc.headroom,
          fabric::pfc_headroom(link.config.rate, link.config.delay, largest_frame(platform),
                               config.latency, longest_transmit_pipeline(platform)));
    }
  }
  if (config.pfc.dynamic() && config.pfc.pool(config.buffer, config.ports).count() <= 0) {
    throw input_error(
        spec.where,
        fmt::format("buffer = {} of '{}' leaves nothing to share: {} ports set aside {} each "
                    "for pfc.headroom = {} and pfc.minimum = {}",
                    to_text(config.buffer), spec.name, config.ports,
                    to_text((config.pfc.headroom + config.pfc.minimum) * config.pfc.classes),
                    to_text(config.pfc.headroom), to_text(config.pfc.minimum)));
  }
  auto d = std::make_unique<fabric::output_queued_switch>(spec.name.c_str(), context, config);
  d->routes() = routes[vertex];
  d->set_switch_ports(platform.topology.switch_ports(vertex));
  return d;
}

Simulation::Simulation(const config::PlatformConfig& platform)
    : platform_(platform),
      context_({.mode = platform.sim.scheduling, .window = platform.sim.window},
               platform.sim.seed) {
  flows::require_fit(platform);
  build_devices();
  build_links();
  for (std::size_t i = 0; i < platform.traffic.size(); ++i) {
    const auto& traffic = flows::traffic_of(platform, i);
    if (const auto* config = std::get_if<flows::MessagesConfig>(&traffic)) build_messages(*config);
    if (const auto* config = std::get_if<flows::CollectiveTraffic>(&traffic))
      build_collective(i, *config);
    if (const auto* config = std::get_if<flows::FlowTraffic>(&traffic))
      build_flows(i, flows::place_messages(platform, i, *config), false);
    if (const auto* config = std::get_if<flows::IncastTraffic>(&traffic))
      build_flows(i, flows::place_messages(platform, i, *config), true);
    if (const auto* config = std::get_if<flows::FlowListTraffic>(&traffic))
      build_flows(i, config->placed->messages, false);
  }
  for (std::size_t i = 0; i < messages_.size(); ++i) {
    if (!messages_[i].triggered) by_time_.push_back(i);
  }
  std::stable_sort(by_time_.begin(), by_time_.end(), [this](std::size_t a, std::size_t b) {
    return messages_[a].at < messages_[b].at;
  });
  check_levels();
  const auto by_id = [](const rnic::rnic* a, const rnic::rnic* b) { return a->id() < b->id(); };
  for (auto* group : {&senders_, &receivers_}) {
    std::sort(group->begin(), group->end(), by_id);
    group->erase(std::unique(group->begin(), group->end()), group->end());
  }
}

void Simulation::build_devices() {
  const auto routes = platform_.topology.shortest_path_routes();
  config::check_path_maps(platform_, routes);
  const auto path_table = paths();
  auto sources = host_sources(platform_);
  for (std::size_t i = 0; i < platform_.devices.size(); ++i) {
    const auto& vertex = platform_.topology.vertices()[i];
    const auto& spec = platform_.devices[i];
    const config::Profile& profile = platform_.profiles.at(spec.profile);
    const char* name = spec.name.c_str();
    if (const auto* nic = std::get_if<rnic::RnicConfig>(&profile)) {
      auto d = std::make_unique<rnic::rnic>(name, context_, *nic, vertex.node);
      if (nic->ordering.level != "model") {
        // What differs between model and RTL is written beside other NICs' differences.
        rtl::LockstepOptions options;
        options.folder += "/" + spec.name;
        auto engine = rtl::make_ordering(nic->ordering, options);
        if (auto* both = dynamic_cast<rtl::LockstepEngine*>(engine.get())) {
          locksteps_.push_back(both);
          hardware_.emplace_back(d.get(), &both->rtl());
        } else if (auto* alone = dynamic_cast<rtl::EunomiaRtl*>(engine.get())) {
          hardware_.emplace_back(d.get(), alone);
        }
        d->set_ordering(std::move(engine));
      }
      nics_.push_back(d.get());
      devices_.push_back(std::move(d));
    } else if (std::holds_alternative<config::TofinoProfile>(profile)) {
      auto d = build_tofino(platform_, static_cast<unsigned>(i), context_, routes);
      tofinos_.push_back(d.get());
      devices_.push_back(std::move(d));
    } else if (std::holds_alternative<fabric::SwitchConfig>(profile)) {
      auto d = build_switch(platform_, static_cast<unsigned>(i), context_, routes);
      d->set_paths(path_table, static_cast<unsigned>(i));
      switches_.push_back(d.get());
      devices_.push_back(std::move(d));
    } else {
      auto d = std::make_unique<fabric::open_loop_host>(
          name, context_, fabric::HostConfig{.id = vertex.node}, std::move(sources[vertex.node]));
      hosts_.push_back(d.get());
      devices_.push_back(std::move(d));
    }
  }
}

void Simulation::build_links() {
  for (std::size_t i = 0; i < platform_.links.size(); ++i) {
    const auto& e = platform_.topology.edges()[i];
    const auto& link = platform_.links[i];
    fabric::connect(*devices_[e.a], e.port_a, *devices_[e.b], e.port_b, link.config, link.backward);
  }
}

void Simulation::check_levels() const {
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    const auto* nic = dynamic_cast<const rnic::rnic*>(devices_[i].get());
    if (nic == nullptr || nic->ordering() == nullptr) continue;
    const auto* rtl = dynamic_cast<const rtl::EunomiaRtl*>(nic->ordering());
    if (const auto* both = dynamic_cast<const rtl::LockstepEngine*>(nic->ordering()))
      rtl = &both->rtl();
    if (rtl == nullptr || nic->queue_pairs() <= rtl->variant().shape.connections) continue;
    throw input_error(
        platform_.devices[i].where,
        fmt::format("'{}' has {} queue pairs, the RTL '{}' of its ordering layer room "
                    "for {} connections",
                    platform_.devices[i].name, nic->queue_pairs(), rtl->variant().name,
                    rtl->variant().shape.connections));
  }
}

void Simulation::compare_levels() const {
  for (const auto* lockstep : locksteps_) lockstep->compare_whole();
}

rnic::rnic* Simulation::nic_of(const std::string& name) {
  return dynamic_cast<rnic::rnic*>(
      devices_[static_cast<std::size_t>(platform_.topology.find(name))].get());
}

void Simulation::build_messages(const flows::MessagesConfig& config) {
  std::vector<std::pair<rnic::rnic*, rnic::rnic*>> pairs;
  if (config.pattern == flows::MessagesConfig::Pattern::pairs) {
    for (std::size_t i = 0; i < config.from.size(); ++i) {
      pairs.emplace_back(nic_of(config.from[i]), nic_of(config.to[i]));
    }
  } else {
    const auto to =
        traffic::permutation_pattern(static_cast<std::uint32_t>(nics_.size()), platform_.sim.seed);
    for (std::size_t i = 0; i < nics_.size(); ++i) pairs.emplace_back(nics_[i], nics_[to[i]]);
  }
  for (const auto& [from, to] : pairs) {
    for (std::uint32_t q = 0; q < config.qps; ++q) {
      auto source = std::make_unique<traffic::ConstantSource>(traffic::ConstantSource::Config{
          .dst = to->id(), .bytes = config.message, .start = config.start, .count = config.count});
      connect({from, to, queue_pair(config.depth, config.message, std::move(source)),
               queue_pair(1, config.message, nullptr)},
              config.first_psn);
    }
  }
}

void Simulation::connect(Connected c, std::uint32_t first_psn) {
  const Qpn sender_qpn(rnic::rnic::first_qpn + static_cast<std::uint32_t>(c.from->queue_pairs()));
  const Qpn receiver_qpn(rnic::rnic::first_qpn + static_cast<std::uint32_t>(c.to->queue_pairs()));
  // Each connection has its own UDP source port, as NICs derive one from the queue pair numbers.
  const auto entropy = static_cast<std::uint16_t>(0xc000 | ((flows_.size() * 0x9e5) & 0x3fff));
  c.send.remote = receiver_qpn;
  c.send.peer = c.to->id();
  c.send.entropy = entropy;
  c.send.first_send = Psn(first_psn);
  c.receive.remote = sender_qpn;
  c.receive.peer = c.from->id();
  c.receive.entropy = entropy;
  c.receive.first_receive = Psn(first_psn);
  c.from->add_queue_pair(std::move(c.send));
  c.to->add_queue_pair(std::move(c.receive));
  for (auto* t : tofinos_)
    t->connect({c.from->id(), c.to->id(), sender_qpn, receiver_qpn, entropy, Psn(first_psn)});
  flows_.push_back({c.from, c.from->queue_pairs() - 1, c.to, c.to->queue_pairs() - 1});
  senders_.push_back(c.from);
  receivers_.push_back(c.to);
}

void Simulation::build_collective(std::size_t table, const flows::CollectiveTraffic& config) {
  // One exchange per NIC and table: a rank is in one group of it.
  exchanges_.resize(devices_.size());
  std::vector<int> exchange(devices_.size(), -1);
  for (const auto& f : flows::place_collective(platform_, config)) {
    if (groups_.empty() || groups_.back().traffic != table || groups_.back().number != f.group)
      groups_.push_back({table, f.group, start_of(config, f.group), flows_.size(), 0});
    ++groups_.back().count;
    auto* from = dynamic_cast<rnic::rnic*>(devices_[f.from].get());
    auto* to = dynamic_cast<rnic::rnic*>(devices_[f.to].get());
    auto source = std::make_unique<traffic::ConstantSource>(
        traffic::ConstantSource::Config{.dst = to->id(),
                                        .bytes = f.flow.message,
                                        .start = groups_.back().start,
                                        .count = f.flow.count,
                                        .lead = f.flow.lead});
    auto send = queue_pair(config.depth, f.flow.message, std::move(source));
    auto receive = queue_pair(1, f.flow.message, nullptr);
    if (f.flow.lead != 0) {
      for (const unsigned device : {f.from, f.to}) {
        if (exchange[device] < 0) exchange[device] = exchanges_[device]++;
      }
      send.exchange = exchange[f.from];
      receive.exchange = exchange[f.to];
      const std::int64_t mtu = to->config().mtu.count();
      receive.receive_packets =
          static_cast<std::uint32_t>((f.flow.message.count() + mtu - 1) / mtu);
      receive.notify_delay = config.compute;
    }
    connect({from, to, std::move(send), std::move(receive)}, config.first_psn);
  }
}

void Simulation::build_flows(std::size_t table, const std::vector<flows::PlacedMessage>& flows,
                             bool incast) {
  const flows::IdealTimes ideal(platform_);
  exchanges_.resize(devices_.size());
  std::map<std::uint32_t, int> known;  // triggers of this table by number
  const auto trigger = [&](std::uint32_t number, unsigned device) {
    if (number == 0) return -1;
    const auto [it, added] = known.emplace(number, static_cast<int>(triggers_.size()));
    if (added) triggers_.push_back({exchanges_[device]++, {}});
    return it->second;
  };
  const auto exchange = [&](int t) {
    return t < 0 ? -1 : triggers_[static_cast<std::size_t>(t)].exchange;
  };
  for (const auto& f : flows) {
    auto* from = dynamic_cast<rnic::rnic*>(devices_[f.from].get());
    auto* to = dynamic_cast<rnic::rnic*>(devices_[f.to].get());
    auto source = std::make_unique<traffic::ConstantSource>(traffic::ConstantSource::Config{
        .dst = to->id(), .bytes = f.bytes, .start = f.at, .count = 1, .after = f.after});
    if (incast) {
      if (queries_.empty() || queries_.back().traffic != table || queries_.back().number != f.query)
        queries_.push_back({table, f.query, f.at, flows_.size(), 0});
      ++queries_.back().count;
    }
    auto send = queue_pair(1, f.bytes, std::move(source));
    auto receive = queue_pair(1, f.bytes, nullptr);
    PlannedMessage message{.flow = flows_.size(),
                           .traffic = table,
                           .at = f.at,
                           .bytes = f.bytes,
                           .ideal = ideal.completion(f.from, f.to, f.bytes),
                           .triggered = f.trigger != 0,
                           .fires_at_sender = trigger(f.fires_at_sender, f.from),
                           .fires_at_receiver = trigger(f.fires_at_receiver, f.to)};
    if (const int t = trigger(f.trigger, f.from); t >= 0) {
      triggers_[static_cast<std::size_t>(t)].starts.push_back(messages_.size());
      send.exchange = exchange(t);
    }
    send.completes = exchange(message.fires_at_sender);
    if (message.fires_at_receiver >= 0) {
      const std::int64_t mtu = from->config().mtu.count();  // the sender cuts messages
      receive.exchange = exchange(message.fires_at_receiver);
      receive.receive_packets = static_cast<std::uint32_t>((f.bytes.count() + mtu - 1) / mtu);
    }
    messages_.push_back(message);
    connect({from, to, std::move(send), std::move(receive)}, f.first_psn.value());
  }
}

void Simulation::close_connections(Picoseconds now) {
  while (arrived_ < by_time_.size() && messages_[by_time_[arrived_]].at <= now)
    open_.push_back(by_time_[arrived_++]);
  // A triggered message is looked at from when what fires its trigger is closed.
  std::vector<std::size_t> fired;
  std::erase_if(open_, [&](std::size_t i) {
    const Flow& flow = flows_[messages_[i].flow];
    if (!flow.sender->queue_pair(flow.sender_qp).finished()) return false;
    flow.receiver->close_connection(flow.receiver_qp, now);
    for (const int t : {messages_[i].fires_at_sender, messages_[i].fires_at_receiver}) {
      if (t < 0) continue;
      auto& starts = triggers_[static_cast<std::size_t>(t)].starts;
      fired.insert(fired.end(), starts.begin(), starts.end());
      starts.clear();
    }
    return true;
  });
  open_.insert(open_.end(), fired.begin(), fired.end());
}

Picoseconds Simulation::posted_at(const PlannedMessage& message) const {
  if (!message.triggered) return message.at;
  const Flow& flow = flows_[message.flow];
  return flow.sender->queue_pair(flow.sender_qp).progress().first_post;
}

Picoseconds Simulation::arrivals_end() const {
  Picoseconds end{};
  for (std::size_t table = 0; table < platform_.traffic.size(); ++table) {
    const auto& traffic = flows::traffic_of(platform_, table);
    const auto take = [&](const flows::ArrivalConfig& c) {
      end = std::max(end, c.start + c.duration);
    };
    if (const auto* flows = std::get_if<flows::FlowTraffic>(&traffic)) take(*flows);
    if (const auto* incast = std::get_if<flows::IncastTraffic>(&traffic)) take(*incast);
    if (const auto* list = std::get_if<flows::FlowListTraffic>(&traffic)) {
      // Nobody knows when triggers are through.
      end = list->placed->triggers ? platform_.sim.duration
                                   : std::max(end, list->placed->messages.back().at);
    }
  }
  return end;
}

std::shared_ptr<const fabric::PathTable> Simulation::paths() const {
  if (platform_.routing.kind != config::RoutingConfig::Kind::ksp) return nullptr;
  return std::make_shared<const fabric::PathTable>(platform_.topology, platform_.routing.paths,
                                                   platform_.sim.seed, withdrawn_);
}

void Simulation::apply(std::span<const config::RouteChange> changes) {
  withdrawn_.resize(platform_.links.size());
  for (const auto& change : changes) withdrawn_[change.link] = change.withdrawn;
  const auto& topology = platform_.topology;
  const auto routes = platform_.detours ? topology.shortest_path_routes(withdrawn_)
                                        : topology.routes_without(withdrawn_);
  const auto table = paths();
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    if (auto* plain = dynamic_cast<fabric::output_queued_switch*>(devices_[i].get())) {
      const auto vertex = static_cast<unsigned>(i);
      plain->routes() = routes[i];
      plain->set_switch_ports(topology.switch_ports(vertex, withdrawn_));
      plain->set_paths(table, vertex);
    } else if (auto* chip = dynamic_cast<tofino::tofino_switch*>(devices_[i].get())) {
      chip->update(config::chip_routes(platform_, static_cast<unsigned>(i), routes[i]));
    }
  }
  for (const auto& change : changes) {
    if (change.drain) drain(change);
  }
}

void Simulation::drain(const config::RouteChange& change) {
  const auto& e = platform_.topology.edges()[change.link];
  for (const auto& [vertex, port] : {std::pair{e.a, e.port_a}, {e.b, e.port_b}}) {
    auto* plain = dynamic_cast<fabric::output_queued_switch*>(devices_[vertex].get());
    if (plain != nullptr) plain->drain(port, change.at);
  }
}

bool Simulation::finished() const {
  const bool hosts_done = std::all_of(hosts_.begin(), hosts_.end(),
                                      [](const auto* h) { return h->next_time() == never; });
  return hosts_done && !work_left() && context_.pool.live() == 0;
}

bool Simulation::work_left() const {
  return !std::all_of(nics_.begin(), nics_.end(),
                      [](const rnic::rnic* n) { return n->finished(); });
}

bool Simulation::waiting() const {
  return std::any_of(flows_.begin(), flows_.end(), [](const Flow& f) {
    return f.sender->queue_pair(f.sender_qp).outstanding() > 0;
  });
}

}  // namespace horae::build
