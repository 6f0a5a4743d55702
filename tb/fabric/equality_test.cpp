// The time kernel's promise: how devices are run never shows in a result. Whole networks, run in
// different ways, must count the same to the last bit.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "fabric_parts.hpp"
#include "leaf_spine.hpp"

namespace horae::fabric::equality_test {
namespace {

using test::in_child;
using test::LeafSpine;
using test::link_of;
using test::value_in;

// Random spraying into short queues, marking, loss on every link and two outages.
LeafSpine lossy() {
  LeafSpine s;
  s.sw = {.latency = 412'345_ps,
          .queue_limit = 20'000_B,
          .red = {.kmin = 5000_B, .kmax = 18'000_B, .pmax = 0.2},
          .balance = "spray"};
  s.host_link = link_of(100_Gbps, 700_ns, 0.002);
  s.fabric_link = link_of(100_Gbps, 500_ns, 0.005, {{20_us, 23_us}, {50_us, 50'500_ns}});
  s.classes = 3;
  return s;
}

// Priority flow control that keeps busy, with links of two rates, one of which does not divide.
LeafSpine lossless() {
  LeafSpine s;
  const Picoseconds latency = 412'345_ps;
  const BitRate fast(130'000'000'000);
  s.sw = {.latency = latency,
          .pfc = {.xoff = 12'000_B,
                  .xon = 8'000_B,
                  .headroom = pfc_headroom(fast, 700_ns, 4200_B, latency)},
          .balance = "adaptive"};
  s.host_link = link_of(fast, 700_ns);
  s.fabric_link = link_of(40_Gbps, 500_ns);
  s.classes = 2;
  s.stops = {33'333'333_ps, 77'777'001_ps, 2_ms};
  s.drains = true;
  return s;
}

// A shared buffer that overflows: starts of one port decide about admissions at others.
LeafSpine shared_buffer() {
  LeafSpine s = lossy();
  s.sw.queue_limit = 0_B;
  s.sw.buffer = 60'000_B;
  s.sw.balance = "ecmp";
  return s;
}

// Queues that are sorted by what remains of a flow, started lazily and, with PFC, by events.
LeafSpine srpt() {
  LeafSpine s = lossy();
  s.sw.schedule = QueueSchedule::srpt;
  s.sw.queue_limit = 60'000_B;
  return s;
}
LeafSpine lossless_srpt() {
  LeafSpine s = lossless();
  s.sw.schedule = QueueSchedule::srpt;
  return s;
}

// Full queues that send packets back to the fabric, until some have gone through too many switches.
LeafSpine deflecting() {
  LeafSpine s = lossy();
  s.sw.queue_limit = 8'000_B;
  s.sw.deflect = true;
  s.sw.balance = "po2";
  s.longest_gap = 3_us;
  return s;
}

// Pauses by dynamic thresholds: every queue's bytes decide about all others.
LeafSpine dynamic_pfc() {
  LeafSpine s = lossless();
  s.sw.pfc.xoff = s.sw.pfc.xon = 0_B;
  s.sw.pfc.alpha = 0.0625;
  s.sw.pfc.classes = 2;
  s.sw.buffer = 200'000_B + (s.sw.pfc.headroom + s.sw.pfc.minimum) * 16;
  return s;
}

// Full queues that trim, and whose last packet goes as often as the arriving one.
LeafSpine trimming() {
  LeafSpine s = lossy();
  s.sw.queue_limit = 8'000_B;
  s.sw.full = WhenFull::half;
  s.sw.trim = 64_B;
  s.sw.trim_class = 7;
  s.sw.red.at = MarkAt::dequeue;
  return s;
}
LeafSpine trimming_shared() {
  LeafSpine s = trimming();
  s.sw.buffer = 60'000_B;
  return s;
}

const std::map<std::string, LeafSpine (*)()> scenarios = {{"lossy", lossy},
                                                          {"trimming", trimming},
                                                          {"trimming_shared", trimming_shared},
                                                          {"lossless", lossless},
                                                          {"shared_buffer", shared_buffer},
                                                          {"deflecting", deflecting},
                                                          {"dynamic_pfc", dynamic_pfc},
                                                          {"srpt", srpt},
                                                          {"lossless_srpt", lossless_srpt}};

std::string run(const LeafSpine& scenario) {
  return in_child([&] {
    LeafSpine s = scenario;
    return s.run();
  });
}

// Where two results differ first, for a readable failure.
std::string difference(const std::string& a, const std::string& b) {
  if (a == b) return {};
  std::size_t i = 0;
  while (i < a.size() && i < b.size() && a[i] == b[i]) ++i;
  const std::size_t line = i == 0 ? 0 : a.rfind('\n', i - 1) + 1;
  return "\n  " + a.substr(line, a.find('\n', i) - line) + "\nagainst\n  " +
         b.substr(line, b.find('\n', i) - line);
}

// Equality of nothing with nothing would prove little.
TEST(Equality, TheScenariosContainWhatTheyShould) {
  const std::string lossy_result = run(lossy());
  for (const char* what : {"queue_full", "link_loss", "link_down", "marked"}) {
    EXPECT_GT(value_in(lossy_result, what), 10u) << what;
  }
  EXPECT_GT(value_in(lossy_result, "created"), 2000u);
  const std::string lossless_result = run(lossless());
  EXPECT_GT(value_in(lossless_result, "pauses"), 50u);
  EXPECT_EQ(value_in(lossless_result, "headroom_full"), 0u);
  const std::string dynamic_result = run(dynamic_pfc());
  EXPECT_GT(value_in(dynamic_result, "pauses"), 50u);
  EXPECT_EQ(value_in(dynamic_result, "headroom_full"), 0u);
  EXPECT_GT(value_in(run(shared_buffer()), "buffer_full"), 10u);
  EXPECT_GT(value_in(run(deflecting()), "deflected"), 100u);
  for (const auto& make : {trimming, trimming_shared})
    EXPECT_GT(value_in(run(make()), "trimmed"), 100u);
  LeafSpine fifo = srpt();
  fifo.sw.schedule = QueueSchedule::fifo;
  EXPECT_NE(run(fifo), run(srpt()));
  LeafSpine other = lossy();
  other.seed = 2;
  EXPECT_NE(run(other), lossy_result);
}

TEST(Equality, EveryWindowLengthGivesTheSame) {
  for (const auto& [name, make] : scenarios) {
    LeafSpine s = make();
    const std::string reference = run(s);
    for (const Picoseconds window : {500_ns, 250_ns, 137_ns, 499'999_ps, 33'333_ps, 7_ns}) {
      s.time.window = window;
      EXPECT_EQ(difference(reference, run(s)), "") << name << " at " << window.count() << " ps";
    }
  }
}

TEST(Equality, ExactWakeUpsGiveTheSame) {
  for (const auto& [name, make] : scenarios) {
    LeafSpine s = make();
    const std::string reference = run(s);
    s.time.mode = scheduling::exact_wake;
    EXPECT_EQ(difference(reference, run(s)), "") << name;
  }
}

// Stops are in the middle of windows, and exact-time modules have the threads meet what is
// SystemC's.
TEST(Equality, AnyNumberOfThreadsGivesTheSame) {
  for (const auto& [name, make] : scenarios) {
    LeafSpine s = make();
    const std::string reference = run(s);
    s.time.threads = {.count = 2, .from = 0};
    EXPECT_EQ(difference(reference, run(s)), "") << name;
    s.time.threads = {.count = 3, .from = 60};
    s.shuffle = 1;
    EXPECT_EQ(difference(reference, run(s)), "") << name << " by three, in disorder";
  }
  LeafSpine s = lossless();
  const std::string reference = run(s);
  s.time = {.window = 137_ns, .threads = {.count = 2, .from = 30}};
  EXPECT_EQ(difference(reference, run(s)), "") << "in short windows";
  s.time = {.threads = {.count = 64, .from = 60}};
  EXPECT_EQ(difference(reference, run(s)), "") << "as many as there are devices";
  s.time = {.threads = {.count = 2, .from = 0}};
  s.exact_hosts = {0, 5, 7};
  EXPECT_EQ(difference(reference, run(s)), "") << "with modules";
}

TEST(Equality, TheOrderOfModulesDoesNotShow) {
  for (const auto& [name, make] : scenarios) {
    LeafSpine s = make();
    const std::string reference = run(s);
    for (const scheduling mode : {scheduling::windowed, scheduling::exact_wake}) {
      s.time.mode = mode;
      for (s.shuffle = 1; s.shuffle <= 3; ++s.shuffle) {
        EXPECT_EQ(difference(reference, run(s)), "") << name << ", order " << s.shuffle;
      }
      s.shuffle = 0;
    }
  }
}

TEST(Equality, WhereARunIsInterruptedDoesNotShow) {
  for (const auto& [name, make] : scenarios) {
    LeafSpine s = make();
    s.stops = {400_us};
    const std::string reference = run(s);
    LeafSpine interrupted = s;
    interrupted.stops.clear();
    for (int i = 1; i < 400; ++i) interrupted.stops.push_back(1'000'003_ps * i);
    interrupted.stops.push_back(400_us);
    const std::string all = run(interrupted);
    EXPECT_EQ(difference(reference, all.substr(all.rfind("--- "))), "") << name;
  }
}

// Hosts that are ordinary SystemC modules on exact time, among and instead of windowed ones.
TEST(Equality, AnExactTimeModuleChangesNothing) {
  for (const auto& [name, make] : scenarios) {
    LeafSpine s = make();
    s.host_link.loss = 0;  // the module draws no losses and knows no outages
    s.host_link.outages.clear();
    const std::string reference = run(s);
    for (const auto& hosts : {std::set<NodeId>{5}, std::set<NodeId>{0, 1, 2, 3, 7, 12}, [&] {
                                std::set<NodeId> all;
                                for (NodeId n = 0; n < s.nodes(); ++n) all.insert(n);
                                return all;
                              }()}) {
      s.exact_hosts = hosts;
      for (const Picoseconds window : {0_ps, 137_ns}) {
        s.time.window = window;
        EXPECT_EQ(difference(reference, run(s)), "") << name << ", " << hosts.size() << " hosts";
      }
      s.shuffle = 1;
      EXPECT_EQ(difference(reference, run(s)), "") << name << ", " << hosts.size() << " hosts";
      s.shuffle = 0;
      s.time = {.mode = scheduling::exact_wake};
      EXPECT_EQ(difference(reference, run(s)), "") << name << ", " << hosts.size() << " hosts";
      s.time = {};
    }
  }
}

}  // namespace
}  // namespace horae::fabric::equality_test
