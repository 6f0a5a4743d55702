// [ns3_topology]: a network as topology.txt of ns-3's RDMA simulators lists it.
#include <fmt/format.h>

#include <charconv>
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

class Ns3File;

/// HPCC's simulation/scratch/third.cc reads it, and conweave-project/conweave-ns3 the same: the
/// numbers of nodes, switches and links; the switches; a line `src dst rate delay error_rate` for
/// each link, and nothing of what follows. Hosts are h<node>, switches s<node>; ports of a device
/// are in the order of its links.
struct Ns3TopologyConfig {
  Located<std::string> file;
  std::optional<Located<std::string>> content;
  Located<std::string> host;
  Located<std::string> sw;
  std::optional<std::string> note;
  std::shared_ptr<const Ns3File> listed;

  static const Schema<Ns3TopologyConfig>& schema();
  void check(const Section& table);
  void generate(NetworkBuilder& network, const Section& table) const;
};

const Schema<Ns3TopologyConfig>& Ns3TopologyConfig::schema() {
  using T = Ns3TopologyConfig;
  static const Schema<T> s =
      Schema<T>("ns3_topology",
                "A network from topology.txt of ns-3's RDMA simulators (HPCC, ConWeave): hosts "
                "h<node>, switches s<node>")
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
          .required("switch", &T::sw, {.doc = "profile of the switches"});
  return s;
}

/// As [[link]] has them.
constexpr BitRate slowest = 1_Gbps, fastest = 1600_Gbps;
constexpr Picoseconds shortest = 1_ns, longest = 1000_ms;

struct ListedLink {
  std::uint32_t line = 0;
  std::uint32_t from = 0, to = 0;
  LinkValues values;
};

class Ns3File {
 public:
  explicit Ns3File(const std::string& path)
      // The line of the switches is long in a large network.
      : path_(path), lines_(path, "a topology of ns-3", std::size_t{1} << 20) {
    if (!lines_.next())
      throw lines_.error_at(0, "an empty file; expected numbers of nodes, switches and links");
    const auto& words = lines_.words();
    if (words.size() != 3) {
      throw lines_.error(1, fmt::format("{} words; expected 3: the numbers of nodes, switches and "
                                        "links",
                                        words.size()));
    }
    const auto nodes = lines_.whole(words[0], "nodes", 1, most_nodes);
    const auto switches = lines_.whole(words[1], "switches", 0, nodes);
    const auto links = lines_.whole(words[2], "links", 0, most_links);
    const std::uint32_t announced = lines_.line();
    is_switch_.resize(nodes);
    linked_.resize(nodes);
    read_switches(switches);
    while (links_.size() < links) {
      if (!lines_.next()) {
        throw lines_.error_at(announced, fmt::format("{} links are announced; the file has {}",
                                                     links, links_.size()));
      }
      read_link();
    }
    for (std::size_t i = 0; i < nodes; ++i) {
      if (!linked_[i])
        throw lines_.error_at(announced, fmt::format("node {} has no link; expected one", i));
    }
    if (lines_.next()) surplus_ = lines_.line();
  }

  const std::vector<bool>& is_switch() const { return is_switch_; }
  const std::vector<ListedLink>& links() const { return links_; }
  /// First line that was not read, behind the links announced; 0: none.
  std::uint32_t surplus() const { return surplus_; }
  Location place(const ListedLink& link) const { return {path_, link.line, 1, {}}; }

 private:
  std::uint32_t node(const Word& word, std::string_view what) const {
    return static_cast<std::uint32_t>(lines_.whole(word, what, 0, is_switch_.size() - 1));
  }

  void read_switches(std::uint64_t count) {
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
        if (is_switch_[number])
          throw lines_.error(word.column, fmt::format("switch {} is named twice", number));
        is_switch_[number] = true;
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
    if (link.from == link.to) {
      throw lines_.error(words[1].column,
                         fmt::format("a link from {} to itself; expected another node", link.to));
    }
    link.values.rate = quantity<BitRate>(words[2], "rate", slowest, fastest);
    link.values.delay = quantity<Picoseconds>(words[3], "delay", shortest, longest);
    link.values.loss = share(words[4]);
    linked_[link.from] = linked_[link.to] = true;
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
  std::vector<bool> is_switch_, linked_;
  std::vector<ListedLink> links_;
  std::uint32_t surplus_ = 0;
};

void Ns3TopologyConfig::check(const Section& /*table*/) {
  const std::string path = find_file(file, "file");
  take_content(path, content);
  listed = std::make_shared<Ns3File>(path);
  note.reset();
  if (listed->surplus() == 0) return;
  note = fmt::format(
      "{}:{}: the {} links that the first line announces are read, and nothing from "
      "here on, as in ns-3",
      file.value, listed->surplus(), listed->links().size());
}

void Ns3TopologyConfig::generate(NetworkBuilder& network, const Section& /*table*/) const {
  std::vector<unsigned> devices(listed->is_switch().size());
  // End points first, as in all generated networks.
  for (const bool switches : {false, true}) {
    for (std::uint32_t i = 0; i < devices.size(); ++i) {
      if (listed->is_switch()[i] != switches) continue;
      devices[i] =
          network.add_device(fmt::format("{}{}", switches ? 's' : 'h', i), switches ? sw : host);
      if (!switches) network.number(devices[i], i);
    }
  }
  for (const ListedLink& link : listed->links())
    network.add_link(devices[link.from], devices[link.to], listed->place(link), link.values);
}

}  // namespace

TopologyKind ns3_topology() { return topology_kind<Ns3TopologyConfig>(); }

}  // namespace horae::fabric
