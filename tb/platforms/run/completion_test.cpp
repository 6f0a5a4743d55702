// Help with examples that can be typed, and completion as a shell asks for it.
#include <gtest/gtest.h>

#include <sstream>

#include "horae/policy/catalogue.hpp"
#include "program.hpp"

namespace horae::test::completion_test {
namespace {

const Workplace& sources() {
  static const Workplace place;
  if (!place.has("platforms")) {
    std::filesystem::create_directory_symlink(HORAE_PLATFORM_DIR, place.path() / "platforms");
  }
  return place;
}

Words lines_of(const std::string& text) {
  Words lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// The commands that `horae --help` shows.
Words commands() {
  Words names;
  bool listed = false;
  for (const auto& line : lines_of(run(sources(), {"--help"}).out)) {
    if (listed && line.starts_with("  ") && line[2] != ' ')
      names.push_back(line.substr(2, line.find(' ', 2) - 2));
    if (line == "Subcommands:") listed = true;
  }
  return names;
}

/// Words of an example, a comment left out; quotes keep blanks together.
Words words_of(const std::string& text) {
  Words words(1);
  char quote = 0;
  for (const char c : text) {
    if (quote != 0 ? c == quote : c == '"' || c == '\'') {
      quote = quote != 0 ? '\0' : c;
    } else if (quote == 0 && c == '#') {
      break;
    } else if (quote == 0 && c == ' ') {
      if (!words.back().empty()) words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

Words complete(const std::string& line) {
  const Ended ended = run(sources(), {"complete", line});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  return lines_of(ended.out);
}

bool has(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

TEST(Help, IsACommandToo) {
  const Workplace place;
  EXPECT_EQ(run(place, {"help"}).out, run(place, {"--help"}).out);
  EXPECT_EQ(run(place, {"help", "size"}).out, run(place, {"size", "--help"}).out);
  EXPECT_EQ(run(place, {"help", "size"}).exit_code, 0);
}

TEST(Overrides, AKeySetTwiceIsSaid) {
  const Workplace place;
  const std::string file = HORAE_PLATFORM_DIR "/flow_list.toml";
  const Ended twice = run(place, {"config", file, "--set", "sim.seed=3", "--set", "sim.seed=4"});
  EXPECT_EQ(twice.exit_code, 0);
  EXPECT_EQ(twice.err, "horae: --set sim.seed: set twice; 4 holds, and not 3\n");
  EXPECT_NE(twice.out.find("sim.seed = 4\n"), std::string::npos);
  const Ended alike = run(place, {"config", file, "--set", "sim.seed=3", "--set", "sim.seed=3"});
  EXPECT_EQ(alike.err, "");
}

TEST(Help, EveryCommandHasExamplesThatAreAccepted) {
  const Words names = commands();
  for (const char* name : {"run", "size", "explain", "list", "completion"})
    EXPECT_TRUE(has(names, name)) << name;
  for (const auto& name : names) {
    int examples = 0;
    for (const auto& line : lines_of(run(sources(), {name, "--help"}).out)) {
      const std::size_t at = line.find("horae " + name + " ");
      if (at == std::string::npos || line.starts_with("Usage:")) continue;
      ++examples;
      std::string example = line.substr(at, line.find_first_of(")|", at) - at);
      Words words = words_of(example);
      words.erase(words.begin());
      for (const auto& word : words) {
        EXPECT_TRUE(!word.starts_with("platforms/") || sources().has(word)) << example;
      }
      // Everything is known but a word that is not: nothing runs.
      words.push_back("--no-such-flag");
      const Ended ended = run(sources(), words);
      EXPECT_EQ(ended.exit_code, 2) << example;
      EXPECT_TRUE(ended.err.starts_with("horae: unexpected argument '--no-such-flag'"))
          << example << ": " << ended.err;
    }
    EXPECT_GT(examples, 0) << name;
  }
}

TEST(Completion, CommandsFlagsAndNames) {
  EXPECT_EQ(complete("horae ru"), Words{"run"});
  const Words all = complete("horae ");
  EXPECT_TRUE(has(all, "run") && has(all, "completion"));
  EXPECT_FALSE(has(all, "complete"));
  EXPECT_EQ(complete("horae run --no"), Words{"--no-progress"});
  EXPECT_TRUE(has(complete("horae size --"), "--chip"));
  EXPECT_EQ(complete("horae list po"), Words{"policies"});
  EXPECT_EQ(complete("horae size --chip tofino"), (Words{"tofino1", "tofino2"}));
  EXPECT_EQ(complete("horae size --nic connectx"),
            (Words{"connectx5", "connectx6", "connectx7", "connectx8"}));
  EXPECT_EQ(complete("horae completion z"), Words{"zsh"});
  EXPECT_EQ(complete("horae explain platforms/cx7_spray.toml --reading nacks="),
            (Words{"nacks=both", "nacks=sender"}));
  EXPECT_TRUE(has(complete("horae run platforms/cx7_spray.toml --point "), "1/16"));
  // Nothing is known of what cannot be read, and nothing is said of it.
  EXPECT_EQ(complete("horae run no.toml --set "), Words{});
  EXPECT_EQ(complete("horae nonsense --x"), Words{});
}

TEST(Completion, Files) {
  const Workplace place;
  place.write("mine/own.toml", "");
  place.write("mine/other.txt", "");
  place.write("mine/inner/x", "");
  const auto ask = [&](const std::string& line) {
    return lines_of(run(place, {"complete", line}).out);
  };
  EXPECT_EQ(ask("horae run mi"), Words{"mine/"});
  EXPECT_EQ(ask("horae run mine/"), (Words{"mine/inner/", "mine/own.toml"}));
  EXPECT_EQ(ask("horae size --objects mine/o"), (Words{"mine/other.txt", "mine/own.toml"}));
  EXPECT_EQ(ask("horae run x.toml --out mine/"), Words{"mine/inner/"});
  EXPECT_EQ(ask("horae run x.toml --out=mine/i"), Words{"--out=mine/inner/"});
  EXPECT_TRUE(has(complete("horae run platforms/"), "platforms/cx7_spray.toml"));
}

TEST(Completion, KeysOfTheGivenPlatformAndTheirValues) {
  const std::string run_it = "horae run platforms/cx7_spray.toml --set ";
  EXPECT_TRUE(has(complete(run_it + "nic.mt"), "nic.mtu="));
  EXPECT_TRUE(has(complete(run_it + "traffic[0].q"), "traffic[0].qps="));
  EXPECT_TRUE(has(complete(run_it + "tor.program."), "tor.program.nack_drop="));
  EXPECT_EQ(complete(run_it + "sim.stop="), (Words{"sim.stop=duration", "sim.stop=finished"}));
  EXPECT_EQ(complete(run_it + "nic.mtu="), Words{"nic.mtu=1KiB"});
  EXPECT_EQ(complete("horae run platforms/cx7_spray.toml --set nic.mtu=2KiB --set nic.mtu="),
            Words{"nic.mtu=2KiB"});
  EXPECT_TRUE(has(complete(run_it + "nic.transport="), "nic.transport=go_back_n"));
  EXPECT_TRUE(has(complete(run_it + "tor.program.name="), "tor.program.name=forward"));
  EXPECT_TRUE(has(complete("horae size platforms/themis_tor.toml --most tor.program.qps"),
                  "tor.program.qps_per_nic"));
  EXPECT_TRUE(has(complete("horae size --nic connectx7 --set sram.to"), "sram.total="));
  // Names of policies, of every seam.
  for (const auto& seam : policy::policy_seams()) {
    const std::string device = seam.name == "balance" ? "path." : "nic.";
    const std::string key = device + std::string(seam.key);
    Words expected;
    for (const auto& p : seam.policies) {
      expected.push_back(key + "=" +
                         (seam.several ? fmt::format("[\"{}\"]", p.name) : std::string(p.name)));
    }
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(complete("horae run platforms/cx7_spray.toml --set " + key + "="), expected);
  }
  EXPECT_EQ(complete(run_it + "nic.nack_reaction=").size(), 1u);  // a time
  // Every key that is offered is one that can be set.
  int tried = 0;
  for (const auto& key : complete(run_it + "nic.reli")) {
    const Words values = complete(run_it + key);
    if (values.empty()) continue;
    ++tried;
    const Ended ended = run(
        sources(), {"run", "platforms/cx7_spray.toml", "--point", "?", "--set", values.front()});
    EXPECT_NE(ended.err.find("--point"), std::string::npos) << values.front() << ": " << ended.err;
  }
  EXPECT_GT(tried, 3);
}

/// Words that bash itself would offer for a line, with its own splitting into words.
Words bash(const std::string& line) {
  const std::string script = R"sh(
eval "$(horae completion bash)"
COMP_LINE=$1
COMP_POINT=${#1}
# As readline splits it: at blanks, and at = as words of their own.
COMP_WORDS=()
for word in $1; do
  while [[ $word == *=* ]]; do
    COMP_WORDS+=("${word%%=*}" "=")
    word=${word#*=}
  done
  COMP_WORDS+=("$word")
done
[[ $1 == *' ' ]] && COMP_WORDS+=("")
COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))
spec=$(complete -p horae)
[[ $spec == *"-F _horae"* ]] || exit 1
_horae
printf '%s\n' "${COMPREPLY[@]}"
)sh";
  const Workplace place;
  place.write("ask.sh", script);
  const auto folder = std::filesystem::path(program_path()).parent_path().string();
  const std::string command = "cd '" + sources().path().string() + "' && PATH='" + folder +
                              ":'$PATH bash --norc '" + (place.path() / "ask.sh").string() + "' '" +
                              line + "' > '" + (place.path() / "said").string() + "'";
  EXPECT_EQ(std::system(command.c_str()), 0);
  return lines_of(place.read("said"));
}

TEST(Completion, BashAsksAndGetsWhatFollowsItsLastWordBreak) {
  EXPECT_EQ(bash("horae exp"), Words{"explain"});
  EXPECT_EQ(bash("horae run platforms/cx7_sp"), Words{"platforms/cx7_spray.toml"});
  EXPECT_TRUE(has(bash("horae run platforms/cx7_spray.toml --set nic.mt"), "nic.mtu="));
  EXPECT_EQ(bash("horae run platforms/cx7_spray.toml --set sim.stop=f"), Words{"finished"});
  EXPECT_EQ(bash("horae run platforms/cx7_spray.toml --set=sim.stop=f"), Words{"finished"});
  EXPECT_EQ(bash("horae run platforms/cx7_spray.toml --set=sim.sto"), Words{"sim.stop="});
  // Quotes survive the shell.
  EXPECT_TRUE(has(bash("horae run platforms/cx7_spray.toml --set nic.retransmit.policies="),
                  R"(\[\"window_stall\"\])"));
}

TEST(Completion, UnknownShellsAreRefused) {
  const Ended ended = run(sources(), {"completion", "bsh"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(ended.err, "horae: completion: unknown shell 'bsh', did you mean 'bash'?\n");
  EXPECT_EQ(run(sources(), {"completion"}).err,
            "horae: missing argument: expected horae completion SHELL\n");
}

}  // namespace
}  // namespace horae::test::completion_test
