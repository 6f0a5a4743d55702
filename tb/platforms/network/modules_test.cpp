// [[module]]: SystemC modules on links of a platform.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "csv.hpp"
#include "views.hpp"

namespace horae::test::modules_test {
namespace {

std::string module_on(const std::string& name, const std::string& kind, const std::string& between,
                      const std::string& more = "") {
  return "[[module]]\nname = \"" + name + "\"\nkind = \"" + kind + "\"\nbetween = [" + between +
         "]\n" + more + "\n";
}

struct Outcome {
  ordered_json summary;
  std::string flows;
};

Outcome outcome_of(const std::string& platform, const Words& settings = {}, int exit_code = 0,
                   const Words& more = {}) {
  const Workplace place;
  place.write("p.toml", platform);
  Words words = with_settings({"run", "p.toml", "--json", "--out", "o"}, settings);
  words.insert(words.end(), more.begin(), more.end());
  const Ended ended = run(place, words);
  EXPECT_EQ(ended.exit_code, exit_code) << ended.err;
  return {place.read_json("o/summary.json"), place.read("o/flows.csv")};
}

/// Results of a run, but for counters of modules.
ordered_json found_in(const ordered_json& summary) {
  ordered_json found = {{"packets", summary.at("packets")}, {"results", ordered_json::object()}};
  for (const auto& [name, value] : summary.at("results").items())
    if (!name.starts_with("m")) found["results"][name] = value;
  return found;
}

double value_of(const ordered_json& summary, const std::string& name) {
  return summary.at("results").at(name).at("value");
}

TEST(Modules, OneThatTakesNoTimeChangesNothing) {
  // PFC, and losses, an outage and bit errors of the links that the modules are on.
  const std::string faults =
      "[[impairment]]\nbetween = [\"s\", \"c\"]\nloss = 0.02\nbit_errors = 0.01\n"
      "[[impairment]]\nbetween = [\"a\", \"s\"]\noutage = [{ from = \"8 us\", to = \"12 us\" }]\n";
  const std::string modules =
      module_on("m0", "delay", R"("s", "a")") + module_on("m1", "delay", R"("s", "c")", "link = 0");
  const Words settings = {"nic.reliability.rto=20us", "sim.duration=2ms"};
  const Outcome without = outcome_of(paused + faults, settings);
  const Outcome with = outcome_of(paused + faults + modules, settings);
  EXPECT_EQ(found_in(with.summary), found_in(without.summary));
  EXPECT_EQ(with.flows, without.flows);
  // Not because nothing happened.
  EXPECT_GT(with.summary.at("packets").at("dropped").at("link_loss"), 3);
  EXPECT_GT(with.summary.at("packets").at("dropped").at("link_down"), 3);
  EXPECT_GT(value_of(with.summary, "m0.from_s.pauses"), 1);
  EXPECT_GT(value_of(with.summary, "m1.from_s.packets"), 500);
  EXPECT_FALSE(with.summary.at("packets").at("dropped").contains("module"));
  EXPECT_FALSE(without.summary.at("config").contains("module"));
  EXPECT_EQ(with.summary.at("statistics").at("m1").at("from_c").at("packets").at("value"),
            value_of(with.summary, "m1.from_c.packets"));
}

TEST(Modules, ALatencyIsInEveryCompletionTwice) {
  const std::string base = eight_nics("2 ms",
                                      "kind = \"messages\"\nfrom = [\"h0\"]\nto = [\"h1\"]\n"
                                      "message = \"1000 B\"\ncount = 1\n");
  const auto completed = [](const Outcome& o) {
    return std::stod(rows_of(o.flows).at(0).at("last_completion_us"));
  };
  const double before = completed(outcome_of(base));
  const double after = completed(
      outcome_of(base + module_on("m", "delay", R"("leaf0", "h0")", "latency = \"1234567 ps\"")));
  EXPECT_NEAR(after - before, 2 * 1.234567, 1e-9);
}

TEST(Modules, HowDevicesAreRunDoesNotShow) {
  const std::string platform =
      sprayed +
      module_on("m0", "delay", R"("s0", "t")", "jitter = \"700 ns\"\nkeep_order = false") +
      module_on("m1", "burst_loss", R"("u", "s1")", "enter = 0.05\nleave = 0.5");
  const auto run_as = [&](const std::string& setting) {
    Outcome o = outcome_of(platform, {setting});
    for (const char* key : {"wall_s", "config", "config_hash"}) o.summary.erase(key);
    return o;
  };
  const Outcome windows = run_as("sim.scheduling=windowed");
  for (const char* other : {"sim.scheduling=exact_wake", "sim.window=7001ps"}) {
    const Outcome o = run_as(other);
    EXPECT_EQ(o.summary, windows.summary) << other;
    EXPECT_EQ(o.flows, windows.flows) << other;
  }
  EXPECT_EQ(windows.summary.at("verdict"), "complete");
  EXPECT_GT(value_of(windows.summary, "m0.overtook"), 10);
  EXPECT_GT(windows.summary.at("packets").at("dropped").at("module"), 5);
}

TEST(Modules, ViewsShowWhatTheyDrop) {
  const std::string platform =
      sprayed + module_on("m", "burst_loss", R"("u", "s1")", "enter = 0.1\nleave = 0.5");
  const Workplace place;
  place.write("p.toml", platform);
  const ordered_json summary =
      run_viewed(place, "p.toml", {"--trace", "--waves", "--pcap", "t,c:0"}).json();
  const ReadTrace trace(place.read_json("o/trace.json"));
  EXPECT_EQ(trace.broken, Words{});
  std::size_t dropped = 0;
  for (const auto& [cause, n] : summary.at("packets").at("dropped").items())
    dropped += n.get<std::size_t>();
  EXPECT_GT(summary.at("packets").at("dropped").at("module"), 5);
  EXPECT_EQ(trace.all("drop").size(), dropped);
}

TEST(Modules, AreInStuckDetection) {
  // Nothing comes through, now or later.
  const Words short_timeout = {"sim.stop=finished", "traffic[0].count=20", "sim.duration=100s",
                               "nic.reliability.rto=5ms"};
  const Outcome hole = outcome_of(
      tiny + module_on("m", "burst_loss", R"("t", "b")", "enter = 1\nleave = 0"), short_timeout, 4);
  EXPECT_EQ(hole.summary.at("verdict"), "stuck");
  EXPECT_LT(hole.summary.at("sim_time_ps"), 60'000'000'000);
  // Most is lost, but not all: other tries come through.
  const Outcome late =
      outcome_of(tiny + module_on("m", "burst_loss", R"("t", "b")", "enter = 0.9\nleave = 0.05"),
                 {"sim.stop=finished", "traffic[0].count=3", "traffic[0].message=1KiB",
                  "sim.duration=100s", "sim.stuck_after=100us", "nic.reliability.rto=1ms"});
  EXPECT_EQ(late.summary.at("verdict"), "complete");
  // A module that holds packets for long is no dead end.
  for (const char* latency : {"25 ms", "60 ms"}) {
    const Outcome slow = outcome_of(
        tiny + module_on("m", "delay", R"("t", "b")", std::string("latency = \"") + latency + "\""),
        {"sim.stop=finished", "traffic[0].count=2", "sim.duration=100s", "nic.reliability.rto=5s"});
    EXPECT_EQ(slow.summary.at("verdict"), "complete") << latency;
  }
}

TEST(Modules, OfSeveralLinksOneIsMeant) {
  const std::string two = std::string(tiny) + "[[link]]\nbetween = [\"t\", \"u\"]\n" +
                          "[[link]]\nbetween = [\"u\", \"t\"]\n" +
                          "[[link]]\nbetween = [\"u\", \"c\"]\n" +
                          "[[device]]\nnames = [\"c\"]\nprofile = \"nic\"\n"
                          "[[device]]\nnames = [\"u\"]\nprofile = \"chip\"\n" +
                          "[[traffic]]\nkind = \"messages\"\nfrom = [\"c\"]\nto = [\"a\"]\n"
                          "message = \"4 KiB\"\n" +
                          module_on("m0", "delay", R"("t", "u")", "link = 0") +
                          module_on("m1", "delay", R"("u", "t")", "link = 1");
  const ordered_json s = outcome_of(two).summary;
  const auto& config = s.at("config").at("module");
  EXPECT_EQ(config.at(0).at("link"), 0);
  EXPECT_EQ(config.at(1).at("latency"), "0 ps");
  // Side 0 of the second is u: by either link all of it, together once.
  EXPECT_GT(value_of(s, "m0.from_u.packets") + value_of(s, "m1.from_u.packets"), 100);
}

TEST(Modules, AreListedWithTheirParameters) {
  const Workplace place;
  const ordered_json all = run(place, {"list", "modules", "--json"}).json().at("modules");
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all.at(0).at("name"), "delay");
  EXPECT_EQ(all.at(1).at("name"), "burst_loss");
  EXPECT_EQ(all.at(1).at("parameters").at(0).at("key"), "enter");
  EXPECT_EQ(all.at(2).at("name"), "axi_stream");
  EXPECT_EQ(all.at(2).at("parameters").at(0).at("key"), "block");
  place.write("p.toml", tiny + module_on("m", "delay", R"("t", "b")"));
  const Ended keys = run(place, {"config", "p.toml"});
  EXPECT_NE(keys.out.find("keep_order"), std::string::npos) << keys.out;
}

}  // namespace
}  // namespace horae::test::modules_test
