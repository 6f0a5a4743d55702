// Inference over spaces: what was observed of a known mechanism finds it again; equal bytes
// whatever the jobs, and after a kill.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <thread>

#include "explain.hpp"

namespace horae::test::explain_infer_test {
namespace {

namespace fs = std::filesystem;

const std::string blocked = R"("tor.program.nack_drop=1", "tor.program.nack_of=1")";
const std::string far_away = blocked + R"(, "link_default.delay=5us")";
constexpr double true_rate = 40;

/// What a NIC that holds each queue pair to 40 Gbps shows, near and far.
std::string observations_of_a_rate(double tolerance = 0.05) {
  const auto shown = [](Words settings) {
    settings.insert(settings.end(),
                    {fmt::format("nic.qp_rate={}Gbps", true_rate), "tor.program.nack_drop=1",
                     "tor.program.nack_of=1", "nic.mtu=2KiB"});
    return truth("senders.tx_share", settings);
  };
  return observations_head + condition("near", blocked) + condition("far", far_away) +
         observation("near.tx", "near", "tx_share", shown({}), "share of line", "fit", tolerance) +
         observation("far.tx", "far", "tx_share", shown({"link_default.delay=5us"}),
                     "share of line", "predict", tolerance);
}

const std::string nuisance =
    "[[nuisance]]\nkey = \"nic.mtu\"\nvalues = [\"1KiB\", \"2KiB\"]\nwhy = \"not printed\"\n";
/// A rate, the truth; a window, which the distance gives away; and one that never waits.
const std::string three =
    hypotheses_head + nuisance +
    mechanism("hypothesis", "rate", parameter("hypothesis", "nic.qp_rate", "5 Gbps", "100 Gbps")) +
    mechanism("hypothesis", "window",
              parameter("hypothesis", "nic.reliability.window", "2", "512", "log")) +
    mechanism("hypothesis", "free", "stalls = \"none\"");
const std::string experiment =
    "[[experiment]]\nid = \"qps_2\"\ntitle = \"two queue pairs\"\ncondition = \"near\"\n"
    "set = [\"traffic[0].qps=2\"]\nquantities = [\"tx_share\"]\neffort = \"command\"\n";

ordered_json found(const ordered_json& summary, const std::string& id) {
  for (const auto& h : summary.at("infer").at("hypotheses")) {
    if (h.at("id") == id) return h;
  }
  throw std::runtime_error("no hypothesis " + id);
}

double gbps(const std::string& text) {
  return std::stod(text.substr(0, text.find(' '))) * (text.ends_with("Mbps") ? 1e-3 : 1);
}

TEST(ExplainInfer, FindsTheMechanismAndItsParameterAndNotTheOthers) {
  const Inquiry inquiry(observations_of_a_rate(), three + experiment);
  const ordered_json s = inquiry.json({"--infer", "--points", "96", "--seeds", "1"});
  const ordered_json rate = found(s, "rate"), window = found(s, "window"), free = found(s, "free");
  EXPECT_EQ(rate.at("verdict"), "consistent");
  EXPECT_EQ(s.at("infer").at("ranked").at(0), "rate");
  ordered_json range;
  for (const auto& unknown : rate.at("unknowns")) {
    if (unknown.at("name") == "nic.qp_rate") range = unknown.at("accepted");
  }
  EXPECT_LE(gbps(range.at("low")), true_rate);
  EXPECT_GE(gbps(range.at("high")), true_rate);
  EXPECT_LT(gbps(range.at("most")) - gbps(range.at("least")), 0.25 * true_rate);
  // The share of its space is that of the tolerance: 2 x 5 % of 40 Gbps of 95 Gbps.
  const double share = rate.at("evidence").at("share"), error = rate.at("evidence").at("error");
  EXPECT_NEAR(share, 0.1 * true_rate / 95, 3 * error + 0.01);
  for (const auto& p : rate.at("predictions"))
    EXPECT_NEAR(p.at("median").get<double>(), p.at("published").get<double>(), p.at("allowed"));

  for (const ordered_json& h : {rate, window}) {
    const double closest = h.at("closest").at("tolerances");
    ASSERT_EQ(h.at("tolerances").size(), 3U);
    for (const auto& row : h.at("tolerances")) {
      const double factor = row.at("factor");
      // Its first 16 points are too few to exclude anything.
      EXPECT_EQ(row.at("standing"), closest <= factor ? "consistent" : "not found");
    }
  }
  EXPECT_FALSE(rate.contains("own_data"));  // found
  EXPECT_GT(window.at("closest").at("tolerances"), 2.0);
  EXPECT_EQ(window.at("own_data").at("asked"), 16);
  const std::string verdict = window.at("verdict");
  EXPECT_TRUE(verdict.starts_with(fmt::format("not found in {} points, closest {:.2f} tolerances (",
                                              window.at("points").get<int>(),
                                              window.at("closest").at("tolerances").get<double>())))
      << verdict;
  EXPECT_NE(verdict.find("closest at nic.reliability.window = "), std::string::npos);
  EXPECT_TRUE(verdict.ends_with("; 16 first points are too few to exclude it, expected 20"))
      << verdict;
  EXPECT_TRUE(
      free.at("verdict").get<std::string>().starts_with("impossible: it never idles the wire"));
  EXPECT_FALSE(free.contains("points"));
  // Two queue pairs have twice the rate.
  const ordered_json& x = s.at("infer").at("experiments").at(0);
  EXPECT_NEAR(x.at("predictions").at(0).at("tx_share").at("median").get<double>(),
              2 * true_rate / 100, 0.1);
}

/// A window so short that it never comes near: what it shows lies within some tolerances.
const std::string short_window =
    mechanism("hypothesis", "short", parameter("hypothesis", "nic.reliability.window", "2", "8"));

// "Excluded" is of the mechanism: of a search that finds the mechanism's own data. A smaller one
// did not find it, and of one whose data lie far apart neither says more.
TEST(ExplainInfer, ExcludesWhatASearchWouldHaveFound) {
  const Inquiry inquiry(observations_of_a_rate(), three + short_window);
  std::map<std::string, std::set<std::string>> standings;
  for (const int points : {24, 96, 192, 256}) {
    const ordered_json s = inquiry.json({"--infer", "--points", std::to_string(points), "--seeds",
                                         "1", "--only", "rate,window,short"});
    for (const char* id : {"rate", "window", "short"}) {
      const ordered_json h = found(s, id);
      const std::string standing = h.at("standing"), verdict = h.at("verdict");
      standings[id].insert(standing);
      EXPECT_TRUE(verdict.starts_with(standing)) << verdict;
      if (!h.contains("own_data")) continue;
      const ordered_json& own = h.at("own_data");
      const int asked = own.at("asked"), least = own.at("found_at_least"),
                most = own.at("found_at_most");
      EXPECT_EQ(asked, points < 96 ? 8 : points < 192 ? 16 : 32);
      EXPECT_LE(least, most);
      EXPECT_LE(most, asked);
      EXPECT_GT(h.at("closest").at("tolerances"), 2);
      EXPECT_EQ(standing == "excluded", asked >= 20 && 20 * least >= 19 * asked) << verdict;
      if (standing != "excluded") continue;
      const std::string conditions = own.at("conditions") == 1 ? "near" : "near, far";
      EXPECT_TRUE(verdict.starts_with("excluded: no point of ")) << verdict;
      EXPECT_TRUE(verdict.ends_with(fmt::format(
          "); of {} data of its own in {} the search finds {}", asked, conditions, least)))
          << verdict;
    }
  }
  EXPECT_TRUE(standings["rate"].contains("consistent"));
  for (auto& [id, of] : standings)
    EXPECT_FALSE(of.contains("excluded") && of.contains("consistent")) << id;
  EXPECT_FALSE(standings["rate"].contains("excluded"));
  EXPECT_EQ(standings["window"], std::set<std::string>{"not found"});
  EXPECT_EQ(standings["short"], (std::set<std::string>{"excluded", "not found"}));
}

/// The files of an answer but for the time it took.
std::string bytes(const Workplace& place, const std::string& folder) {
  std::string json = place.read(folder + "/summary.json");
  const auto at = json.find("\"wall_s\"");
  json.erase(at, json.find('\n', at) - at);
  return json + place.read(folder + "/points.csv");
}

std::size_t files_in(const fs::path& folder) {
  if (!fs::exists(folder)) return 0;
  const fs::recursive_directory_iterator all(folder);
  return static_cast<std::size_t>(std::count_if(
      begin(all), end(all), [](const auto& entry) { return entry.path().extension() == ".json"; }));
}

Words asked(const std::string& jobs, const std::string& out, const Words& more = {}) {
  Words words = with_settings(
      {"explain", testbed, "--observations", "o.toml", "--hypotheses", "h.toml", "--infer",
       "--points", "64", "--seeds", "2", "--no-progress", "--jobs", jobs, "--out", out},
      brief);
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(ExplainInfer, HasEqualBytesWithAnyJobsAndAfterAKill) {
  using namespace std::chrono_literals;
  const Workplace place;
  place.write("o.toml", observations_of_a_rate());
  place.write("h.toml", three);
  ASSERT_EQ(run(place, asked("1", "one")).exit_code, 0);
  ASSERT_EQ(run(place, asked("2", "two", {"--store", "all"})).exit_code, 0);
  EXPECT_EQ(bytes(place, "one"), bytes(place, "two"));

  Program killed(place, asked("2", "three", {"--store", "kept"}));
  const fs::path kept = place.path() / "kept";
  for (int i = 0; i < 10'000 && files_in(kept) < 8; ++i) std::this_thread::sleep_for(2ms);
  killed.send(SIGKILL);
  EXPECT_EQ(killed.end().signal, SIGKILL);
  EXPECT_FALSE(place.has("three"));
  const std::size_t before = files_in(kept), all = files_in(place.path() / "all");
  EXPECT_GE(before, 8u);
  EXPECT_LT(before, all);
  // One that was kept is damaged: it runs again.
  for (const auto& entry : fs::recursive_directory_iterator(kept)) {
    if (entry.path().extension() == ".json") {
      fs::resize_file(entry.path(), fs::file_size(entry.path()) - 5);
      break;
    }
  }
  ASSERT_EQ(run(place, asked("2", "three", {"--store", "kept"})).exit_code, 0);
  EXPECT_EQ(bytes(place, "three"), bytes(place, "one"));

  // Nothing runs that is there: no file is newer than the folder's answer.
  const auto written = fs::last_write_time(place.path() / "three" / "summary.json");
  ASSERT_EQ(run(place, asked("2", "four", {"--store", "kept"})).exit_code, 0);
  EXPECT_EQ(files_in(kept), all);  // and what a run left that died after the second began is gone
  for (const auto& entry : fs::recursive_directory_iterator(kept)) {
    if (entry.is_regular_file()) {
      EXPECT_LE(entry.last_write_time(), written) << entry.path();
    }
  }
}

/// What is wrong with a hypotheses file, or with arguments.
std::string refused(const std::string& hypotheses, const Words& more) {
  const Inquiry inquiry(observations_head + condition("near", blocked) +
                            observation("tx", "near", "tx_share", 0.5, "share of line", "predict"),
                        hypotheses);
  const Ended ended = inquiry.run(more);
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(inquiry.place().content(), (Words{"h.toml", "o.toml"}));
  return ended.err;
}

TEST(ExplainInfer, GoesOnFromAnEarlierAnswer) {
  const Workplace place;
  place.write("o.toml", observations_of_a_rate(1e-9));
  place.write("h.toml", three);
  const auto rate = [&](const Words& more) {
    const Ended ended = run(place, asked("2", "out", more));
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return found(ordered_json::parse(place.read("out/summary.json")), "rate");
  };
  // So near no search comes by chance.
  const ordered_json alone = rate({});
  EXPECT_EQ(alone.at("standing"), "not found");
  const auto earlier = [&](const std::string& value) {
    fs::create_directories(place.path() / "earlier");
    place.write(
        "earlier/summary.json",
        R"({"infer": {"hypotheses": [{"id": "free"}, {"id": "rate", "nearest": [{"tolerances": 0.1, "values": )"
        R"({"nic.qp_rate": ")" +
            value + R"(", "nic.mtu": "2KiB", "seed": "1"}}]}]}})");
  };
  earlier("40 Gbps");
  const ordered_json told = rate({"--from", "earlier"});
  EXPECT_EQ(told.at("standing"), "consistent") << told.at("verdict");
  EXPECT_EQ(told.at("nearest").at(0).at("values").at("nic.qp_rate"), "40 Gbps");
  EXPECT_LT(told.at("points"), alone.at("points"));

  earlier("40 ns");
  EXPECT_EQ(run(place, asked("2", "bad", {"--from", "earlier"}))
                .err.find("horae: --from: earlier/summary.json: rate: "),
            0u);
  place.write("earlier/summary.json", R"({"results": {}})");
  EXPECT_EQ(run(place, asked("2", "bad", {"--from", "earlier"}))
                .err.find("horae: --from: earlier/summary.json: expected the answer of horae "
                          "explain --infer, found otherwise: "),
            0u);
  const Ended nowhere = run(place, asked("2", "bad", {"--from", "nowhere"}));
  EXPECT_EQ(nowhere.err, "horae: --from: nowhere/summary.json: cannot be read\n");
  EXPECT_EQ(nowhere.exit_code, 2);
  EXPECT_FALSE(place.has("bad"));
}

TEST(ExplainInfer, RefusesUnknownsThatAreNone) {
  const std::string one = mechanism("hypothesis", "one", "");
  const auto refused_with = [&](const std::string& table) {
    return refused(hypotheses_head + "[[nuisance]]\n" + table + one, {"--infer"});
  };
  EXPECT_EQ(refused_with("key = \"nic.mut\"\nvalues = [\"1KiB\", \"2KiB\"]\n"),
            "horae: h.toml:3:7: 'nic.mut' names no value of the platform, did you mean "
            "'nic.mtu'?\n");
  EXPECT_EQ(
      refused_with("key = \"nic.mtu\"\nvalues = [\"1KiB\", \"8KiB\"]\n"),
      "horae: h.toml:4:19: nuisance: --set nic.mtu: mtu = 8 KiB is above the maximum 4 KiB\n");
  EXPECT_EQ(refused_with("key = \"nic.mtu\"\nvalues = [\"1KiB\", \"1KiB\"]\n"),
            "horae: h.toml:4:19: 'nic.mtu': value '1KiB' is there already\n");
  EXPECT_EQ(refused_with("key = \"nic.mtu\"\nvalues = [\"1KiB\"]\n"),
            "horae: h.toml:4:11: 'nic.mtu': one value is no choice; expected two or more, or a "
            "line of `set`\n");
  EXPECT_EQ(refused_with("key = \"nic.ack_delay\"\nlow = \"1 us\"\n"),
            "horae: h.toml:3:7: 'nic.ack_delay' has no 'high'; expected low and high, or values\n");
  EXPECT_EQ(refused_with("key = \"nic.mtu\"\nlow = \"1 KiB\"\nvalues = [\"1KiB\", \"2KiB\"]\n"),
            "horae: h.toml:3:7: 'nic.mtu' has both bounds and values; expected either\n");
}

// Observations with a reaction are not looked at where no reaction is told, and that is said.
TEST(ExplainInfer, SaysWhatWasNotTested) {
  const std::string more =
      condition("reacts", blocked, true) +
      observation("reacts.tx", "reacts", "tx_share", 0.5, "share of line", "fit");
  const Words few = {"--infer", "--points", "24", "--seeds", "1", "--only", "rate"};
  const Inquiry all(observations_of_a_rate(), three);
  EXPECT_FALSE(all.json(few).contains("untested"));
  const Inquiry some(observations_of_a_rate() + more, three);
  EXPECT_EQ(some.json(few).at("untested"), ordered_json({"reacts.tx"}));
  EXPECT_NE(some.run(few).out.find("Agrees: with 2 of 3 observations. Not tested, for there is no "
                                   "[[reaction]]: reacts.tx.\n"),
            std::string::npos);
}

TEST(ExplainInfer, ChoicesAreNotFitted) {
  const std::string choice =
      mechanism("hypothesis", "either",
                "[[hypothesis.parameter]]\nkey = \"nic.mtu\"\nvalues = [\"1KiB\", \"2KiB\"]\n");
  EXPECT_EQ(refused(hypotheses_head + choice, {}),
            "horae: every hypothesis chooses among values, which no fit can; expected --infer\n");
  EXPECT_EQ(refused(hypotheses_head + choice, {"--only", "either"}),
            "horae: --only: 'either' chooses among values, which no fit can; expected --infer with "
            "it\n");
  EXPECT_EQ(refused(hypotheses_head + choice, {"--points", "100"}),
            "horae: --points: expected with --infer only\n");
}

}  // namespace
}  // namespace horae::test::explain_infer_test
