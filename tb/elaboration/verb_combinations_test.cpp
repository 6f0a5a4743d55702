// Every combination of verb, service, transport, ordering engine, entropy scheme and congestion
// control: each is refused in one line, or does each message exactly once over links that lose
// packets.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "forked.hpp"
#include "horae/elaboration/simulation.hpp"
#include "horae/params/document.hpp"
#include "horae/policy/congestion/congestion.hpp"
#include "horae/policy/entropy/entropy.hpp"
#include "horae/policy/ordering/ordering.hpp"
#include "horae/policy/transport/transport.hpp"
#include "horae/rnic/rnic.hpp"
#include "horae/workload/read_platform.hpp"
#include "refusal.hpp"

namespace horae::elaboration::verb_combinations_test {
namespace {

constexpr std::uint64_t messages = 12;

struct Nic {
  std::string_view transport, engine, scheme, congestion;
};
struct Use {
  std::string_view verb, service;
};

std::string text_of(const Nic& n, const Use& u) {
  return fmt::format("{} {} {} {} {} {}", u.verb, u.service, n.transport, n.engine, n.scheme,
                     n.congestion);
}

bool is_atomic(const Use& u) { return u.verb == "fetch_add" || u.verb == "compare_swap"; }
bool is_reliable(const Use& u) { return u.service == "rc" || u.service == "dc"; }
std::uint64_t bytes_of(const Use& u) { return is_atomic(u) ? 8 : u.service == "ud" ? 900 : 3000; }

std::vector<Nic> all_nics() {
  std::vector<Nic> out;
  for (const auto& transport : policy::transports())
    for (const auto& engine : policy::ordering_engines())
      for (const auto& scheme : policy::entropy_schemes())
        for (const auto& congestion : policy::congestion_algorithms())
          out.push_back({transport.name, engine.name, scheme.name, congestion.name});
  return out;
}

std::vector<Use> all_uses() {
  std::vector<Use> out;
  for (const std::string_view verb :
       {"write", "write_imm", "read", "send", "compare_swap", "fetch_add"})
    for (const std::string_view service : {"rc", "uc", "ud", "dc"}) out.push_back({verb, service});
  return out;
}

/// Two NICs of each use behind one switch, over links that lose packets of what repeats them.
std::string platform_of(const Nic& nic, const std::vector<Use>& uses) {
  std::string text = fmt::format(
      R"([platform]
name = "combinations"
[sim]
duration = "50 ms"
stop = "finished"
[switch]
kind = "switch"
[[device]]
names = ["s"]
profile = "switch"
[link_default]
rate = "100 Gbps"
delay = "300 ns"
[nic]
kind = "rnic"
mtu = "1 KiB"
transport = "{}"
reliability.rto = "60 us"
ordering.engine = "{}"
entropy.scheme = "{}"
{}congestion.algorithm = "{}"
)",
      nic.transport, nic.engine, nic.scheme,
      nic.scheme == "reps" ? "entropy.freezing_timeout = \"1 ms\"\n" : "", nic.congestion);
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const Use& u = uses[i];
    text += fmt::format(R"([[device]]
names = ["a{0}", "b{0}"]
profile = "nic"
[[link]]
between = ["a{0}", "s"]
loss = {1}
[[link]]
between = ["b{0}", "s"]
loss = {1}
[[traffic]]
kind = "messages"
from = ["a{0}"]
to = ["b{0}"]
verb = "{2}"
service = "{3}"
message = "{4} B"
count = {5}
)",
                        i, is_reliable(u) ? "0.02" : "0", u.verb, u.service, bytes_of(u), messages);
  }
  return text;
}

config::PlatformConfig read(const Nic& nic, const std::vector<Use>& uses) {
  return workload::read_platform(Document::parse(platform_of(nic, uses), "p.toml", {}));
}

/// The fault of what two NICs did; empty: nothing.
std::string wrong(const Use& use, const rnic::rnic& from, const rnic::rnic& to) {
  const auto& asks = from.counters();
  const auto& answers = to.counters();
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> counts;
  counts["completed"] = {asks.messages_completed, messages};
  counts["failed"] = {asks.messages_failed, 0};
  const bool reads = use.verb == "read" || is_atomic(use);
  counts["bytes"] = {(reads ? asks : answers).delivered_bytes, messages * bytes_of(use)};
  if (is_atomic(use)) counts["executed"] = {answers.atomics_executed, messages};
  if (is_reliable(use) && (use.verb == "send" || use.verb == "write_imm"))
    counts["received"] = {answers.messages_received, messages};
  if (!is_reliable(use)) counts["whole"] = {answers.messages_whole, messages};
  std::string out;
  for (const auto& [name, is] : counts)
    if (is.first != is.second) out += fmt::format(" {} {} of {}", name, is.first, is.second);
  return out;
}

struct Outcome {
  std::uint64_t repeated = 0;  ///< uses of which something was sent again
  std::string wrong;           ///< a line each
};

/// Runs them beside each other.
Outcome run(const Nic& nic, const std::vector<Use>& uses) {
  const std::string said = test::in_child([&] {
    const auto platform = read(nic, uses);
    Simulation simulation(platform);
    auto& clock = simulation.context().clock;
    for (Picoseconds t = 100_us; t <= 50_ms && !simulation.finished(); t += 100_us) clock.run_to(t);
    Outcome out;
    const auto& nics = simulation.nics();
    for (std::size_t i = 0; i < uses.size(); ++i) {
      const auto& counters = nics[2 * i]->counters();
      const std::string bad = wrong(uses[i], *nics[2 * i], *nics[2 * i + 1]);
      if (!bad.empty()) out.wrong += text_of(nic, uses[i]) + ":" + bad + "\n";
      out.repeated += counters.sent_packets() > counters.sent[0] ? 1 : 0;
    }
    return std::to_string(out.repeated) + "\n" + out.wrong;
  });
  return {std::stoull(said), said.substr(said.find('\n') + 1)};
}

/// HORAE_COMBINATIONS: NICs of all kinds, in place of one of so many.
TEST(VerbCombinations, EachRunsExactlyOnceOrIsRefusedInOneLine) {
  const std::size_t one_of = std::getenv("HORAE_COMBINATIONS") != nullptr ? 1 : 53;
  std::map<std::string, std::size_t> refusals;
  std::size_t asked = 0, taken = 0, repeated = 0;
  std::string bad;
  const std::vector<Nic> nics = all_nics();
  for (std::size_t n = 0; n < nics.size(); n += one_of) {
    std::vector<Use> uses;
    for (const Use& use : all_uses()) {
      ++asked;
      const std::string said = test::refusal_of([&] { read(nics[n], {use}); });
      if (said == "accepted") {
        uses.push_back(use);
        continue;
      }
      EXPECT_TRUE(said.starts_with("p.toml:")) << text_of(nics[n], use) << ": " << said;
      EXPECT_EQ(said.find('\n'), std::string::npos) << said;
      EXPECT_NE(said.find("expected"), std::string::npos) << said;
      ++refusals[said.substr(said.find(' ') + 1)];
    }
    if (uses.empty()) continue;
    const Outcome outcome = run(nics[n], uses);
    taken += uses.size();
    repeated += outcome.repeated;
    bad += outcome.wrong;
  }
  EXPECT_EQ(bad, "");
  EXPECT_GT(repeated, taken / 10);
  EXPECT_GT(taken, asked / 30);
  EXPECT_GT(refusals.size(), 5u);
  fmt::print(
      "{} combinations: {} run, {} of them repeated something; the others are refused by {} "
      "lines\n",
      asked, taken, repeated, refusals.size());
}

}  // namespace
}  // namespace horae::elaboration::verb_combinations_test
