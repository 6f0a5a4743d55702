// horae batch: command lines from standard input.
#include <gtest/gtest.h>

#include <sstream>

#include "program.hpp"

namespace horae::test::batch_test {
namespace {

const std::string platform = R"([platform]
name = "pair"
[sim]
duration = "20 us"
[nic]
kind = "rnic"
mtu = "1000 B"
[link_default]
rate = "100 Gbps"
delay = "1 us"
[[device]]
names = ["a", "b"]
profile = "nic"
[[link]]
between = ["a", "b"]
[[traffic]]
kind = "messages"
pattern = "pairs"
from = ["a"]
to = ["b"]
message = "4 KiB"
)";

/// The program with these lines as its standard input: how it ended, and the objects it printed.
struct Batch {
  Batch(const Workplace& place, const std::string& lines, const std::string& options = "") {
    place.write("lines", lines);
    const std::string command = fmt::format("cd {} && {} batch {} < lines > out 2> err",
                                            place.path().string(), program_path(), options);
    exit_code = WEXITSTATUS(std::system(command.c_str()));
    err = place.read("err");
    std::istringstream out(place.read("out"));
    for (std::string line; std::getline(out, line);) objects.push_back(ordered_json::parse(line));
  }

  int exit_code;
  std::string err;
  std::vector<ordered_json> objects;
};

TEST(Batch, EachLineIsWhatTheCommandLineWouldBe) {
  const Workplace place;
  place.write("p.toml", platform);
  const Words words = {"run", "p.toml", "--json", "--out"};
  const auto alone = [&](const char* out) {
    Words all = words;
    all.push_back(out);
    return run(place, all);
  };
  const Ended expected = alone("alone");
  const Batch batch(place,
                    "[\"run\", \"p.toml\", \"--json\", \"--out\", \"first\"]\n"
                    "[\"run\", \"nothing.toml\"]\n"
                    "[\"run\", \"p.toml\", \"--json\", \"--out\", \"second\"]\n");
  EXPECT_EQ(batch.exit_code, 0) << batch.err;
  ASSERT_EQ(batch.objects.size(), 3u);
  for (const std::size_t i : {0u, 2u}) {
    EXPECT_EQ(batch.objects[i]["exit"], 0);
    EXPECT_TRUE(batch.objects[i]["signal"].is_null());
    EXPECT_EQ(ordered_json::parse(batch.objects[i]["out"].get<std::string>())["results"],
              expected.json()["results"]);
  }
  for (const char* folder : {"first/", "second/"}) {
    EXPECT_EQ(place.read(std::string(folder) + "flows.csv"), place.read("alone/flows.csv"));
  }
  const Ended refused = run(place, {"run", "nothing.toml"});
  EXPECT_EQ(batch.objects[1]["exit"], refused.exit_code);
  EXPECT_EQ(batch.objects[1]["err"], refused.err);
  EXPECT_EQ(batch.objects[1]["out"], "");
}

TEST(Batch, ALineDoesNotReadTheNextLines) {
  const Workplace place;
  place.write("p.toml", platform);
  // Points from standard input, of which a line of a batch has none.
  const Batch batch(place,
                    "[\"config\", \"p.toml\", \"--points\", \"-\"]\n"
                    "[\"--version\"]\n");
  ASSERT_EQ(batch.objects.size(), 2u) << batch.err;
  EXPECT_EQ(batch.objects[0]["out"], "");
  EXPECT_EQ(batch.objects[1]["exit"], 0);
}

TEST(Batch, WhatTakesTooLongIsEndedAndTheNextLineRuns) {
  const Workplace place;
  std::string endless = platform;
  endless.replace(endless.find("20 us"), 5, "10 s");
  place.write("p.toml", endless);
  const Batch batch(place, "[\"run\", \"p.toml\", \"--no-progress\"]\n[\"--version\"]\n",
                    "--limit 1");
  ASSERT_EQ(batch.objects.size(), 2u) << batch.err;
  EXPECT_TRUE(batch.objects[0]["exit"].is_null());
  EXPECT_EQ(batch.objects[0]["signal"], SIGALRM);
  EXPECT_EQ(batch.objects[1]["exit"], 0);
  for (const auto& name : place.content()) EXPECT_EQ(name.find("summary"), std::string::npos);
}

TEST(Batch, WhatIsNoCommandLineIsRefusedAtItsLine) {
  for (const char* bad :
       {"run p.toml", "{\"run\": 1}", "[\"run\", 1]", "[\"run\", \"\\u0000\"]", "["}) {
    const Workplace place;
    const Batch batch(place, std::string("[\"--version\"]\n") + bad + "\n[\"--version\"]\n");
    EXPECT_EQ(batch.exit_code, 2);
    EXPECT_EQ(batch.objects.size(), 1u);
    EXPECT_EQ(batch.err.rfind("horae: standard input:2:1: expected the words of a command line", 0),
              0u)
        << batch.err;
  }
}

}  // namespace
}  // namespace horae::test::batch_test
