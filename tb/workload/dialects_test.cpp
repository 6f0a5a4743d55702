// Files in the dialects that users bring: however one is written, it is read as the same; with a
// fault in one word it is read, or refused in one line at that word.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <regex>

#include "packed_bytes.hpp"
#include "placed.hpp"

namespace horae::test::dialects_test {
namespace {

/// A small file of a dialect, and a platform that reads it.
struct Dialect {
  std::string name;
  std::string text;
  std::string platform;  ///< FILE stands for its path
  bool comma = false;    ///< commas part its words, not blanks
  std::string comment = "# a remark";
};

const std::string profiles = R"([platform]
name = "dialects"
[sim]
duration = "20 ms"
[end]
kind = "rnic"
[plain]
kind = "switch"
[link_default]
rate = "100 Gbps"
delay = "1 us"
)";
const std::string one_batch = R"([[traffic]]
kind = "batch"
pattern = "pairs"
from = ["h0"]
to = ["h1"]
size = "1 KiB"
)";
const std::string star = R"([[device]]
names = ["h0", "h1", "h2", "h3"]
profile = "end"
[[device]]
names = ["s"]
profile = "plain"
[[link]]
between = ["h0", "s"]
[[link]]
between = ["h1", "s"]
[[link]]
between = ["h2", "s"]
[[link]]
between = ["h3", "s"]
)";
std::string list(const std::string& more = "") {
  return profiles + star + "[[traffic]]\nkind = \"flow_list\"\nfile = \"FILE\"\n" + more;
}

std::vector<Dialect> dialects() {
  return {
      {.name = "ns3.txt",
       .text = "6 2 5\n4 5\n0 4 100Gbps 1000ns 0.000000\n1 4 100Gbps 0.001ms 0\n"
               "2 5 25Gbps 1us 0.01\n3 5 25Gbps 1us 0\n4 5 400Gbps 2us 0\n",
       .platform = profiles +
                   "[ns3_topology]\nfile = \"FILE\"\nhost = \"end\"\nswitch = \"plain\"\n" +
                   one_batch},
      {.name = "topo",
       .text = "Nodes 8\nTiers 2\nPodsize 8\nTier 0\nDownlink_speed_Gbps 100\n"
               "Downlink_Latency_ns 1000\nRadix_Down 4\nRadix_Up 2\nOversubscribed 2\nTier 1\n"
               "Downlink_speed_Gbps 100\nDownlink_Latency_ns 1000\nRadix_Down 2\n",
       .platform = profiles +
                   "[htsim_topology]\nfile = \"FILE\"\nhost = \"end\"\ntor = \"plain\"\n"
                   "aggregation = \"plain\"\n" +
                   one_batch},
      {.name = "hpcc.txt",
       .text = "3\n0 1 3 100 5000 0.000001\n2 1 3 100 1 0.000002\n3 0 3 100 0 0.0005\n",
       .platform = list()},
      {.name = "conweave.txt",
       .text = "3\n0 1 3 5000 0.000001\n2 1 3 1 0.000002\n3 0 3 70000 1e-4\n",
       .platform = list()},
      {.name = "cm",
       .text =
           "Nodes 4\nConnections 3\nTriggers 1\n0->1 id 1 start 0 size 2000 send_done_trigger 1\n"
           "0->2 id 2 trigger 1 size 2000\n3->2 id 3 start 1000 size 900\ntrigger id 1 oneshot\n",
       .platform = list()},
      {.name = "csv",
       .text = "start_ns,source,destination,bytes\n0,0,1,5000\n20.5,h2,h1,1\n1e3,3,0,70000\n",
       .platform = list(),
       .comma = true},
      {.name = "goal",
       .text = "num_ranks 2\nrank 0 {\nl1: calc 100 cpu 0\nl2: send 4096b to 1 tag 7 cpu 0 nic 0\n"
               "l2 requires l1\n}\nrank 1 {\nl1: recv 4096b from 0 tag 7\n}\n",
       .platform = profiles + star + "[[traffic]]\nkind = \"goal\"\nfile = \"FILE\"\n",
       .comment = "// a remark"}};
}

/// A folder of its own for each test, gone with it.
class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "horae.XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  /// A file in words that are the same for files that say the same; or why it is
  /// refused, in a line that begins with "FILE:".
  std::string read(const Dialect& dialect, const std::string& bytes) const {
    const std::string file = (path_ / ("list." + dialect.name)).string();
    std::ofstream(file, std::ios::binary) << bytes;
    std::string text = dialect.platform;
    text.replace(text.find("FILE"), 4, file);
    try {
      const auto platform = workload::read_platform(Document::parse(text, "p.toml", {}));
      std::string said;
      for (const auto& device : platform.devices) said += device.name + " ";
      for (std::size_t i = 0; i < platform.links.size(); ++i) {
        const auto& edge = platform.topology.edges()[i];
        const auto& link = platform.links[i].config;
        said += fmt::format("{}-{} {} {} {}; ", edge.a, edge.b, link.rate.count(),
                            link.delay.count(), link.loss);
      }
      for (const workload::Flow& f : flows_of(platform))
        said += fmt::format("{}>{} {} {}; ", f.from, f.to, f.start.count(), f.message.count());
      return said;
    } catch (const InputError& e) {
      std::string why = e.what();
      if (why.starts_with(file)) why.replace(0, file.size(), "FILE");
      return why;
    }
  }

 private:
  std::filesystem::path path_;
};

bool refused(const std::string& said) { return said.starts_with("FILE:"); }

/// A word of a text and where it stands.
struct Word {
  std::size_t at, length;
  int line, column;  ///< from 1
};

std::vector<Word> words_of(const std::string& text, bool comma) {
  std::vector<Word> words;
  int line = 1, column = 1;
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i, ++column) {
    const bool parts = text[i] == '\n' || text[i] == ' ' || (comma && text[i] == ',');
    if (!parts && !inside) words.push_back({i, 0, line, column});
    inside = !parts;
    if (inside) ++words.back().length;
    if (text[i] == '\n') ++line, column = 0;
  }
  return words;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

std::string packed(const std::string& text,
                   std::vector<std::uint8_t> (*by)(const std::vector<std::uint8_t>&)) {
  const auto bytes = by({text.begin(), text.end()});
  return {bytes.begin(), bytes.end()};
}

TEST(Dialects, OneFileWrittenInManyWaysSaysTheSame) {
  const Folder folder;
  for (const Dialect& d : dialects()) {
    const std::string said = folder.read(d, d.text);
    ASSERT_FALSE(refused(said)) << d.name << ": " << said;
    const std::string between = d.comma ? "," : " ";
    const std::vector<std::pair<std::string, std::string>> ways = {
        {"carriage returns", replaced(d.text, "\n", "\r\n")},
        {"tabs", replaced(d.text, between, d.comma ? "\t,\t" : "\t")},
        {"several blanks", replaced(d.text, between, d.comma ? " , " : "   ")},
        {"blanks at ends", replaced(d.text, "\n", "  \n")},
        {"no end of line", d.text.substr(0, d.text.size() - 1)},
        {"empty lines", replaced(d.text, "\n", "\n\n")},
        {"empty lines at the end", d.text + "\n \n"},
        {"remarks", replaced(d.text, "\n", "\n" + d.comment + "\n")},
        {"gzip", packed(d.text, horae::testing::gzip_of)},
        {"zstd", packed(d.text, horae::testing::zstd_of)}};
    for (const auto& [way, text] : ways)
      EXPECT_EQ(folder.read(d, text), said) << d.name << ": " << way;
  }
}

TEST(Dialects, AStrangeWordIsReadOrRefusedWhereItStands) {
  const Folder folder;
  int files = 0;
  for (const Dialect& d : dialects()) {
    int said_of = 0;
    const auto words = words_of(d.text, d.comma);
    for (const Word& w : words) {
      std::string text = d.text;
      text.replace(w.at, w.length, "bogus");
      const std::string said = folder.read(d, text);
      ++files;
      if (!refused(said)) continue;
      ++said_of;
      // A strange word where an operation is expected may be a label: what follows is no more.
      const bool label = d.name == "goal" && w.column == 1;
      EXPECT_TRUE(said.starts_with(label ? fmt::format("FILE:{}:", w.line)
                                         : fmt::format("FILE:{}:{}: ", w.line, w.column)))
          << d.name << " line " << w.line << " column " << w.column << ": " << said;
      EXPECT_NE(said.find("bogus"), std::string::npos) << d.name << ": " << said;
      EXPECT_EQ(said.find('\n'), std::string::npos) << said;
    }
    EXPECT_GE(said_of, static_cast<int>(words.size()) * 2 / 3) << d.name;
  }
  EXPECT_GE(files, 150);
}

// A word less or more, a number that is negative or huge: a place in the file, in one line.
TEST(Dialects, WhatIsMissingOrOutOfRangeHasItsPlace) {
  const Folder folder;
  int files = 0;
  const std::regex place("FILE:[0-9]+:[0-9]+: [^\n]+");
  for (const Dialect& d : dialects()) {
    for (const Word& w : words_of(d.text, d.comma)) {
      const std::string word = d.text.substr(w.at, w.length);
      for (const std::string& instead : {std::string(), word + (d.comma ? "," : " ") + word,
                                         std::string("-1"), std::string("99999999999999999999")}) {
        std::string text = d.text;
        text.replace(w.at, w.length, instead);
        const std::string said = folder.read(d, text);
        ++files;
        const bool whole = !said.starts_with("FILE");
        if (whole) {
          EXPECT_FALSE(said.starts_with("p.toml")) << d.name << " '" << instead << "': " << said;
        } else {
          EXPECT_TRUE(std::regex_match(said, place)) << d.name << " '" << instead << "': " << said;
        }
      }
    }
  }
  EXPECT_GE(files, 600);
}

}  // namespace
}  // namespace horae::test::dialects_test
