// horae replay.
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "horae/cli/command.hpp"
#include "horae/cli/commit_report.hpp"
#include "horae/cli/run_report.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/core/units.hpp"
#include "horae/params/document.hpp"
#include "horae/replay/replay.hpp"
#include "horae/workload/read_platform.hpp"
#include "replay_arguments.hpp"
#include "rounded_time.hpp"

namespace horae::cli {
namespace {

void print_replay(const replay::ReplayOutcome& outcome) {
  const auto& s = outcome.summary;
  fmt::print("{} of {}: {} after {} simulated\n\n", s["replay"]["device"].get<std::string>(),
             s["platform"].get<std::string>(), s["verdict"].get<std::string>(),
             rounded(Picoseconds(s["sim_time_ps"].get<std::int64_t>())));
  for (const auto& [name, result] : s["results"].items()) {
    if (result["value"].get<double>() == 0 && !name.starts_with("packets_")) continue;
    fmt::print("  {:<34} {:>14.6g}  {}\n", name, result["value"].get<double>(),
               result["unit"].get<std::string>());
  }
  fmt::print("\n  port  neighbour         packets in  packets out    copies  mean latency, ns\n");
  for (const auto& row : s["rows"]["ports"]) {
    if (row["packets_in"] == 0 && row["packets_out"] == 0) continue;
    const auto& latency = row["latency_mean_ns"];
    fmt::print("  {:>4}  {:<16} {:>11}  {:>11}  {:>8}  {:>16}\n", row["port"].get<unsigned>(),
               row["neighbour"].get<std::string>(), row["packets_in"].get<std::uint64_t>(),
               row["packets_out"].get<std::uint64_t>(), row["copies_out"].get<std::uint64_t>(),
               latency.is_null() ? "" : fmt::format("{:.1f}", latency.get<double>()));
  }
  const auto& p = s["packets"];
  std::string dropped;
  for (const auto& [cause, n] : p["dropped"].items()) {
    if (n.get<std::uint64_t>() > 0) dropped += fmt::format(" {} {}", cause, n.get<std::uint64_t>());
  }
  fmt::print("\npackets: {} of traces and {} copies = {} out + dropped ({}) + {} held\n",
             p["created"].get<std::uint64_t>() - p["copies"].get<std::uint64_t>(),
             p["copies"].get<std::uint64_t>(), p["delivered"].get<std::uint64_t>(),
             dropped.empty() ? "none" : dropped.substr(1), p["in_flight"].get<std::uint64_t>());
}

int run(const ReplayArguments& o) {
  const replay::ReplayOptions options = options_of(o);
  if (o.out && !o.out->empty()) keep_inputs(*o.out, o.platform, options);
  const config::PlatformConfig platform =
      workload::read_platform(Document::load(o.platform, o.overrides));
  std::optional<results::ResultFolder> folder;
  if (o.out) folder.emplace(*o.out);
  const replay::ReplayOutcome outcome =
      replay::replay(platform, options, folder ? &*folder : nullptr);
  // Names of files need not be UTF-8.
  using nlohmann::ordered_json;
  const std::string json =
      outcome.summary.dump(1, ' ', false, ordered_json::error_handler_t::replace);
  if (folder) {
    folder->write("summary.json", json + "\n");
    commit(*folder);
  }
  if (o.json) {
    fmt::print("{}\n", json);
  } else {
    print_replay(outcome);
    print_assumptions(platform);
    if (folder) fmt::print("\n{}\n", commit_report(*o.out));
  }
  for (const auto& line : outcome.warnings)
    fmt::print(stderr, "horae: warning: {}\n", printable(line, std::string_view::npos));
  if (!outcome.dump.empty()) {
    fmt::print(stderr, "horae: packets are held for ever; what is waiting:\n");
    for (const auto& line : outcome.dump) fmt::print(stderr, "  {}\n", line);
  }
  return outcome.exit_code;
}

}  // namespace

Command add_replay(CLI::App& app) {
  const auto o = std::make_shared<ReplayArguments>();
  CLI::App* command = add_command(
      app, "replay", "Send the packets of a capture through one switch of a platform.",
      "Example: horae replay up.pcap@4 down.pcap@h4 --platform platforms/themis_tor.toml --device "
      "leaf1 --out out/replay");
  command
      ->add_option(
          "trace", o->traces,
          "pcap, pcapng or ERF, packed (gzip, zstd) or not, and the port its packets enter by")
      ->type_name("TRACE[@PORT]")
      ->required();
  command->add_option("--platform", o->platform, "TOML file that describes the platform")
      ->type_name("PLATFORM.toml")
      ->required();
  add_overrides(*command, o->overrides);
  command->add_option("--device", o->replay.device, "the switch; needed where there are several")
      ->type_name("NAME");
  command->add_option("--port", o->port, "port of a trace without one: a number or a neighbour")
      ->type_name("PORT");
  add_out(*command, o->out);
  command->add_option("--scale", o->scale, "multiplies the times of the trace")->type_name("F");
  command->add_flag("--back-to-back", o->replay.pace.back_to_back,
                    "packets at line rate, whatever their times");
  command
      ->add_option("--filter", o->filters,
                   "only packets that match, in tcpdump's syntax; given once for each trace, each "
                   "has its own")
      ->type_name("BPF")
      ->allow_extra_args(false);
  command->add_option("--limit", o->limit, "only the first N packets of each trace")
      ->type_name("N");
  command->add_flag("--fcs", o->replay.fcs, "frames of the traces end with their FCS");
  command
      ->add_option("--map", o->replay.maps,
                   "node of an address, or of all of a prefix; may be repeated")
      ->type_name("ADDRESS[/BITS]=NODE")
      ->allow_extra_args(false);
  command
      ->add_option("--unknown", o->unknown,
                   "what happens to packets whose addresses belong to no node: spread them over "
                   "the nodes (default, but where no address is known), drop them, or refuse the "
                   "trace")
      ->type_name("WAY");
  command
      ->add_option("--connections", o->replay.connections,
                   "what the program is told: learn (from the traces), none, or a CSV file")
      ->type_name("FILE");
  command->add_option("--registers", o->registers, "registers whose accesses go to registers.csv")
      ->type_name("NAME,..");
  command->add_flag("--no-packets", o->no_packets, "leaves out packets.csv, a row per packet");
  command->add_flag("--no-ports", o->no_ports, "leaves out ports/*.pcap, the packets that left");
  command->add_flag("--skip-damaged", o->replay.skip_damaged,
                    "go on without packets that are damaged");
  add_json(*command, o->json, "print the summary as JSON");
  add_no_progress(*command, o->no_progress);
  return {command, [o] { return run(*o); }};
}

}  // namespace horae::cli
