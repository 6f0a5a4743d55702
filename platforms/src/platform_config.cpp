#include "platform_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <cctype>
#include <charconv>
#include <cmath>
#include <set>

#include "collective.hpp"
#include "file_content.hpp"
#include "flow_list.hpp"
#include "flow_traffic.hpp"
#include "horae/core/error.hpp"
#include "horae/fabric/jellyfish.hpp"
#include "horae/params/linear_hash_schema.hpp"
#include "horae/params/shipped_file.hpp"
#include "horae/policy/balance/load_balancer.hpp"
#include "horae/policy/transport/transport.hpp"
#include "horae/rnic/nic_spec.hpp"
#include "horae/rtl/ordering.hpp"

namespace horae::platforms {
namespace {

using nlohmann::ordered_json;

const std::vector<std::string> reserved_tables = {
    "platform",   "sim",      "link_default", "link",    "device",
    "leaf_spine", "fat_tree", "jellyfish",    "routing", "impairment",
    "failures",   "traffic",  "sweep",        "size",    "explain"};

template <class T>
std::vector<std::string> names_of(const T& map) {
  std::vector<std::string> names;
  for (const auto& [name, value] : map) names.push_back(name);
  return names;
}

/// Turns a policy's own complaint into one that points at the file.
template <class F>
void check_at(const Section& section, std::string_view key, F&& f) {
  try {
    f();
  } catch (const InputError& e) {
    throw section.error(key, e.what());
  }
}

/// ConWeave's header lies where an ordering layer's and the SRPT tag of NICs do.
void check_headers(const PlatformConfig& platform, const ordered_json& effective) {
  const bool conweave =
      std::any_of(platform.devices.begin(), platform.devices.end(), [&](const auto& device) {
        const auto& profile = effective.at(device.profile);
        return profile.contains("program") && profile.at("program").at("name") == "conweave";
      });
  if (!conweave) return;
  for (const auto& device : platform.devices) {
    const auto* nic = std::get_if<rnic::RnicConfig>(&platform.profiles.at(device.profile));
    if (nic == nullptr || (nic->ordering.engine == "none" && !nic->remaining_tag)) continue;
    throw input_error(
        device.where,
        fmt::format("'{}' has {}, and ConWeave's switches use the same header bits; "
                    "expected one of the two",
                    device.name, nic->remaining_tag ? "remaining_tag" : "an ordering engine"));
  }
}

ordered_json read_profile(const Section& section, Profile& out) {
  const std::string kind = section.get_string("kind");
  ordered_json dump = {{"kind", kind}};
  const std::vector<std::string> also = {"kind"};
  if (kind == "rnic") {
    const auto config = rnic::read_rnic(section, also);
    check_at(section, "transport", [&] { policy::find_transport(config.transport); });
    check_at(section, "ordering", [&] { rtl::check_ordering(config.ordering); });
    for (const auto& name : config.retransmit.policies) policy::find_retransmit_policy(name);
    check_at(section, "congestion", [&] { policy::check(config.congestion, 1600_Gbps); });
    if (config.host == rnic::HostModel::pcie) config.pcie.check();
    dump.update(rnic::RnicConfig::schema().dump(config));
    out = config;
  } else if (kind == "tofino") {
    TofinoProfile profile;
    profile.chip = tofino::ChipConfig::read(section, {"kind", "program"});
    if (profile.chip.ecn_kmax < profile.chip.ecn_kmin) {
      throw section.error(
          "ecn_kmax", fmt::format("ecn_kmax = {} is below ecn_kmin = {}",
                                  to_text(profile.chip.ecn_kmax), to_text(profile.chip.ecn_kmin)));
    }
    if (!section.has("program")) {
      throw section.error(
          "program",
          fmt::format("missing table 'program' in {}: the program to run", section.title()));
    }
    for (const auto pipeline : profile.chip.pipeline_of_port) {
      if (pipeline < profile.chip.pipelines) continue;
      throw section.error("pipeline_of_port",
                          fmt::format("pipeline_of_port: pipeline {} is not one of 0 to {}",
                                      pipeline, profile.chip.pipelines - 1));
    }
    profile.program = programs::read_program(section.child("program"));
    dump.update(tofino::ChipConfig::schema().dump(profile.chip));
    dump["program"] = profile.program->config();
    out = profile;
  } else if (kind == "switch") {
    const auto config = section.read<fabric::SwitchConfig>(also);
    check_at(section, "balance", [&] { policy::make_load_balancer(config.balance, 0, ""); });
    // Defaults do no harm: they are what a dumped configuration has.
    const auto& hash = linear_hash_schema();
    if (config.balance != "ecmp_linear" && hash.dump(config.hash) != hash.dump({})) {
      throw section.error("hash", fmt::format("hash is of balance = \"ecmp_linear\"; here it is "
                                              "\"{}\"",
                                              config.balance));
    }
    if (config.red.kmax.count() > 0 && config.red.kmax < config.red.kmin) {
      throw section.child("ecn").error(
          "kmax", fmt::format("kmax = {} is below kmin = {}", to_text(config.red.kmax),
                              to_text(config.red.kmin)));
    }
    if (config.pfc.dynamic()) {
      const Section pfc = section.child("pfc");
      for (const auto& [key, value] :
           {std::pair{"xoff", config.pfc.xoff}, {"xon", config.pfc.xon}}) {
        if (value.count() == 0) continue;
        throw pfc.error(key, fmt::format("{} = {} beside alpha: thresholds are fixed or dynamic",
                                         key, to_text(value)));
      }
      if (config.buffer.count() == 0) {
        throw pfc.error("alpha", "alpha is of what is free of a 'buffer', and none is given");
      }
    }
    if (config.pfc.xon > config.pfc.xoff) {
      throw section.child("pfc").error(
          "xon", fmt::format("xon = {} is above xoff = {}", to_text(config.pfc.xon),
                             to_text(config.pfc.xoff)));
    }
    if (config.queue_share > 0 && config.buffer.count() == 0) {
      throw section.error("queue_share", "queue_share is of a 'buffer', and none is given");
    }
    if (config.deflect && config.queue_limit.count() == 0 && config.queue_share == 0) {
      throw section.error(
          "deflect", "deflect needs queues that can be full: a 'queue_limit' or 'queue_share'");
    }
    dump.update(fabric::SwitchConfig::schema().dump(config));
    out = config;
  } else if (kind == "host") {
    const Schema<HostProfile> schema("host", "An end point without a transport.");
    section.read(schema, also);
    out = HostProfile{};
  } else {
    throw section.error(
        "kind", fmt::format("unknown kind '{}'{}", kind, suggestion(kind, profile_kinds())));
  }
  return dump;
}

bool is_endpoint(const Profile& p) {
  return std::holds_alternative<rnic::RnicConfig>(p) || std::holds_alternative<HostProfile>(p);
}

/// Collects devices and links of the platform, checking names as they come.
class NetworkReader {
 public:
  NetworkReader(PlatformConfig& platform, const LinkDefault& defaults)
      : platform_(platform), defaults_(defaults) {}

  unsigned add_device(const std::string& name, const Located<std::string>& profile,
                      const Location& where) {
    const auto it = platform_.profiles.find(profile.value);
    if (it == platform_.profiles.end()) {
      throw input_error(profile.where,
                        fmt::format("unknown profile '{}'{}", profile.value,
                                    suggestion(profile.value, names_of(platform_.profiles))));
    }
    const auto valid = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0 ||
        !std::all_of(name.begin(), name.end(), valid)) {
      throw input_error(where,
                        fmt::format("'{}' is no device name: expected letters, digits and _, "
                                    "not starting with a digit",
                                    name));
    }
    if (name == "clock") {
      throw input_error(where, "'clock' is no device name: the simulator has one");
    }
    if (platform_.topology.find(name) >= 0) {
      throw input_error(where, fmt::format("device '{}' is there already", name));
    }
    platform_.devices.push_back({name, profile.value, where});
    return is_endpoint(it->second) ? platform_.topology.add_endpoint(name)
                                   : platform_.topology.add_switch(name);
  }

  void add_link(unsigned a, unsigned b, const LinkSpec& spec, const Location& where) {
    platform_.topology.add_edge(a, b);
    fabric::LinkConfig link;
    link.rate = spec.rate.value_or(defaults_.rate);
    link.delay = spec.delay.value_or(defaults_.delay);
    link.loss = spec.loss.value_or(defaults_.loss);
    for (const auto& o : spec.outages) link.outages.push_back({o.from, o.to});
    platform_.links.push_back({link, link, where});
  }

  /// Changes the link between two devices; of several, all.
  void impair(const ImpairmentSpec& spec, const Section& section) {
    const unsigned a = find(spec.between[0]), b = find(spec.between[1]);
    bool found = false;
    for (std::size_t i = 0; i < platform_.links.size(); ++i) {
      const auto& edge = platform_.topology.edges()[i];
      const bool straight = edge.a == a && edge.b == b;
      if (!straight && !(edge.a == b && edge.b == a)) continue;
      found = true;
      LinkInstance& link = platform_.links[i];
      for (auto* direction : {&link.config, &link.backward}) {
        const bool forward = (direction == &link.config) == straight;
        if (!forward && spec.direction == ImpairmentSpec::Direction::forward) continue;
        direction->rate = spec.rate.value_or(direction->rate);
        direction->loss = spec.loss.value_or(direction->loss);
        for (const auto& o : spec.outages) direction->outages.push_back({o.from, o.to});
      }
      if (!spec.converge) continue;
      for (const auto& o : spec.outages) {
        platform_.route_changes.push_back({o.from + *spec.converge, i, true});
        platform_.route_changes.push_back({o.to + *spec.converge, i, false});
      }
    }
    if (!found) {
      throw section.error("between", fmt::format("there is no link between '{}' and '{}'",
                                                 spec.between[0].value, spec.between[1].value));
    }
  }

  unsigned find(const Located<std::string>& name) const {
    const int i = platform_.topology.find(name.value);
    if (i < 0) {
      std::vector<std::string> names;
      for (const auto& d : platform_.devices) names.push_back(d.name);
      constexpr std::size_t most_listed = 16;
      const std::string near = nearest_name(name.value, names);
      throw input_error(
          name.where, fmt::format("unknown device '{}'{}", name.value,
                                  near.empty() && names.size() > most_listed
                                      ? fmt::format("; it is none of the {} devices", names.size())
                                      : suggestion(name.value, names)));
    }
    return static_cast<unsigned>(i);
  }

 private:
  PlatformConfig& platform_;
  LinkDefault defaults_;
};

void generate_leaf_spine(NetworkReader& network, const LeafSpineConfig& c) {
  std::vector<unsigned> leaves, spines, hosts;
  for (std::uint32_t i = 0; i < c.leaves * c.hosts_per_leaf; ++i) {
    hosts.push_back(network.add_device(fmt::format("h{}", i), c.host, c.host.where));
  }
  for (std::uint32_t i = 0; i < c.leaves; ++i) {
    leaves.push_back(network.add_device(fmt::format("leaf{}", i), c.leaf, c.leaf.where));
  }
  for (std::uint32_t i = 0; i < c.spines; ++i) {
    spines.push_back(network.add_device(fmt::format("spine{}", i), c.spine, c.spine.where));
  }
  for (std::size_t i = 0; i < hosts.size(); ++i)
    network.add_link(hosts[i], leaves[i / c.hosts_per_leaf], {}, c.host.where);
  for (const unsigned leaf : leaves) {
    for (const unsigned spine : spines) network.add_link(leaf, spine, {}, c.leaf.where);
  }
}

void generate_fat_tree(NetworkReader& network, const FatTreeConfig& c) {
  const std::uint32_t half = c.k / 2;
  const std::uint32_t per_edge = c.hosts_per_edge == 0 ? half : c.hosts_per_edge;
  std::vector<unsigned> hosts, edges, aggregations, cores;
  for (std::uint32_t i = 0; i < c.k * half * per_edge; ++i)
    hosts.push_back(network.add_device(fmt::format("h{}", i), c.host, c.host.where));
  for (std::uint32_t i = 0; i < c.k * half; ++i) {
    const auto name = fmt::format("edge{}_{}", i / half, i % half);
    edges.push_back(network.add_device(name, c.edge, c.edge.where));
  }
  for (std::uint32_t i = 0; i < c.k * half; ++i) {
    const auto name = fmt::format("agg{}_{}", i / half, i % half);
    aggregations.push_back(network.add_device(name, c.aggregation, c.aggregation.where));
  }
  for (std::uint32_t i = 0; i < half * half; ++i)
    cores.push_back(network.add_device(fmt::format("core{}", i), c.core, c.core.where));
  for (std::size_t i = 0; i < hosts.size(); ++i)
    network.add_link(hosts[i], edges[i / per_edge], {}, c.host.where);
  for (std::uint32_t i = 0; i < c.k * half; ++i) {
    for (std::uint32_t j = 0; j < half; ++j)
      network.add_link(edges[i], aggregations[i / half * half + j], {}, c.edge.where);
  }
  for (std::uint32_t i = 0; i < c.k * half; ++i) {
    for (std::uint32_t j = 0; j < half; ++j)
      network.add_link(aggregations[i], cores[i % half * half + j], {}, c.aggregation.where);
  }
}

void generate_jellyfish(NetworkReader& network, const JellyfishConfig& c) {
  std::vector<unsigned> hosts, switches, free;
  for (std::uint32_t i = 0; i < c.hosts; ++i)
    hosts.push_back(network.add_device(fmt::format("h{}", i), c.host, c.host.where));
  for (std::uint32_t i = 0; i < c.switches; ++i)
    switches.push_back(network.add_device(fmt::format("s{}", i), c.sw, c.sw.where));
  std::size_t next = 0;
  for (std::uint32_t i = 0; i < c.switches; ++i) {
    const std::uint32_t mine = c.hosts / c.switches + (i < c.hosts % c.switches ? 1 : 0);
    for (std::uint32_t j = 0; j < mine; ++j)
      network.add_link(hosts[next++], switches[i], {}, c.host.where);
    free.push_back(c.ports - std::min(mine, c.ports));
  }
  for (const auto& [a, b] : fabric::random_links(free, RandomStream(c.seed, "jellyfish")))
    network.add_link(switches[a], switches[b], {}, c.sw.where);
}

/// What fails when, until the end of the run: outages, and what routing makes of them at once.
void plan_failures(PlatformConfig& platform, const FailuresConfig& c, const Section& section) {
  std::vector<std::size_t> links;
  for (std::size_t i = 0; i < platform.links.size(); ++i) {
    if (platform.topology.between_switches(platform.topology.edges()[i])) links.push_back(i);
  }
  if (c.share == 0) return;
  if (links.empty()) throw section.error("share", "there is no link between switches to fail");
  constexpr std::int64_t most_intervals = 100'000;
  if ((platform.sim.duration - c.start).count() / c.interval.count() > most_intervals) {
    throw section.error("interval",
                        fmt::format("more than {} intervals of {} in duration = {}", most_intervals,
                                    to_text(c.interval), to_text(platform.sim.duration)));
  }
  const auto wanted = std::llround(c.share * static_cast<double>(links.size()));
  const std::size_t count = std::max<std::size_t>(1, static_cast<std::size_t>(wanted));
  RandomStream stream(c.seed, "failures");
  for (Picoseconds from = c.start; from < platform.sim.duration; from += c.interval) {
    const Picoseconds to = from + c.interval;
    for (std::size_t i = 0; i < count; ++i) {
      const auto rest = static_cast<std::uint32_t>(links.size() - i);
      std::swap(links[i], links[i + stream.below(rest)]);
      LinkInstance& link = platform.links[links[i]];
      link.config.outages.push_back({from, to});
      link.backward.outages.push_back({from, to});
      platform.route_changes.push_back({from, links[i], true, true});
    }
    for (std::size_t i = 0; i < count; ++i)
      platform.route_changes.push_back({to, links[i], false, false});
  }
  platform.detours = true;
}

/// Checks that `names` are end points of the right kind.
template <class P>
void check_endpoints(const PlatformConfig& platform, const NetworkReader& network,
                     const std::vector<Located<std::string>>& names, std::string_view what) {
  for (const auto& name : names) {
    const auto& device = platform.devices[network.find(name)];
    if (!std::holds_alternative<P>(platform.profiles.at(device.profile))) {
      throw input_error(name.where, fmt::format("'{}' is not {}", name.value, what));
    }
  }
}

template <class T, class P>
T read_traffic(const PlatformConfig& platform, const NetworkReader& network, const Section& section,
               std::string_view what) {
  auto config = section.read<T>(std::vector<std::string>{"kind"});
  check_endpoints<P>(platform, network, config.from, what);
  check_endpoints<P>(platform, network, config.to, what);
  const bool pairs = config.pattern == MessagesConfig::Pattern::pairs;
  if (pairs && (config.from.empty() || config.from.size() != config.to.size())) {
    throw section.error(section.has("from") ? "from" : "kind",
                        fmt::format("pattern pairs: {} senders in 'from' and {} receivers in 'to'; "
                                    "expected as many of each, at least one",
                                    config.from.size(), config.to.size()));
  }
  if (!pairs && !(config.from.empty() && config.to.empty())) {
    throw section.error(config.from.empty() ? "to" : "from",
                        "pattern permutation takes no 'from' and 'to'");
  }
  for (std::size_t i = 0; i < config.from.size(); ++i) {
    if (config.from[i].value == config.to[i].value) {
      throw input_error(config.to[i].where,
                        fmt::format("'{}' would send to itself", config.to[i].value));
    }
  }
  if (!pairs) {
    const auto eligible = std::count_if(
        platform.devices.begin(), platform.devices.end(),
        [&](const auto& d) { return std::holds_alternative<P>(platform.profiles.at(d.profile)); });
    if (eligible < 2)
      throw section.error("pattern",
                          "pattern permutation needs at least two end points of its kind");
  }
  return config;
}

/// Ends are two, outages end after they begin.
template <class T>
void check_link(const T& spec, const Section& section) {
  if (spec.between.size() != 2) {
    throw section.error("between",
                        fmt::format("{} names in 'between'; expected two", spec.between.size()));
  }
  for (std::size_t i = 0; i < spec.outages.size(); ++i) {
    const auto& o = spec.outages[i];
    if (o.to > o.from) continue;
    throw section.children("outage")[i].error(
        "to", fmt::format("to = {} is not after from = {}", to_text(o.to), to_text(o.from)));
  }
}

void check_sim(const Section& root, const SimConfig& sim) {
  if (sim.warmup < sim.duration) return;
  const Section section = root.has("sim") ? root.child("sim") : root;
  throw section.error("warmup", fmt::format("warmup = {} is not below duration = {}",
                                            to_text(sim.warmup), to_text(sim.duration)));
}

/// Edges of size bins rise.
void check_bins(const Section& root, const SimConfig& sim) {
  for (std::size_t i = 1; i < sim.size_bins.size(); ++i) {
    if (sim.size_bins[i] > sim.size_bins[i - 1]) continue;
    throw root.child("sim").error(
        "size_bins", fmt::format("size_bins: {} after {}; expected edges that rise",
                                 to_text(sim.size_bins[i]), to_text(sim.size_bins[i - 1])));
  }
}

void check_connected(const PlatformConfig& platform, const Section& root) {
  if (platform.devices.empty()) {
    throw root.error("device",
                     "no devices: expected [[device]] and [[link]] tables, [leaf_spine], "
                     "[fat_tree] or [jellyfish]");
  }
  std::vector<unsigned> ports(platform.devices.size());
  const auto& edges = platform.topology.edges();
  for (std::size_t i = 0; i < edges.size(); ++i) {
    for (const unsigned v : {edges[i].a, edges[i].b}) {
      const bool endpoint = platform.topology.vertices()[v].node != fabric::Topology::no_node;
      if (endpoint && ports[v] > 0) {
        throw input_error(
            platform.links[i].where,
            fmt::format("'{}' has one port, and a link already", platform.devices[v].name));
      }
      ++ports[v];
    }
  }
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const auto& device = platform.devices[i];
    if (ports[i] == 0)
      throw input_error(device.where, fmt::format("device '{}' has no link", device.name));
    const auto* tofino = std::get_if<TofinoProfile>(&platform.profiles.at(device.profile));
    if (tofino == nullptr) continue;
    const auto& chip = tofino->chip;
    const std::size_t most = chip.pipeline_of_port.empty()
                                 ? std::size_t{chip.pipelines} * chip.ports_per_pipeline
                                 : chip.pipeline_of_port.size();
    if (ports[i] > most) {
      throw input_error(device.where,
                        fmt::format("device '{}' has {} links, but profile '{}' gives its chip {}",
                                    device.name, ports[i], device.profile,
                                    most == 1 ? "one port" : fmt::format("{} ports", most)));
    }
  }
}

void check_routes(const PlatformConfig& platform) {
  const auto routes = platform.topology.shortest_path_routes();
  for (std::size_t i = 0; i < platform.devices.size(); ++i) {
    for (NodeId node = 0; node < platform.topology.endpoints(); ++node) {
      if (platform.topology.vertices()[i].node == node || !routes[i].towards(node).empty())
        continue;
      const auto& v = platform.topology.vertices();
      const auto to =
          std::find_if(v.begin(), v.end(), [&](const auto& x) { return x.node == node; });
      throw input_error(platform.devices[i].where, fmt::format("there is no path from '{}' to '{}'",
                                                               platform.devices[i].name, to->name));
    }
  }
}

/// Only plain switches follow paths.
void check_routing(const PlatformConfig& platform, const Section& section) {
  if (platform.routing.kind != RoutingConfig::Kind::ksp) return;
  for (const auto& device : platform.devices) {
    const Profile& profile = platform.profiles.at(device.profile);
    if (!std::holds_alternative<TofinoProfile>(profile)) continue;
    throw section.error("kind", fmt::format("kind = \"ksp\" is of plain switches; '{}' runs a "
                                            "program of its own",
                                            device.name));
  }
}

/// A window no longer than the shortest link, or the devices could not run ahead of each other.
void check_window(const PlatformConfig& platform, const Section& root) {
  for (const auto& link : platform.links) {
    if (platform.sim.window <= link.config.delay) continue;
    throw root.child("sim").error(
        "window", fmt::format("window = {} is longer than the smallest link delay, {}",
                              to_text(platform.sim.window), to_text(link.config.delay)));
  }
  Picoseconds window = platform.sim.window;
  if (window.count() == 0) {
    window = never;
    for (const auto& link : platform.links) window = std::min(window, link.config.delay);
  }
  for (const auto& device : platform.devices) {
    const auto* nic = std::get_if<rnic::RnicConfig>(&platform.profiles.at(device.profile));
    if (nic == nullptr || nic->reliability.rto > window) continue;
    const Section profile = root.child(device.profile);
    const Section section = profile.has("reliability") ? profile.child("reliability") : profile;
    throw section.error(
        "rto", fmt::format("rto = {} of profile '{}' is not longer than the time window, {}{}",
                           to_text(nic->reliability.rto), device.profile, to_text(window),
                           platform.sim.window.count() == 0 ? " (the smallest link delay)" : ""));
  }
}

/// What the traffic tables read so far ask of each device.
class Demand {
 public:
  explicit Demand(const PlatformConfig& platform)
      : platform_(platform),
        queue_pairs_(platform.devices.size()),
        sends_(platform.devices.size()) {}

  void add(const MessagesConfig& config, const Section& section) {
    for (const auto* names : {&config.from, &config.to}) {
      for (const auto& name : *names) ask(index_of(name), config.qps, section, "qps");
    }
    if (config.pattern == MessagesConfig::Pattern::pairs) return;
    for (std::size_t i = 0; i < platform_.devices.size(); ++i) {
      if (is<rnic::RnicConfig>(i)) ask(i, std::uint64_t{2} * config.qps, section, "qps");
    }
  }

  void add(const std::vector<PlacedFlow>& flows, const Section& section) {
    std::vector<std::uint64_t> asked(queue_pairs_.size());
    for (const auto& f : flows) ++asked[f.from], ++asked[f.to];
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (asked[i] != 0) ask(i, asked[i], section, "kind");
    }
  }

  /// `key` is what the user would change.
  void add(const std::vector<PlacedMessage>& flows, const Section& section, std::string_view key) {
    std::vector<std::uint64_t> asked(queue_pairs_.size());
    for (const auto& f : flows) ++asked[f.from], ++asked[f.to];
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (asked[i] != 0) ask(i, asked[i], section, key);
    }
  }

  /// A host has one source of packets.
  void add(const PacketsConfig& config, const Section& section) {
    const auto ask = [&](std::size_t device, const Location& where) {
      if (!sends_[device]) {
        sends_[device] = true;
        return;
      }
      throw input_error(where, fmt::format("'{}' sends packets already; a host has one destination",
                                           platform_.devices[device].name));
    };
    for (const auto& name : config.from) ask(index_of(name), name.where);
    if (config.pattern == MessagesConfig::Pattern::pairs) return;
    for (std::size_t i = 0; i < platform_.devices.size(); ++i) {
      if (is<HostProfile>(i)) ask(i, section.where("kind"));
    }
  }

 private:
  void ask(std::size_t device, std::uint64_t n, const Section& section, std::string_view key) {
    constexpr std::uint64_t most = 65536;  // of a NIC
    if ((queue_pairs_[device] += n) <= most) return;
    throw section.error(key,
                        fmt::format("'{}' would have {} queue pairs; at most {}",
                                    platform_.devices[device].name, queue_pairs_[device], most));
  }
  std::size_t index_of(const std::string& name) const {
    return static_cast<std::size_t>(platform_.topology.find(name));
  }
  template <class P>
  bool is(std::size_t device) const {
    return std::holds_alternative<P>(platform_.profiles.at(platform_.devices[device].profile));
  }

  const PlatformConfig& platform_;
  std::vector<std::uint64_t> queue_pairs_;
  std::vector<bool> sends_;
};

/// What cannot be told apart or found in the sweep's table, and in the folders of its points.
void check_sweep(const SweepConfig& sweep) {
  std::vector<std::string> labels;
  std::set<std::string> folders;
  for (const auto& point : sweep.points) {
    const std::string& label = point.label;
    if (label.empty()) throw input_error(point.label.where, "a sweep point has an empty label");
    if (std::find(labels.begin(), labels.end(), label) != labels.end()) {
      throw input_error(point.label.where, fmt::format("two sweep points are called '{}'", label));
    }
    if (!folders.insert(folder_name(label)).second) {
      throw input_error(point.label.where,
                        fmt::format("'{}' would share the result folder '{}' with another point",
                                    label, folder_name(label)));
    }
    labels.push_back(label);
  }
  std::set<std::string> titles = {sweep.label_title, "verdict"};
  for (const auto& column : sweep.columns) {
    if (!titles.insert(column.title.value).second) {
      throw input_error(column.title.where,
                        fmt::format("two columns are called '{}'", column.title.value));
    }
  }
  std::set<std::string> ids;
  for (const auto& p : sweep.published) {
    if (!ids.insert(p.id.value).second) {
      throw input_error(p.id.where,
                        fmt::format("two published numbers have the id '{}'", p.id.value));
    }
    if (p.point.value.empty() && !labels.empty()) {
      throw input_error(p.id.where, fmt::format("'{}' does not say at which sweep point; expected "
                                                "point = one of {}",
                                                p.id.value, fmt::join(labels, ", ")));
    }
    if (!p.point.value.empty() &&
        std::find(labels.begin(), labels.end(), p.point.value) == labels.end()) {
      throw input_error(p.point.where,
                        fmt::format("'{}' is compared at sweep point '{}', which does "
                                    "not exist{}",
                                    p.id.value, p.point.value, suggestion(p.point.value, labels)));
    }
  }
}

/// An assumption with every {key} replaced by the value in effect.
std::string with_values(const std::string& text, const ordered_json& effective,
                        const Section& about) {
  std::string out;
  for (std::size_t at = 0;;) {
    const std::size_t open = text.find('{', at);
    const std::size_t close = open == std::string::npos ? open : text.find('}', open);
    if (close == std::string::npos) return out + text.substr(at);
    const std::string key = text.substr(open + 1, close - open - 1);
    const ordered_json* value = find_value(effective, key);
    if (value == nullptr || value->is_structured()) {
      throw about.error("assumptions", fmt::format("'{{{}}}' names no value of the platform", key));
    }
    out += text.substr(at, open - at) +
           (value->is_string() ? value->get<std::string>() : value->dump());
    at = close + 1;
  }
}

}  // namespace

const ordered_json* find_value(const ordered_json& effective, std::string_view key) {
  const ordered_json* at = &effective;
  while (!key.empty() && at != nullptr) {
    const std::size_t end = key.find_first_of(".[");
    const auto it = at->is_object() ? at->find(std::string(key.substr(0, end))) : at->end();
    if (it == at->end()) return nullptr;
    at = &*it;
    key.remove_prefix(end == std::string_view::npos ? key.size() : end);
    while (key.starts_with('[')) {
      std::size_t index = 0;
      const char* first = key.data() + 1;
      const auto parsed = std::from_chars(first, key.data() + key.size(), index);
      if (parsed.ec != std::errc() || parsed.ptr == key.data() + key.size() || *parsed.ptr != ']' ||
          !at->is_array() || index >= at->size()) {
        return nullptr;
      }
      at = &(*at)[index];
      key.remove_prefix(static_cast<std::size_t>(parsed.ptr + 1 - key.data()));
    }
    if (key.starts_with('.')) key.remove_prefix(1);
  }
  return at;
}

std::string folder_name(const std::string& label) {
  std::string out;
  for (const char c : label) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
    out += plain || (c == '.' && !out.empty()) ? c : '_';  // no "..", no hidden folder
  }
  return out;
}

std::string hash_of(const ordered_json& effective) {
  // A fixed namespace of our own for RFC 4122 name-based UUIDs.
  constexpr boost::uuids::uuid space = {{0x68, 0x6f, 0x72, 0x61, 0x65, 0x2e, 0x63, 0x6f, 0x6e, 0x66,
                                         0x69, 0x67, 0x2e, 0x76, 0x31, 0x00}};
  return boost::uuids::to_string(boost::uuids::name_generator_sha1(space)(effective.dump()));
}

programs::Routes chip_routes(const PlatformConfig& platform, unsigned vertex,
                             const fabric::RouteTable& table) {
  programs::Routes routes;
  const auto& vertices = platform.topology.vertices();
  for (NodeId node = 0; node < platform.topology.endpoints(); ++node) {
    const auto ports = table.towards(node);
    routes.entries.push_back({node, {ports.begin(), ports.end()}, false});
  }
  for (const auto& e : platform.topology.edges()) {
    if (e.a != vertex && e.b != vertex) continue;
    const NodeId node = vertices[e.a == vertex ? e.b : e.a].node;
    if (node != fabric::Topology::no_node) routes.entries[node].attached = true;
  }
  const auto& profile =
      std::get<TofinoProfile>(platform.profiles.at(platform.devices[vertex].profile));
  routes.queues_per_port = profile.chip.queues_per_port;
  for (unsigned port = 0; port < vertices[vertex].ports; ++port) {
    routes.pipeline_of_port.push_back(profile.chip.pipeline_of_port.empty()
                                          ? port / profile.chip.ports_per_pipeline
                                          : profile.chip.pipeline_of_port[port]);
  }
  return routes;
}

const std::vector<std::string>& profile_kinds() {
  static const std::vector<std::string> kinds = {"rnic", "tofino", "switch", "host"};
  return kinds;
}

PlatformConfig read_platform(const Document& document) {
  const Section root = document.root();
  PlatformConfig platform;
  ordered_json& effective = platform.effective;
  effective = ordered_json::object();

  for (const auto& key : root.keys()) {
    if (std::find(reserved_tables.begin(), reserved_tables.end(), key) != reserved_tables.end())
      continue;
    // Anything else is a profile; without a kind it is more likely a slip.
    auto candidates = reserved_tables;
    for (const auto& other : root.keys()) {
      if (other != key) candidates.push_back(other);
    }
    const auto near = nearest_name(key, candidates);
    const auto not_profile = [&](const std::string& why) {
      return input_error(
          root.where(key),
          fmt::format("'{}' {}{}", key, why,
                      near.empty() ? std::string("; tables of a platform are ") +
                                         fmt::format("{}", fmt::join(reserved_tables, ", ")) +
                                         " and profiles with a 'kind'"
                                   : fmt::format(", did you mean '{}'?", near)));
    };
    bool has_kind = false;
    try {
      has_kind = root.child(key).has("kind");
    } catch (const InputError&) {
      throw not_profile("is not a table of a platform");
    }
    if (!has_kind) throw not_profile("has no 'kind', as a profile must");
    effective[key] = read_profile(root.child(key), platform.profiles[key]);
  }

  const auto table = [&](std::string_view key) {
    return root.has(key) ? root.child(key) : Section();
  };
  if (!root.has("platform")) {
    throw root.error("platform", "missing table [platform] with the platform's 'name'");
  }
  platform.about = root.child("platform").read<AboutConfig>();
  platform.sim = table("sim").read<SimConfig>();
  check_sim(root, platform.sim);
  check_bins(root, platform.sim);
  const auto defaults = table("link_default").read<LinkDefault>();
  effective["platform"] = AboutConfig::schema().dump(platform.about);
  effective["sim"] = SimConfig::schema().dump(platform.sim);
  effective["link_default"] = LinkDefault::schema().dump(defaults);

  NetworkReader network(platform, defaults);
  if (root.has("leaf_spine")) {
    const auto config = root.child("leaf_spine").read<LeafSpineConfig>();
    generate_leaf_spine(network, config);
    effective["leaf_spine"] = LeafSpineConfig::schema().dump(config);
  }
  if (root.has("fat_tree")) {
    const Section section = root.child("fat_tree");
    const auto config = section.read<FatTreeConfig>();
    if (config.k % 2 != 0)
      throw section.error("k", fmt::format("k = {} is odd; a fat-tree has an even k", config.k));
    generate_fat_tree(network, config);
    effective["fat_tree"] = FatTreeConfig::schema().dump(config);
  }
  if (root.has("jellyfish")) {
    const Section section = root.child("jellyfish");
    const auto config = section.read<JellyfishConfig>();
    const std::uint32_t most = (config.hosts + config.switches - 1) / config.switches;
    if (most >= config.ports) {
      throw section.error("ports", fmt::format("ports = {} leaves no port to another switch beside "
                                               "{} hosts",
                                               config.ports, most));
    }
    const std::uint32_t links = config.ports - config.hosts / config.switches;
    if (links >= config.switches) {
      throw section.error("ports",
                          fmt::format("ports = {} gives a switch {} links to the {} others; "
                                      "two switches have one link at most",
                                      config.ports, links, config.switches - 1));
    }
    check_at(section, "ports", [&] { generate_jellyfish(network, config); });
    effective["jellyfish"] = JellyfishConfig::schema().dump(config);
  }
  effective["device"] = ordered_json::array();
  for (const auto& section : root.children("device")) {
    const auto spec = section.read<DeviceSpec>();
    for (const auto& name : spec.names) network.add_device(name.value, spec.profile, name.where);
    effective["device"].push_back(DeviceSpec::schema().dump(spec));
  }
  effective["link"] = ordered_json::array();
  for (const auto& section : root.children("link")) {
    const auto spec = section.read<LinkSpec>();
    check_link(spec, section);
    const unsigned a = network.find(spec.between[0]);
    const unsigned b = network.find(spec.between[1]);
    if (a == b)
      throw section.error("between",
                          fmt::format("'{}' is linked to itself", spec.between[0].value));
    network.add_link(a, b, spec, section.where("between"));
    effective["link"].push_back(LinkSpec::schema().dump(spec));
  }
  effective["impairment"] = ordered_json::array();
  for (const auto& section : root.children("impairment")) {
    const auto spec = section.read<ImpairmentSpec>();
    check_link(spec, section);
    network.impair(spec, section);
    effective["impairment"].push_back(ImpairmentSpec::schema().dump(spec));
  }
  if (root.has("failures")) {
    const Section section = root.child("failures");
    const auto config = section.read<FailuresConfig>();
    plan_failures(platform, config, section);
    effective["failures"] = FailuresConfig::schema().dump(config);
  }
  if (root.has("routing")) {
    platform.routing = root.child("routing").read<RoutingConfig>();
    effective["routing"] = RoutingConfig::schema().dump(platform.routing);
    check_routing(platform, root.child("routing"));
  }
  std::stable_sort(platform.route_changes.begin(), platform.route_changes.end(),
                   [](const RouteChange& a, const RouteChange& b) { return a.at < b.at; });
  for (const auto& name : platform.sim.sample_devices) network.find(name);
  check_connected(platform, root);
  check_routes(platform);
  check_window(platform, root);

  Demand demand(platform);
  effective["traffic"] = ordered_json::array();
  for (const auto& section : root.children("traffic")) {
    const std::string kind = section.get_string("kind");
    ordered_json dump = {{"kind", kind}};
    if (kind == "messages") {
      const auto config = read_traffic<MessagesConfig, rnic::RnicConfig>(platform, network, section,
                                                                         "a NIC (kind rnic)");
      demand.add(config, section);
      dump.update(MessagesConfig::schema().dump(config));
      platform.traffic.emplace_back(config);
    } else if (kind == "packets") {
      const auto config = read_traffic<PacketsConfig, HostProfile>(platform, network, section,
                                                                   "a host (kind host)");
      demand.add(config, section);
      dump.update(PacketsConfig::schema().dump(config));
      platform.traffic.emplace_back(config);
    } else if (kind == "collective") {
      const auto config = section.read<CollectiveTraffic>({"kind"});
      check_endpoints<rnic::RnicConfig>(platform, network, config.members, "a NIC (kind rnic)");
      check_at(section, section.has("groups") ? "groups" : "kind",
               [&] { demand.add(place_collective(platform, config), section); });
      dump.update(CollectiveTraffic::schema().dump(config));
      platform.traffic.emplace_back(config);
    } else if (kind == "flows" || kind == "incast") {
      const auto add = [&](auto config) {
        if constexpr (requires { config.workload; }) {
          if (config.workload.value.ends_with(".toml")) {
            take_content(find_file(config.workload, "workload"), config.content);
          } else if (config.content) {
            throw input_error(config.content->where,
                              fmt::format("content is of a file; '{}' is a shipped workload",
                                          config.workload.value));
          }
        }
        check_endpoints<rnic::RnicConfig>(platform, network, config.members, "a NIC (kind rnic)");
        // Several tables: each has random streams of its own.
        const std::size_t number = platform.traffic.size();
        std::vector<PlacedMessage> flows;
        check_at(section, "kind", [&] { flows = place_messages(platform, number, config); });
        demand.add(flows, section, section.has("duration") ? "duration" : "kind");
        dump.update(std::decay_t<decltype(config)>::schema().dump(config));
        platform.traffic.emplace_back(config);
      };
      if (kind == "flows") {
        add(section.read<FlowTraffic>({"kind"}));
      } else {
        add(section.read<IncastTraffic>({"kind"}));
      }
    } else if (kind == "flow_list") {
      auto config = section.read<FlowListTraffic>({"kind"});
      check_endpoints<rnic::RnicConfig>(platform, network, config.members, "a NIC (kind rnic)");
      if (config.to && *config.to <= config.from) {
        throw section.error("to", fmt::format("to = {} is not above from = {}", to_text(*config.to),
                                              to_text(config.from)));
      }
      take_content(find_file(config.file, "file"), config.content);
      config.placed = place_list(platform, platform.traffic.size(), config);
      demand.add(config.placed->messages, section, "file");
      dump.update(FlowListTraffic::schema().dump(config));
      platform.traffic.emplace_back(config);
    } else {
      throw section.error("kind", fmt::format("unknown kind '{}'{}", kind,
                                              suggestion(kind, {"messages", "packets", "collective",
                                                                "flows", "incast", "flow_list"})));
    }
    effective["traffic"].push_back(dump);
  }

  check_headers(platform, effective);
  platform.sweep = table("sweep").read<SweepConfig>();
  check_sweep(platform.sweep);
  effective["sweep"] = SweepConfig::schema().dump(platform.sweep);
  platform.size = table("size").read<SizeConfig>();
  for (std::size_t i = 0; i < platform.size.published.size(); ++i) {
    const auto& published = platform.size.published[i];
    const auto profile = platform.profiles.find(published.profile.value);
    if (profile == platform.profiles.end() ||
        !std::holds_alternative<TofinoProfile>(profile->second)) {
      throw input_error(published.profile.where, fmt::format("'{}' is no profile of a chip (kind "
                                                             "tofino)",
                                                             published.profile.value));
    }
  }
  platform.explain = table("explain").read<ExplainConfig>();
  for (auto& assumption : platform.about.assumptions) {
    assumption = with_values(assumption, effective, root.child("platform"));
  }
  return platform;
}

}  // namespace horae::platforms
