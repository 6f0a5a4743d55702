// What `horae run` leaves: the summary, the folder, the verdict and the exit code.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <set>
#include <sstream>
#include <thread>

#include "program.hpp"

namespace horae::test::run_test {
namespace {

/// A summary without what may differ between two runs that are the same.
ordered_json without_wall(ordered_json summary) {
  summary.erase("wall_s");
  return summary;
}

/// Two lossy hops, open-loop traffic and messages beside each other, small queues: all drop causes.
const std::string lossy = R"([platform]
name = "lossy"
[sim]
duration = "60 us"
sample = "10 us"
[nic]
kind = "rnic"
reliability = { window = 64, rto = "20 us" }
[end]
kind = "host"
[chip]
kind = "tofino"
program = { name = "forward", path_choice = "random" }
[plain]
kind = "switch"
queue_limit = "20 KB"
balance = "spray"
[[device]]
names = ["a", "b", "c"]
profile = "nic"
[[device]]
names = ["h", "i"]
profile = "end"
[[device]]
names = ["t"]
profile = "chip"
[[device]]
names = ["s0", "s1", "u"]
profile = "plain"
[link_default]
delay = "100 ns"
[[link]]
between = ["a", "t"]
[[link]]
between = ["b", "t"]
[[link]]
between = ["h", "t"]
[[link]]
between = ["t", "s0"]
loss = 0.02
[[link]]
between = ["t", "s1"]
outage = [{ from = "20 us", to = "25 us" }]
[[link]]
between = ["s0", "u"]
[[link]]
between = ["s1", "u"]
rate = "40 Gbps"
[[link]]
between = ["u", "c"]
[[link]]
between = ["u", "i"]
[[traffic]]
kind = "messages"
from = ["a", "b"]
to = ["c", "c"]
message = "16 KiB"
depth = 4
[[traffic]]
kind = "packets"
pattern = "pairs"
from = ["h"]
to = ["i"]
payload = "1 KiB"
load = 0.7
)";

/// A table of comma-separated values: its lines, its fields.
std::vector<Words> table_of(const std::string& csv) {
  std::vector<Words> rows;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    Words row(1);
    for (const char c : line) {
      if (c == ',') {
        row.emplace_back();
      } else {
        row.back() += c;
      }
    }
    rows.push_back(row);
  }
  return rows;
}

/// Column `name` of line `row` (1 is the first below the heading).
std::string field(const std::vector<Words>& table, std::size_t row, const std::string& name) {
  const auto& heading = table.at(0);
  const auto it = std::find(heading.begin(), heading.end(), name);
  if (it == heading.end()) throw std::runtime_error("no column " + name);
  return table.at(row).at(static_cast<std::size_t>(it - heading.begin()));
}

TEST(Summary, HasEveryKeyOfTheContractWithItsType) {
  const Workplace place;
  place.write("p.toml", lossy);
  const ordered_json s = summary_of(place, "p.toml", {"sim.seed=7"});
  EXPECT_EQ(s.at("schema"), 1);
  EXPECT_EQ(s.at("platform"), "lossy");
  EXPECT_TRUE(s.at("config").is_object());
  EXPECT_EQ(s.at("config_hash").get<std::string>().size(), 36u);
  EXPECT_EQ(s.at("seed"), 7);
  EXPECT_TRUE(s.at("version").is_string());
  EXPECT_FALSE(s.at("version").get<std::string>().empty());
  EXPECT_EQ(s.at("verdict"), "complete");
  EXPECT_EQ(s.at("sim_time_ps"), 60'000'000);
  EXPECT_TRUE(s.at("wall_s").is_number_float());
  for (const char* key : {"created", "delivered", "in_flight"})
    EXPECT_TRUE(s.at("packets").at(key).is_number_unsigned()) << key;
  EXPECT_TRUE(s.at("packets").at("dropped").is_object());
  for (const auto& [cause, n] : s.at("packets").at("dropped").items())
    EXPECT_TRUE(n.is_number_unsigned()) << cause;
  EXPECT_TRUE(s.at("events").is_number_unsigned());
  EXPECT_TRUE(s.at("packet_hops").is_number_unsigned());
  EXPECT_GT(s.at("packet_hops"), s.at("packets").at("delivered"));
  EXPECT_FALSE(s.at("results").empty());
  for (const auto& [name, r] : s.at("results").items()) {
    const bool of_completion = name.starts_with("flows.fct") || name.starts_with("collectives.");
    EXPECT_TRUE(r.at("value").is_number() || (of_completion && r.at("value").is_null())) << name;
    EXPECT_TRUE(r.at("unit").is_string()) << name;
  }
  EXPECT_TRUE(s.at("rows").is_object());
  EXPECT_TRUE(s.at("validation").is_array());
}

TEST(Summary, OfASweepHasRowsAndValidation) {
  const Workplace place;
  place.write("p.toml", tiny + R"([sweep]
label_title = "seed"
[[sweep.point]]
label = "one"
set = ["sim.seed=1"]
[[sweep.point]]
label = "a/b"
set = ["sim.seed=2"]
[[sweep.column]]
title = "TX"
metric = "senders.tx_share"
[[sweep.published]]
id = "x.tx"
point = "a/b"
metric = "senders.data_packets"
value = 7.5
unit = "packets"
source = "a paper"
)");
  const Ended ended = run(place, {"run", "p.toml", "--json", "--out", "out"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const ordered_json s = ended.json();
  EXPECT_EQ(s, place.read_json("out/summary.json"));
  EXPECT_EQ(place.content(),
            (Words{"out", "out/points", "out/points/a_b", "out/points/a_b/flows.csv",
                   "out/points/a_b/summary.json", "out/points/one", "out/points/one/flows.csv",
                   "out/points/one/summary.json", "out/summary.json", "p.toml"}));
  const ordered_json one = place.read_json("out/points/one/summary.json");
  const ordered_json two = place.read_json("out/points/a_b/summary.json");
  const auto row = [](const char* label, const ordered_json& point) {
    return ordered_json{
        {"seed", label}, {"TX", result(point, "senders.tx_share")}, {"verdict", "complete"}};
  };
  EXPECT_EQ(s.at("rows"), (ordered_json{{"sweep", {row("one", one), row("a/b", two)}}}));
  ASSERT_EQ(s.at("validation").size(), 1u);
  const ordered_json& v = s.at("validation")[0];
  EXPECT_EQ(v.at("id"), "x.tx");
  EXPECT_EQ(v.at("published"), 7.5);
  EXPECT_EQ(v.at("measured"), result(two, "senders.data_packets"));
  EXPECT_EQ(v.at("unit"), "packets");
  EXPECT_EQ(v.at("kind"), "predicted");
  EXPECT_EQ(
      s.at("packets").at("created").get<int>(),
      one.at("packets").at("created").get<int>() + two.at("packets").at("created").get<int>());
  // The sweep is configured by its points, a point only by its own values.
  EXPECT_TRUE(s.at("config").contains("sweep"));
  EXPECT_FALSE(one.at("config").contains("sweep"));
  // A point alone is the same run.
  const Ended alone = run(place, {"run", "p.toml", "--json", "--point", "a/b"});
  EXPECT_EQ(without_wall(alone.json()), without_wall(two));
}

TEST(NackTrace, ShowsTheFirstServiceAfterTheWarmUp) {
  const Workplace place;
  const Ended ended =
      run(place, {"run", HORAE_PLATFORM_DIR "/cx7_spray.toml", "--set", "sim.duration=200us",
                  "--set", "sim.warmup=50us", "--set", "sim.nack_trace=true", "--set",
                  "nic.retransmit.policies=['blocking_fetch']", "--point", "1", "--out", "o"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const ordered_json trace = ordered_json::parse(place.read("o/trace.json"));
  std::set<std::string> tracks;
  double service = 0, first = 1e9;
  std::size_t begins = 0, ends = 0;
  for (const auto& e : trace.at("traceEvents")) {
    const std::string phase = e.at("ph");
    if (phase == "M" && e.at("name") == "thread_name") tracks.insert(e.at("args").at("name"));
    if (phase == "M") continue;
    begins += phase == "b" ? 1 : 0;
    ends += phase == "e" ? 1 : 0;
    first = std::min(first, e.at("ts").get<double>());
    if (e.at("name").get<std::string>().starts_with("NACK ") && phase == "b" && service == 0 &&
        e.at("cat") == "NACK service") {
      service = e.at("ts");
    }
  }
  EXPECT_EQ(tracks, (std::set<std::string>{"DMA reads", "wire", "TX buffer, bytes", "received",
                                           "NACK service"}));
  EXPECT_EQ(begins, ends);
  EXPECT_GT(begins, 10u);
  EXPECT_GE(service, 50.0);
  EXPECT_GE(first, service - 4.8);  // the margin, and a read that began before it
}

TEST(Summary, JsonOnStdoutIsTheFileAndNothingElse) {
  const Workplace place;
  place.write("p.toml", lossy);
  const Ended ended = run(place, {"run", "p.toml", "--json", "--out", "out/deep/er"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.err, "");
  ASSERT_TRUE(ordered_json::accept(ended.out));
  EXPECT_EQ(ended.out, place.read("out/deep/er/summary.json"));
  EXPECT_EQ(place.content(),
            (Words{"out", "out/deep", "out/deep/er", "out/deep/er/flows.csv",
                   "out/deep/er/series.csv", "out/deep/er/summary.json", "p.toml"}));
}

TEST(Summary, PacketsBalanceOnLossyPlatforms) {
  const Workplace place;
  place.write("p.toml", lossy);
  std::set<std::string> causes;
  for (const Words& settings :
       {Words{}, Words{"plain.queue_limit=\"0 B\"", "plain.buffer=\"8 KB\""},
        Words{"chip.program.nack_drop=1"}, Words{"nic.transport=go_back_n", "sim.seed=5"},
        Words{"link_default.loss=0.3"}, Words{"nic.transport=timeout_only", "link[5].loss=1.0"}}) {
    const ordered_json p = summary_of(place, "p.toml", settings).at("packets");
    std::uint64_t sum =
        p.at("delivered").get<std::uint64_t>() + p.at("in_flight").get<std::uint64_t>();
    for (const auto& [cause, n] : p.at("dropped").items()) {
      sum += n.get<std::uint64_t>();
      if (n > 0) causes.insert(cause);
    }
    EXPECT_EQ(p.at("created").get<std::uint64_t>(), sum) << p;
    EXPECT_GT(p.at("created"), 400) << p;
  }
  EXPECT_EQ(causes, (std::set<std::string>{"link_loss", "link_down", "queue_full", "buffer_full",
                                           "program"}));
}

// Eight NICs at line rate into one: what a paused NIC has let go of already, in its TX pipe,
// belongs to the headroom as well. With less of it there is loss, so the computed one is what
// prevents it.
TEST(Pfc, ComputedHeadroomLosesNothingWithNics) {
  std::string text =
      "[platform]\nname = \"incast\"\n[sim]\nduration = \"200 us\"\n[nic]\nkind = \"rnic\"\n"
      "mtu = \"4 KiB\"\n[plain]\nkind = \"switch\"\n[plain.pfc]\nxoff = \"100 KB\"\nxon = \"80 "
      "KB\"\n"
      "[[device]]\nnames = [\"s\"]\nprofile = \"plain\"\n[[device]]\nnames = [\"r\"]\n"
      "profile = \"nic\"\n[[link]]\nbetween = [\"r\", \"s\"]\n";
  for (int i = 0; i < 8; ++i) {
    text += fmt::format(
        "[[device]]\nnames = [\"n{0}\"]\nprofile = \"nic\"\n[[link]]\nbetween = [\"n{0}\", \"s\"]\n"
        "[[traffic]]\nkind = \"messages\"\nfrom = [\"n{0}\"]\nto = [\"r\"]\nmessage = \"1 MiB\"\n",
        i);
  }
  const Workplace place;
  place.write("p.toml", text);
  const auto headroom_drops = [&](Words settings) {
    return summary_of(place, "p.toml", std::move(settings))
        .at("packets")
        .at("dropped")
        .at("headroom_full")
        .get<int>();
  };
  for (const char* rate : {"100 Gbps", "400 Gbps", "800 Gbps"}) {
    for (const char* delay : {"100 ns", "500 ns", "1 us"}) {
      const Words link = {fmt::format("link_default.rate={}", rate),
                          fmt::format("link_default.delay={}", delay)};
      EXPECT_EQ(headroom_drops(link), 0) << rate << " " << delay;
    }
  }
  EXPECT_GT(headroom_drops({"link_default.rate=800 Gbps", "plain.pfc.headroom=40 KB"}), 0);
}

TEST(Summary, LeavesOutTheWarmUp) {
  const Workplace place;
  place.write("p.toml", lossy);
  const auto measured = [&](const char* warmup) {
    return summary_of(place, "p.toml",
                      {"traffic[0].count=2", "sim.duration=200us", "sim.seed=4",
                       std::string("sim.warmup=") + warmup});
  };
  const ordered_json all = measured("0us");
  const ordered_json late = measured("150us");
  EXPECT_EQ(all.at("packets"), late.at("packets"));
  EXPECT_EQ(late.at("measured_from_ps"), 150'000'000);
  EXPECT_EQ(late.at("measured_to_ps"), 200'000'000);
  // All messages are done by then, and what they went through is no part of the results.
  EXPECT_EQ(result(all, "senders.messages_completed"), 4);
  for (const char* name : {"senders.messages_completed", "senders.data_packets", "senders.tx_share",
                           "receivers.nacks_sent", "receivers.reorder_max"}) {
    EXPECT_GT(result(all, name), 0) << name;
    EXPECT_EQ(result(late, name), 0) << name;
  }
  EXPECT_NEAR(result(late, "senders.idle_no_work"), 1.0, 1e-9);
}

TEST(Configuration, ReadAgainHasTheSameHash) {
  const Workplace place;
  for (const std::string& text : {tiny, lossy}) {
    place.write("p.toml", text);
    const ordered_json first = summary_of(place, "p.toml", {"sim.seed=3", "nic.mtu=2KiB"});
    std::string again;
    for (const auto& [key, value] : first.at("config").items())
      again += key + " = " + toml_of(value) + "\n";
    place.write("again.toml", again);
    const ordered_json second = summary_of(place, "again.toml");
    EXPECT_EQ(first.at("config_hash"), second.at("config_hash"));
    EXPECT_EQ(without_wall(first), without_wall(second));
  }
}

TEST(Configuration, SetChangesItAndItsHash) {
  const Workplace place;
  place.write("p.toml", tiny);
  const ordered_json plain = summary_of(place, "p.toml");
  const ordered_json set = summary_of(place, "p.toml", {"nic.mtu=512 B", "link[1].delay=2us"});
  EXPECT_EQ(plain.at("config").at("nic").at("mtu"), "1 KiB");
  EXPECT_EQ(set.at("config").at("nic").at("mtu"), "512 B");
  EXPECT_EQ(set.at("config").at("link")[1].at("delay"), "2 us");
  EXPECT_NE(plain.at("config_hash"), set.at("config_hash"));
  EXPECT_NE(plain.at("results"), set.at("results"));
  // What was the default anyway is the same configuration; the last one said holds.
  EXPECT_EQ(summary_of(place, "p.toml", {"nic.mtu=2KiB", "nic.mtu=1KiB"}).at("config_hash"),
            plain.at("config_hash"));
}

TEST(Verdict, FinishedStopsSoonAfterTheLastMessage) {
  const Workplace place;
  place.write("p.toml", tiny);
  const Ended ended =
      run(place, {"run", "p.toml", "--json", "--out", "out", "--set", "sim.stop=finished", "--set",
                  "traffic[0].count=3", "--set", "sim.duration=10ms"});
  EXPECT_EQ(ended.exit_code, 0);
  const ordered_json s = ended.json();
  EXPECT_EQ(s.at("verdict"), "complete");
  EXPECT_EQ(s.at("packets").at("in_flight"), 0);
  const auto flows = table_of(place.read("out/flows.csv"));
  const double last_us = std::stod(field(flows, 1, "last_completion_us"));
  const double end_us = s.at("sim_time_ps").get<double>() * 1e-6;
  EXPECT_GE(end_us, last_us);
  EXPECT_LE(end_us, last_us + 1.0);
}

TEST(Verdict, DurationLastsSoLongEvenWhenNothingIsLeft) {
  const Workplace place;
  place.write("p.toml", tiny);
  for (const char* scheduling : {"windowed", "exact_wake"}) {
    const ordered_json s = summary_of(
        place, "p.toml",
        {"traffic[0].count=3", "sim.duration=1ms", std::string("sim.scheduling=") + scheduling});
    EXPECT_EQ(s.at("verdict"), "complete");
    EXPECT_EQ(s.at("sim_time_ps"), 1'000'000'000);
    // 12 packets of 1024 + 58 to 82 bytes in a millisecond: rates are over all of it.
    EXPECT_NEAR(result(s, "senders.tx_rate"), 12 * 1110 * 8e-6, 0.005) << scheduling;
    double shares = result(s, "senders.tx_share");
    for (const auto& [name, r] : s.at("results").items())
      shares += name.starts_with("senders.idle_") ? r.at("value").get<double>() : 0.0;
    EXPECT_NEAR(shares, 1.0, 1e-6) << scheduling;
  }
}

TEST(Verdict, TimeoutWhenFinishedTakesLongerThanTheDuration) {
  const Workplace place;
  place.write("p.toml", tiny);
  const ordered_json s =
      summary_of(place, "p.toml", {"sim.stop=finished", "traffic[0].count=3000"});
  EXPECT_EQ(s.at("verdict"), "timeout");
  EXPECT_EQ(s.at("sim_time_ps"), 20'000'000);
}

TEST(Verdict, StuckWhenEverythingIsCut) {
  const Workplace place;
  place.write("p.toml", tiny);
  Words arguments = {"run", "p.toml", "--json", "--out", "out"};
  for (const char* s :
       {"sim.duration=10ms", "sim.stuck_after=200us", "link[1].outage=[{from=\"10us\",to=\"1s\"}]"})
    arguments.insert(arguments.end(), {"--set", s});
  const Ended ended = run(place, arguments);
  EXPECT_EQ(ended.exit_code, 4);
  const ordered_json s = ended.json();
  EXPECT_EQ(s.at("verdict"), "stuck");
  EXPECT_EQ(s, place.read_json("out/summary.json"));
  // Noticed soon, not at the end.
  EXPECT_GE(s.at("sim_time_ps"), 210'000'000);
  EXPECT_LE(s.at("sim_time_ps"), 320'000'000);
  EXPECT_TRUE(ended.err.starts_with("horae: no progress; what is waiting:\n")) << ended.err;
  EXPECT_NE(ended.err.find("a queue pair 0x40: 2 messages outstanding"), std::string::npos)
      << ended.err;
}

TEST(Verdict, StuckDumpNamesEveryQueueThatHolds) {
  // The last link is slow and longer than the patience: packets stand before it.
  const Workplace place;
  place.write("p.toml", tiny);
  Words arguments = {"run", "p.toml"};
  for (const char* s : {"sim.stuck_after=20us", "sim.duration=500us", "nic.reliability.rto=1ms",
                        "traffic[0].message=16KiB", "link[1].rate=1Gbps", "link[1].delay=100us"})
    arguments.insert(arguments.end(), {"--set", s});
  const Ended ended = run(place, arguments);
  EXPECT_EQ(ended.exit_code, 4);
  // 32 packets, 9 us each on a wire that the first reaches after 1.4 us: at 20 us the third has
  // begun, and 28 of 1086 bytes and one of 1102, with a RETH, are left.
  EXPECT_EQ(ended.err,
            "horae: no progress; what is waiting:\n"
            "  a queue pair 0x40: 2 messages outstanding, 0 packets unsent, 32 unacknowledged\n"
            "  t port 1 (pipeline 0): 29 packets, 31510 bytes\n");
}

TEST(Verdict, LateStartIsNotStuck) {
  const Workplace place;
  place.write("p.toml", tiny);
  const ordered_json s = summary_of(
      place, "p.toml", {"sim.duration=600us", "sim.stuck_after=100us", "traffic[0].start=500us"});
  EXPECT_EQ(s.at("verdict"), "complete");
  EXPECT_GT(s.at("packets").at("delivered"), 0);
}

TEST(Verdict, StuckPointMakesTheSweepStuck) {
  const Workplace place;
  place.write("p.toml", tiny + R"([[sweep.point]]
label = "open"
[[sweep.point]]
label = "cut"
set = ["link[1].outage=[{from=\"0us\",to=\"1s\"}]", "sim.stuck_after=10us"]
[[sweep.column]]
title = "TX"
metric = "senders.tx_share"
)");
  const Ended ended = run(place, {"run", "p.toml", "--json", "--set", "sim.duration=60us", "--set",
                                  "sim.warmup=50us", "--set", "nic.reliability.rto=100us"});
  EXPECT_EQ(ended.exit_code, 4);
  const ordered_json s = ended.json();
  EXPECT_EQ(s.at("verdict"), "stuck");
  EXPECT_EQ(s.at("rows").at("sweep")[0].at("verdict"), "complete");
  EXPECT_EQ(s.at("rows").at("sweep")[1].at("verdict"), "stuck");
  EXPECT_TRUE(s.at("rows").at("sweep")[0].at("TX").is_number());
  EXPECT_TRUE(s.at("rows").at("sweep")[1].at("TX").is_null());  // over before the warm-up was
  EXPECT_TRUE(ended.err.starts_with("horae: cut: no progress; what is waiting:\n  a queue pair"))
      << ended.err;
  EXPECT_EQ(run(place, {"run", "p.toml", "--set", "sim.duration=60us", "--set", "sim.warmup=50us",
                        "--set", "nic.reliability.rto=100us"})
                .exit_code,
            4);
}

TEST(ResultFolder, ReplacesAnEarlierResultAndNothingElse) {
  const Workplace place;
  place.write("p.toml", lossy);
  place.write("out/near.txt", "near\n");
  const Words arguments = {"run", "p.toml", "--json", "--out", "out/r"};
  ASSERT_EQ(run(place, arguments).exit_code, 0);
  EXPECT_TRUE(place.has("out/r/series.csv"));
  Words again = arguments;
  again.insert(again.end(), {"--set", "sim.seed=9", "--set", "sim.sample=0us"});
  ASSERT_EQ(run(place, again).exit_code, 0);
  EXPECT_EQ(place.read_json("out/r/summary.json").at("seed"), 9);
  EXPECT_EQ(place.content(), (Words{"out", "out/near.txt", "out/r", "out/r/flows.csv",
                                    "out/r/summary.json", "p.toml"}));
}

TEST(ResultFolder, OfARunThatIsRefusedStaysAsItWas) {
  const Workplace place;
  place.write("p.toml", tiny);
  ASSERT_EQ(run(place, {"run", "p.toml", "--out", "out"}).exit_code, 0);
  const std::string before = place.read("out/summary.json");
  EXPECT_EQ(run(place, {"run", "p.toml", "--out", "out", "--set", "nic.mtu=8KiB"}).exit_code, 2);
  EXPECT_EQ(place.read("out/summary.json"), before);
  EXPECT_EQ(place.content(), (Words{"out", "out/flows.csv", "out/summary.json", "p.toml"}));
}

/// A run, or a sweep, of many seconds is ended by `signal` after a moment: nothing is left.
void expect_no_trace(int signal, const std::string& platform) {
  using namespace std::chrono_literals;
  const Workplace place;
  place.write("p.toml", platform);
  Program program(place, {"run", "p.toml", "--out", "out/r", "--set", "sim.duration=100s"});
  std::this_thread::sleep_for(150ms);
  program.send(signal);
  const auto sent = std::chrono::steady_clock::now();
  const Ended ended = program.end();
  EXPECT_LT(std::chrono::steady_clock::now() - sent, 5s);
  EXPECT_EQ(ended.signal, signal) << ended.err;
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(place.content(), Words{"p.toml"});
}

TEST(Interrupt, LeavesNothing) {
  for (const int signal : {SIGINT, SIGTERM, SIGKILL}) expect_no_trace(signal, tiny);
}

/// Processes that run in a folder.
int processes_in(const std::filesystem::path& folder) {
  int n = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::error_code error;
    n += std::filesystem::read_symlink(entry.path() / "cwd", error) == folder && !error ? 1 : 0;
  }
  return n;
}

TEST(Interrupt, OfASweepEndsItsPoints) {
  using namespace std::chrono_literals;
  const Workplace place;
  place.write("p.toml", tiny + R"([[sweep.point]]
label = "one"
[[sweep.point]]
label = "two"
)");
  Program program(place,
                  {"run", "p.toml", "--out", "r", "--jobs", "2", "--set", "sim.duration=100s"});
  const auto reach = [&](int n) {
    for (int i = 0; i < 1000; ++i) {
      if (processes_in(place.path()) == n) return true;
      std::this_thread::sleep_for(10ms);
    }
    return false;
  };
  ASSERT_TRUE(reach(3));
  program.send(SIGTERM);
  EXPECT_EQ(program.end().signal, SIGTERM);
  EXPECT_TRUE(reach(0));
  EXPECT_EQ(place.content(), Words{"p.toml"});
}

TEST(Determinism, SameSeedSameBytesOtherSeedOthers) {
  const Workplace place;
  place.write("p.toml", lossy);
  for (const char* out : {"one", "two"})
    ASSERT_EQ(run(place, {"run", "p.toml", "--out", out}).exit_code, 0);
  ASSERT_EQ(run(place, {"run", "p.toml", "--out", "other", "--set", "sim.seed=2"}).exit_code, 0);
  const auto without_line = [](const std::string& text) {
    const auto at = text.find(" \"wall_s\"");
    if (at == std::string::npos) throw std::runtime_error("no wall_s");
    return text.substr(0, at) + text.substr(text.find('\n', at));
  };
  EXPECT_EQ(without_line(place.read("one/summary.json")),
            without_line(place.read("two/summary.json")));
  EXPECT_EQ(place.read("one/flows.csv"), place.read("two/flows.csv"));
  EXPECT_EQ(place.read("one/series.csv"), place.read("two/series.csv"));
  EXPECT_NE(place.read("one/flows.csv"), place.read("other/flows.csv"));
  EXPECT_NE(place.read("one/series.csv"), place.read("other/series.csv"));
  const ordered_json one = place.read_json("one/summary.json");
  const ordered_json other = place.read_json("other/summary.json");
  EXPECT_NE(one.at("packets"), other.at("packets"));
  EXPECT_NE(one.at("config_hash"), other.at("config_hash"));
}

TEST(Determinism, SchedulesGiveTheSameResults) {
  const Workplace place;
  place.write("p.toml", lossy);
  for (const char* mode : {"windowed", "exact_wake"}) {
    ASSERT_EQ(
        run(place, {"run", "p.toml", "--out", mode, "--set", std::string("sim.scheduling=") + mode})
            .exit_code,
        0);
  }
  const auto comparable = [&](const std::string& mode) {
    ordered_json s = without_wall(place.read_json(mode + "/summary.json"));
    EXPECT_EQ(s["config"]["sim"]["scheduling"], mode);
    s["config"]["sim"].erase("scheduling");
    s.erase("config_hash");
    return s;
  };
  EXPECT_EQ(comparable("windowed"), comparable("exact_wake"));
  EXPECT_EQ(place.read("windowed/flows.csv"), place.read("exact_wake/flows.csv"));
  EXPECT_EQ(place.read("windowed/series.csv"), place.read("exact_wake/series.csv"));
}

TEST(Determinism, JobsGiveTheSameSweep) {
  const Workplace place;
  place.write("p.toml", lossy + R"([sweep]
[[sweep.point]]
label = "one"
[[sweep.point]]
label = "two"
set = ["sim.seed=2"]
[[sweep.point]]
label = "three"
set = ["sim.duration=30us"]
[[sweep.column]]
title = "TX"
metric = "senders.tx_share"
)");
  for (const char* jobs : {"1", "2"})
    ASSERT_EQ(run(place, {"run", "p.toml", "--jobs", jobs, "--out", jobs}).exit_code, 0);
  EXPECT_EQ(without_wall(place.read_json("1/summary.json")),
            without_wall(place.read_json("2/summary.json")));
  for (const std::string point : {"one", "two", "three"}) {
    EXPECT_EQ(place.read("1/points/" + point + "/flows.csv"),
              place.read("2/points/" + point + "/flows.csv"));
    EXPECT_EQ(place.read("1/points/" + point + "/series.csv"),
              place.read("2/points/" + point + "/series.csv"));
  }
}

TEST(Flows, CountTheBytesThatWereDelivered) {
  const Workplace place;
  place.write("p.toml", tiny);
  ASSERT_EQ(run(place, {"run", "p.toml", "--out", "out", "--set", "sim.stop=finished", "--set",
                        "traffic[0].count=5", "--set", "traffic[0].qps=3", "--set",
                        "link[0].loss=0.05", "--set", "sim.duration=5ms"})
                .exit_code,
            0);
  const ordered_json s = place.read_json("out/summary.json");
  ASSERT_EQ(s.at("verdict"), "complete");
  EXPECT_GT(s.at("packets").at("dropped").at("link_loss"), 0);
  const auto flows = table_of(place.read("out/flows.csv"));
  ASSERT_EQ(flows.size(), 4u);
  double completed = 0;
  for (std::size_t row = 1; row < flows.size(); ++row) {
    EXPECT_EQ(flows[row].size(), flows[0].size());
    EXPECT_EQ(field(flows, row, "flow"), std::to_string(row - 1));
    EXPECT_EQ(field(flows, row, "sender"), "a");
    EXPECT_EQ(field(flows, row, "receiver"), "b");
    EXPECT_EQ(field(flows, row, "messages_posted"), "5");
    EXPECT_EQ(field(flows, row, "messages_completed"), "5");
    EXPECT_EQ(field(flows, row, "bytes_completed"), "20480");
    EXPECT_EQ(field(flows, row, "bytes_delivered"), "20480");
    const double first = std::stod(field(flows, row, "first_post_us"));
    const double last = std::stod(field(flows, row, "last_completion_us"));
    EXPECT_NEAR(std::stod(field(flows, row, "mean_rate_gbps")), 20480 * 8e-3 / (last - first),
                1e-4);
    completed += 5;
  }
  EXPECT_EQ(result(s, "senders.messages_completed"), completed);
}

TEST(Series, SumsUpToTheRun) {
  const Workplace place;
  place.write("p.toml", lossy);
  ASSERT_EQ(run(place, {"run", "p.toml", "--out", "out"}).exit_code, 0);
  const auto series = table_of(place.read("out/series.csv"));
  double bits = 0;
  std::set<std::string> times;
  for (std::size_t row = 1; row < series.size(); ++row) {
    ASSERT_EQ(series[row].size(), series[0].size());
    times.insert(field(series, row, "time_us"));
    EXPECT_EQ(field(series, row, "window_us"), "10.000000");
    if (field(series, row, "object") != "c" || field(series, row, "quantity") != "delivered_rate")
      continue;
    EXPECT_EQ(field(series, row, "unit"), "Gbps");
    bits += std::stod(field(series, row, "value")) * 10e3;
  }
  EXPECT_EQ(times, (std::set<std::string>{"10.000000", "20.000000", "30.000000", "40.000000",
                                          "50.000000", "60.000000"}));
  const double delivered = place.read_json("out/summary.json")
                               .at("statistics")
                               .at("c")
                               .at("delivered_bytes")
                               .at("value")
                               .get<double>();
  EXPECT_GT(delivered, 0);
  EXPECT_NEAR(bits / 8, delivered, delivered * 1e-4);
}

}  // namespace
}  // namespace horae::test::run_test
