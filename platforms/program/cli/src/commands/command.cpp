#include "horae/cli/command.hpp"

#include <fmt/format.h>
#include <sys/auxv.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string_view>
#include <thread>

#include "horae/core/quantity_text.hpp"

namespace horae::cli {
namespace {

/// Says on standard error where an override replaces an earlier one of the same key.
class RepeatedKeys {
 public:
  void see(std::string_view override_text) {
    const auto equals = override_text.find('=');
    if (equals == std::string_view::npos) return;
    const std::string key(override_text.substr(0, equals));
    const std::string value(override_text.substr(equals + 1));
    const auto [at, is_new] = values_.emplace(key, value);
    if (is_new || at->second == value) return;
    fmt::print(
        stderr, "horae: {}\n",
        printable(fmt::format("--set {}: set twice; {} holds, and not {}", key, value, at->second),
                  std::string_view::npos));
    at->second = value;
  }

 private:
  std::map<std::string, std::string> values_;
};

}  // namespace

CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& description,
                      const std::string& footer) {
  CLI::App* command = app.add_subcommand(name, description);
  command->allow_extras();
  command->footer(footer);
  return command;
}

CLI::Option* add_platform_file(CLI::App& command, std::string& file) {
  return shipped_file(command.add_option("platform", file, "TOML file that describes the platform")
                          ->type_name("PLATFORM.toml"));
}

CLI::Option* add_overrides(CLI::App& command, std::vector<std::string>& overrides,
                           const std::string& of) {
  return command
      .add_option("--set", overrides,
                  fmt::format("overrides a value of the {}; may be repeated", of))
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->each(
          [seen = std::make_shared<RepeatedKeys>()](const std::string& text) { seen->see(text); });
}

CLI::Option* add_out(CLI::App& command, std::optional<std::string>& out) {
  return command.add_option("--out", out, "writes the results into this folder")->type_name("DIR");
}

CLI::Option* add_jobs(CLI::App& command, unsigned& jobs, const std::string& description) {
  return command.add_option("--jobs", jobs, description)->type_name("N")->check(whole_number(1024));
}

CLI::Option* add_json(CLI::App& command, bool& json, const std::string& description) {
  return command.add_flag("--json", json, description);
}

CLI::Option* add_no_progress(CLI::App& command, bool& no_progress) {
  return command.add_flag("--no-progress", no_progress, "prints no progress line on a terminal");
}

void add_views(CLI::App& command, views::ViewOptions& views) {
  constexpr unsigned most = 100'000'000;
  const auto add = [&command](const char* name, auto& value, const char* what) {
    return command.add_option(name, value, what)->group("Views");
  };
  command.add_flag("--trace", views.trace, "trace.json: packets on a timeline (ui.perfetto.dev)")
      ->group("Views");
  command
      .add_flag("--transactions", views.transactions,
                "transactions.txlog: packets, hops, host accesses (SCV text, SCViewer)")
      ->group("Views");
  command
      .add_flag("--ftr", views.ftr, "transactions.ftr: the same in FTR, a binary form (SCViewer)")
      ->group("Views");
  command.add_flag("--waves", views.waves, "waves.vcd: queues, rates, pins over time (GTKWave)")
      ->group("Views");
  command
      .add_flag("--waterfall", views.waterfall,
                "waterfall.json, .csv: where the time of messages goes, stage by stage")
      ->group("Views");
  command
      .add_flag(
          "--recovery", views.recovery,
          "recovery.json, .csv: each retransmission from its loss to its completion, with CNPs "
          "and pauses")
      ->group("Views");
  add("--pcap", views.pcap, "ports/*.pcap: what a port sends and receives (Wireshark)")
      ->type_name("DEVICE[:PORT],...")
      ->delimiter(',')
      ->allow_extra_args(false);
  add("--from", views.from, "views begin at this time of the run")->type_name("TIME");
  add("--to", views.to, "views end at this time")->type_name("TIME");
  add("--flow", views.flows,
      "trace, transactions and captures have packets of this flow only; may be repeated")
      ->type_name("SRC[-DST[:QP]]")
      ->allow_extra_args(false);
  add("--every", views.every, "trace, transactions and captures have one packet in N")
      ->type_name("N")
      ->check(whole_number(most, 1));
  add("--trace-most", views.most, "events a view keeps at most (default 2000000)")
      ->type_name("N")
      ->check(whole_number(most, 1));
}

unsigned jobs_of(unsigned jobs) {
  return jobs != 0 ? jobs : std::max(1u, std::thread::hardware_concurrency());
}

CLI::Validator whole_number(unsigned most, unsigned least) {
  return CLI::Validator(
      [most, least](std::string& text) -> std::string {
        constexpr std::size_t longest = 9;
        const bool digits = !text.empty() && text.size() <= longest &&
                            text.find_first_not_of("0123456789") == std::string::npos;
        if (digits && std::stoul(text) <= most && std::stoul(text) >= least) return {};
        return fmt::format("expected a whole number from {} to {}, found '{}'", least, most, text);
      },
      "");
}

std::string platform_dir() {
  if (std::filesystem::is_directory("platforms")) return "platforms";
  // An installation has them beside bin/. The name that the kernel was given is there without
  // /proc.
  if (const auto* name = reinterpret_cast<const char*>(::getauxval(AT_EXECFN)); name != nullptr) {
    std::error_code error;
    const auto program = std::filesystem::canonical(name, error);
    const auto beside = program.parent_path().parent_path() / "platforms";
    if (!error && program.parent_path().filename() == "bin" && is_directory(beside, error))
      return beside;
  }
  return HORAE_PLATFORM_DIR;
}

CLI::Option* shipped_file(CLI::Option* option) {
  return option->transform([](const std::string& name) {
    constexpr std::string_view shipped = "platforms/";
    std::error_code error;
    if (!name.starts_with(shipped) || std::filesystem::exists(name, error)) return name;
    const auto there = std::filesystem::path(platform_dir()) / name.substr(shipped.size());
    return std::filesystem::exists(there, error) ? there.string() : name;
  });
}

}  // namespace horae::cli
