// Themis' NACK filter written in P4, beside the one in C++.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "replay.hpp"

namespace horae::test::p4_themis_test {
namespace {

const std::string folder = HORAE_PLATFORM_DIR "/p4/themis/";

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The shipped platform with the program in C++ in place of the one in P4.
std::string with_cpp() {
  std::string text = text_of(folder + "themis.toml");
  const std::size_t from = text.find("[receiver_tor.program]"), to = text.find("[plain]");
  return text.replace(from, to - from,
                      "[receiver_tor.program]\nname = \"themis\"\nsource = false\n"
                      "lazy_dropping = false\nnics = 4\nqps_per_nic = 16\npipelines = 1\n"
                      "paths = 2\nwindow = 64\npieces = 1\n\n");
}

/// Verdicts of a replay: what became of each packet, and how many NACKs the program dropped.
struct Verdicts {
  std::map<std::pair<std::string, std::string>, std::string> of;  ///< packet and copy
  std::size_t dropped = 0;
};
Verdicts verdicts_in(const Workplace& place, const std::string& out) {
  Verdicts v;
  for (const Row& row : rows_of(place.read(out + "/packets.csv"))) {
    v.of[{row.at("packet"), row.at("copy")}] = row.at("verdict") + " " + row.at("out_port");
    v.dropped += row.at("verdict") == "sent" ? 0 : 1;
  }
  return v;
}

/// The low 64 bits of a cell: a number, or bytes, the lowest first.
std::uint64_t cell_of(const std::string& text) {
  if (!text.starts_with("0x")) return std::stoull(text);
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < 8 && 2 + 2 * i < text.size(); ++i)
    out |= std::stoull(text.substr(2 + 2 * i, 2), nullptr, 16) << 8 * i;
  return out;
}

/// Packet, register, index, cell before and after. In P4 PSNs lie in the upper bits of a cell, and
/// the array of paths is in eight pieces, of four cells here.
using Access = std::tuple<std::uint64_t, std::string, std::uint64_t, std::uint64_t, std::uint64_t>;
std::multiset<Access> accesses_in(const Workplace& place, const std::string& out, bool p4) {
  std::multiset<Access> all;
  for (const Row& row : rows_of(place.read(out + "/registers.csv"))) {
    std::string name = row.at("register").substr(row.at("register").rfind('.') + 1);
    std::uint64_t index = std::stoull(row.at("index"));
    if (name == "psn_max") {
      const std::string& full = row.at("register");
      index += 4 * static_cast<std::uint64_t>(full.at(full.rfind('.') - 1) - '0');
      name = "path_psn_max_array";
    }
    const bool psn = name == "epsn_array" || name == "path_psn_max_array";
    const unsigned up = p4 && psn ? 8 : 0;
    all.emplace(std::stoull(row.at("packet")), name, index, cell_of(row.at("before")) >> up,
                cell_of(row.at("after")) >> up);
  }
  return all;
}

TEST(P4Themis, DropsTheSameNacksAndHasTheSameRegisters) {
  Workplace place;
  place.write("cpp.toml", with_cpp());
  ASSERT_EQ(run(place, {"run", "cpp.toml", "--out", "seen", "--pcap", "last", "--pcap", "h2",
                        "--pcap", "h3"})
                .exit_code,
            0);
  const auto replay = [&](const std::string& platform, const std::string& registers,
                          const std::string& out, const Words& more) {
    Words words = {"replay",
                   "seen/ports/last_2.pcap@last",
                   "seen/ports/h2_0.pcap@h2",
                   "seen/ports/h3_0.pcap@h3",
                   "--filter",
                   "dst host 10.0.0.3 or dst host 10.0.0.4",
                   "--filter",
                   "src host 10.0.0.3",
                   "--filter",
                   "src host 10.0.0.4",
                   "--platform",
                   platform,
                   "--device",
                   "leaf1",
                   "--out",
                   out,
                   "--registers",
                   registers};
    words.insert(words.end(), more.begin(), more.end());
    const Ended ended = run(place, words);
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
  };
  replay("cpp.toml", "epsn_array,base_first_half,base_second_half,bitmap_array,path_psn_max_array",
         "cpp", {"--connections", "seen/ports/connections.csv"});
  std::string registers =
      "pipe.Out.epsn_array,pipe.Out.base_first_half,pipe.Out.base_second_half,"
      "pipe.Out.bitmap_array";
  for (int piece = 0; piece < 8; ++piece)
    registers += fmt::format(",pipe.Out.path{}.psn_max", piece);
  replay(folder + "themis.toml", registers, "p4", {});
  const Verdicts cpp = verdicts_in(place, "cpp"), p4 = verdicts_in(place, "p4");
  EXPECT_GT(cpp.dropped, 100u);
  EXPECT_LT(cpp.dropped, cpp.of.size() / 2) << "most packets are data";
  EXPECT_EQ(cpp.of, p4.of);
  const auto accesses = accesses_in(place, "cpp", false);
  EXPECT_GT(accesses.size(), 10'000u);
  EXPECT_TRUE(accesses == accesses_in(place, "p4", true));
}

}  // namespace
}  // namespace horae::test::p4_themis_test
