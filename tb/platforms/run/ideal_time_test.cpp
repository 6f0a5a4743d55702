// Ideal times: what the same platform takes for a message alone.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>

#include "csv.hpp"
#include "networks.hpp"
#include "program.hpp"

namespace horae::test::ideal_time_test {
namespace {

/// `folder` is that of the run, or of its only point.
std::vector<Row> rows_of_run(const Workplace& place, const std::string& platform,
                             const Words& settings, const std::string& folder = "out") {
  std::filesystem::remove_all(place.path() / "out");
  const Ended ended = run(place, with_settings({"run", platform, "--out", "out"}, settings));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return ended.exit_code == 0 ? rows_of(place.read(folder + "/flows.csv")) : std::vector<Row>();
}

std::string one_message(const std::string& from, const std::string& to, const std::string& size,
                        const std::string& verb = "write") {
  return fmt::format(
      "traffic=[{{ kind = \"batch\", pattern = \"pairs\", from = [\"{}\"], to = [\"{}\"], size = "
      "\"{}\", start = \"1234567 ps\", verb = \"{}\" }}]",
      from, to, size, verb);
}

/// That its one message takes the ideal time, to the picosecond.
void expect_ideal(const Workplace& place, const std::string& platform, const Words& settings,
                  const std::string& folder = "out") {
  const auto rows = rows_of_run(place, platform, settings, folder);
  const std::string what = fmt::format("{} {}", platform, fmt::join(settings, " "));
  ASSERT_EQ(rows.size(), 1u) << what;
  EXPECT_EQ(rows[0].at("slowdown"), "1.0000") << what;
  EXPECT_EQ(rows[0].at("ideal_us"), rows[0].at("fct_us")) << what;
  if (folder == "out") {
    EXPECT_EQ(place.read_json("out/summary.json").at("ideal").at("run_alone"), 1) << what;
  }
}

/// A flow list as CSV: a line for each message.
void write_list(const Workplace& place, const Words& lines) {
  place.write("list.csv",
              fmt::format("start_ns,source,destination,bytes\n{}\n", fmt::join(lines, "\n")));
}

std::string shipped(const std::string& name) {
  return (std::filesystem::path(HORAE_PLATFORM_DIR) / (name + ".toml")).string();
}

/// A shipped platform of NICs, and two that are as far apart as its network has any.
struct Shipped {
  const char *name, *from, *to;
  bool reads = true;   ///< its transport has READs
  bool sweep = false;  ///< it has points, of which the test leaves one that sets nothing
};

const std::vector<Shipped> platforms_of_nics = {
    {"bench/race_128", "h0", "h100"},
    {"conweave_ns3", "h0", "h100"},
    {"conweave_tor", "h0", "h5"},
    {.name = "cx7_spray", .from = "sender0", .to = "receiver0", .sweep = true},
    {"embedding/own", "h0", "h1"},
    {"eunomia_clos", "h0", "h100"},
    {"eunomia_cosim", "h0", "h7", false},
    {"eunomia_fat_tree", "h0", "h100"},
    {"eunomia_incast", "h0", "h100", false},
    {"eunomia_jellyfish", "h0", "h100"},
    {"flow_list", "h0", "h7"},
    {"leaf_spine_256_nic", "h0", "h255"},
    {"longhaul", "h0", "h20"},
    {"longhaul_esw", "near0", "far"},
    {.name = "nic_cliff", .from = "a", .to = "b", .sweep = true},
    {"nic_scaling", "a", "b"},
    {"p4/fabric/fabric", "h0", "h3"},
    {"p4/themis/themis", "h0", "h1"},
    {"planes", "h0", "h12", false},
    {"questions/q11_go_back_0", "a", "b", false},
    {"questions/q11_loss", "a", "c"},
    {"questions/q13_slow_memory", "a", "b"},
    {"questions/q13_slow_receivers", "a", "b"},
    {"questions/q14_order", "a", "b"},
    {"questions/q14_signal", "a", "b"},
    {"questions/q15_scheduling", "a", "b"},
    {"questions/q1_connections", "a", "b"},
    {"questions/q1_message_rate", "a", "b"},
    {"questions/q2_posting", "a", "b"},
    {"questions/q3_one_message", "a", "b"},
    {"questions/q4_one_queue_pair", "a", "b"},
    {"questions/q5_one_outstanding", "a", "b"},
    {"questions/q5_posted_reads", "a", "b"},
    {"questions/q6_atomic_slots", "a", "b"},
    {"questions/q6_atomics", "a", "b"},
    {"questions/q7_inbound", "a", "b"},
    {"questions/q7_small_messages", "a", "b"},
    {"questions/q8_pcie_bytes", "a", "b"},
    {"questions/q9_many_connections", "a", "b"},
    {"questions/q9_receivers", "a", "b"},
    {"reps", "h0", "h100", false},
    {"reps_fat_tree", "h0", "h100", false},
    {"reps_fpga", "h0", "h12", false},
    {"themis_256", "h0", "h200"},
    {"themis_fat_tree", "h0", "h12"},
    {"themis_testbed", "h0", "h7"},
    {"themis_tor", "h0", "h5"}};

/// Those whose messages cannot be run alone here, and why.
const std::set<std::string> left_out = {
    "bench/fat_tree_8192",
    "bench/race_1024",
    "bench/race_4096",   // race_128, larger
    "plugins/memories",  // the libraries of both are built elsewhere
    "plugins/mine",
    "questions/q10_ack_timeouts",  // its link carries nothing
    "questions/q12_cnps"};         // an event drops a packet

void expect_ideal_on(const Workplace& place, const Shipped& p, const std::string& verb) {
  Words settings = {"platform.assumptions=[]",
                    "sim.ideal=idle",
                    "sim.warmup=0us",
                    "sim.duration=20ms",
                    "sim.stop=finished",
                    "nic.ordering.level=model",
                    one_message(p.from, p.to, "65432 B", verb)};
  if (p.sweep) {
    settings.push_back(
        "sweep={ title = \"one\", point = [{ label = \"one\", set = [] }], column = [{ title = "
        "\"TX\", metric = \"senders.tx_share\" }] }");
  }
  expect_ideal(place, shipped(p.name), settings, p.sweep ? "out/points/one" : "out");
}

TEST(IdealTime, NoShippedPlatformOfNicsIsForgotten) {
  const std::filesystem::path folder(HORAE_PLATFORM_DIR);
  std::set<std::string> found, known = left_out;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder)) {
    if (file.path().extension() != ".toml") continue;
    std::ifstream in(file.path());
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    if (text.starts_with("[platform]") || text.find("\n[platform]") != std::string::npos) {
      const auto name = std::filesystem::relative(file.path(), folder).replace_extension();
      if (text.find("kind = \"rnic\"") != std::string::npos) found.insert(name.string());
    }
  }
  for (const Shipped& p : platforms_of_nics) known.insert(p.name);
  EXPECT_EQ(found, known);
}

TEST(IdealTime, OneMessageAloneTakesItOnEveryShippedPlatform) {
  const Workplace place;
  for (const Shipped& p : platforms_of_nics) expect_ideal_on(place, p, "write");
}

TEST(IdealTime, OneReadAloneTakesItWhereverThereAreReads) {
  const Workplace place;
  int refused = 0;
  for (const Shipped& p : platforms_of_nics) {
    if (p.reads) {
      expect_ideal_on(place, p, "read");
      continue;
    }
    ++refused;
    const Ended ended =
        run(place, with_settings({"run", shipped(p.name)},
                                 {"platform.assumptions=[]", "nic.ordering.level=model",
                                  one_message(p.from, p.to, "1 KiB", "read")}));
    EXPECT_EQ(ended.exit_code, 2) << p.name;
    EXPECT_NE(ended.err.find("verb = 'read' with "), std::string::npos) << p.name << ended.err;
  }
  EXPECT_EQ(refused, 7);
}

TEST(IdealTime, OneMessageAloneTakesItWithEveryShippedNicAndChip) {
  const Workplace place;
  const auto folder = std::filesystem::path(HORAE_PLATFORM_DIR);
  std::set<std::string> nics, chips;
  for (const auto& file : std::filesystem::directory_iterator(folder / "nics"))
    nics.insert(file.path().stem().string());
  for (const auto& file : std::filesystem::directory_iterator(folder / "chips"))
    chips.insert(file.path().stem().string());
  EXPECT_GE(nics.size(), 5u);
  EXPECT_GE(chips.size(), 2u);
  for (const std::string size : {"64 B", "1 KiB", "64 KiB", "1 MiB"}) {
    for (const auto& nic : nics) {
      for (const std::string verb : {"write", "read", "send", "write_imm"}) {
        if (verb != "write" && nic == "thor_ultra") continue;  // its transport has none
        expect_ideal(place, shipped("flow_list"),
                     {"nic={ kind = \"rnic\", spec = \"" + nic + "\" }",
                      one_message("h0", "h7", size, verb)});
      }
    }
    for (const auto& chip : chips) {
      expect_ideal(place, shipped("flow_list"),
                   {"switch={ kind = \"tofino\", chip = \"" + chip +
                        "\", program = { name = \"forward\" } }",
                    one_message("h0", "h7", size)});
    }
  }
}

TEST(IdealTime, WhatTheNicDoesToItselfIsNoSlowdown) {
  const Workplace place;
  place.write("p.toml", eight_nics("500 ms", "kind = \"batch\"\n"));
  for (const Words& settings : std::vector<Words>{
           {"nic.qp_rate=10Gbps"},
           {"nic.reliability.window=8"},
           {"nic.reth_on_every_packet=true"},
           {"nic.frames=htsim"},
           {"nic.ordering.engine=eunomia"},
           {"nic.transport=rnic_sr"},
           {"nic.transport=irn", "nic.reliability.rto_low=200us"},
           {"nic.transport=spray_sr", "nic.entropy.scheme=reps", "nic.entropy.freezing=false",
            "switch.balance=adaptive"},
           {"nic.transport=spray_sr", "nic.congestion.algorithm=eqds"},
           {"nic.congestion.algorithm=dcqcn"},
           {"nic.congestion.algorithm=dctcp",
            "switch.ecn={ kmin = \"100 KB\", kmax = \"100 KB\" }"},
           {"nic.congestion.algorithm=hpcc", "switch.telemetry=true"},
           {"nic.congestion.algorithm=swift"},
           {"nic.congestion.algorithm=timely"},
           {"nic.congestion.algorithm=mprdma",
            "switch.ecn={ kmin = \"100 KB\", kmax = \"100 KB\" }"},
           {"nic.congestion.algorithm=nscc", "switch.ecn={ kmin = \"100 KB\", kmax = \"100 KB\" }"},
           {"nic.congestion={ algorithm = \"constant\", constant_window = \"8000 B\" }"},
           // Slower paths than the NIC's link, chosen at random for each packet.
           {"switch.balance=spray", "nic.ordering.engine=ideal",
            "impairment=[{ between = [\"leaf0\", \"spine0\"], rate = \"40 Gbps\" }, { between = "
            "[\"leaf0\", \"spine1\"], rate = \"10 Gbps\" }]"}}) {
    Words all = settings;
    all.push_back(one_message("h0", "h7", "300000 B"));
    expect_ideal(place, "p.toml", all);
  }
}

// Switches hash each of them to its path, and paths are unlike: alone it goes the same way.
TEST(IdealTime, MessagesThatNeverMeetTakeItOnTheirOwnPaths) {
  const Workplace place;
  place.write("p.toml", eight_nics("500 ms", "kind = \"flow_list\"\nfile = \"list.csv\"\n"));
  Words lines;
  for (int i = 0; i < 30; ++i)
    lines.push_back(fmt::format("{},h{},h{},{}", i * 200'000, i % 4, 4 + i % 3, 1000 + i * 777));
  write_list(place, lines);
  for (const std::string scheme : {"fixed", "random"}) {
    const auto rows =
        rows_of_run(place, "p.toml",
                    {"impairment=[{ between = [\"leaf0\", \"spine0\"], rate = \"40 Gbps\" }]",
                     "nic.ordering.engine=ideal", "nic.entropy.scheme=" + scheme});
    ASSERT_EQ(rows.size(), 30u);
    for (const Row& row : rows) EXPECT_EQ(row.at("ideal_us"), row.at("fct_us")) << row.at("flow");
  }
}

// Each of the README's twelve messages, run alone by a list of its own.
TEST(IdealTime, TheShippedListsMessagesTakeItWhenTheirListsHaveNoOther) {
  const Workplace place;
  const Words use_list = {"traffic[0].file=list.csv", "traffic[0].from=0s"};
  const auto together = rows_of_run(place, shipped("flow_list"), {});
  ASSERT_EQ(together.size(), 12u);
  int met = 0;
  for (const Row& row : together) {
    write_list(place, {fmt::format("{:.3f},{},{},{}", std::stod(row.at("first_post_us")) * 1000,
                                   row.at("sender"), row.at("receiver"), row.at("size_bytes"))});
    const auto alone = rows_of_run(place, shipped("flow_list"), use_list);
    ASSERT_EQ(alone.size(), 1u);
    EXPECT_EQ(alone[0].at("fct_us"), row.at("ideal_us")) << row.at("flow");
    met += row.at("fct_us") == row.at("ideal_us") ? 0 : 1;
  }
  EXPECT_GT(met, 0);
}

// Among many messages most are computed, and those of any size are right.
TEST(IdealTime, OfManyMessagesTheComputedOnesAreWhatARunAloneSays) {
  const Workplace place;
  for (const std::string nic : {"nic.host=none", "nic.spec=connectx5"}) {
    const Words settings = {nic, "traffic[0].file=list.csv", "traffic[0].from=0s",
                            "sim.duration=100ms"};
    Words lines;
    for (int i = 0; i < 400; ++i)
      lines.push_back(fmt::format("{},h{},h{},{}", i * 100'000, i % 8, (i + 1 + i % 7) % 8,
                                  1 + i * 7919 % 400 * 613));
    write_list(place, lines);
    const auto together = rows_of_run(place, shipped("flow_list"), settings);
    ASSERT_EQ(together.size(), 400u);
    const auto ideal = place.read_json("out/summary.json").at("ideal");
    EXPECT_LE(ideal.at("run_alone"), 150);
    // With host memory small sizes are far off the line, until those beside them are run as well.
    EXPECT_LE(ideal.at("largest_error"), nic == "nic.host=none" ? 0 : 0.005);
    const double error = ideal.at("largest_error");
    const auto said = fmt::format("; of {} that were checked, one is off by {:.2g} %\n",
                                  ideal.at("checked").get<int>(), error * 100);
    const Ended told = run(place, with_settings({"run", shipped("flow_list")}, settings));
    EXPECT_EQ(told.out.find(said) != std::string::npos, error >= 5e-5) << told.out;
    for (const int i : {7, 133, 250, 399}) {
      write_list(place, {lines[static_cast<std::size_t>(i)]});
      const auto alone = rows_of_run(place, shipped("flow_list"), settings);
      EXPECT_NEAR(std::stod(alone.at(0).at("fct_us")),
                  std::stod(together[static_cast<std::size_t>(i)].at("ideal_us")),
                  5e-5 * std::stod(alone.at(0).at("fct_us")))
          << nic << " " << i;
    }
  }
}

TEST(IdealTime, LinksAreWholeAndTriggersFired) {
  const Workplace place;
  place.write("p.toml", eight_nics("500 ms", "kind = \"batch\"\n"));
  const auto whole = rows_of_run(place, "p.toml", {one_message("h0", "h7", "300000 B")});
  const auto lossy =
      rows_of_run(place, "p.toml", {one_message("h0", "h7", "300000 B"), "link_default.loss=0.05"});
  EXPECT_EQ(lossy.at(0).at("ideal_us"), whole.at(0).at("fct_us"));
  EXPECT_GT(std::stod(lossy.at(0).at("slowdown")), 1.1);

  place.write("list",
              "Nodes 8\nConnections 2\nTriggers 1\n0->7 id 1 start 0 size 300000 send_done_trigger "
              "1\n0->7 id 2 trigger 1 size 300000\ntrigger id 1 oneshot\n");
  const auto chained = rows_of_run(
      place, "p.toml", {"traffic=[{ kind = \"flow_list\", file = \"list\", format = \"htsim\" }]"});
  ASSERT_EQ(chained.size(), 2u);
  for (const Row& row : chained) EXPECT_EQ(row.at("slowdown"), "1.0000");
}

TEST(IdealTime, WhatDoesNotEndAloneHasNone) {
  const Workplace place;
  place.write("p.toml", eight_nics("1 ms", "kind = \"batch\"\n"));
  // Nothing but headers finds room.
  const Words settings = {one_message("h0", "h7", "100000 B"), "switch.queue_limit=500B"};
  const auto rows = rows_of_run(place, "p.toml", settings);
  EXPECT_EQ(rows.at(0).at("ideal_us"), "");
  EXPECT_EQ(rows.at(0).at("slowdown"), "");
  const auto results = place.read_json("out/summary.json").at("results");
  EXPECT_TRUE(results.at("fct.slowdown_mean").at("value").is_null());
  EXPECT_FALSE(results.at("fct.slowdown_mean").contains("at_least"));
}

}  // namespace
}  // namespace horae::test::ideal_time_test
