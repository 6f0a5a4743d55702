// The baselines of the long-haul paper's comparison on its platform: BiCC at the edges, CNPs of
// ToRs in place of Annulus.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "csv.hpp"
#include "program.hpp"

namespace horae::test::longhaul_baselines_test {
namespace {

struct Outcome {
  ordered_json summary;
  std::vector<Row> series;
  double result(const std::string& name) const {
    return summary.at("results").at(name).at("value").get<double>();
  }
  double both(const std::string& counter) const {
    return result("edge0." + counter) + result("edge1." + counter);
  }
  double dropped() const {
    double n = 0;
    for (const auto& cause : summary.at("packets").at("dropped")) n += cause.get<double>();
    return n;
  }
};

/// The shipped platform at 70 % load for a millisecond.
Outcome run_busy(const Words& settings) {
  const Workplace place;
  Words all = {"traffic[0].load=0.7", "traffic[0].duration=1ms", "sim.sample=1ms"};
  all.insert(all.end(), settings.begin(), settings.end());
  const Ended ended = run(
      place,
      with_settings({"run", HORAE_PLATFORM_DIR "/longhaul.toml", "--json", "--out", "out"}, all));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return {ended.json(), rows_of(place.read("out/series.csv"))};
}
const Words bicc = {"two_sites.edge=edge_bicc"}, annulus = {"two_sites.tor=tor_annulus"};
Words with(Words words, const std::string& more) {
  words.push_back(more);
  return words;
}

TEST(Bicc, WindowsHoldAndEveryPacketIsAccountedFor) {
  const Outcome plain = run_busy({});
  const Outcome r = run_busy(bicc);
  EXPECT_EQ(r.summary.at("verdict"), "complete");
  EXPECT_LT(r.result("sites.intra.slowdown_mean"), plain.result("sites.intra.slowdown_mean"));
  EXPECT_EQ(r.dropped(), 0);
  EXPECT_GT(r.both("voq.held"), 1000);
  EXPECT_EQ(r.both("voq.waiting"), 0);
  for (const char* none : {"voq.unknown", "voq.again", "voq.expired"})
    EXPECT_EQ(r.both(none), 0) << none;
  for (const char* edge : {"edge0", "edge1"}) {
    EXPECT_LE(r.result(edge + std::string(".voq.most_under_way")), 105'000);
    EXPECT_GT(r.result(edge + std::string(".voq.most_under_way")), 103'000);
  }
  double most = 0;
  for (const Row& row : r.series) {
    if (row.at("object") == "edge0.voq") most = std::max(most, std::stod(row.at("value")));
  }
  EXPECT_GT(most, 0);
  EXPECT_LE(most, r.result("edge0.voq.most_bytes"));
}

// Packets and answers are lost behind the edges, ACKs are for many packets at once: nothing waits
// for ever.
TEST(Bicc, LossDoesNotLeakTheWindow) {
  for (const char* transport : {"go_back_n", "irn"}) {
    Words lossy = with(bicc, "link_default.loss=0.00005");
    lossy = with(lossy, std::string("nic.transport=") + transport);
    lossy = with(lossy, "nic.reliability.ack_every=8");
    if (transport == std::string("irn")) lossy = with(lossy, "nic.reliability.window=4096");
    const Outcome r = run_busy(lossy);
    EXPECT_EQ(r.summary.at("verdict"), "complete") << transport;
    EXPECT_GT(r.dropped(), 10);
    EXPECT_EQ(r.both("voq.waiting"), 0);
    EXPECT_EQ(r.result("sites.all.unfinished"), 0);
  }
}

// An ACK for more packets than the window holds never comes: the timeout goes on.
TEST(Bicc, RareAcksExpireTheWindow) {
  const Outcome r =
      run_busy(with(with(bicc, "nic.reliability.ack_every=4096"), "edge_bicc.voq.timeout=1ms"));
  EXPECT_EQ(r.summary.at("verdict"), "complete");
  EXPECT_GT(r.both("voq.expired"), 0);
}

TEST(Annulus, TorsAnswerTheirMarks) {
  const Outcome plain = run_busy({});
  const Outcome r = run_busy(annulus);
  EXPECT_EQ(r.summary.at("verdict"), "complete");
  EXPECT_EQ(r.dropped(), 0);
  EXPECT_LT(r.result("sites.intra.slowdown_mean"), plain.result("sites.intra.slowdown_mean"));
  double marks = 0, cnps = 0;
  for (const char* tor :
       {"tor0_0", "tor0_1", "tor0_2", "tor0_3", "tor1_0", "tor1_1", "tor1_2", "tor1_3"}) {
    marks += r.result(tor + std::string(".notify.marks"));
    cnps += r.result(tor + std::string(".notify.cnps"));
    EXPECT_EQ(r.result(tor + std::string(".notify.unknown")), 0);
  }
  EXPECT_GT(cnps, 0);
  EXPECT_LT(cnps, marks);
}

// CNPs of a ToR reach the rates of flows within a site too: they lower them as receivers' do.
TEST(Annulus, CnpsOfAToRSlowLocalSenders) {
  for (const Words& tor : {annulus, with(annulus, "tor_annulus.notify.gap=1000ms"),
                           with(annulus, "tor_annulus.notify.scope=any")}) {
    const Workplace place;
    place.write("list",
                "start_ns,source,destination,bytes\n0,h1,h0,20000000\n0,h2,h0,20000000\n"
                "0,h3,h0,20000000\n");
    std::ifstream file(HORAE_PLATFORM_DIR "/longhaul.toml");
    std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    text.resize(text.find("[[traffic]]"));
    place.write("p.toml", text + "[[traffic]]\nkind = \"flow_list\"\nfile = \"list\"\n");
    const Ended ended = run(place, with_settings({"run", "p.toml", "--json"}, tor));
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    const Outcome r{ended.json(), {}};
    const bool one_each = tor.back() == "tor_annulus.notify.gap=1000ms";
    const double made = r.result("tor0_0.notify.cnps");
    if (one_each)
      EXPECT_EQ(made, 3);
    else
      EXPECT_GT(made, 30);
    EXPECT_EQ(r.result("senders.cnps_received"), made);
    EXPECT_EQ(r.result("receivers.cnps_sent"), 0);  // all marks are this ToR's, and cleared
  }
}

TEST(Baselines, ResultsDoNotDependOnTheWindowOrOnWhoWatches) {
  const Words both = with(bicc, annulus[0]);
  const Outcome one = run_busy(both);
  for (const char* other : {"sim.window=170ns", "sim.scheduling=exact_wake"}) {
    const Outcome r = run_busy(with(both, other));
    EXPECT_EQ(one.summary.at("results"), r.summary.at("results")) << other;
    EXPECT_EQ(one.series, r.series) << other;
  }
}

TEST(Baselines, RefusesWhatIsNoSwitch) {
  const auto refusal = [](const Words& settings) {
    const Workplace place;
    const Ended ended =
        run(place, with_settings({"run", HORAE_PLATFORM_DIR "/longhaul.toml", "--json"}, settings));
    EXPECT_EQ(ended.exit_code, 2);
    return ended.err;
  };
  EXPECT_NE(refusal(with(bicc, "edge_bicc.voq.remote_nodes=[99]"))
                .find("'edge0': voq.remote_nodes has 99; expected one of the 32 nodes"),
            std::string::npos);
  EXPECT_NE(refusal({"edge_bicc.notify={}"}).find("voq and notify are two kinds of switch"),
            std::string::npos);
  EXPECT_NE(refusal(with(bicc, "edge_bicc.voq.window=0B")).find("below the minimum"),
            std::string::npos);
}

}  // namespace
}  // namespace horae::test::longhaul_baselines_test
