// Printed text of `horae run`: which results, what devices do without, what was written.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <sstream>
#include <string>

#include "run_parts.hpp"

namespace horae::test::run_text_test {
namespace {

const std::string flow_list = HORAE_PLATFORM_DIR "/flow_list.toml";

/// The lines of results by name: "12  messages" without the space before it. A name that stands
/// twice is a failure.
std::map<std::string, std::string> results_in(const std::string& text) {
  std::map<std::string, std::string> found;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string name, value;
    if (!line.starts_with("  ") || line.starts_with("  -") || line.starts_with("  (")) continue;
    words >> name >> value;
    EXPECT_TRUE(found.emplace(name, value).second) << name;
  }
  return found;
}

TEST(RunText, HasNoResultThatIsZeroOrNotMeasured) {
  const Workplace place;
  const Ended ended = run(place, {"run", flow_list});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const auto shown = results_in(ended.out);
  const ordered_json all = summary_of(place, flow_list).at("results");
  std::size_t left_out = 0;
  for (const auto& [name, r] : all.items()) {
    const bool dull = r.at("value").is_null() || r.at("value") == 0;
    if (dull) {
      EXPECT_FALSE(shown.contains(name)) << name;
    }
    left_out += shown.contains(name) ? 0 : 1;
  }
  EXPECT_EQ(shown.size() + left_out, all.size());
  EXPECT_EQ(shown.at("fct.completed"), "12");
  EXPECT_EQ(ended.out.find("nan"), std::string::npos);
  EXPECT_NE(ended.out.find("(" + std::to_string(left_out) + " more that are zero"),
            std::string::npos);
}

TEST(RunText, SaysARateAndACompletionTimeOnce) {
  const Workplace place;
  const auto shown = results_in(run(place, {"run", flow_list}).out);
  EXPECT_TRUE(shown.contains("senders.tx_rate"));
  EXPECT_FALSE(shown.contains("senders.tx_rate_l1"));
  EXPECT_FALSE(shown.contains("senders.tx_rate_l2"));
  EXPECT_TRUE(shown.contains("fct.mean"));
  EXPECT_FALSE(shown.contains("flows.fct_mean"));
}

// Messages of a platform without flows have no other line.
TEST(RunText, HasCompletionTimesOfMessages) {
  const Workplace place;
  place.write("p.toml", tiny);
  EXPECT_TRUE(results_in(run(place, {"run", "p.toml"}).out).contains("flows.fct_mean"));
}

TEST(RunText, HasEveryResultWithAll) {
  const Workplace place;
  const Ended ended = run(place, {"run", flow_list, "--all"});
  const auto shown = results_in(ended.out);
  const ordered_json all = summary_of(place, flow_list).at("results");
  for (const auto& [name, r] : all.items()) {
    ASSERT_TRUE(shown.contains(name)) << name;
    EXPECT_EQ(shown.at(name) == "-", r.at("value").is_null()) << name;
  }
  EXPECT_EQ(shown.size(), all.size());
  EXPECT_EQ(ended.out.find("nan"), std::string::npos);
  EXPECT_EQ(ended.out.find("--all"), std::string::npos);
}

TEST(RunText, SaysWhatDevicesDoWithout) {
  const Workplace place;
  const auto line = [&](const Words& settings) {
    const std::string text = run(place, with_settings({"run", flow_list}, settings)).out;
    const auto at = text.find("\nassumed: ");
    return at == std::string::npos ? "" : text.substr(at + 1, text.find('\n', at + 1) - at - 1);
  };
  EXPECT_EQ(line({}),
            "assumed: switches with unlimited buffers, no ECN, no PFC; NICs with no congestion "
            "control; NICs with no limit of packets per second");
  EXPECT_EQ(
      line({"nic.congestion.algorithm=dcqcn", "switch.queue_limit=1MB"}),
      "assumed: switches with no ECN, no PFC; dcqcn never acts, since no switch marks; NICs with "
      "no limit of packets per second");
  EXPECT_EQ(line({"nic.congestion.algorithm=dcqcn", "nic.congestion.nack_reaction=cnp",
                  "switch.queue_limit=1MB"}),
            "assumed: switches with no ECN, no PFC; NICs with no limit of packets per second");
  EXPECT_EQ(line({"nic.congestion.algorithm=dcqcn", "switch.buffer=1MB",
                  "switch.ecn={kmin=\"10KB\",kmax=\"20KB\",pmax=0.1}",
                  "switch.pfc={xoff=\"20KB\",xon=\"10KB\"}", "nic.engine.send=1ns"}),
            "");
}

TEST(RunText, NamesPortsWithoutThresholdsOfEcn) {
  const Workplace place;
  const auto says = [&](const Words& settings) {
    const std::string text = run(place, with_settings({"run", flow_list}, settings)).out;
    return text.find("no ECN thresholds for ports of 100 Gbps (switch)") != std::string::npos;
  };
  const std::string by_rate = ",by_rate=[{rate=\"400 Gbps\",kmin=\"40KB\",kmax=\"80KB\"}]}";
  EXPECT_TRUE(says({"switch.ecn={pmax=0.1" + by_rate}));
  EXPECT_FALSE(says({"switch.ecn={pmax=0.1,kmin=\"10KB\",kmax=\"20KB\"" + by_rate}));
  EXPECT_FALSE(says({}));
  EXPECT_FALSE(says({"switch.ecn={pmax=0.1" + by_rate, "link_default.rate=400 Gbps"}));
}

// Twice 2 ms of links and back: before the run, which goes on.
TEST(RunText, NamesATimeoutBelowTheIdleRoundTrip) {
  const Workplace place;
  const Words far = {"run",   flow_list,
                     "--set", "link_default.delay=1ms",
                     "--set", "nic.reliability.rto=3ms",
                     "--set", "sim.duration=1ms"};
  const Ended ended = run(place, far);
  EXPECT_NE(ended.err.find("horae: warning: "), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("nic.reliability.rto = "), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find(" is below the idle round trip from "), std::string::npos) << ended.err;
  EXPECT_EQ(run(place, {"run", flow_list}).err, "");
}

TEST(RunText, NamesTheProfilesWhereOnlySomeDoWithout) {
  const Workplace place;
  const Ended ended =
      run(place, {"run", HORAE_PLATFORM_DIR "/eunomia_clos.toml", "--set", "leaf.ecn.kmax=0B",
                  "--set", "leaf.ecn.kmin=0B", "--set", "sim.duration=1us", "--set",
                  "sim.warmup=0us", "--set", "traffic[0].duration=1us"});
  EXPECT_NE(ended.out.find("no ECN (leaf)"), std::string::npos) << ended.out << ended.err;
}

// Until its first line; minutes of elaboration would come behind it.
TEST(RunText, SaysThatALargeNetworkTakesAWhile) {
  const Workplace place;
  place.write("p.toml", R"([platform]
name = "large"
[end]
kind = "host"
[plain]
kind = "switch"
[leaf_spine]
leaves = 550
spines = 550
hosts_per_leaf = 1
host = "end"
leaf = "plain"
spine = "plain"
)");
  const std::string command = fmt::format(
      "cd '{}' && timeout 100 sh -c '\"{}\" run p.toml > out 2> err & run=$!; "
      "until test -s err; do sleep 0.02; done; kill -9 $run'",
      place.path().string(), program_path());
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(place.read("err"),
            "horae: a network of 1650 devices and 303050 links takes a while to build\n");
}

TEST(RunText, SaysWhatWasWrittenAndWhatOpensIt) {
  const Workplace place;
  place.write("p.toml", tiny);
  const std::string page = "\nresults in o; `scripts/report o -o report.html` makes a page of them";
  const Ended plain = run(place, {"run", "p.toml", "--out", "o"});
  EXPECT_TRUE(plain.out.ends_with(page + "\n")) << plain.out;
  EXPECT_EQ(plain.err, "");
  const Words views = {"run",     "p.toml",         "--out", "o",           "--trace",
                       "--waves", "--transactions", "--ftr", "--waterfall", "--pcap",
                       "a"};
  EXPECT_EQ(run(place, views).exit_code, 0);
  const Ended again = run(place, views);  // all of these files are a result's, and are replaced
  EXPECT_TRUE(again.out.ends_with(page + "; trace.json opens in ui.perfetto.dev"
                                         "; transactions.txlog opens in SCViewer"
                                         "; transactions.ftr opens in SCViewer"
                                         "; waves.vcd opens in GTKWave"
                                         "; ports/*.pcap open in Wireshark\n"))
      << again.out;
  EXPECT_EQ(run(place, {"run", "p.toml"}).out.find("results in"), std::string::npos);
}

TEST(RunText, SaysThatAnEarlierResultIsReplaced) {
  const Workplace place;
  place.write("p.toml", tiny);
  place.write("empty/x", "");
  std::filesystem::remove(place.path() / "empty/x");
  EXPECT_EQ(run(place, {"run", "p.toml", "--out", "empty"}).err, "");
  EXPECT_EQ(run(place, {"run", "p.toml", "--out", "empty", "--json"}).err,
            "horae: the earlier result in empty was replaced\n");
}

}  // namespace
}  // namespace horae::test::run_text_test
