// NICs that choose paths and switches that trim, on random platforms with random options: in
// windows of any length and with exact wake-ups the results are the same, and no packet is lost
// without a cause.
#include <gtest/gtest.h>

#include <initializer_list>
#include <set>
#include <string>

#include "horae/core/random.hpp"
#include "program.hpp"
#include "sanitized.hpp"

namespace horae::test::spraying_property_test {
namespace {

using Texts = std::initializer_list<const char*>;

/// A platform, drawn line by line.
class Drawn {
 public:
  explicit Drawn(std::uint64_t seed) : random_(seed, "spraying_property") {
    text_ = "[platform]\nname = \"drawn\"\n[sim]\nduration = \"1 ms\"\nstop = \"finished\"\n";
    nic();
    congestion();
    entropy();
    net();
    failures();
    traffic();
  }
  const std::string& text() const { return text_; }
  /// Its share of the situations that must be covered.
  const std::set<std::string>& has() const { return has_; }
  /// A window that all links allow.
  int window_ns() { return 20 + static_cast<int>(random_.below(480)); }

 private:
  std::string one(Texts from) {
    return *(from.begin() + random_.below(static_cast<std::uint32_t>(from.size())));
  }
  int number(int least, int most) {
    return least + static_cast<int>(random_.below(static_cast<std::uint32_t>(most - least + 1)));
  }
  bool sometimes() { return random_.chance(0.5); }
  void line(const std::string& text) { text_ += text + "\n"; }
  /// A key with one of these values, of which each is to be covered.
  std::string drawn(const std::string& key, Texts from) {
    const std::string value = one(from);
    has_.insert(key + "=" + value);
    line(fmt::format("{} = {}", key, value));
    return value;
  }
  void note(const std::string& what) { has_.insert(what); }

  void nic() {
    line("[nic]\nkind = \"rnic\"\nack_traffic_class = 7");
    const bool htsim = sometimes();
    frames_ = htsim ? "\"htsim\"" : "\"roce\"";
    note("frames=" + frames_);
    line(fmt::format("frames = {}\nmtu = \"{} B\"", frames_, number(300, 4096)));
    line(fmt::format("nack_delay = \"{} ns\"\nnack_reaction = \"{} ns\"", number(0, 900),
                     number(0, 900)));
    selective_ = random_.chance(0.8);
    transport_ = selective_ ? "\"spray_sr\"" : one({"\"irn\"", "\"go_back_n\"", "\"rnic_sr\""});
    note("transport=" + transport_);
    line("transport = " + transport_);
    line(fmt::format("[nic.reliability]\nwindow = {}\nack_every = {}\nrto = \"{} ns\"",
                     number(16, 300), one({"1", "2", "4", "16"}), number(25'000, 90'000)));
    if (!selective_) return;
    drawn("sack_bits", {"64", "128", "192", "256"});
    drawn("timer", {"\"packet\"", "\"group\"", "\"connection\""});
  }

  void congestion() {
    line("[nic.congestion]");
    const std::string algorithm =
        selective_ ? drawn("algorithm", {"\"mprdma\"", "\"constant\"", "\"nscc\"", "\"eqds\""})
                   : drawn("algorithm", {"\"mprdma\"", "\"constant\"", "\"nscc\""});
    const int window = number(10'000, 80'000);
    if (algorithm == "\"constant\"") line(fmt::format("constant_window = \"{} B\"", window));
    if (algorithm == "\"mprdma\"") {
      line(
          fmt::format("mprdma = {{ packet = \"{} B\", initial_window = \"{} B\", max_window = "
                      "\"{} B\" }}",
                      number(300, 4096), window, window));
    }
    if (algorithm == "\"eqds\"") {
      line(fmt::format("eqds = {{ start_credit = \"{} B\", pull_share = 0.{} }}", window,
                       number(50, 99)));
    }
  }

  void entropy() {
    line("[nic.entropy]");
    const std::string scheme =
        drawn("scheme", {"\"fixed\"", "\"random\"", "\"cycle\"", "\"reps\"", "\"reps_unbounded\"",
                         "\"bitmap\"", "\"plb\"", "\"flowlet\"", "\"mp_rdma\"", "\"subflows\""});
    line("values = " + one({"64", "256", "65536"}));
    drawn("keep", {"true", "false"});
    if (scheme != "\"reps\"") return;
    line(fmt::format("freezing_timeout = \"{} ns\"", number(5'000, 80'000)));
    if (sometimes()) line(fmt::format("freeze_at = \"{} ns\"", number(0, 60'000)));
    line("exit = " + one({"\"keep\"", "\"clear\""}));
  }

  void net() {
    line("[switch]\nkind = \"switch\"\ncontrol_class = 7");
    line(fmt::format("latency = \"{} ns\"\nqueue_limit = \"{} B\"", number(0, 500),
                     number(9'000, 40'000)));
    if (sometimes()) line(fmt::format("buffer = \"{} B\"", number(60'000, 200'000)));
    drawn("full", {"\"arriving\"", "\"half\""});
    const bool trims = sometimes();
    if (trims) {
      note("trim");
      line(fmt::format("trim = \"{} B\"", frames_ == "\"htsim\"" ? 44 : number(64, 256)));
      if (sometimes()) line(fmt::format("trim_class = {}", number(1, 7)));
    }
    if (trims || sometimes()) drawn("limit_of", {"\"port\"", "\"class\""});
    if (sometimes()) {
      note("reference_rate");
      line("reference_rate = " + one({"\"50 Gbps\"", "\"100 Gbps\""}));
    }
    const std::string balance =
        drawn("balance", {"\"ecmp\"", "\"spray\"", "\"round_robin\"", "\"adaptive\"", "\"po2\""});
    if (balance == "\"adaptive\"") {
      drawn("tie", {"\"random\"", "\"lowest\""});
      if (sometimes()) drawn("steps", {"[\"1 KB\", \"4 KB\"]"});
    }
    if (balance == "\"round_robin\"") drawn("turn", {"\"group\"", "\"switch\""});
    const std::string at = one({"\"enqueue\"", "\"dequeue\""});
    note("ecn.at=" + at);
    line(fmt::format("ecn = {{ at = {}, kmin = \"{} B\", kmax = \"{} B\", pmax = {} }}", at,
                     number(1'000, 6'000), number(6'000, 20'000), one({"0.3", "1.0"})));
    line(fmt::format("[leaf_spine]\nleaves = {}\nspines = {}\nhosts_per_leaf = {}", number(2, 3),
                     number(1, 4), number(2, 3)));
    line("host = \"nic\"\nleaf = \"switch\"\nspine = \"switch\"");
    line(fmt::format("[link_default]\nrate = \"100 Gbps\"\ndelay = \"{} ns\"", number(500, 900)));
    if (random_.chance(0.3)) line("loss = 0.003");
  }

  void failures() {
    if (sometimes()) {
      note("bit_errors");
      line("[[impairment_group]]\nshare = 1\nbit_errors = 0.004\npackets = \"data\"");
    }
    if (sometimes()) {
      note("outages");
      line(fmt::format("[[impairment_group]]\nkeep_paths = false\nshare = 0.{}\ndirection = {}",
                       number(1, 5), one({"\"one\"", "\"both\"", "\"up\""})));
      line(fmt::format("outage = [{{ from = \"{} us\", to = \"{} us\" }}]", number(0, 20),
                       number(21, 80)));
    }
    if (sometimes()) {
      note("slow");
      line("[[impairment_group]]\ncount = 1\ndirection = \"up\"\nrate = \"50 Gbps\"");
    }
  }

  void traffic() {
    line("[[traffic]]\nkind = \"batch\"");
    const std::string pattern = drawn("pattern", {"\"permutation\"", "\"incast\""});
    if (pattern == "\"incast\"") line("fan_in = 2");
    line(fmt::format("size = \"{} B\"", number(40'000, 250'000)));
    // A second connection of each pair, for what is kept of the first.
    line(
        fmt::format("[[traffic]]\nkind = \"batch\"\npattern = {}\nsize = \"{} B\"\nstart = "
                    "\"{} us\"",
                    pattern, number(100, 60'000), number(1, 120)));
    if (pattern == "\"incast\"") line("fan_in = 2");
    if (sometimes()) line("ecmp_every = 3");
  }

  RandomStream random_;
  std::string text_, frames_, transport_;
  bool selective_ = false;
  std::set<std::string> has_;
};

void expect_conserved(const ordered_json& summary) {
  const auto& packets = summary["packets"];
  std::uint64_t ended = packets["delivered"].get<std::uint64_t>();
  for (const auto& [cause, n] : packets["dropped"].items()) ended += n.get<std::uint64_t>();
  EXPECT_EQ(packets["created"].get<std::uint64_t>(),
            ended + packets["in_flight"].get<std::uint64_t>());
  EXPECT_GT(ended, 40u);
}

std::uint64_t cases() { return sanitized() ? 6 : 100; }

TEST(SprayingProperty, HowRandomPlatformsAreRunDoesNotShow) {
  const Workplace place;
  for (std::uint64_t seed = 1; seed <= cases(); ++seed) {
    Drawn drawn(seed);
    place.write("p.toml", drawn.text());
    const auto summary = [&](const std::string& how) {
      const Ended ended =
          run(place, with_settings({"run", "p.toml", "--json", "--no-progress"}, {how}));
      EXPECT_EQ(ended.signal, 0);
      EXPECT_EQ(ended.exit_code, 0) << ended.err;  // 4: stuck
      return ended.json();
    };
    const ordered_json windowed = summary(fmt::format("sim.window={}ns", drawn.window_ns()));
    expect_conserved(windowed);
    const ordered_json exact = summary("sim.scheduling=exact_wake");
    for (const char* part : {"packets", "packet_hops", "verdict", "sim_time_ps", "results", "rows"})
      EXPECT_EQ(exact[part], windowed[part]) << part;
    if (HasFailure()) FAIL() << "seed " << seed << "\n" << drawn.text();
  }
}

// Situations without which the test would prove little.
TEST(SprayingProperty, RandomPlatformsHaveEveryOption) {
  std::set<std::string> has;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) has.merge(std::set(Drawn(seed).has()));
  for (const char* what : {"frames=\"htsim\"",
                           "transport=\"spray_sr\"",
                           "transport=\"irn\"",
                           "sack_bits=64",
                           "sack_bits=256",
                           "timer=\"packet\"",
                           "timer=\"group\"",
                           "timer=\"connection\"",
                           "algorithm=\"mprdma\"",
                           "algorithm=\"constant\"",
                           "algorithm=\"nscc\"",
                           "algorithm=\"eqds\"",
                           "scheme=\"fixed\"",
                           "scheme=\"random\"",
                           "scheme=\"cycle\"",
                           "scheme=\"reps\"",
                           "scheme=\"reps_unbounded\"",
                           "scheme=\"bitmap\"",
                           "scheme=\"plb\"",
                           "scheme=\"flowlet\"",
                           "scheme=\"mp_rdma\"",
                           "scheme=\"subflows\"",
                           "keep=true",
                           "full=\"half\"",
                           "trim",
                           "limit_of=\"port\"",
                           "limit_of=\"class\"",
                           "reference_rate",
                           "tie=\"random\"",
                           "tie=\"lowest\"",
                           "turn=\"switch\"",
                           "steps=[\"1 KB\", \"4 KB\"]",
                           "ecn.at=\"dequeue\"",
                           "ecn.at=\"enqueue\"",
                           "bit_errors",
                           "outages",
                           "slow"})
    EXPECT_TRUE(has.contains(what)) << what;
}

}  // namespace
}  // namespace horae::test::spraying_property_test
