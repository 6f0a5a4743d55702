// Chip files: the shipped ones, one of a user's, and the one line in which a bad one is refused.
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "designs.hpp"
#include "horae/core/error.hpp"
#include "horae/dataplane/chip_spec.hpp"
#include "horae/dataplane/design/design_file.hpp"
#include "horae/dataplane/place/placement.hpp"
#include "horae/params/document.hpp"
#include "horae/params/section.hpp"

namespace horae::dataplane::chip_file_test {
namespace {

// The message of the InputError that `work` must end in.
template <class F>
std::string refusal(F&& work) {
  try {
    work();
  } catch (const InputError& e) {
    return e.what();
  }
  return "nothing was refused";
}

std::string chip_refused(const std::string& value) {
  const DesignFile file = read_design_file(
      Document::parse("chip = \"" + value + "\"\n[[hash]]\nname = \"a\"\n", "d.toml"));
  return refusal([&] { ChipSpec::find(file.cases[0].chip); });
}

TEST(ChipFile, NamesAndFiles) {
  EXPECT_EQ(chip_refused("tofino3"),
            "d.toml:1:8: chip = \"tofino3\" is none of tofino1, tofino2 and no .toml file, did "
            "you mean 'tofino1'?");
  EXPECT_EQ(chip_refused("trident"),
            "d.toml:1:8: chip = \"trident\" is none of tofino1, tofino2 and no .toml file; "
            "expected one of tofino1, tofino2");
  EXPECT_EQ(chip_refused("mine.toml"), "d.toml:1:8: chip = \"mine.toml\": no such file");
}

TEST(ChipFile, ShippedOnes) {
  EXPECT_EQ(ChipSpec::shipped(), (std::vector<std::string>{"tofino1", "tofino2"}));
  for (const auto& name : ChipSpec::shipped()) EXPECT_EQ(ChipSpec::find({name, {}}).name, name);
  const ChipSpec& one = shipped_chip("tofino1");
  const ChipSpec& two = shipped_chip("tofino2");
  EXPECT_EQ(one.stages, 12u);
  EXPECT_EQ(two.stages, 20u);
  EXPECT_EQ(one.stateful.most_data_blocks(), 35u);
  EXPECT_EQ(two.stateful.most_data_blocks(), 23u);
  EXPECT_EQ(two.block_bits(), 131072);
  EXPECT_EQ(two.capacity(Resource::map_ram), 48);
}

// A chip file as text, for edits: the lines of it are those in the messages below.
struct ChipText {
  std::string text = R"(name = "mine"
description = "small"
pipelines = 1
stages = 4
ports_per_pipeline = 8
mau_clock = "1 GHz"
[stage]
sram = 80
sram_words = 1024
sram_word_bits = 128
map_ram = 48
tcam = 24
tcam_entries = 512
tcam_bits = 44
stateful_alu = 4
statistics_alu = 4
gateway = 16
vliw = 32
logical_table = 16
hash_bits = 416
hash_dist = 6
hash_dist_bits = 16
exact_xbar = 128
ternary_xbar = 66
action_data_bus = 128
hash_functions = 8
ternary_tables = 8
[stateful]
rows = 8
rams_per_row = 6
reach_rows = 4
split_core = true
spare = 1
cell_bits = [8, 32]
index_bits = 23
[exact]
ways = 4
ghost_bits = 10
version_bits = 4
overhead_bits = 64
most_packed = 9
most_per_ram = 5
most_wide = 8
immediate_bits = 32
identity_extra_bits = 8
[gateway]
search_bytes = 4
hash_bits = 12
[latency]
match_dependent = 20
action_dependent = 2
concurrent = 2
stateful = 4
tcam = 2
turn = 0
match_dependent_half = false
crossbar_match_dependent = true
least_egress = 0
[traffic_manager]
cells = 1000
cell = "80 B"
queues_per_pipeline = 8
[mirror]
sessions = 16
most_header = "32 B"
buffer_cells = 0
[recirculation]
rate = "100 Gbps"
resubmit = "8 B"
)";

  ChipText& replace(const std::string& what, const std::string& with) {
    const auto at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    if (at != std::string::npos) text.replace(at, what.size(), with);
    return *this;
  }
  ChipSpec read() const { return ChipSpec::read(Document::parse(text, "mine.toml").root()); }
  std::string refused() const {
    return refusal([&] { read(); });
  }
};

TEST(ChipFile, AFileBesideTheObjectsFile) {
  const auto dir = std::filesystem::path(::testing::TempDir()) / "horae_chip_file";
  std::filesystem::create_directories(dir);
  ChipText mine;
  mine.replace("stateful_alu = 4", "stateful_alu = 2");
  std::ofstream(dir / "mine.toml") << mine.text;
  std::ofstream(dir / "d.toml") << "chip = \"mine.toml\"\n[[register]]\nname = \"r\"\n"
                                   "entries = 3\npieces = 3\n";
  const DesignFile file = read_design_file(Document::load((dir / "d.toml").string()));
  const ChipSpec chip = ChipSpec::find(file.cases[0].chip);
  EXPECT_EQ(chip.name, "mine");
  EXPECT_EQ(chip.capacity(Resource::stateful_alu), 2);
  EXPECT_EQ(place(file.cases[0].design, chip).stages_used(), 2u);
  EXPECT_EQ(place(file.cases[0].design, shipped_chip("tofino2")).stages_used(), 1u);
  std::filesystem::remove_all(dir);
}

TEST(ChipFile, EveryFieldIsNeeded) {
  EXPECT_EQ(ChipText().refused(), "nothing was refused");
  EXPECT_EQ(ChipText().replace("map_ram = 48\n", "").refused(),
            "mine.toml:7:1: missing key 'map_ram' in [stage]: map RAM blocks");
  EXPECT_EQ(ChipText().replace("tcam = 24", "tcan = 24").refused(),
            "mine.toml:12:1: unknown key 'tcan' in [stage], did you mean 'tcam'?");
  const ChipText whole;
  for (std::size_t at = 0; at < whole.text.size();) {
    const std::size_t length = whole.text.find('\n', at) + 1 - at;
    if (whole.text[at] != '[') {
      ChipText less = whole;
      less.text.erase(at, length);
      EXPECT_NE(less.refused().find(": missing key '"), std::string::npos)
          << whole.text.substr(at, length);
    }
    at += length;
  }
}

TEST(ChipFile, Contradictions) {
  EXPECT_EQ(ChipText().replace("sram_words = 1024", "sram_words = 1000").refused(),
            "mine.toml:9:14: sram_words = 1000 is no power of two, as 512 and 1024 are");
  EXPECT_EQ(ChipText().replace("sram_word_bits = 128", "sram_word_bits = 96").refused(),
            "mine.toml:10:18: sram_word_bits = 96 is no power of two, as 64 and 128 are");
  EXPECT_EQ(ChipText().replace("reach_rows = 4", "reach_rows = 9").refused(),
            "mine.toml:31:14: reach_rows = 9 is above rows = 8");
  EXPECT_EQ(ChipText().replace("reach_rows = 4", "reach_rows = 8").refused(),
            "nothing was refused");
  EXPECT_EQ(ChipText().replace("spare = 1", "spare = 24").refused(),
            "mine.toml:33:9: spare = 24 leaves no data block within reach");
  EXPECT_EQ(ChipText().replace("spare = 1", "spare = 23").refused(), "nothing was refused");
  EXPECT_EQ(ChipText().replace("map_ram = 48", "map_ram = 47").refused(),
            "mine.toml:30:16: 8 rows of 6 RAMs are more than the stage's 47 map RAMs");
  EXPECT_EQ(ChipText().replace("cell_bits = [8, 32]", "cell_bits = [8, 24]").refused(),
            "mine.toml:34:13: cell_bits: 24 is no power of two up to a word's 128 bits");
  EXPECT_EQ(ChipText().replace("cell_bits = [8, 32]", "cell_bits = [256]").refused(),
            "mine.toml:34:13: cell_bits: 256 is no power of two up to a word's 128 bits");
  EXPECT_EQ(ChipText().replace("cell_bits = [8, 32]", "cell_bits = []").refused(),
            "mine.toml:34:13: cell_bits is empty");
  EXPECT_EQ(ChipText().replace("stages = 4", "stages = 0").refused(),
            "mine.toml:4:10: stages = 0 is below the minimum 1");
  EXPECT_EQ(ChipText().replace("name = \"mine\"", "name = \"\"").refused(),
            "mine.toml:1:8: name is empty");
}

}  // namespace
}  // namespace horae::dataplane::chip_file_test
