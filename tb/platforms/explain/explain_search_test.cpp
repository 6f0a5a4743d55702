// The search of `horae explain` over everything that is open: what was observed of a known
// mechanism finds it again, no budget turns the verdict of another, equal bytes whatever the jobs
// and after a kill.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <thread>

#include "explain.hpp"

namespace horae::test::explain_search_test {
namespace {

namespace fs = std::filesystem;

const std::string blocked = R"("tor.program.nack_drop=1", "tor.program.nack_of=1")";
const std::string far_away = blocked + R"(, "link_default.delay=5us")";
constexpr double true_rate = 40;

/// Rates of a NIC that holds each queue pair to 40 Gbps, near and far.
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

double gbps(const std::string& text) {
  return std::stod(text.substr(0, text.find(' '))) * (text.ends_with("Mbps") ? 1e-3 : 1);
}

TEST(ExplainSearch, FindsTheMechanismAndItsParameterAndNotTheOthers) {
  const Inquiry inquiry(observations_of_a_rate(), three + experiment);
  const ordered_json s = inquiry.json({"--points", "96"});
  const ordered_json rate = hypothesis(s, "rate"), window = hypothesis(s, "window"),
                     free = hypothesis(s, "free");
  EXPECT_EQ(rate.at("verdict"), "consistent");
  EXPECT_EQ(s.at("infer").at("ranked").at(0), "rate");
  const ordered_json range = accepted(rate, "nic.qp_rate");
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
      // Fewer points than a whole pass exclude nothing.
      EXPECT_EQ(row.at("standing"), closest <= factor ? "consistent" : "not found");
    }
  }
  EXPECT_FALSE(rate.contains("own_data"));  // found
  EXPECT_GT(window.at("closest").at("tolerances"), 2.0);
  EXPECT_FALSE(window.contains("own_data"));
  const std::string verdict = window.at("verdict");
  EXPECT_TRUE(verdict.starts_with(fmt::format("not found in {} points, closest {:.2f} tolerances (",
                                              window.at("points").get<int>(),
                                              window.at("closest").at("tolerances").get<double>())))
      << verdict;
  EXPECT_NE(verdict.find("closest at nic.reliability.window = "), std::string::npos);
  EXPECT_TRUE(verdict.ends_with("; fewer than 160 points exclude nothing")) << verdict;
  EXPECT_TRUE(
      free.at("verdict").get<std::string>().starts_with("impossible: it never idles the wire"));
  // Its trait is checked all the same: a window binds when links are long.
  EXPECT_EQ(free.at("points"), 32);
  EXPECT_NE(
      free.at("verdict").get<std::string>().find("; simulated all the same, no point of 32 is "
                                                 "closer than "),
      std::string::npos)
      << free.at("verdict");
  // Two queue pairs have twice the rate.
  const ordered_json& x = s.at("infer").at("experiments").at(0);
  EXPECT_NEAR(x.at("predictions").at(0).at("tx_share").at("median").get<double>(),
              2 * true_rate / 100, 0.1);
}

/// A window so short that it never comes near: what it shows lies within some tolerances.
const std::string short_window =
    mechanism("hypothesis", "short", parameter("hypothesis", "nic.reliability.window", "2", "8"));

/// The lines of points.csv of a hypothesis: number and values of each point.
std::vector<std::string> points_of(const Workplace& place, const std::string& folder,
                                   const std::string& id) {
  std::vector<std::string> out;
  std::istringstream text(place.read(folder + "/points.csv"));
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("\"" + id + "\"")) out.push_back(line.substr(line.rfind(",\"")));
  }
  // The reading is that under which it comes nearest.
  for (auto& line : out) line.erase(line.find("readings="));
  return out;
}

// "Excluded" is of the mechanism: of a search that finds the mechanism's own data. A search of more
// points begins with that of fewer, so what one finds or excludes no longer one turns.
TEST(ExplainSearch, NoBudgetTurnsAVerdictOfASmallerOne) {
  const Inquiry inquiry(observations_of_a_rate(), three + short_window);
  const std::vector<std::string> ids = {"rate", "window", "short"};
  std::map<std::string, double> closest;
  std::map<std::string, std::string> standing;
  std::map<std::string, std::vector<std::string>> points;
  for (const int budget : {8, 24, 96, 160, 200, 400}) {
    ASSERT_EQ(inquiry
                  .run({"--points", std::to_string(budget), "--only", "rate,window,short", "--out",
                        "out"})
                  .exit_code,
              0);
    const ordered_json s = inquiry.place().read_json("out/summary.json");
    for (const auto& id : ids) {
      const ordered_json h = hypothesis(s, id);
      const std::string now = h.at("standing"), verdict = h.at("verdict");
      EXPECT_TRUE(verdict.starts_with(now)) << verdict;
      const double miss = h.at("closest").at("tolerances");
      const auto all = points_of(inquiry.place(), "out", id);
      ASSERT_EQ(all.size(), h.at("points").get<std::size_t>());
      EXPECT_LE(all.size(), static_cast<std::size_t>(budget));
      const auto& before = points[id];
      ASSERT_GE(all.size(), before.size());
      EXPECT_TRUE(std::equal(before.begin(), before.end(), all.begin())) << id << " " << budget;
      if (closest.contains(id)) {
        EXPECT_LE(miss, closest[id]) << id << " " << budget;
        EXPECT_TRUE(standing[id] == "not found" || now == standing[id])
            << id << ": " << standing[id] << ", then " << verdict;
      }
      closest[id] = miss;
      standing[id] = now;
      points[id] = all;
      if (budget < 160) {
        EXPECT_NE(now, "excluded");
        continue;
      }
      EXPECT_EQ(h.contains("own_data"), miss > 2);
      if (!h.contains("own_data")) continue;
      const ordered_json& own = h.at("own_data");
      const int asked = own.at("asked"), least = own.at("found_at_least");
      EXPECT_EQ(asked, 32);  // the second pass is not whole, so it is not asked
      EXPECT_LE(least, own.at("found_at_most"));
      EXPECT_EQ(now == "excluded", 20 * least >= 19 * asked) << verdict;
      if (now != "excluded") continue;
      EXPECT_TRUE(verdict.starts_with(fmt::format("excluded: no point of {} closer", all.size())));
      EXPECT_NE(verdict.find(fmt::format("the search finds {}", least)), std::string::npos);
    }
  }
  EXPECT_EQ(standing["rate"], "consistent");
  EXPECT_EQ(standing["short"], "excluded");
  // As near as the data of a window lie to each other, a search of so many does not say.
  EXPECT_EQ(standing["window"], "not found");
}

// At larger tolerances what agreed still does, in one answer and, from its nearest points, in the
// next.
TEST(ExplainSearch, LargerTolerancesTurnNoVerdict) {
  const auto rank = [](const std::string& standing) {
    return standing == "consistent" ? 2 : standing == "not found" ? 1 : 0;
  };
  std::map<std::string, int> before;
  Words from;
  for (const double tolerance : {0.01, 0.02, 0.05, 0.1, 0.4}) {
    const Inquiry inquiry(observations_of_a_rate(tolerance), three + short_window);
    Words words = {"--out", "out"};
    if (!from.empty()) {
      inquiry.place().write("earlier/summary.json", from.front());
      words.insert(words.end(), {"--from", "earlier"});
    }
    ASSERT_EQ(inquiry.run(words).exit_code, 0);
    from = {inquiry.place().read("out/summary.json")};
    const ordered_json s = ordered_json::parse(from.front());
    for (const auto& h : s.at("infer").at("hypotheses")) {
      if (h.at("id") == "free") continue;
      int last = 0;
      for (const auto& row : h.at("tolerances")) {
        EXPECT_GE(rank(row.at("standing")), last) << h.at("id") << " " << row;
        last = rank(row.at("standing"));
      }
      const int now = rank(h.at("standing"));
      if (before.contains(h.at("id")) && before[h.at("id")] == 2) {
        EXPECT_EQ(now, 2) << h.at("id") << " at " << tolerance;
      }
      before[h.at("id")] = now;
    }
  }
  EXPECT_EQ(before["rate"], 2);
}

/// The files of an answer but for the time it took.
std::string bytes(const Workplace& place, const std::string& folder) {
  std::string json = place.read(folder + "/summary.json");
  const auto at = json.find("\"wall_s\"");
  json.erase(at, json.find('\n', at) - at);
  return json + place.read(folder + "/points.csv") + place.read(folder + "/runs.csv");
}

std::size_t files_in(const fs::path& folder) {
  if (!fs::exists(folder)) return 0;
  const fs::recursive_directory_iterator all(folder);
  return static_cast<std::size_t>(std::count_if(
      begin(all), end(all), [](const auto& entry) { return entry.path().extension() == ".json"; }));
}

Words asked(const std::string& jobs, const std::string& out, const Words& more = {},
            const std::string& points = "176") {
  Words words = with_settings(
      {"explain", testbed, "--observations", "o.toml", "--hypotheses", "h.toml", "--infer",
       "--points", points, "--seeds", "2", "--no-progress", "--jobs", jobs, "--out", out},
      brief);
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(ExplainSearch, HasEqualBytesWithAnyJobsAndAfterAKill) {
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

/// Faults of a hypotheses file, or of arguments.
std::string refused(const std::string& hypotheses, const Words& more) {
  const Inquiry inquiry(observations_head + condition("near", blocked) +
                            observation("tx", "near", "tx_share", 0.5, "share of line", "predict"),
                        hypotheses);
  const Ended ended = inquiry.run(more);
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(inquiry.place().content(), (Words{"h.toml", "o.toml"}));
  return ended.err;
}

TEST(ExplainSearch, GoesOnFromAnEarlierAnswer) {
  const Workplace place;
  place.write("o.toml", observations_of_a_rate(1e-9));
  place.write("h.toml", three);
  const auto rate = [&](const Words& more) {
    const Ended ended = run(place, asked("2", "out", more, "40"));
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return hypothesis(ordered_json::parse(place.read("out/summary.json")), "rate");
  };
  // So near so few points do not come by chance.
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
  EXPECT_EQ(told.at("points"), alone.at("points").get<int>() + 1);  // beside those asked for
  EXPECT_EQ(told.at("closest").at("at").at("nic.qp_rate"), "40 Gbps");

  earlier("40 ns");
  EXPECT_EQ(run(place, asked("2", "bad", {"--from", "earlier"}))
                .err.find("horae: --from: earlier/summary.json: rate: "),
            0u);
  place.write("earlier/summary.json", R"({"results": {}})");
  EXPECT_EQ(run(place, asked("2", "bad", {"--from", "earlier"}))
                .err.find("horae: --from: earlier/summary.json: expected the answer of horae "
                          "explain, found otherwise: "),
            0u);
  const Ended nowhere = run(place, asked("2", "bad", {"--from", "nowhere"}));
  EXPECT_EQ(nowhere.err, "horae: --from: nowhere/summary.json: cannot be read\n");
  EXPECT_EQ(nowhere.exit_code, 2);
  EXPECT_FALSE(place.has("bad"));
}

TEST(ExplainSearch, RefusesUnknownsThatAreNone) {
  const std::string one = mechanism("hypothesis", "one", "");
  const auto refused_with = [&](const std::string& table) {
    return refused(hypotheses_head + "[[nuisance]]\n" + table + one, {});
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
TEST(ExplainSearch, SaysWhatWasNotTested) {
  const std::string more =
      condition("reacts", blocked, true) +
      observation("reacts.tx", "reacts", "tx_share", 0.5, "share of line", "fit");
  const Words few = {"--points", "24", "--only", "rate"};
  const Inquiry all(observations_of_a_rate(), three);
  EXPECT_FALSE(all.json(few).contains("untested"));
  const Inquiry some(observations_of_a_rate() + more, three);
  EXPECT_EQ(some.json(few).at("untested"), ordered_json({"reacts.tx"}));
  EXPECT_NE(some.run(few).out.find("Agrees: with 2 of 3 observations. Not tested, for there is no "
                                   "[[reaction]]: reacts.tx.\n"),
            std::string::npos);
}

// `--infer` was the name of what the command does now.
TEST(ExplainSearch, TheOldFlagChangesNothing) {
  const Inquiry inquiry(observations_of_a_rate(), three);
  const auto answer = [&](const Words& more) {
    Words words = {"--points", "24", "--only", "rate"};
    words.insert(words.end(), more.begin(), more.end());
    ordered_json out = inquiry.json(words);
    out.erase("wall_s");
    return out;
  };
  EXPECT_EQ(answer({"--infer"}), answer({}));
}

TEST(ExplainSearch, ATimeGivesTheAnswerOfTheLargestSearchThatEnds) {
  const Inquiry inquiry(observations_of_a_rate(), three);
  const ordered_json plain = inquiry.json({"--points", "32"});
  const ordered_json timed = inquiry.json({"--points", "32", "--minutes", "20"});
  EXPECT_FALSE(plain.at("infer").contains("time"));
  EXPECT_TRUE(timed.at("infer").at("time").at("did_not_end").is_null());
  EXPECT_EQ(timed.at("infer").at("points"), 32);
  EXPECT_EQ(plain.at("infer").at("hypotheses"), timed.at("infer").at("hypotheses"));
  // More points than there is time for: the program ends with the time, and says what it searched.
  const auto began = std::chrono::steady_clock::now();
  const ordered_json cut = inquiry.json({"--points", "100000", "--minutes", "0.2"});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  EXPECT_LT(took.count(), 12 + 5);
  const std::size_t points = cut.at("infer").at("points");
  EXPECT_EQ(cut.at("infer").at("time").at("did_not_end"), 2 * points);
  EXPECT_EQ(cut.at("infer").at("hypotheses"),
            inquiry.json({"--points", std::to_string(points)}).at("infer").at("hypotheses"));
  const Ended none = inquiry.run({"--points", "32", "--minutes", "0.001"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.err.find("--minutes 0.001: the least search, of 8 points of a hypothesis, has not "
                          "ended"),
            std::string::npos)
      << none.err;
}

}  // namespace
}  // namespace horae::test::explain_search_test
