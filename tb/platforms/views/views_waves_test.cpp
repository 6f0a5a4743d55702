// waves.vcd: queues, rates and pins over time.
#include <gtest/gtest.h>

#include <sstream>

#include "horae/rtl/ordering.hpp"
#include "views.hpp"

namespace horae::test::views_waves_test {
namespace {

/// A waveform file read back, by full names; its rules are checked on the way.
struct ReadWaves {
  std::map<std::string, std::vector<std::pair<std::int64_t, std::int64_t>>> signals;
  std::int64_t start = -1, end = -1;
  Words broken;

  /// The value at `at`.
  std::int64_t at(const std::string& name, std::int64_t at) const {
    const auto& changes = signals.at(name);
    auto it = std::upper_bound(changes.begin(), changes.end(), at,
                               [](std::int64_t t, const auto& c) { return t < c.first; });
    return std::prev(it)->second;
  }

  explicit ReadWaves(const std::string& text) {
    std::istringstream in(text);
    std::map<std::string, std::pair<std::string, unsigned>> codes;
    Words scope;
    std::string word;
    bool dumping = false;
    const auto skip = [&] {
      while (in >> word && word != "$end") {
      }
    };
    const auto value = [&](const std::string& code, std::int64_t v) {
      const auto it = codes.find(code);
      if (it == codes.end()) return broken.push_back("a change of unknown " + code);
      auto& changes = signals[it->second.first];
      if (!changes.empty() && changes.back().second == v)
        broken.push_back(it->second.first + " changes to what it is");
      if (dumping != changes.empty()) broken.push_back(it->second.first + ": not dumped once");
      if (it->second.second < 63 && v >> it->second.second != 0)
        broken.push_back(it->second.first + ": too wide");
      changes.emplace_back(end, v);
    };
    while (in >> word) {
      if (word == "$timescale") {
        in >> word;
        if (word != "1ps") broken.push_back("timescale " + word);
        skip();
      } else if (word == "$scope") {
        in >> word >> word;
        scope.push_back(word);
        skip();
      } else if (word == "$upscope") {
        scope.pop_back();
        skip();
      } else if (word == "$var") {
        std::string type, code, name;
        unsigned bits = 0;
        in >> type >> bits >> code >> name;
        std::string full;
        for (const auto& s : scope) full += s + ".";
        for (const char c : name) {
          if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_')
            broken.push_back("name " + name);
        }
        if (codes.contains(code)) broken.push_back("code twice: " + code);
        codes[code] = {full + name, bits};
        skip();
      } else if (word == "$dumpvars") {
        dumping = true;
      } else if (word == "$end") {
        dumping = false;
      } else if (word == "$comment" || word == "$enddefinitions") {
        skip();
      } else if (word[0] == '#') {
        const std::int64_t t = std::stoll(word.substr(1));
        if (t <= end) broken.push_back("time goes back to " + word);
        if (start < 0) start = t;
        end = t;
      } else if (word[0] == 'b') {
        std::string code;
        in >> code;
        value(code, std::stoll(word.substr(1), nullptr, 2));
      } else if (word[0] == '0' || word[0] == '1') {
        value(word.substr(1), word[0] - '0');
      } else {
        broken.push_back("what is " + word);
      }
    }
    if (codes.size() != signals.size()) broken.push_back("not every variable has a value");
  }
};

TEST(Waves, AreWhatTheSeriesSamples) {
  const Workplace place;
  place.write("p.toml", sprayed);
  const ordered_json summary = run_viewed(place, "p.toml", {"--waves"}).json();
  const ReadWaves waves(place.read("o/waves.vcd"));
  EXPECT_EQ(waves.broken, Words{});
  EXPECT_EQ(waves.start, 0);
  EXPECT_EQ(waves.end, summary.at("sim_time_ps"));
  // The network has run empty.
  std::size_t depths = 0;
  for (const auto& [name, changes] : waves.signals) {
    for (const auto& [at, value] : changes) EXPECT_GE(value, 0) << name;
    EXPECT_EQ(changes.back().second, name.ends_with(".window") ? 64 : 0) << name;
    depths += name.ends_with("queue_bytes");
  }
  EXPECT_EQ(depths, 11u);
  // series.csv has depths as of just before a sample's time.
  std::istringstream lines(place.read("o/series.csv"));
  std::size_t compared = 0, above_zero = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.find(",queue_depth,") == std::string::npos) continue;
    std::istringstream fields(line);
    std::string time, window, object, quantity, value;
    std::getline(fields, time, ',');
    std::getline(fields, window, ',');
    std::getline(fields, object, ',');
    std::getline(fields, quantity, ',');
    std::getline(fields, value, ',');
    const auto at = static_cast<std::int64_t>(std::llround(std::stod(time) * 1e6));
    const std::int64_t depth = waves.at(object + ".queue_bytes", at - 1);
    EXPECT_EQ(static_cast<double>(depth), std::stod(value)) << line;
    ++compared;
    above_zero += depth > 0;
  }
  EXPECT_GT(compared, 100u);
  EXPECT_GT(above_zero, 10u);
  // Most cells in the chip's buffer, by its own count; a wire's share of time, by its packets.
  std::int64_t most = 0;
  for (const auto& [at, value] : waves.signals.at("t.cells")) most = std::max(most, value);
  EXPECT_LE(most, summary.at("statistics").at("t").at("most_cells_used").at("value"));
  EXPECT_GT(most, 0);
  // The window holds.
  for (const char* nic : {"a.qp0x40.outstanding", "b.outstanding"}) {
    std::int64_t peak = 0;
    for (const auto& [at, value] : waves.signals.at(nic)) peak = std::max(peak, value);
    EXPECT_EQ(peak, 64) << nic;
  }
}

TEST(Waves, BeginWithTheStateOfTheirTime) {
  const Workplace place;
  place.write("p.toml", paused);
  run_viewed(place, "p.toml", {"--waves"});
  const ReadWaves all(place.read("o/waves.vcd"));
  run_viewed(place, "p.toml", {"--waves", "--from", "10us", "--to", "15us"});
  const ReadWaves part(place.read("o/waves.vcd"));
  EXPECT_EQ(all.broken, Words{});
  EXPECT_EQ(part.broken, Words{});
  EXPECT_EQ(part.start, 10'000'000);
  EXPECT_EQ(part.end, 15'000'000);
  std::size_t above_zero = 0;
  for (const auto& [name, changes] : part.signals) {
    EXPECT_EQ(changes.front().second, all.at(name, part.start)) << name;
    EXPECT_EQ(changes.back().second, all.at(name, part.end - 1)) << name;
    above_zero += changes.front().second > 0;
  }
  EXPECT_GT(above_zero, 4u);
  ASSERT_TRUE(all.signals.contains("a.port0.paused_class0"));
  EXPECT_GT(all.signals.at("a.port0.paused_class0").size(), 3u);
  EXPECT_EQ(all.signals.at("s.buffer_bytes").back().second, 0);
}

TEST(Waves, AreWholeUpToTheirLimit) {
  const Workplace place;
  place.write("p.toml", sprayed);
  run_viewed(place, "p.toml", {"--waves"});
  const ReadWaves all(place.read("o/waves.vcd"));
  const Ended ended = run_viewed(place, "p.toml", {"--waves", "--trace-most", "1500"});
  EXPECT_TRUE(ended.err.starts_with(
      "horae: the earlier result in o was replaced\nhorae: waves.vcd ends at "))
      << ended.err;
  const ReadWaves part(place.read("o/waves.vcd"));
  EXPECT_EQ(part.broken, Words{});
  EXPECT_LT(part.end, all.end);
  std::size_t changes = 0;
  for (const auto& [name, of_part] : part.signals) {
    auto of_all = all.signals.at(name);
    std::erase_if(of_all, [&](const auto& c) { return c.first >= part.end; });
    EXPECT_EQ(of_part, of_all) << name;
    changes += of_part.size() - 1;
  }
  // Constant signals take no room (967 are shown; 850 if they did); both edges at one time take
  // some.
  EXPECT_GT(changes, 900u);
  EXPECT_LE(changes, 1500u);
}

TEST(Waves, HaveThePinsOfTheHardware) {
  if (!rtl::built_with_rtl()) GTEST_SKIP() << "built without RTL";
  const Workplace place;
  const std::string platform = HORAE_PLATFORM_DIR "/eunomia_cosim.toml";
  for (const char* level : {"rtl", "both"}) {
    run_viewed(place, platform,
               {"--waves", "--set", std::string("nic.ordering.level=") + level, "--set",
                "traffic[0].count=1", "--set", "traffic[0].qps=2"});
    const ReadWaves waves(place.read("o/waves.vcd"));
    EXPECT_EQ(waves.broken, Words{});
    const auto summary = place.read_json("o/summary.json");
    std::size_t requests = 0, answers = 0, clocks = 0;
    double received = 0, cycles = 0;
    for (int i = 0; i < 8; ++i) {
      const std::string nic = fmt::format("h{}", i);
      received += summary.at("statistics").at(nic).at("data_received").at("value").get<double>();
      const auto rises = [&](const char* pin) {
        std::size_t n = 0;
        for (const auto& [at, value] : waves.signals.at(nic + ".ordering." + pin)) n += value == 1;
        return n;
      };
      clocks += rises("clk");
      // The clocks of one request follow each other: it is valid for the first of them only.
      requests += rises("request_valid");
      answers += rises("response_valid");
    }
    cycles = result(summary, "ordering.cycles_per_packet") * received;
    ASSERT_GT(received, 500);
    EXPECT_EQ(static_cast<double>(requests), received);
    EXPECT_EQ(static_cast<double>(answers), received);
    // One more per packet, in which the request is taken; where the next one follows at once, it is
    // the last clock of the one before.
    EXPECT_GE(static_cast<double>(clocks), cycles);
    EXPECT_LE(static_cast<double>(clocks), cycles + received + 0.5);
  }
}

}  // namespace
}  // namespace horae::test::views_waves_test
