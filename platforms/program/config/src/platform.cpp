#include "horae/config/platform.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "horae/config/effective.hpp"
#include "horae/config/failures.hpp"
#include "horae/config/network_checks.hpp"
#include "horae/config/network_reader.hpp"
#include "horae/config/plugins.hpp"
#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/fabric/routes/path_table.hpp"
#include "horae/fabric/topology_kind.hpp"
#include "horae/params/document.hpp"
#include "horae/params/schema.hpp"
#include "horae/policy/balance/load_balancer.hpp"

namespace horae::config {
namespace {

using nlohmann::ordered_json;

/// Names that no profile can have.
std::vector<std::string> reserved_tables() {
  std::vector<std::string> names = {"plugins", "plugins_content", "platform", "sim", "link_default",
                                    "link",    "device"};
  for (const auto& kind : fabric::topology_kinds()) names.emplace_back(kind.name);
  for (const char* name :
       {"routing", "classes", "impairment", "impairment_group", "module", "host_memory", "event",
        "failures", "traffic", "sweep", "size", "explain"})
    names.emplace_back(name);
  return names;
}

/// Adds the networks that the document asks for, what is in effect of them, and their notes.
void generate_networks(const Section& root, NetworkReader& network, PlatformConfig& platform) {
  for (const auto& kind : fabric::topology_kinds()) {
    if (!root.has(kind.name)) continue;
    const auto generator = kind.read(root.child(kind.name));
    generator->generate(network);
    platform.effective[std::string(kind.name)] = generator->config();
    if (std::string note = generator->note(); !note.empty())
      platform.notes.push_back(std::move(note));
  }
}

/// Refuses features that would overwrite each other in the headers of packets.
void check_headers(const PlatformConfig& platform) {
  struct Use {
    const DeviceInstance& device;
    HeaderExtension header;
  };
  std::vector<Use> uses;  // of each feature the first, end points before switches
  const auto add = [&uses](const DeviceInstance& device, const std::vector<HeaderExtension>& all) {
    for (const auto& header : all) {
      const auto same = [&](const Use& use) { return use.header.feature == header.feature; };
      if (std::none_of(uses.begin(), uses.end(), same)) uses.push_back({device, header});
    }
  };
  for (const auto& device : platform.devices) {
    const auto* nic = std::get_if<rnic::RnicConfig>(&platform.profiles.at(device.profile));
    if (nic != nullptr) add(device, rnic::header_extensions(*nic));
  }
  for (const auto& device : platform.devices) {
    const Profile& profile = platform.profiles.at(device.profile);
    if (const auto* chip = std::get_if<TofinoProfile>(&profile))
      add(device, chip->program->header_extensions());
    const auto* plain = std::get_if<fabric::SwitchConfig>(&profile);
    if (plain == nullptr) continue;
    if (platform.routing.kind == RoutingConfig::Kind::ksp) add(device, {fabric::path_number});
    add(device, policy::find_load_balancer(plain->balance).headers);
  }
  for (const Use& a : uses) {
    for (const Use& b : uses) {
      if (&a >= &b) continue;
      const auto fields = header_conflict(a.header, b.header);
      if (!fields) continue;
      throw input_error(
          a.device.where,
          fmt::format("'{}' uses {}, and '{}' uses {} in the same header bits ({}); "
                      "expected one of the two",
                      a.device.name, a.header.feature, b.device.name, b.header.feature, *fields));
    }
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

/// Those that are drawn with regard to who sends to whom.
void impair_groups(PlatformConfig& platform, const Section& root) {
  if (!root.has("impairment_group")) return;
  auto& effective = platform.effective["impairment_group"] = ordered_json::array();
  for (const auto& section : root.children("impairment_group")) {
    const auto group = section.read<ImpairmentGroup>();
    check_group(group, section);
    impair_group(platform, group, effective.size(), section);
    effective.push_back(ImpairmentGroup::schema().dump(group));
  }
  check_telemetry(platform, root);  // of the links' rates
}

/// Whether the command line set anything of a table, or in tables of it.
bool is_overridden(const Section& table) {
  const auto keys = table.keys();
  return std::any_of(keys.begin(), keys.end(), [&](const std::string& key) {
    if (!table.where(key).override_key.empty()) return true;
    try {
      return is_overridden(table.child(key));
    } catch (const InputError&) {  // no table
    }
    try {
      const auto tables = table.children(key);
      return std::any_of(tables.begin(), tables.end(), is_overridden);
    } catch (const InputError&) {  // nor several
    }
    return false;
  });
}

/// An assumption with every {key} replaced by the value in effect. None where the command line has
/// left a key without one: then it is not of this platform any more.
std::optional<std::string> with_values(const std::string& text, const ordered_json& effective,
                                       const Section& root) {
  std::string out;
  for (std::size_t at = 0;;) {
    const std::size_t open = text.find('{', at);
    const std::size_t close = open == std::string::npos ? open : text.find('}', open);
    if (close == std::string::npos) return out + text.substr(at);
    const std::string key = text.substr(open + 1, close - open - 1);
    const ordered_json* value = find_value(effective, key);
    if (value == nullptr || value->is_structured()) {
      if (is_overridden(root)) return std::nullopt;
      throw root.child("platform")
          .error("assumptions", fmt::format("'{{{}}}' names no value of the platform", key));
    }
    out += text.substr(at, open - at) +
           (value->is_string() ? value->get<std::string>() : value->dump());
    at = close + 1;
  }
}

}  // namespace

bool PlatformConfig::has_sites() const {
  std::optional<unsigned> first;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const auto site = devices[i].site;
    if (topology.vertices()[i].node == fabric::Topology::no_node || !site) continue;
    if (first && *first != *site) return true;
    first = site;
  }
  return false;
}

PlatformConfig read_platform(const Document& document, const ReadTraffic& read_traffic) {
  const Section root = document.root();
  PlatformConfig platform;
  ordered_json& effective = platform.effective;
  effective = ordered_json::object();
  load_plugins(root, effective);  // before registries are first read

  const auto reserved = reserved_tables();
  for (const auto& key : root.keys()) {
    if (std::find(reserved.begin(), reserved.end(), key) != reserved.end()) continue;
    // Anything else is a profile; without a kind it is more likely a slip.
    auto candidates = reserved;
    for (const auto& other : root.keys()) {
      if (other != key) candidates.push_back(other);
    }
    const auto near = nearest_name(key, candidates);
    const auto not_profile = [&](const std::string& why) {
      return input_error(
          root.where(key),
          fmt::format("'{}' {}{}", key, why,
                      near.empty() ? std::string("; a platform has ") +
                                         fmt::format("{}", fmt::join(reserved, ", ")) +
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
  generate_networks(root, network, platform);
  effective["device"] = ordered_json::array();
  for (const auto& section : root.children("device")) {
    const auto spec = section.read<DeviceSpec>();
    for (const auto& name : spec.names) {
      const unsigned device = network.add_device(name.value, spec.profile, name.where);
      if (spec.site) network.place(device, *spec.site);
    }
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
  network.add_end_points();
  if (root.has("module")) {
    auto& modules = effective["module"] = ordered_json::array();
    for (const auto& section : root.children("module"))
      modules.push_back(network.add_module(section));
  }
  if (root.has("host_memory")) {
    auto& memories = effective["host_memory"] = ordered_json::array();
    for (const auto& section : root.children("host_memory"))
      memories.push_back(network.add_memory(section));
  }
  if (root.has("event")) {
    auto& events = effective["event"] = ordered_json::array();
    for (const auto& section : root.children("event")) events.push_back(network.add_event(section));
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
  if (root.has("classes")) {
    const auto classes = root.child("classes").read<ClassesConfig>();
    platform.codes = classes.codes(root.child("classes"));
    effective["classes"] = ClassesConfig::schema().dump(classes);
  }
  for (const auto& name : platform.sim.sample_devices) network.find(name);
  check_network(platform, root);

  effective["traffic"] = ordered_json::array();
  for (const auto& section : root.children("traffic"))
    effective["traffic"].push_back(read_traffic(platform, network, section));

  impair_groups(platform, root);
  std::stable_sort(platform.route_changes.begin(), platform.route_changes.end(),
                   [](const RouteChange& a, const RouteChange& b) { return a.at < b.at; });

  check_headers(platform);
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
  std::vector<std::string> assumptions;
  for (const auto& assumption : platform.about.assumptions) {
    if (auto text = with_values(assumption, effective, root)) assumptions.push_back(*text);
  }
  platform.about.assumptions = std::move(assumptions);
  return platform;
}

}  // namespace horae::config
