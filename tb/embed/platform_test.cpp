// A platform file inside a program: results as of `horae run` wherever it stops on the way,
// handles, what is moved by sc_start(), refusals.
#include "horae/embed/platform.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "forked.hpp"
#include "horae/core/error.hpp"
#include "horae/core/stats.hpp"
#include "horae/fabric/counter_signals.hpp"
#include "horae/fabric/plugin.hpp"
#include "horae/params/document.hpp"
#include "horae/params/schema.hpp"
#include "horae/workload/read_platform.hpp"
#include "refusal.hpp"

namespace horae {
namespace {

std::string shipped(const std::string& name) {
  return std::string(HORAE_PLATFORM_DIR "/") + name + ".toml";
}

/// All of what came of a run but the wall time.
std::string text_of(run::RunOutcome outcome) {
  outcome.summary.erase("wall_s");
  std::string text = outcome.summary.dump(1) + outcome.flows_csv + outcome.series_csv;
  for (const auto& line : outcome.notes) text += line + "\n";
  return text;
}

std::string as_the_program(const std::string& file, const std::vector<std::string>& set) {
  return test::in_child([&] {
    const auto platform = workload::read_platform(Document::load(file, set));
    return text_of(run::run_platform(platform, false));
  });
}

std::string in_steps(const std::string& file, const std::vector<std::string>& set,
                     Picoseconds step) {
  return test::in_child([&] {
    Platform p(file, {.set = set});
    for (Picoseconds t = step; !p.over(); t += step) p.run_to(t);
    return text_of(p.results());
  });
}

// Steps that fit nothing: window, looks, samples, warm-up.
TEST(Platform, ResultsAreThoseOfTheProgram) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases = {
      {"flow_list", {}},
      {"flow_list", {"sim.scheduling=exact_wake", "sim.sample=3us"}},
      {"eunomia_incast", {"sim.duration=60us", "sim.warmup=20us"}},
      {"themis_testbed", {"sim.duration=200us", "sim.warmup=70us", "sim.sample=40us"}},
      {"nic_scaling", {"sim.duration=60us", "sim.warmup=20us"}},
  };
  for (const auto& [name, set] : cases) {
    const std::string expected = as_the_program(shipped(name), set);
    ASSERT_GT(expected.size(), 1000u) << name;
    EXPECT_EQ(in_steps(shipped(name), set, 1_ms), expected) << name;
    EXPECT_EQ(in_steps(shipped(name), set, Picoseconds(1'237'001)), expected) << name;
  }
}

/// Pauses at a time, once; counts its own events.
class other : public sc_core::sc_module {
 public:
  explicit other(const sc_core::sc_module_name& name) : sc_module(name) {
    SC_HAS_PROCESS(other);
    SC_THREAD(live);
  }
  unsigned events = 0;

 private:
  void live() {
    wait(3.3, sc_core::SC_US);
    sc_core::sc_pause();
    for (;;) {
      wait(1, sc_core::SC_US);
      ++events;
    }
  }
};

TEST(Platform, APauseOfAnotherModuleReturnsAndChangesNothing) {
  const std::string expected = as_the_program(shipped("flow_list"), {});
  const std::string text = test::in_child([&] {
    Platform p(shipped("flow_list"));
    other mine("mine");
    EXPECT_EQ(p.run(), fabric::run_end::paused);
    EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::sc_time(3.3, sc_core::SC_US));
    EXPECT_FALSE(p.over());
    p.run();
    EXPECT_TRUE(p.over());
    EXPECT_GT(mine.events, 5u);
    return text_of(p.results());
  });
  EXPECT_EQ(text, expected);
}

/// Memory behind a bus that carries one access at a time, 16 ps for a byte.
class shared_memory : public sc_core::sc_module {
 public:
  shared_memory(const sc_core::sc_module_name& name, bool waits) : sc_module(name), waits_(waits) {
    socket.register_b_transport(this, &shared_memory::b_transport);
  }
  tlm_utils::multi_passthrough_target_socket<shared_memory> socket{"socket"};

 private:
  void b_transport(int, tlm::tlm_generic_payload& access, sc_core::sc_time& delay) {
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    free_ = std::max(now + delay, free_) +
            sc_core::sc_time(16.0 * access.get_data_length(), sc_core::SC_PS);
    delay = free_ - now;
    if (waits_) {
      wait(delay);
      delay = sc_core::SC_ZERO_TIME;
    }
    access.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  bool waits_;
  sc_core::sc_time free_;
};

// Two NICs on one bus: neither steps nor who lets the time go by change a result.
TEST(Platform, ASharedBusGivesTheSameInStepsOfAnyLength) {
  const auto run = [](Picoseconds step, bool waits) {
    return test::in_child([&] {
      Platform p(shipped("embedding/own"));
      shared_memory memory("memory", waits);
      for (const char* nic : {"h0", "h1"}) p.nic(nic).host()->memory.bind(memory.socket);
      for (Picoseconds t = step; !p.over(); t += step) p.run_to(t);
      return text_of(p.results());
    });
  };
  const std::string whole = run(100_ms, false);
  ASSERT_GT(whole.size(), 1000u);
  for (const bool waits : {false, true}) {
    for (const Picoseconds step : {1_us, Picoseconds(1'237'001), 100_ms})
      EXPECT_EQ(run(step, waits), whole);
  }
}

std::string file_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::size_t lines_with(const std::string& text, const std::string& word) {
  std::size_t n = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

// Both ways of moving it record the same packets.
TEST(Platform, ItsPacketsAreTransactions) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() /
                                       ("horae_platform_views" + std::to_string(::getpid()));
  const auto recorded = [&](bool by_sc_start) {
    std::filesystem::remove_all(folder);
    test::in_child([&] {
      Platform p(shipped("flow_list"), {.views = {.transactions = true}});
      if (by_sc_start) {
        sc_core::sc_start(1, sc_core::SC_MS);
        p.write_views(folder.string());
      } else {
        p.run();
        p.write(folder.string());
      }
      return std::string("done");
    });
    EXPECT_EQ(std::filesystem::exists(folder / "summary.json"), !by_sc_start);
    return file_of((folder / "transactions.txlog").string());
  };
  const std::string run = recorded(false);
  EXPECT_EQ(lines_with(run, "\"fate\" STRING = \"delivered\""), 426u);
  EXPECT_EQ(lines_with(run, "\"fate\""), 426u);
  EXPECT_EQ(recorded(true), run);
  std::filesystem::remove_all(folder);

  Platform none(shipped("flow_list"));
  EXPECT_EQ(test::refusal_of([&] { none.write_views(folder.string()); }),
            "flow_list: no view was asked for; expected one in PlatformOptions::views");
}

TEST(Platform, CountersAreSignals) {
  Platform p(shipped("flow_list"));
  const fabric::device& h5 = p.device("h5");
  fabric::counter_signals counters("counters", h5, {"delivered_bytes", "acks_sent"}, 1_us);
  EXPECT_EQ(test::refusal_of(
                [&] { fabric::counter_signals wrong("wrong", h5, {"delivered_byte"}, 1_us); }),
            "wrong: 'h5' has no counter 'delivered_byte', did you mean 'delivered_bytes'?");
  EXPECT_EQ(test::refusal_of([&] { fabric::counter_signals wrong("never", h5, {}, 0_us); }),
            "never: a period of 0 ps; expected more than 0");
  EXPECT_EQ(test::refusal_of([&] { counters.at("acks"); }).find("counters: no signal 'acks'"), 0u);
  const std::filesystem::path vcd =
      std::filesystem::temp_directory_path() / ("horae_counters" + std::to_string(::getpid()));
  sc_core::sc_trace_file* file = sc_core::sc_create_vcd_trace_file(vcd.c_str());
  counters.trace(file);
  std::vector<double> seen;
  for (int us = 0; us < 40; ++us) {
    sc_core::sc_start(1, sc_core::SC_US);
    seen.push_back(counters.at("delivered_bytes").read());
  }
  sc_core::sc_close_vcd_trace_file(file);
  StatTree tree;
  h5.statistics(tree);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(seen.front(), 0);
  EXPECT_GT(std::set<double>(seen.begin(), seen.end()).size(), 3u);
  EXPECT_EQ(seen.back(), tree.to_json().at("delivered_bytes").at("value"));
  const std::string written = file_of(vcd.string() + ".vcd");
  EXPECT_NE(written.find("delivered_bytes"), std::string::npos);
  EXPECT_NE(written.find(fmt::format("r{:.16g} ", seen.back())), std::string::npos);
  std::filesystem::remove(vcd.string() + ".vcd");
}

TEST(Platform, HandlesAreByName) {
  Platform p(shipped("flow_list"));
  EXPECT_EQ(&p.nic("h3"), p.device("h3").context().clock.devices().at(p.nic("h3").number()));
  EXPECT_EQ(p.names().size(), p.context().devices);
  const auto line = [](const std::function<void()>& f) { return test::refusal_of(f); };
  EXPECT_EQ(line([&] { p.nic("h33"); }), "the platform has no device 'h33', did you mean 'h3'?");
  EXPECT_EQ(line([&] { p.chip("h3"); }), "'h3' is of kind rnic; expected a Tofino");
}

/// Asks another of its kind, one packet after the other, and times the answers.
struct ProberConfig {
  std::uint32_t peer = 0;
  std::uint32_t count = 0;

  static const Schema<ProberConfig>& schema() {
    static const Schema<ProberConfig> s =
        Schema<ProberConfig>("prober", "Asks another one how far it is.")
            .required("peer", &ProberConfig::peer, {.doc = "node that is asked", .max = 100})
            .field("count", &ProberConfig::count, {.doc = "how often", .max = 1000});
    return s;
  }
};

class prober : public fabric::end_point {
 public:
  prober(const sc_core::sc_module_name& name, fabric::module_context& context,
         const ProberConfig& config)
      : end_point(name, context), config_(config) {
    SC_HAS_PROCESS(prober);
    SC_METHOD(ask);
    sensitive << again_;
  }
  void statistics(StatTree& tree) const override {
    tree.value("answers", answers_, "packets").value("longest", longest_.count(), "ps");
  }
  bool pending() const override { return asked_ < config_.count; }

 private:
  void ask() {
    if (asked_ == config_.count) return;
    ++asked_;
    since_ = fabric::from_sc_time(sc_core::sc_time_stamp());
    transmit(make(config_.peer, Opcode::write_only, 64_B));
  }
  void received(const Packet& p) override {
    if (p.opcode == Opcode::write_only) return transmit(make(p.src, Opcode::acknowledge, 0_B));
    ++answers_;
    longest_ = std::max(longest_, fabric::from_sc_time(sc_core::sc_time_stamp()) - since_);
    again_.notify(7, sc_core::SC_US);
  }

  ProberConfig config_;
  std::uint64_t asked_ = 0, answers_ = 0;
  Picoseconds since_{}, longest_{};
  sc_core::sc_event again_{"again"};
};

const bool kinds_added = [] {
  fabric::add_module_kind(fabric::end_point_kind<prober, ProberConfig>());
  return true;
}();

const std::string probers = R"([platform]
name = "probers"
[sim]
duration = "1 ms"
stop = "finished"
[asks]
kind = "prober"
peer = 1
count = 20
[answers]
kind = "prober"
peer = 0
[tor]
kind = "switch"
latency = "400 ns"
[[device]]
names = ["x"]
profile = "asks"
[[device]]
names = ["y"]
profile = "answers"
[[device]]
names = ["s"]
profile = "tor"
[link_default]
rate = "100 Gbps"
delay = "300 ns"
[[link]]
between = ["x", "s"]
[[link]]
between = ["s", "y"]
)";

TEST(Platform, HasEndPointsOfOnesOwn) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("horae_probers" + std::to_string(::getpid()) + ".toml");
  std::ofstream(file) << probers;
  const auto run_with = [&](const std::vector<std::string>& set) {
    return test::in_child([&] {
      Platform p(file.string(), {.set = set});
      p.run();
      const auto& s = p.results().summary;
      EXPECT_EQ(s.at("packets").at("created"), 40);
      EXPECT_EQ(s.at("packets").at("delivered"), 40);
      EXPECT_EQ(s.at("verdict"), "complete");
      const auto value = [&](const char* name) {
        return s.at("results").at(name).at("value").get<std::int64_t>();
      };
      return fmt::format("{} {} {}", value("x_end_point.answers"), value("y_end_point.answers"),
                         value("x_end_point.longest"));
    });
  };
  // Each way two wires at 80 ps a byte, two links, and the switch.
  const auto way = [](Opcode opcode, Bytes payload) {
    return 2 * 80 * l1_bytes(frame_bytes(opcode, payload)).count() + 2 * 300'000 + 400'000;
  };
  const std::string expected =
      fmt::format("20 0 {}", way(Opcode::write_only, 64_B) + way(Opcode::acknowledge, 0_B));
  EXPECT_EQ(run_with({}), expected);
  EXPECT_EQ(run_with({"sim.scheduling=exact_wake"}), expected);
  EXPECT_EQ(run_with({"sim.window=7001ps"}), expected);

  const auto refused = [&](const std::vector<std::string>& set) {
    return test::refusal_of([&] { Platform p(file.string(), {.set = set}); });
  };
  EXPECT_NE(refused({"asks.kind=probe"}).find("unknown kind 'probe', did you mean 'prober'?"),
            std::string::npos);
  EXPECT_NE(refused({"asks.cuont=3"}).find("did you mean 'count'?"), std::string::npos);
  EXPECT_NE(refused({R"(module=[{name="m",kind="prober",between=["x","s"],peer=1}])"})
                .find("'prober' is an end point; expected it as the kind of a profile"),
            std::string::npos);
  EXPECT_NE(refused({R"(module=[{name="m",kind="delay",between=["x","s"]}])"})
                .find("has a module already"),
            std::string::npos);
  EXPECT_NE(refused({R"(link=[{between=["x","s"]},{between=["x","s"]},{between=["y","s"]}])"})
                .find("'x' has 2 links; expected one, as it is an end point with one port"),
            std::string::npos);
  std::filesystem::remove(file);
}

/// Outcomes that do not depend on where a run is looked at: flows, and results of their messages.
std::string completions_of(const run::RunOutcome& outcome) {
  std::string text = outcome.flows_csv + outcome.summary.at("packets").dump();
  for (const auto& [name, result] : outcome.summary.at("results").items())
    if (name.starts_with("flows.")) text += name + " " + result.dump() + "\n";
  return text;
}

// The user's own call of sc_start(), in steps or whole, or taken turns with run_to(): all messages
// of the file are completed, at the times of the program.
TEST(Platform, ItRunsByScStart) {
  for (const char* scheduling : {"sim.scheduling=windowed", "sim.scheduling=exact_wake"}) {
    const std::vector<std::string> set = {scheduling};
    const std::string expected = test::in_child([&] {
      const auto platform = workload::read_platform(Document::load(shipped("flow_list"), set));
      return completions_of(run::run_platform(platform, false));
    });
    EXPECT_GT(expected.size(), 500u);
    const auto moved = [&](const std::function<void(Platform&)>& move) {
      return test::in_child([&] {
        Platform p(shipped("flow_list"), {.set = set});
        move(p);
        EXPECT_EQ(p.context().pool.created(), 426u);
        EXPECT_EQ(p.context().pool.delivered(), 426u);
        EXPECT_TRUE(p.over());
        return completions_of(p.results());
      });
    };
    EXPECT_EQ(moved([](Platform&) {
                for (int step = 0; step < 60; ++step) sc_core::sc_start(1, sc_core::SC_US);
              }),
              expected);
    EXPECT_EQ(moved([](Platform&) { sc_core::sc_start(); }), expected);
    EXPECT_EQ(moved([](Platform& p) {
                p.run_to(3_us);
                sc_core::sc_start(4, sc_core::SC_US);
                EXPECT_FALSE(p.over());
                EXPECT_EQ(p.run(), fabric::run_end::idle);
              }),
              expected);
  }
}

// Measured time begins and ends up to a window later.
TEST(Platform, MeasuredTimeOfScStartIsWhereDevicesAre) {
  Platform p(shipped("eunomia_incast"), {.set = {"sim.duration=60us", "sim.warmup=20us"}});
  sc_core::sc_start(50, sc_core::SC_US);
  EXPECT_NE(test::refusal_of([&] {
              try {
                p.results();
              } catch (const ModelError& e) {
                throw InputError(e.what());
              }
            }).find("expected results() after run()"),
            std::string::npos);
  sc_core::sc_start(50, sc_core::SC_US);
  const auto& summary = p.results().summary;
  const Picoseconds window = p.context().clock.window();
  const Picoseconds from(summary.at("measured_from_ps").get<std::int64_t>());
  const Picoseconds to(summary.at("measured_to_ps").get<std::int64_t>());
  EXPECT_GE(from, 20_us);
  EXPECT_LE(from, 20_us + window);
  EXPECT_GE(to, 60_us);
  EXPECT_LE(to, 60_us + window);
}

TEST(Platform, ResultsBeforeTheEndAreRefused) {
  Platform p(shipped("flow_list"));
  p.run_to(2_us);
  try {
    p.results();
    FAIL();
  } catch (const ModelError& e) {
    EXPECT_NE(std::string(e.what()).find("the run is at 2 us"), std::string::npos) << e.what();
  }
}

TEST(Platform, ASweepAsksForItsPoint) {
  const std::string line = test::refusal_of([] { Platform p(shipped("nic_cliff")); });
  EXPECT_NE(line.find("expected one of its points"), std::string::npos) << line;
}

TEST(Platform, FaultsAreOneLineWithTheirPlace) {
  const std::string line =
      test::refusal_of([] { Platform p(shipped("flow_list"), {.set = {"nic.mtv=1KiB"}}); });
  EXPECT_NE(line.find("did you mean 'mtu'?"), std::string::npos) << line;
}

TEST(Platform, WritesTheFolderOfTheProgram) {
  std::string pattern = std::filesystem::temp_directory_path() / "horae.XXXXXX";
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  const std::filesystem::path folder = std::filesystem::path(pattern) / "out";
  Platform p(shipped("flow_list"));
  p.run();
  p.write(folder);
  for (const char* name : {"summary.json", "flows.csv"})
    EXPECT_TRUE(std::filesystem::exists(folder / name)) << name;
  std::filesystem::remove_all(pattern);
}

}  // namespace
}  // namespace horae
