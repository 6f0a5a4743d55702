// Shared by tests of views: platforms with something to see, and a trace read back.
#pragma once

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "networks.hpp"
#include "program.hpp"

namespace horae::test {

/// Two NICs over two paths that lose packets, behind a chip that sprays: NACKs, retransmissions,
/// and drops; every message ends and the network runs empty.
inline const std::string sprayed =
    two_paths({.name = "sprayed",
               .sim = "duration = \"2 ms\"\nstop = \"finished\"\nsample = \"5 us\"\n",
               .nic = "transport = \"rnic_sr\"\nmtu = \"1 KiB\"\n"
                      "reliability = { window = 64, rto = \"100 us\" }\n",
               .traffic = "count = 10\n"});

/// Four senders into one, with PFC: pauses.
inline const std::string paused = R"([platform]
name = "paused"
[sim]
duration = "200 us"
stop = "finished"
[nic]
kind = "rnic"
reliability = { window = 64, rto = "1 ms" }
[plain]
kind = "switch"
buffer = "200 KB"
pfc = { xoff = "12 KB", xon = "6 KB" }
[[device]]
names = ["a", "b", "c"]
profile = "nic"
[[device]]
names = ["s"]
profile = "plain"
[[link]]
between = ["a", "s"]
[[link]]
between = ["b", "s"]
[[link]]
between = ["s", "c"]
[[traffic]]
kind = "messages"
from = ["a", "b"]
to = ["c", "c"]
message = "64 KiB"
count = 4
)";

/// A run with views, which must succeed: its folder is "o".
inline Ended run_viewed(const Workplace& place, const std::string& file, Words views) {
  Words words = {"run", file, "--json", "--out", "o"};
  words.insert(words.end(), views.begin(), views.end());
  const Ended ended = run(place, words);
  if (ended.exit_code != 0)
    throw std::runtime_error(fmt::format("exit code {}: {}", ended.exit_code, ended.err));
  return ended;
}

/// A trace, read back; its rules are checked on the way.
struct ReadTrace {
  struct Slice {
    std::int64_t start, end;  ///< ps
    std::string name, category, process, thread;
    ordered_json args;
  };
  struct FlowStep {
    char phase;
    std::int64_t at;
    const Slice* slice;
  };
  std::vector<std::string> broken;  ///< rules that are, a line each
  std::size_t events = 0;           ///< without metadata
  std::map<std::pair<int, int>, std::vector<Slice>> threads;
  std::map<std::pair<std::string, std::uint64_t>, std::vector<FlowStep>> flows;

  std::vector<const Slice*> all(const std::string& category) const {
    std::vector<const Slice*> found;
    for (const auto& [thread, slices] : threads) {
      for (const auto& s : slices) {
        if (s.category == category) found.push_back(&s);
      }
    }
    return found;
  }

  static std::int64_t ps(const ordered_json& us) { return std::llround(us.get<double>() * 1e6); }

  explicit ReadTrace(const ordered_json& trace) {
    std::map<int, std::string> processes;
    std::map<int, std::pair<int, std::string>> names;
    std::map<std::tuple<std::string, std::string, std::uint64_t>, int> open;
    const auto complain = [this](std::string what) { broken.push_back(std::move(what)); };
    for (const auto& e : trace.at("traceEvents")) {
      if (e.at("ph") != "M") continue;
      const int pid = e.at("pid");
      if (e.at("name") == "process_name") processes[pid] = e.at("args").at("name");
      if (e.at("name") != "thread_name") continue;
      // Perfetto names threads by their number alone, and takes one of its process's number as
      // main.
      const int tid = e.at("tid");
      if (names.contains(tid)) complain(fmt::format("thread {} named twice", tid));
      names[tid] = {pid, e.at("args").at("name")};
    }
    for (const auto& e : trace.at("traceEvents")) {
      const std::string phase = e.at("ph");
      if (phase == "M") continue;
      ++events;
      const int pid = e.at("pid"), tid = e.at("tid");
      if (!processes.contains(pid) || !names.contains(tid) || names[tid].first != pid)
        complain("an event of no named thread: " + e.dump());
      if (processes.contains(tid)) complain(fmt::format("thread {} is a process, too", tid));
      if (phase == "X" || phase == "i") {
        const std::int64_t start = ps(e.at("ts"));
        const std::int64_t length = phase == "X" ? ps(e.at("dur")) : 0;
        if (length < 0 || start < 0) complain("a slice of negative time: " + e.dump());
        threads[{pid, tid}].push_back({start, start + length, e.at("name"), e.value("cat", ""),
                                       processes[pid], names[tid].second,
                                       e.value("args", ordered_json::object())});
      } else if (phase == "b" || phase == "e") {
        open[{e.at("cat"), e.at("name"), e.at("id").get<std::uint64_t>()}] += phase == "b" ? 1 : -1;
      } else if (phase != "s" && phase != "t" && phase != "f" && phase != "C") {
        complain("phase " + phase);
      }
    }
    for (const auto& [key, n] : open) {
      if (n != 0) complain("b and e do not balance: " + std::get<1>(key));
    }
    for (auto& [thread, slices] : threads) {
      std::stable_sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) {
        return std::pair(a.start, a.end) < std::pair(b.start, b.end);
      });
      for (std::size_t i = 1; i < slices.size(); ++i) {
        if (slices[i].start < slices[i - 1].end)
          complain(fmt::format("'{}' and '{}' overlap on {} of {}", slices[i - 1].name,
                               slices[i].name, slices[i].thread, slices[i].process));
      }
    }
    for (const auto& e : trace.at("traceEvents")) {
      const std::string phase = e.at("ph");
      if (phase != "s" && phase != "t" && phase != "f") continue;
      const std::int64_t at = ps(e.at("ts"));
      const auto& slices = threads[{e.at("pid"), e.at("tid")}];
      auto it = std::upper_bound(slices.begin(), slices.end(), at,
                                 [](std::int64_t t, const Slice& s) { return t < s.start; });
      const Slice* slice = it == slices.begin() ? nullptr : &*std::prev(it);
      if (slice == nullptr || at > slice->end) complain("a flow event in no slice: " + e.dump());
      flows[{e.at("cat"), e.at("id").get<std::uint64_t>()}].push_back({phase[0], at, slice});
    }
    for (const auto& [id, steps] : flows) {
      bool right = steps.size() >= 2 && steps.front().phase == 's' && steps.back().phase == 'f';
      for (std::size_t i = 1; i < steps.size(); ++i) {
        right = right && steps[i - 1].at <= steps[i].at;
        right = right && (i + 1 == steps.size() || steps[i].phase == 't');
      }
      if (!right) complain(fmt::format("flow {} {}: not s, t.., f in time", id.first, id.second));
    }
  }
};

}  // namespace horae::test
