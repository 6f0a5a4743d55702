// trace.json: what a timeline shows of a run.
#include <gtest/gtest.h>

#include <numeric>

#include "views.hpp"

namespace horae::test::views_trace_test {
namespace {

int total(const ordered_json& counts) {
  int n = 0;
  for (const auto& [name, value] : counts.items()) n += value.get<int>();
  return n;
}

TEST(Views, ChangeNoResult) {
  const Workplace place;
  place.write("p.toml", sprayed);
  const auto results = [&](const Words& views) {
    Words words = {"run", "p.toml", "--json", "--out", "o"};
    words.insert(words.end(), views.begin(), views.end());
    const Ended ended = run(place, words);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    ordered_json summary = place.read_json("o/summary.json");
    summary.erase("wall_s");
    return std::tuple(summary, place.read("o/flows.csv"), place.read("o/series.csv"));
  };
  const auto without = results({});
  EXPECT_FALSE(place.has("o/trace.json"));
  EXPECT_EQ(results({"--trace", "--waves", "--pcap", "t,c:0"}), without);
  for (const char* file : {"o/trace.json", "o/waves.vcd", "o/ports/t_3.pcap", "o/ports/c_0.pcap"})
    EXPECT_TRUE(place.has(file)) << file;
  const std::string first = place.read("o/trace.json");
  results({"--trace"});
  EXPECT_EQ(place.read("o/trace.json"), first);  // the same bytes again, without the others
}

TEST(Trace, HasEveryPacketFromItsMessageToItsEnd) {
  const Workplace place;
  place.write("p.toml", sprayed);
  const ordered_json summary = run_viewed(place, "p.toml", {"--trace"}).json();
  const ReadTrace trace(place.read_json("o/trace.json"));
  EXPECT_EQ(trace.broken, Words{});
  const auto& packets = summary.at("packets");
  ASSERT_GT(total(packets.at("dropped")), 3);
  EXPECT_EQ(trace.all("drop").size(), static_cast<std::size_t>(total(packets.at("dropped"))));
  EXPECT_EQ(trace.all("message").size(), 20u);

  // A flow per packet; data begins in its message and ends in the receiver, or in a drop.
  std::size_t ways = 0, delivered = 0, dropped = 0;
  for (const auto& [id, steps] : trace.flows) {
    if (id.first != "packet") continue;
    ++ways;
    delivered += steps.back().slice->thread.starts_with("RX");
    dropped += steps.back().slice->category == "drop";
    if (!steps.front().slice->thread.starts_with("messages")) continue;
    std::vector<std::string> devices;
    for (const auto& s : steps) {
      if (devices.empty() || devices.back() != s.slice->process)
        devices.push_back(s.slice->process);
    }
    if (steps.back().slice->category == "drop") continue;
    ASSERT_EQ(devices.size(), 5u);
    EXPECT_EQ(devices[1], "t");
    EXPECT_TRUE(devices[2] == "s0" || devices[2] == "s1");
    EXPECT_EQ(devices[3], "u");
    EXPECT_EQ(devices[4], "c");
    const auto& message = steps.front().slice->args;
    const auto& wire = steps[1].slice->args;
    EXPECT_EQ(message.at("flow"), wire.at("flow"));
    EXPECT_EQ(steps.front().slice->name, fmt::format("message {}", wire.at("message").get<int>()));
  }
  EXPECT_EQ(ways, packets.at("created"));
  EXPECT_EQ(delivered, packets.at("delivered"));
  EXPECT_EQ(dropped, static_cast<std::size_t>(total(packets.at("dropped"))));
  // Every message is completed by an acknowledgement.
  std::size_t completions = 0;
  for (const auto& [id, steps] : trace.flows) {
    if (id.first != "completion") continue;
    ++completions;
    EXPECT_TRUE(steps[0].slice->name.find("ACK") != std::string::npos) << steps[0].slice->name;
    EXPECT_EQ(steps[1].slice->category, "message");
    EXPECT_LE(steps[0].slice->end, steps[1].slice->end);
  }
  EXPECT_EQ(completions, 20u);
}

TEST(Trace, SaysWhatANackCameFromAndWhatItCaused) {
  const Workplace place;
  place.write("p.toml", sprayed);
  const ordered_json summary = run_viewed(place, "p.toml", {"--trace"}).json();
  const ReadTrace trace(place.read_json("o/trace.json"));
  std::size_t decided = 0, served = 0, resent = 0;
  for (const auto& [id, steps] : trace.flows) {
    if (id.first != "nack") continue;
    const auto& from = *steps[0].slice;
    const auto& to = *steps[1].slice;
    if (to.name.starts_with("NACK") && to.thread.starts_with("TX wire")) {
      ++decided;
      EXPECT_EQ(from.process, to.process);
      EXPECT_TRUE(from.thread.starts_with("RX"));
      // The packet that arrived was ahead of the expected one.
      EXPECT_EQ(to.args.at("arrived_psn"), from.args.at("psn"));
      EXPECT_GT(from.args.at("psn").get<int>(), to.args.at("expected_psn").get<int>());
    } else if (to.thread.starts_with("NACK service")) {
      ++served;
      EXPECT_TRUE(from.name.starts_with("NACK")) << from.name;
      EXPECT_EQ(from.args.at("expected_psn"), to.args.at("expected_psn"));
      EXPECT_LE(from.end, to.start);
    } else {
      ++resent;
      EXPECT_TRUE(from.thread.starts_with("NACK service"));
      EXPECT_TRUE(to.name.ends_with("again")) << to.name;
      EXPECT_EQ(from.args.at("expected_psn"), to.args.at("psn"));
    }
  }
  double nacks = 0, served_by_nics = 0, asked = 0;
  for (const char* nic : {"a", "b", "c"}) {
    const auto& statistics = summary.at("statistics").at(nic);
    nacks += statistics.at("nacks_sent").at("value").get<double>();
    served_by_nics += statistics.at("nacks_served").at("value").get<double>();
    asked += statistics.at("sent_expected").at("value").get<double>();
  }
  ASSERT_GT(nacks, 5);
  EXPECT_EQ(decided, nacks);
  EXPECT_EQ(served, served_by_nics);
  EXPECT_GT(resent, 0u);
  EXPECT_LE(resent, asked);
}

TEST(Trace, ShowsPauses) {
  const Workplace place;
  place.write("p.toml", paused);
  const ordered_json summary = run_viewed(place, "p.toml", {"--trace"}).json();
  const ReadTrace trace(place.read_json("o/trace.json"));
  EXPECT_EQ(trace.broken, Words{});
  std::int64_t held = 0;
  for (const auto* s : trace.all("pause")) {
    EXPECT_TRUE(s->process == "a" || s->process == "b");
    held += s->end - s->start;
  }
  const auto of = [&](const char* nic) {
    return summary.at("statistics")
        .at(nic)
        .at("port0")
        .at("paused_class0")
        .at("value")
        .get<double>();
  };
  ASSERT_GT(held, 0);
  EXPECT_EQ(static_cast<double>(held), of("a") + of("b"));
}

TEST(Trace, IsNarrowedByTimeFlowAndShare) {
  const Workplace place;
  place.write("p.toml", sprayed);
  const auto read = [&](const Words& views) {
    Words words = {"--trace"};
    words.insert(words.end(), views.begin(), views.end());
    run_viewed(place, "p.toml", words);
    ReadTrace trace(place.read_json("o/trace.json"));
    EXPECT_EQ(trace.broken, Words{});
    return trace;
  };
  const ReadTrace all = read({});
  const ReadTrace window = read({"--from", "10us", "--to", "20 us"});
  std::size_t within = 0;
  const auto reaches = [](const ReadTrace::Slice& s) {
    return s.end >= 10'000'000 && s.start < 20'000'000;
  };
  for (const auto* s : window.all("packet")) EXPECT_TRUE(reaches(*s)) << s->name;
  const auto wires = [&](const ReadTrace& t) {
    std::size_t n = 0;
    for (const auto* s : t.all("packet"))
      n += s->thread.find("wire") != std::string::npos && s->start >= 10'000'000 &&
           s->end < 20'000'000;
    return n;
  };
  within = wires(window);
  EXPECT_EQ(within, wires(all));
  EXPECT_GT(within, 50u);

  // A wait in a queue is there whole if it reaches into the time.
  using Wait = std::tuple<std::string, std::int64_t, std::int64_t, std::string>;
  const auto waits = [](const ReadTrace& t, auto&& wanted) {
    std::multiset<Wait> found;
    for (const auto* s : t.all("packet")) {
      if (s->thread.starts_with("queue") && wanted(*s))
        found.emplace(s->process, s->start, s->end, s->args.at("packet"));
    }
    return found;
  };
  const auto waited = waits(window, [](const auto&) { return true; });
  EXPECT_EQ(waited, waits(all, reaches));
  std::size_t begun_before = 0, ended_after = 0;
  for (const auto& [device, start, end, packet] : waited) {
    begun_before += start < 10'000'000;
    ended_after += end > 20'000'000;
  }
  EXPECT_GT(begun_before, 0u);
  EXPECT_GT(ended_after, 0u);
  // So it is if the run ends before the wait.
  const ReadTrace cut = read({"--set", "sim.duration=20us"});
  const auto still = waits(cut, [](const auto& s) { return s.end == 20'000'000; });
  EXPECT_EQ(still.size(), waits(all, [](const auto& s) {
                            return s.start < 20'000'000 && s.end >= 20'000'000;
                          }).size());
  EXPECT_GT(still.size(), 0u);

  const ReadTrace flow = read({"--flow", "b-c"});
  EXPECT_LT(flow.events, all.events * 2 / 3);
  std::size_t from_b = 0;
  for (const auto* s : flow.all("packet")) {
    EXPECT_TRUE(s->args.at("from") == "b" || s->args.at("to") == "b");
    from_b += s->args.at("from") == "b";
  }
  EXPECT_GT(from_b, 100u);
  EXPECT_EQ(read({"--flow", "b-c:0x40"}).events, flow.events);
  EXPECT_EQ(read({"--flow", "b"}).events, flow.events);

  // All packets of a PSN, or none: every step of a packet that is there is there.
  const ReadTrace share = read({"--every", "4"});
  std::map<std::string, std::size_t> steps;
  const auto count = [](const ReadTrace& t) {
    std::map<std::string, std::size_t> n;
    for (const auto* s : t.all("packet")) ++n[s->args.at("packet")];
    return n;
  };
  const auto whole = count(all);
  for (const auto& [packet, n] : count(share)) EXPECT_EQ(n, whole.at(packet)) << packet;
  EXPECT_GT(count(share).size() * 6, whole.size());
  EXPECT_LT(count(share).size() * 3, whole.size());
}

TEST(Trace, EndsAtItsLimitAndSaysSo) {
  const Workplace place;
  place.write("p.toml", sprayed);
  const Ended ended = run_viewed(place, "p.toml", {"--trace", "--trace-most", "1000"});
  EXPECT_TRUE(ended.err.starts_with("horae: trace.json ends at ")) << ended.err;
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1);
  const ordered_json file = place.read_json("o/trace.json");
  EXPECT_TRUE(file.at("otherData").contains("incomplete"));
  const ReadTrace trace(file);
  EXPECT_EQ(trace.broken, Words{});
  EXPECT_LE(trace.events, 1000u);
  EXPECT_GT(trace.events, 400u);

  // Up to there it is the whole trace; nothing that is in it begins later.
  const auto full_at = static_cast<std::int64_t>(std::llround(
      std::stod(ended.err.substr(std::string("horae: trace.json ends at ").size())) * 1e6));
  run_viewed(place, "p.toml", {"--trace"});
  const ReadTrace whole(place.read_json("o/trace.json"));
  const auto seen = [&](const ReadTrace& t) {
    std::multiset<std::tuple<std::string, std::string, std::int64_t, std::int64_t>> found;
    for (const auto& [thread, slices] : t.threads) {
      for (const auto& s : slices) {
        const bool message = s.category == "message";
        if (message ? s.start < full_at : s.end < full_at)
          found.emplace(s.process, s.name, s.start, s.end);
      }
    }
    return found;
  };
  EXPECT_EQ(seen(trace), seen(whole));
  EXPECT_GT(trace.all("message").size(), 4u);
  for (const auto& [thread, slices] : trace.threads) {
    for (const auto& s : slices) EXPECT_LT(s.start, full_at) << s.name;
  }
}

TEST(Trace, TakesTheBlocksAroundANackAlong) {
  const Workplace place;
  const Ended ended =
      run(place, {"run", HORAE_PLATFORM_DIR "/cx7_spray.toml", "--set", "sim.duration=70us",
                  "--set", "sim.warmup=30us", "--set", "sim.nack_trace=true", "--point", "1",
                  "--out", "o", "--trace", "--from", "30us", "--every", "8"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const ordered_json file = place.read_json("o/trace.json");
  std::set<std::string> processes;
  for (const auto& e : file.at("traceEvents")) {
    if (e.at("name") == "process_name") processes.insert(e.at("args").at("name"));
  }
  EXPECT_TRUE(processes.contains("sender0: blocks around a NACK"));
  EXPECT_TRUE(processes.contains("tor0"));
}

TEST(Views, RefuseWhatMeansNothing) {
  const Workplace place;
  place.write("p.toml", tiny);
  const auto refused = [&](Words words, const std::string& what) {
    words.insert(words.begin(), {"run", "p.toml", "--out", "o"});
    const Ended ended = run(place, words);
    EXPECT_EQ(ended.exit_code, 2) << what;
    EXPECT_NE(ended.err.find(what), std::string::npos) << ended.err;
    EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
    EXPECT_FALSE(place.has("o"));
  };
  refused({"--trace", "--flow", "a-bb"}, "expected one of a, b");
  refused({"--trace", "--flow", "a-t"}, "expected SRC, SRC-DST or SRC-DST:QP of end points");
  refused({"--trace", "--flow", "a-b:x"}, "number of a queue pair");
  refused({"--trace", "--from", "5"}, "--from");
  refused({"--trace", "--from", "5us", "--to", "4us"}, "--to 4 us: expected more than --from");
  refused({"--flow", "a"}, "--flow: expected a view beside it");
  refused({"--trace-most", "5"}, "--trace-most: expected a view beside it");
  refused({"--waves", "--flow", "a"}, "--flow: expected --trace or --pcap beside it");
  refused({"--waves", "--every", "2"}, "--every: expected --trace or --pcap beside it");
  refused({"--pcap", "tt"}, "no such device");
  refused({"--pcap", "t:2"}, "'t' has ports 0 to 1");
  refused({"--pcap", "t:x"}, "number of a port");
  refused({"--trace", "--every", "0"}, "from 1 to");
  EXPECT_NE(run(place, {"run", "p.toml", "--trace"}).err.find("need --out"), std::string::npos);
  place.write("p.toml", tiny +
                            "[sweep]\nlabel_title = \"seed\"\n[[sweep.point]]\nlabel = \"one\"\n"
                            "set = [\"sim.seed=1\"]\n");
  refused({"--trace"}, "choose it by --point");
}

}  // namespace
}  // namespace horae::test::views_trace_test
