// horae config: the configuration in effect and its hash, which is that of the run; what other
// files hold is part of it; many points at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>

#include "program.hpp"
#include "sanitized.hpp"

namespace horae::test::config_test {
namespace {

std::string config_hash(const Workplace& place, const Words& more) {
  Words arguments = {"config", "p.toml", "--json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Ended ended = run(place, arguments);
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return ended.json().at("config_hash").get<std::string>();
}

std::vector<ordered_json> lines_of(const std::string& text) {
  std::vector<ordered_json> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(ordered_json::parse(line));
  return out;
}

TEST(Config, IsTheConfigurationOfTheRun) {
  const Workplace place;
  place.write("p.toml", tiny);
  const auto summary = summary_of(place, "p.toml", {"nic.mtu=4KiB"});
  const auto config = run(place, {"config", "p.toml", "--json", "--set", "nic.mtu=4KiB"}).json();
  EXPECT_EQ(config.at("config_hash"), summary.at("config_hash"));
  EXPECT_EQ(config.at("config"), summary.at("config"));
  EXPECT_EQ(config.at("version"), summary.at("version"));
  EXPECT_EQ(config.at("files"), ordered_json::object());
  EXPECT_NE(config_hash(place, {}), config.at("config_hash"));
}

TEST(Config, ShowsWhatAPlatformTakesOfMemory) {
  const Workplace place;
  place.write("p.toml", tiny);
  const Ended text = run(place, {"config", "p.toml", "--memory"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("bytes each"), std::string::npos);
  const Ended json = run(place, {"config", "p.toml", "--memory", "--json"});
  EXPECT_TRUE(json.out.starts_with("{\n \"")) << json.out;  // one space deeper for each level
  const auto table = json.json();
  std::map<std::string, std::int64_t> counts, bytes;
  for (const auto& part : table.at("parts")) {
    counts[part.at("what")] = part.at("count");
    bytes[part.at("what")] = part.at("bytes");
  }
  EXPECT_EQ(counts.at("links"), 2);
  EXPECT_GE(counts.at("NICs"), 2);
  EXPECT_GE(counts.at("connections"), 1);
  if (sanitized()) return;  // with an allocator of its own
  EXPECT_GT(bytes.at("NICs"), 1000 * counts.at("NICs"));
  const std::string many = HORAE_PLATFORM_DIR "/bench/race_1024.toml";
  const auto parts = run(place, {"config", many, "--memory", "--json"}).json().at("parts");
  for (const auto& part : parts) {
    // With few connections the memory that was set free before is enough.
    if (part.at("what") == "connections") {
      EXPECT_GT(part.at("bytes"), 1024 * 1000);
    }
  }
  std::int64_t sum = 0;
  for (const auto& [what, taken] : bytes) sum += taken;
  EXPECT_LT(sum, table.at("resident_bytes").get<std::int64_t>());
}

TEST(Config, MemoryIsOfOneRun) {
  const Workplace place;
  place.write("p.toml", tiny);
  place.write("points.jsonl", "{}\n");
  for (const Words& more : {Words{"--kind", "size"}, Words{"--points", "points.jsonl"}}) {
    Words words = {"config", "p.toml", "--memory"};
    words.insert(words.end(), more.begin(), more.end());
    const Ended ended = run(place, words);
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    EXPECT_NE(ended.err.find("--memory: expected"), std::string::npos) << ended.err;
  }
}

TEST(Config, OfASweepPointIsThatOfItsRun) {
  const Workplace place;
  place.write("p.toml",
              tiny + "[[sweep.point]]\nlabel = \"big\"\nset = [\"traffic[0].message=64KiB\"]\n");
  const auto summary = run(place, {"run", "p.toml", "--point", "big", "--json"}).json();
  EXPECT_EQ(config_hash(place, {"--point", "big"}), summary.at("config_hash"));
  EXPECT_EQ(config_hash(place, {"--set", "traffic[0].message=64KiB", "--set", "sweep.point=[]"}),
            summary.at("config_hash"));
}

TEST(Config, CountsWhatFilesHold) {
  const Workplace place;
  const std::string workload = R"(name = "mine"
description = "two sizes"
source = "a test"
[[point]]
size = 1000
probability = 0.0
[[point]]
size = 2000
probability = 1.0
)";
  const std::string flows =
      tiny.substr(0, tiny.find("[[traffic]]")) +
      "[[traffic]]\nkind = \"flows\"\nworkload = \"mine.toml\"\nduration = \"10 us\"\n";
  place.write("p.toml", flows);
  place.write("mine.toml", workload);
  const std::string before = config_hash(place, {});
  EXPECT_EQ(config_hash(place, {}), before);
  place.write("mine.toml", workload + "# what is read has changed\n");
  EXPECT_NE(config_hash(place, {}), before);
  // A file's name needs neither a dot nor a slash.
  place.write("p.toml", tiny.substr(0, tiny.find("[[traffic]]")) +
                            "[[traffic]]\nkind = \"flow_list\"\nfile = \"list\"\n");
  place.write("list", "start_ns,source,destination,bytes\n0,0,1,1000\n");
  const Ended ended = run(place, {"config", "p.toml", "--json"});
  EXPECT_TRUE(ended.json().at("files").contains("list")) << ended.out;
  const std::string plain = config_hash(place, {});
  place.write("list", "start_ns,source,destination,bytes\n0,0,1,2000\n");
  EXPECT_NE(config_hash(place, {}), plain);
}

TEST(Config, ManyPointsAreALineEachAndOneThatCannotBeReadStopsNoOther) {
  const Workplace place;
  place.write("p.toml", tiny);
  place.write("points.jsonl", R"({"nic.mtu": "4 KiB"}

{"nic.reliability.window": 0}
{"nic.mut": "4 KiB"}
{"traffic[0].depth": 2, "sim.sample_devices": ["a", "b"]}
{}
)");
  const Ended ended = run(place, {"config", "p.toml", "--points", "points.jsonl"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const auto lines = lines_of(ended.out);
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[0].at("config_hash"), config_hash(place, {"--set", "nic.mtu=4KiB"}));
  EXPECT_EQ(lines[1].at("exit"), 2);
  EXPECT_NE(lines[1].at("error").get<std::string>().find("below the minimum"), std::string::npos);
  EXPECT_NE(lines[2].at("error").get<std::string>().find("did you mean 'mtu'?"), std::string::npos);
  EXPECT_EQ(lines[3].at("config_hash"), config_hash(place, {"--set", "traffic[0].depth=2", "--set",
                                                            "sim.sample_devices=['a', 'b']"}));
  EXPECT_EQ(lines[4].at("config_hash"), config_hash(place, {}));
}

TEST(Config, RefusesInOneLine) {
  const Workplace place;
  place.write("p.toml", tiny);
  place.write("points.jsonl", "{}\n[1]\n");
  const std::vector<std::pair<Words, std::string>> cases = {
      {{"config", "p.toml", "--points", "points.jsonl"},
       "horae: points.jsonl:2:1: found '[1]', expected a JSON object of overrides, such as "
       "{\"nic.mtu\": \"4 KiB\"}\n"},
      {{"config", "p.toml", "--points", "none.jsonl"},
       "horae: --points none.jsonl: no such file\n"},
      {{"config", "p.toml", "--points", "."},
       "horae: --points .: found a folder, expected a file of a JSON object a line\n"},
      {{"config", "p.toml", "--kind", "sise"},
       "horae: --kind sise: no such kind of configuration, did you mean 'size'?\n"},
      {{"config", "p.toml", "--objects"}, "horae: --objects: expected with --kind size only\n"},
      {{"config", "p.toml", "--kind", "explain"},
       "horae: p.toml: no observations: expected [explain] observations = \"FILE\", or "
       "--observations FILE\n"},
  };
  for (const auto& [arguments, expected] : cases) {
    const Ended ended = run(place, arguments);
    EXPECT_EQ(ended.exit_code, 2) << expected;
    EXPECT_EQ(ended.out, "");
    EXPECT_EQ(ended.err, expected);
  }
}

}  // namespace
}  // namespace horae::test::config_test
