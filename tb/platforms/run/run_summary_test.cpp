// Summary of `horae run`, and the configuration that it was run with.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "run_parts.hpp"

namespace horae::test::run_summary_test {
namespace {

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
                   "out/points/a_b/links.csv", "out/points/a_b/summary.json", "out/points/one",
                   "out/points/one/flows.csv", "out/points/one/links.csv",
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

TEST(Summary, JsonOnStdoutIsTheFileAndNothingElse) {
  const Workplace place;
  place.write("p.toml", lossy);
  const Ended ended = run(place, {"run", "p.toml", "--json", "--out", "out/deep/er"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.err, "");
  ASSERT_TRUE(ordered_json::accept(ended.out));
  EXPECT_EQ(ended.out, place.read("out/deep/er/summary.json"));
  EXPECT_EQ(place.content(), (Words{"out", "out/deep", "out/deep/er", "out/deep/er/flows.csv",
                                    "out/deep/er/links.csv", "out/deep/er/series.csv",
                                    "out/deep/er/summary.json", "p.toml"}));
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
    place.write("again.toml", config_text(first));
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
  // An override equal to the default is the same configuration; the last one said holds.
  EXPECT_EQ(summary_of(place, "p.toml", {"nic.mtu=2KiB", "nic.mtu=1KiB"}).at("config_hash"),
            plain.at("config_hash"));
}

}  // namespace
}  // namespace horae::test::run_summary_test
