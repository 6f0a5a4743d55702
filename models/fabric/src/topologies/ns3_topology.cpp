// [ns3_topology]: a network as topology.txt of ns-3's RDMA simulators lists it, or a file of SimAI,
// which has NVSwitches too.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <ranges>
#include <set>
#include <string>
#include <string_view>
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

/// As [[link]] has them. NVLinks of a GPU are faster: NVLink 6 has 3.6 TB/s both ways together
/// (NVIDIA, Vera Rubin NVL72), of which a file may make one link.
constexpr BitRate slowest = 1_Gbps, fastest = 1600_Gbps, fastest_scale_up = 14'400_Gbps;
constexpr Picoseconds shortest = 1_ns, longest = 1000_ms;

class Ns3File;

/// A profile of some of the switches, in place of that of all.
struct SwitchesOfProfile {
  Located<std::string> profile;
  std::optional<std::vector<Located<std::string>>> names;
  std::optional<std::uint32_t> links;

  static const Schema<SwitchesOfProfile>& schema();
};

const Schema<SwitchesOfProfile>& SwitchesOfProfile::schema() {
  using T = SwitchesOfProfile;
  static const Schema<T> s =
      Schema<T>("switches", "Switches of the file that have a profile of their own.")
          .required("profile", &T::profile, {.doc = "profile of these switches"})
          .field("names", &T::names,
                 {.doc = "these switches: \"s20\", or \"s20-s23\" for all switches among these "
                         "nodes. They come before `links`"})
          .field("links", &T::links,
                 {.doc = "all switches of so many links; a link of a switch to itself counts twice",
                  .min = 1,
                  .max = 65535});
  return s;
}

/// HPCC's simulation/scratch/third.cc reads it, and conweave-project/conweave-ns3 the same: the
/// numbers of nodes, switches and links; the switches; a line `src dst rate delay error_rate` for
/// each link, and nothing of what follows. Hosts are h<node>, switches s<node>; ports of a device
/// are in the order of its links.
///
/// aliyun/SimAI (astra-sim-alibabacloud/astra-sim/network_frontend/ns3/common.h, and its generator
/// inputs/topo/gen_Topo_Template.py) has six words in the first line: nodes, GPUs per server,
/// NVSwitches, switches, links, type of GPU; and the NVSwitches before the switches. There a GPU
/// sends to those of its server by its NVLinks (RdmaHw of aliyun/ns-3-alibabacloud): NVLinks and
/// NVSwitches are a network of their own here, with ends g<node> and NVSwitches nv<node>.
struct Ns3TopologyConfig {
  Located<std::string> file;
  std::optional<Located<std::string>> content;
  Located<std::string> host;
  Located<std::string> sw;
  std::optional<Located<std::string>> forwarding;
  std::optional<BitRate> forwarding_rate;
  std::optional<Picoseconds> forwarding_delay;
  std::optional<Located<std::string>> scale_up_host, scale_up_switch;
  std::optional<std::vector<SwitchesOfProfile>> switches;
  std::optional<std::string> note;
  std::shared_ptr<const Ns3File> listed;
  std::vector<std::optional<std::uint32_t>> domains;  ///< scale-up domain by node
  std::vector<Located<std::string>> profiles;         ///< by node

  static const Schema<Ns3TopologyConfig>& schema();
  void check(const Section& table);
  void generate(NetworkBuilder& network, const Section& table) const;
};

const Schema<Ns3TopologyConfig>& Ns3TopologyConfig::schema() {
  using T = Ns3TopologyConfig;
  static const Schema<T> s =
      Schema<T>("ns3_topology",
                "A network from topology.txt of ns-3's RDMA simulators (HPCC, ConWeave, SimAI): "
                "hosts h<node>, switches s<node>; of SimAI ends g<node> of GPUs' NVLinks and "
                "NVSwitches nv<node>")
          .required("file", &T::file,
                    {.doc = "the list of nodes and links, beside this file; packed with gzip or "
                            "zstd or not; format: traces/README.md",
                     .source = "alibaba-edu/High-Precision-Congestion-Control, simulation/mix"})
          .field("content", &T::content,
                 {.doc = "a hash of its bytes, as the effective configuration has it; refused if "
                         "it is another"})
          .field("note", &T::note,
                 {.doc = "what of the file is not read, as the effective configuration has it; a "
                         "run prints it. Found anew each time"})
          .required("host", &T::host, {.doc = "profile of the nodes that are no switches"})
          .required("switch", &T::sw,
                    {.doc = "profile of the switches that no table `switches` names"})
          .field(
              "forwarding", &T::forwarding,
              {.doc = "hosts of several links forward, as in a torus or a BCube: profile of the "
                      "switch f<node> in each of them, which has its links and, by one more, its "
                      "NIC. Absent: they do not, and each link is a port of the NIC"})
          .field("forwarding_rate", &T::forwarding_rate,
                 {.doc = "rate of the link between such a host's switch and its NIC. Absent: that "
                         "of its links together",
                  .min = slowest,
                  .max = fastest_scale_up})
          .field("forwarding_delay", &T::forwarding_delay,
                 {.doc = "its delay. Absent: 1 ns",
                  .min = shortest,
                  .max = longest,
                  .source = "1 ns: the least that a link has; both are one chip, or one host"})
          .field("scale_up_host", &T::scale_up_host,
                 {.doc = "with NVSwitches: profile of the ends g<node> by which GPUs send to those "
                         "that share NVSwitches with them. A NIC with as many ports as a GPU has "
                         "NVLinks"})
          .field("scale_up_switch", &T::scale_up_switch, {.doc = "with NVSwitches: their profile"})
          .tables("switches", &T::switches, SwitchesOfProfile::schema());
  return s;
}

struct ListedLink {
  std::uint32_t line = 0;
  std::uint32_t from = 0, to = 0;
  LinkValues values;
  bool scale_up = false;  ///< at an NVSwitch
};

class Ns3File {
 public:
  explicit Ns3File(const std::string& path)
      // The line of the switches is long in a large network.
      : path_(path), lines_(path, "a topology of ns-3", std::size_t{1} << 20) {
    if (!lines_.next())
      throw lines_.error_at(0, "an empty file; expected numbers of nodes, switches and links");
    const auto& words = lines_.words();
    const bool simai = words.size() == 6;
    if (words.size() != 3 && !simai) {
      throw lines_.error(1, fmt::format("{} words; expected 3: the numbers of nodes, switches and "
                                        "links; or 6, as SimAI: nodes, GPUs per server, "
                                        "NVSwitches, switches, links and the type of GPU",
                                        words.size()));
    }
    const auto nodes = lines_.whole(words[0], "nodes", 1, most_nodes);
    // Who shares a domain is what the NVLinks say.
    if (simai) lines_.whole(words[1], "gpus_per_server", 1, nodes);
    const auto nvswitches = simai ? lines_.whole(words[2], "NVSwitches", 0, nodes) : 0;
    const auto switches = lines_.whole(words[simai ? 3 : 1], "switches", 0, nodes - nvswitches);
    const auto links = lines_.whole(words[simai ? 4 : 2], "links", 0, most_links);
    const std::uint32_t announced = lines_.line();
    is_switch_.resize(nodes);
    is_nvswitch_.resize(nodes);
    ends_.resize(nodes);
    scale_up_ends_.resize(nodes);
    rates_.resize(nodes);
    read_switches(nvswitches, switches);
    while (links_.size() < links) {
      if (!lines_.next()) {
        throw lines_.error_at(announced, fmt::format("{} links are announced; the file has {}",
                                                     links, links_.size()));
      }
      read_link();
    }
    for (std::size_t i = 0; i < nodes; ++i) {
      if (ends_[i] + scale_up_ends_[i] == 0)
        throw lines_.error_at(announced, fmt::format("node {} has no link; expected one", i));
      if (ends_[i] == 0 && !is_nvswitch_[i])
        throw lines_.error_at(
            announced,
            fmt::format("node {} has links to NVSwitches alone; expected one of its NIC", i));
    }
    if (lines_.next()) surplus_ = lines_.line();
  }

  const std::vector<bool>& is_switch() const { return is_switch_; }
  const std::vector<bool>& is_nvswitch() const { return is_nvswitch_; }
  /// The scale-up domain of each GPU and NVSwitch, its least node: all that NVLinks join.
  std::vector<std::optional<std::uint32_t>> domains() const {
    std::vector<std::uint32_t> least(is_switch_.size());
    std::iota(least.begin(), least.end(), 0u);
    const auto root = [&](std::uint32_t node) {
      while (least[node] != node) node = least[node] = least[least[node]];
      return node;
    };
    for (const ListedLink& link : links_) {
      if (!link.scale_up) continue;
      const auto [low, high] = std::minmax({root(link.from), root(link.to)});
      least[high] = low;
    }
    std::vector<std::optional<std::uint32_t>> out(least.size());
    for (std::uint32_t i = 0; i < least.size(); ++i) {
      if (scale_up_ends_[i] != 0) out[i] = root(i);
    }
    return out;
  }
  /// Whether it is a host that packets may pass through: of several links.
  bool forwards(std::uint32_t node) const {
    return !is_switch_[node] && !is_nvswitch_[node] && ends_[node] > 1;
  }
  /// The rate of all links of a node together, without NVLinks.
  BitRate rate(std::uint32_t node) const { return rates_[node]; }
  const std::vector<ListedLink>& links() const { return links_; }
  /// Ends of links at each node, without NVLinks: its ports.
  const std::vector<std::uint32_t>& ends() const { return ends_; }
  /// First line that was not read, behind the links announced; 0: none.
  std::uint32_t surplus() const { return surplus_; }
  Location place(const ListedLink& link) const { return {path_, link.line, 1, {}}; }

 private:
  std::uint32_t node(const Word& word, std::string_view what) const {
    return static_cast<std::uint32_t>(lines_.whole(word, what, 0, is_switch_.size() - 1));
  }

  void read_switches(std::uint64_t nvswitches, std::uint64_t switches) {
    const std::uint64_t count = nvswitches + switches;
    for (std::uint64_t read = 0; read < count;) {
      if (!lines_.next())
        throw lines_.error_at(
            1, fmt::format("{} switches are announced; the file names {}", count, read));
      for (const Word& word : lines_.words()) {
        if (read++ == count)
          throw lines_.error(word.column, fmt::format("more than the {} switches that are "
                                                      "announced; expected links on a line of "
                                                      "their own",
                                                      count));
        const std::uint32_t number = node(word, "switch");
        if (is_switch_[number] || is_nvswitch_[number])
          throw lines_.error(word.column, fmt::format("switch {} is named twice", number));
        (read <= nvswitches ? is_nvswitch_ : is_switch_)[number] = true;
      }
    }
  }

  void read_link() {
    const auto& words = lines_.words();
    if (words.size() != 5) {
      throw lines_.error(
          1, fmt::format("{} words; expected 5: src dst rate delay error_rate", words.size()));
    }
    ListedLink link;
    link.line = lines_.line();
    link.from = node(words[0], "src");
    link.to = node(words[1], "dst");
    // Two ports of a switch may be joined: no shortest path leads there, in ns-3 as here.
    if (is_nvswitch_[link.from] || is_nvswitch_[link.to]) {
      link.scale_up = true;
      const auto joins = [&](std::uint32_t end) { return !is_switch_[end]; };
      if (!joins(link.from) || !joins(link.to) || link.from == link.to)
        throw lines_.error(words[1].column,
                           fmt::format("a link from node {} to node {}, one of them an NVSwitch; "
                                       "expected a GPU or another NVSwitch at its other end",
                                       link.from, link.to));
    } else if (link.from == link.to && !is_switch_[link.to]) {
      throw lines_.error(words[1].column,
                         fmt::format("a link from host {} to itself; expected another node, or one "
                                     "of the switches",
                                     link.to));
    }
    link.values.rate =
        quantity<BitRate>(words[2], "rate", slowest, link.scale_up ? fastest_scale_up : fastest);
    link.values.delay = quantity<Picoseconds>(words[3], "delay", shortest, longest);
    link.values.loss = share(words[4]);
    auto& ends = link.scale_up ? scale_up_ends_ : ends_;
    for (const std::uint32_t end : {link.from, link.to}) {
      ++ends[end];
      if (!link.scale_up) rates_[end] = BitRate(rates_[end].count() + link.values.rate->count());
    }
    links_.push_back(link);
  }

  template <class Q>
  Q quantity(const Word& word, const char* what, Q least, Q most) const {
    const auto parsed = parse_quantity<Q>(word.text);
    if (parsed && *parsed.value >= least && *parsed.value <= most) return *parsed.value;
    throw lines_.error(word.column,
                       fmt::format("{} = '{}'; expected from {} to {}", what, printable(word.text),
                                   to_text(least), to_text(most)));
  }

  /// ns-3 loses received packets with this probability, each for itself, in either direction
  /// (RateErrorModel per packet).
  double share(const Word& word) const {
    double value = 0;
    const char* end = word.text.data() + word.text.size();
    const auto parsed = std::from_chars(word.text.data(), end, value);
    if (parsed.ec == std::errc() && parsed.ptr == end && value >= 0 && value <= 1) return value;
    throw lines_.error(word.column, fmt::format("error_rate = '{}'; expected a share of packets "
                                                "from 0 to 1",
                                                printable(word.text)));
  }

  std::string path_;
  ListLines lines_;
  std::vector<bool> is_switch_, is_nvswitch_;
  std::vector<std::uint32_t> ends_, scale_up_ends_;
  std::vector<BitRate> rates_;
  std::vector<ListedLink> links_;
  std::uint32_t surplus_ = 0;
};

/// Nodes "s20", or "s20-s23".
struct NodeRange {
  std::uint32_t first = 0, last = 0;
};

std::optional<std::uint32_t> switch_number(std::string_view text) {
  std::uint32_t number = 0;
  if (text.size() < 2 || text.front() != 's') return std::nullopt;
  const auto parsed = std::from_chars(text.data() + 1, text.data() + text.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

NodeRange node_range(const Located<std::string>& name, std::size_t nodes) {
  const std::string_view text = name.value;
  const std::size_t dash = text.find('-');
  const auto first = switch_number(text.substr(0, dash));
  const auto last = dash == text.npos ? first : switch_number(text.substr(dash + 1));
  if (first && last && *first <= *last && *last < nodes) return {*first, *last};
  throw input_error(name.where, fmt::format("'{}' names no switches; expected 's7', or 's7-s9', of "
                                            "the nodes 0 to {}",
                                            printable(text), nodes - 1));
}

/// Gives switches the profiles of their tables, those that are named first.
class ProfilesOfSwitches {
 public:
  ProfilesOfSwitches(const Ns3File& listed, const Section& table,
                     const std::vector<SwitchesOfProfile>& tables)
      : listed_(listed), of_(listed.is_switch().size()) {
    const auto sections = table.children("switches");
    for (std::size_t i = 0; i < tables.size(); ++i) {
      if (tables[i].names.has_value() == tables[i].links.has_value()) {
        throw sections[i].error("profile",
                                "switches with a profile; expected one of 'names' and 'links'");
      }
      if (!tables[i].names) continue;
      for (const auto& name : *tables[i].names) give(name, tables[i].profile);
    }
    std::set<std::uint32_t> given;
    for (std::size_t i = 0; i < tables.size(); ++i) {
      if (!tables[i].links) continue;
      if (!given.insert(*tables[i].links).second) {
        throw sections[i].error(
            "links", fmt::format("switches of {} links have two tables", *tables[i].links));
      }
      give_by_links(*tables[i].links, tables[i].profile, sections[i]);
    }
  }

  /// Null: that of all others.
  const Located<std::string>* of(std::uint32_t node) const { return of_[node]; }

 private:
  void give(const Located<std::string>& name, const Located<std::string>& profile) {
    const NodeRange range = node_range(name, of_.size());
    bool any = false;
    for (std::uint32_t node = range.first; node <= range.last; ++node) {
      if (!listed_.is_switch()[node]) continue;
      any = true;
      if (of_[node] != nullptr)
        throw input_error(name.where, fmt::format("switch s{} is named twice", node));
      of_[node] = &profile;
    }
    if (any) return;
    if (range.first == range.last && listed_.is_nvswitch()[range.first])
      throw input_error(name.where, fmt::format("node {} is an NVSwitch, which scale_up_switch is "
                                                "of; expected a switch",
                                                range.first));
    throw input_error(
        name.where,
        range.first == range.last
            ? fmt::format("node {} is a host; expected a switch", range.first)
            : fmt::format("nodes {} to {} are hosts; expected switches", range.first, range.last));
  }

  void give_by_links(std::uint32_t links, const Located<std::string>& profile,
                     const Section& section) {
    std::set<std::uint32_t> found;
    for (std::uint32_t node = 0; node < of_.size(); ++node) {
      if (!listed_.is_switch()[node]) continue;
      found.insert(listed_.ends()[node]);
      if (listed_.ends()[node] == links && of_[node] == nullptr) of_[node] = &profile;
    }
    if (found.contains(links)) return;
    throw section.error("links", fmt::format("no switch has {} links; they have {}", links,
                                             fmt::join(found, ", ")));
  }

  const Ns3File& listed_;
  std::vector<const Located<std::string>*> of_;
};

void Ns3TopologyConfig::check(const Section& table) {
  const std::string path = find_file(file, "file");
  take_content(path, content);
  listed = std::make_shared<Ns3File>(path);
  profiles.assign(listed->is_switch().size(), host);
  static const std::vector<SwitchesOfProfile> none;
  const ProfilesOfSwitches own(*listed, table, switches ? *switches : none);
  for (std::uint32_t i = 0; i < profiles.size(); ++i) {
    if (!listed->is_switch()[i]) continue;
    const Located<std::string>* given = own.of(i);
    profiles[i] = given != nullptr ? *given : sw;
  }
  domains = listed->domains();
  const bool nvswitches = std::ranges::count(listed->is_nvswitch(), true) != 0;
  for (const char* key : {"scale_up_host", "scale_up_switch"}) {
    if (table.has(key) == nvswitches) continue;
    throw table.error(
        nvswitches ? "file" : key,
        nvswitches ? fmt::format("NVSwitches in the file; expected '{}', the profile "
                                 "of {}",
                                 key,
                                 key == std::string_view("scale_up_host") ? "GPUs' ends of NVLinks"
                                                                          : "NVSwitches")
                   : fmt::format("{} without NVSwitches in the file", key));
  }
  const auto forwards = [this](std::uint32_t node) { return listed->forwards(node); };
  const auto numbers = std::views::iota(0u, static_cast<std::uint32_t>(profiles.size()));
  if (forwarding && std::ranges::none_of(numbers, forwards))
    throw table.error("forwarding", "forwarding with a file in which no host has several links");
  for (const char* key : {"forwarding_rate", "forwarding_delay"}) {
    if (table.has(key) && !forwarding)
      throw table.error(key, fmt::format("{} without 'forwarding'", key));
  }
  note.reset();
  if (listed->surplus() == 0) return;
  note = fmt::format(
      "{}:{}: the {} links that the first line announces are read, and nothing from "
      "here on, as in ns-3",
      file.value, listed->surplus(), listed->links().size());
}

void Ns3TopologyConfig::generate(NetworkBuilder& network, const Section& /*table*/) const {
  const std::size_t nodes = listed->is_switch().size();
  std::vector<unsigned> devices(nodes), scale_up(nodes);
  // End points first, as in all generated networks.
  for (const bool of_switches : {false, true}) {
    for (std::uint32_t i = 0; i < devices.size(); ++i) {
      if (listed->is_switch()[i] != of_switches || listed->is_nvswitch()[i]) continue;
      devices[i] = network.add_device(fmt::format("{}{}", of_switches ? 's' : 'h', i), profiles[i]);
      if (!of_switches) network.number(devices[i], i);
    }
  }
  for (const bool of_switches : {false, true}) {
    for (std::uint32_t i = 0; i < nodes; ++i) {
      if (!domains[i] || listed->is_nvswitch()[i] != of_switches) continue;
      scale_up[i] = network.add_device(fmt::format("{}{}", of_switches ? "nv" : "g", i),
                                       of_switches ? *scale_up_switch : *scale_up_host);
      if (!of_switches) network.scale_up(devices[i], scale_up[i], *domains[i]);
    }
  }
  // A host's links are those of its switch, if it forwards.
  std::vector<unsigned> joined = devices;
  for (std::uint32_t i = 0; i < nodes; ++i) {
    if (!listed->forwards(i) || !forwarding) continue;
    joined[i] = network.add_device(fmt::format("f{}", i), *forwarding);
    LinkValues own;
    own.rate = forwarding_rate.value_or(std::min(listed->rate(i), fastest_scale_up));
    own.delay = forwarding_delay.value_or(shortest);
    own.loss = 0;
    network.add_link(devices[i], joined[i], forwarding->where, own);
  }
  for (const ListedLink& link : listed->links()) {
    const auto& of = link.scale_up ? scale_up : joined;
    network.add_link(of[link.from], of[link.to], listed->place(link), link.values);
  }
}

}  // namespace

TopologyKind ns3_topology() { return topology_kind<Ns3TopologyConfig>(); }

}  // namespace horae::fabric
