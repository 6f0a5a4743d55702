// [htsim_topology]: a fat tree as a .topo file of htsim describes it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "configured_topology.hpp"
#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/params/file_content.hpp"
#include "horae/params/shipped_file.hpp"
#include "horae/traffic/list_lines.hpp"

namespace horae::fabric {
namespace {

using traffic::ListLines;
using traffic::Word;

class TopoFile;

/// Broadcom/csg-htsim reads such files in FatTreeTopology::load and builds of them what
/// set_custom_params and init_network say (sim/datacenter/fat_tree_topology.cpp). Hosts are h0..,
/// switches tor<i>, agg<i>, core<i>, each numbered through; ports of a switch: those down first.
struct HtsimTopologyConfig {
  enum class SwitchValues { refuse, profile };
  Located<std::string> file;
  std::optional<Located<std::string>> content;
  SwitchValues switch_values = SwitchValues::refuse;
  Located<std::string> host;
  Located<std::string> tor;
  Located<std::string> aggregation;
  std::optional<Located<std::string>> core;
  std::optional<std::string> note;
  std::shared_ptr<const TopoFile> described;

  static const Schema<HtsimTopologyConfig>& schema();
  void check(const Section& table);
  void generate(NetworkBuilder& network, const Section& table) const;
};

const Schema<HtsimTopologyConfig>& HtsimTopologyConfig::schema() {
  using T = HtsimTopologyConfig;
  static const Schema<T> s =
      Schema<T>("htsim_topology",
                "A fat tree of two or three tiers from a .topo file of htsim: hosts h0.., tor0.., "
                "agg0.., core0..")
          .required("file", &T::file,
                    {.doc = "the description, beside this file; packed with gzip or zstd or not; "
                            "format: traces/README.md",
                     .source = "Broadcom/csg-htsim, sim/datacenter/topologies"})
          .field("content", &T::content,
                 {.doc = "a hash of its bytes, as the effective configuration has it; refused if "
                         "it is another"})
          .choice("switch_values", &T::switch_values,
                  {{"refuse", T::SwitchValues::refuse}, {"profile", T::SwitchValues::profile}},
                  {.doc = "of what the file says of switches and not of links (Switch_Latency_ns "
                          "above 0, Queue_Up, Queue_Down): refuse it, or take what the profiles "
                          "say in its place"})
          .field("note", &T::note,
                 {.doc = "what of the file is not read, as the effective configuration has it; a "
                         "run prints it. Found anew each time"})
          .required("host", &T::host, {.doc = "profile of the end points"})
          .required("tor", &T::tor, {.doc = "profile of the switches of tier 0"})
          .required("aggregation", &T::aggregation, {.doc = "profile of those of tier 1"})
          .field("core", &T::core, {.doc = "profile of those of tier 2; needed for three tiers"});
  return s;
}

/// A number of the file, and where it is.
struct Given {
  std::uint64_t value = 0;
  std::uint32_t line = 0;  ///< 0: not given
};

/// Properties of a tier's switches and of the links below them.
struct Tier {
  std::uint32_t line = 0;  ///< 0: not described
  Given speed, delay, radix_up, radix_down, oversubscribed, bundle;

  std::uint64_t bundle_size() const { return bundle.line == 0 ? 1 : bundle.value; }
  LinkValues link() const {
    return {.rate = BitRate(static_cast<std::int64_t>(speed.value) * 1'000'000'000),
            .delay = Picoseconds(static_cast<std::int64_t>(delay.value) * 1000)};
  }
};

constexpr std::uint64_t most_radix = 4096;
constexpr std::uint64_t most_gbps = 1600, longest_ns = 1'000'000'000;  // as [[link]] has them

class TopoFile {
 public:
  TopoFile(const std::string& path, bool profiles)
      : path_(path), profiles_(profiles), lines_(path, "a topology of htsim") {
    while (lines_.next()) read_line();
    if (lines_.line() == 0) throw lines_.error_at(0, "an empty file; expected 'Nodes N' first");
    check();
  }

  Given nodes, tiers, pod;
  std::array<Tier, 3> tier;
  // Derived numbers.
  std::uint64_t pods = 0, tors_of_pod = 0, aggs_of_pod = 0, cores = 0;

  Location place(const Given& given) const { return {path_, given.line, 1, {}}; }

 private:
  void read_line() {
    const auto& words = lines_.words();
    std::string key(words[0].text);
    std::transform(key.begin(), key.end(), key.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (words.size() < 2)
      throw lines_.error(words[0].column,
                         fmt::format("'{}' without its value", printable(words[0].text)));
    const Word value = words[1];
    if (key == "tier") {
      const auto number = lines_.whole(value, "Tier", 0, 2);
      current_ = &tier[number];
      if (current_->line != 0)
        throw lines_.error(1, fmt::format("tier {} is on line {} already", number, current_->line));
      current_->line = lines_.line();
      return;
    }
    struct Key {
      std::string_view name;
      Given* place;
      std::uint64_t least, most;
    };
    const std::vector<Key> keys =
        current_ == nullptr
            ? std::vector<Key>{{"Nodes", &nodes, 1, most_nodes},
                               {"Tiers", &tiers, 2, 3},
                               {"Podsize", &pod, 1, most_nodes}}
            : std::vector<Key>{{"Downlink_speed_Gbps", &current_->speed, 1, most_gbps},
                               {"Downlink_Latency_ns", &current_->delay, 1, longest_ns},
                               {"Radix_Up", &current_->radix_up, 1, most_radix},
                               {"Radix_Down", &current_->radix_down, 1, most_radix},
                               {"Oversubscribed", &current_->oversubscribed, 1, most_radix},
                               {"Bundle", &current_->bundle, 1, most_radix},
                               {"Switch_Latency_ns", nullptr, 0, longest_ns},
                               {"Queue_Up", nullptr, 1, UINT64_MAX},
                               {"Queue_Down", nullptr, 1, UINT64_MAX}};
    std::vector<std::string> names;
    for (const Key& known : keys) {
      names.emplace_back(known.name);
      if (!std::equal(known.name.begin(), known.name.end(), key.begin(), key.end(),
                      [](unsigned char a, unsigned char b) { return std::tolower(a) == b; }))
        continue;
      const auto number = lines_.whole(value, known.name, known.least, known.most);
      if (known.place == nullptr) return of_switch(known.name, number, value);
      if (known.place->line != 0) {
        throw lines_.error(
            1, fmt::format("{} is given on line {} already", known.name, known.place->line));
      }
      *known.place = {number, lines_.line()};
      return;
    }
    names.emplace_back("Tier");
    throw lines_.error(words[0].column, fmt::format("unknown word '{}'{}", printable(words[0].text),
                                                    suggestion(printable(words[0].text), names)));
  }

  void of_switch(std::string_view name, std::uint64_t number, const Word& value) const {
    if (profiles_ || number == 0) return;
    throw lines_.error(value.column,
                       fmt::format("{} {} is of the switches; expected it in their profile, and "
                                   "switch_values = \"profile\"",
                                   name, number));
  }

  void need(const Given& given, const char* name, std::uint32_t line) const {
    if (given.line == 0)
      throw lines_.error_at(line, fmt::format("no line '{} N'; expected one", name));
  }

  /// `a` is a multiple of `b`; the quotient.
  std::uint64_t divide(const Given& a, const char* what, const Given& b, const char* by,
                       std::uint64_t times = 1) const {
    if (a.value % (b.value * times) == 0) return a.value / (b.value * times);
    throw lines_.error_at(a.line, fmt::format("{} = {} is no multiple of {} = {} (line {})", what,
                                              a.value, by, b.value * times, b.line));
  }

  void equal(const Given& given, const char* what, std::uint64_t expected, const char* why) const {
    if (given.value == expected) return;
    throw lines_.error_at(
        given.line, fmt::format("{} = {}; expected {}, {}", what, given.value, expected, why));
  }

  /// Switches of the next tier, each with a bundle of links to a switch of tier `t`.
  std::uint64_t switches_above(unsigned t) const {
    const Given& up = tier[t].radix_up;
    const std::uint64_t bundle = tier[t + 1].bundle_size();
    if (up.value % bundle == 0) return up.value / bundle;
    throw lines_.error_at(
        up.line, fmt::format("Radix_Up = {} is no multiple of Bundle {} of tier {}", up.value,
                             bundle, t + 1));
  }

  void check_oversubscription(unsigned t) const {
    const Tier& low = tier[t];
    const std::uint64_t down = low.radix_down.value * low.speed.value;
    const std::uint64_t up = low.radix_up.value * tier[t + 1].speed.value;
    const std::uint64_t said = low.oversubscribed.line == 0 ? 1 : low.oversubscribed.value;
    if (up * said == down) return;
    const std::uint32_t line = low.oversubscribed.line == 0 ? low.line : low.oversubscribed.line;
    throw lines_.error_at(
        line,
        fmt::format("tier {} has {} Gbps down and {} Gbps up, and Oversubscribed {}; expected "
                    "that many times as much down as up",
                    t, down, up, said));
  }

  void check() {
    need(nodes, "Nodes", 0);
    need(tiers, "Tiers", 0);
    need(pod, "Podsize", 0);
    const auto count = static_cast<unsigned>(tiers.value);
    for (unsigned t = 0; t < count; ++t) {
      const Tier& one = tier[t];
      if (one.line == 0)
        throw lines_.error_at(tiers.line, fmt::format("{} tiers; no line 'Tier {}'", count, t));
      need(one.speed, "Downlink_speed_Gbps", one.line);
      need(one.delay, "Downlink_Latency_ns", one.line);
      need(one.radix_down, "Radix_Down", one.line);
      if (t + 1 < count) need(one.radix_up, "Radix_Up", one.line);
    }
    if (tier[0].bundle_size() != 1)
      throw lines_.error_at(tier[0].bundle.line,
                            "Bundle of tier 0; expected 1: a host has one link");
    pods = divide(nodes, "Nodes", pod, "Podsize");
    if (count == 2) equal(pod, "Podsize", nodes.value, "the Nodes of a network of two tiers");
    tors_of_pod = divide(pod, "Podsize", tier[0].radix_down, "Radix_Down of tier 0");
    aggs_of_pod = switches_above(0);
    equal(tier[1].radix_down, "Radix_Down of tier 1", tors_of_pod * tier[1].bundle_size(),
          "links to each switch of tier 0 in the pod");
    check_oversubscription(0);
    if (count == 2) return check_size(0);
    cores = aggs_of_pod * switches_above(1);
    equal(tier[2].radix_down, "Radix_Down of tier 2", pods * tier[2].bundle_size(),
          "links to one switch of tier 1 in each pod");
    check_oversubscription(1);
    check_size(switches_above(1) * tier[2].bundle_size());
  }

  /// `up`: links from a switch of tier 1.
  void check_size(std::uint64_t up) const {
    const std::uint64_t tors = pods * tors_of_pod, aggs = pods * aggs_of_pod;
    const std::uint64_t links =
        nodes.value + tors * aggs_of_pod * tier[1].bundle_size() + aggs * up;
    if (tors + aggs + cores > most_nodes || links > most_links) {
      throw lines_.error_at(tiers.line,
                            fmt::format("{} switches and {} links; expected at most {} and {}",
                                        tors + aggs + cores, links, most_nodes, most_links));
    }
  }

  std::string path_;
  bool profiles_;
  ListLines lines_;
  Tier* current_ = nullptr;
};

void HtsimTopologyConfig::check(const Section& /*table*/) {
  const std::string path = find_file(file, "file");
  take_content(path, content);
  described = std::make_shared<TopoFile>(path, switch_values == SwitchValues::profile);
  note.reset();
  if (described->tiers.value == 3 || described->tier[2].line == 0) return;
  note = fmt::format("{}:{}: what is said of tier 2 is not used: Tiers is 2 (line {})", file.value,
                     described->tier[2].line, described->tiers.line);
}

void HtsimTopologyConfig::generate(NetworkBuilder& network, const Section& table) const {
  const TopoFile& topo = *described;
  const bool cores = topo.tiers.value == 3;
  if (cores && !core)
    throw table.error("file",
                      fmt::format("{} has three tiers; expected a profile 'core' too", file.value));
  const auto add = [&](const char* name, std::uint64_t count, const Located<std::string>& profile) {
    std::vector<unsigned> all;
    for (std::uint64_t i = 0; i < count; ++i)
      all.push_back(network.add_device(fmt::format("{}{}", name, i), profile));
    return all;
  };
  const auto hosts = add("h", topo.nodes.value, host);
  const auto tors = add("tor", topo.pods * topo.tors_of_pod, tor);
  const auto aggs = add("agg", topo.pods * topo.aggs_of_pod, aggregation);
  const auto tops = cores ? add("core", topo.cores, *core) : std::vector<unsigned>();
  const auto& tier = topo.tier;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    network.add_link(hosts[i], tors[i / tier[0].radix_down.value], topo.place(tier[0].speed),
                     tier[0].link());
  }
  for (std::size_t i = 0; i < tors.size(); ++i) {
    const std::size_t first = i / topo.tors_of_pod * topo.aggs_of_pod;
    for (std::size_t j = 0; j < topo.aggs_of_pod; ++j) {
      for (std::uint64_t b = 0; b < tier[1].bundle_size(); ++b)
        network.add_link(tors[i], aggs[first + j], topo.place(tier[1].speed), tier[1].link());
    }
  }
  if (!cores) return;
  // Switch i of a pod has the cores i, i + the switches of a pod, and so on.
  for (std::size_t i = 0; i < aggs.size(); ++i) {
    for (std::size_t c = i % topo.aggs_of_pod; c < tops.size(); c += topo.aggs_of_pod) {
      for (std::uint64_t b = 0; b < tier[2].bundle_size(); ++b)
        network.add_link(aggs[i], tops[c], topo.place(tier[2].speed), tier[2].link());
    }
  }
}

}  // namespace

TopologyKind htsim_topology() { return topology_kind<HtsimTopologyConfig>(); }

}  // namespace horae::fabric
