#include "horae/cli/run_report.hpp"

#include <fmt/format.h>

#include "horae/cli/result_lines.hpp"
#include "horae/config/plain_devices.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/results/exit_code.hpp"
#include "horae/workload/traffic.hpp"
#include "rounded_time.hpp"

namespace horae::cli {

void print_assumptions(const config::PlatformConfig& platform) {
  if (platform.about.assumptions.empty()) return;
  fmt::print("\nAssumptions (no published value; `horae list parameters` gives sources):\n");
  for (const auto& a : platform.about.assumptions) fmt::print("  - {}\n", a);
}

void print_notes(const config::PlatformConfig& platform) {
  for (const auto& note : platform.notes) fmt::print("{}\n", note);
  for (std::size_t t = 0; t < platform.traffic.size(); ++t) {
    const std::string note = workload::traffic_of(platform, t).note();
    if (!note.empty()) fmt::print("{}\n", note);
  }
}

void print_plain_devices(const config::PlatformConfig& platform) {
  const std::string line = config::plain_devices(platform);
  if (!line.empty()) fmt::print("{}\n", line);
}

namespace {

/// Says what slowdowns are relative to, where that is not as exact as it is printed.
void print_ideal(const nlohmann::ordered_json& ideal) {
  constexpr double visible = 5e-5;  // slowdowns have four digits
  if (ideal.contains("none")) {
    fmt::print("slowdowns: none; {}\n", ideal["none"].get<std::string>());
  } else if (ideal["largest_error"].get<double>() >= visible) {
    fmt::print(
        "ideal times: {} of {} messages were run alone, the others are computed; of {} that were "
        "checked, one is off by {:.2g} %\n",
        ideal["run_alone"].get<std::uint64_t>(), ideal["messages"].get<std::uint64_t>(),
        ideal["checked"].get<std::uint64_t>(), ideal["largest_error"].get<double>() * 100);
  }
}

}  // namespace

void print_summary(const config::PlatformConfig& platform, const run::RunOutcome& outcome,
                   bool all) {
  const auto& s = outcome.summary;
  fmt::print("{}: {} after {} simulated\n", platform.about.name, s["verdict"].get<std::string>(),
             rounded(Picoseconds(s["sim_time_ps"].get<std::int64_t>())));
  fmt::print("measured from {} to {}\n\n",
             rounded(Picoseconds(s["measured_from_ps"].get<std::int64_t>())),
             rounded(Picoseconds(s["measured_to_ps"].get<std::int64_t>())));
  fmt::print("{}", result_lines(s["results"], all));
  const auto& p = s["packets"];
  std::string dropped;
  for (const auto& [cause, n] : p["dropped"].items()) {
    if (n.get<std::uint64_t>() > 0) dropped += fmt::format(" {} {}", cause, n.get<std::uint64_t>());
  }
  fmt::print("\npackets: {} created = {} delivered + dropped ({}) + {} in flight\n",
             p["created"].get<std::uint64_t>(), p["delivered"].get<std::uint64_t>(),
             dropped.empty() ? "none" : dropped.substr(1), p["in_flight"].get<std::uint64_t>());
  for (const auto& line : outcome.notes) fmt::print("{}\n", line);
  if (s.contains("lockstep")) {
    const auto& both = s["lockstep"];
    const auto say = [](const nlohmann::ordered_json& of, const char* where, const char* asked,
                        const char* text) {
      fmt::print(fmt::runtime(text), of[where].get<std::uint64_t>(),
                 of[asked].get<std::uint64_t>());
    };
    if (both.contains("nics"))
      say(both, "nics", "requests",
          "model and RTL: {} NICs, {} requests answered alike, state compared, no difference\n");
    if (both.contains("balancers"))
      say(both["balancers"], "switches", "choices",
          "model and RTL: load balancers of {} switches, {} choices alike, no difference\n");
    if (both.contains("registers"))
      say(both["registers"], "alus", "accesses",
          "model and RTL: {} stateful ALUs, {} accesses alike, no difference\n");
    if (both.contains("entropy"))
      say(both["entropy"], "queue_pairs", "requests",
          "model and RTL: entropy schemes of {} queue pairs, {} requests answered alike, no "
          "difference\n");
  }
  if (s.contains("ideal")) print_ideal(s["ideal"]);
  print_notes(platform);
  print_plain_devices(platform);
  print_assumptions(platform);
}

void print_dump(const std::string& label, const run::RunOutcome& outcome) {
  const std::string of = label.empty() ? "" : label + ": ";
  if (outcome.exit_code == results::exit_does_not_fit) {
    fmt::print(stderr, "horae: {}{}\n", of, fmt::join(outcome.dump, "\n"));
  }
  if (outcome.exit_code != results::exit_stuck) return;
  fmt::print(stderr, "horae: {}no progress; what is waiting:\n", of);
  for (const auto& line : outcome.dump) fmt::print(stderr, "  {}\n", line);
}

}  // namespace horae::cli
