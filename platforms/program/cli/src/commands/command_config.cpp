// horae config.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <system_error>

#include "horae/cli/command.hpp"
#include "horae/cli/effective_config.hpp"
#include "horae/core/error.hpp"
#include "horae/elaboration/memory_table.hpp"
#include "horae/elaboration/simulation.hpp"
#include "horae/results/exit_code.hpp"
#include "horae/run/run.hpp"

namespace horae::cli {

namespace {

struct ConfigOptions {
  ConfigRequest request;
  std::string kind = "run";
  std::optional<std::string> points;
  bool memory = false;
  bool json = false;
};

ConfigKind kind_of(const std::string& name) {
  if (name == "run") return ConfigKind::run;
  if (name == "size") return ConfigKind::size;
  if (name == "explain") return ConfigKind::explain;
  throw InputError(fmt::format("--kind {}: no such kind of configuration{}", name,
                               suggestion(name, {"run", "size", "explain"})));
}

int configure_points(const ConfigRequest& request, const std::string& points) {
  std::ifstream file;
  const bool standard = points == "-";
  std::error_code error;
  if (!standard && std::filesystem::is_directory(points, error)) {
    throw InputError(fmt::format(
        "--points {}: found a folder, expected a file of a JSON object a line", points));
  }
  if (!standard) file.open(points);
  if (!standard && !file) throw InputError(fmt::format("--points {}: no such file", points));
  std::ostringstream out;  // all of it or, for a line that is no point, nothing
  config_points(request, standard ? std::cin : file, standard ? "standard input" : points, out);
  fmt::print("{}", out.str());
  return results::exit_done;
}

/// Elaborates the platform, and prints what that took.
int show_memory(const ConfigRequest& request, bool json) {
  if (request.kind != ConfigKind::run) throw InputError("--memory: expected with --kind run only");
  elaboration::MemoryMeter meter;
  const config::PlatformConfig platform = platform_of(request);
  meter.charge("platform as read");
  const elaboration::Simulation simulation(platform, nullptr, &meter);
  if (json) {
    fmt::print("{}\n", elaboration::memory_json(meter).dump(1));
  } else {
    fmt::print("{}", elaboration::memory_text(meter));
  }
  return results::exit_done;
}

int configure(const ConfigOptions& o) {
  ConfigRequest request = o.request;
  request.kind = kind_of(o.kind);
  if (o.memory && o.points) throw InputError("--memory: expected without --points");
  if (o.request.ranks != 0 && (o.memory || o.points))
    throw InputError(
        fmt::format("--ranks: expected without {}", o.memory ? "--memory" : "--points"));
  if (o.memory) return show_memory(request, o.json);
  if (o.points) return configure_points(request, *o.points);
  const EffectiveConfig effective = effective_config(request);
  if (o.json) {
    fmt::print("{}\n", config_json(request, effective).dump(1));
  } else {
    fmt::print("{}", config_text(request, effective));
  }
  return results::exit_done;
}

}  // namespace

Command add_config(CLI::App& app) {
  const auto o = std::make_shared<ConfigOptions>();
  CLI::App* command = add_command(
      app, "config", "Print the configuration in effect, with every default, and its hash.",
      "Examples: horae config platforms/cx7_spray.toml --point 1 --set nic.mtu=4KiB\n"
      "          horae config platforms/cx7_spray.toml --points points.jsonl");
  add_platform_file(*command, o->request.file)->required();
  add_overrides(*command, o->request.overrides, "file");
  command
      ->add_option("--kind", o->kind,
                   "command whose configuration is printed: run (default), size or explain")
      ->type_name("COMMAND");
  command->add_flag("--objects", o->request.objects,
                    "with --kind size: the file is an objects file");
  command->add_option("--chip", o->request.chip, "with --kind size: in place of the file's chip")
      ->type_name("CHIP");
  command
      ->add_option("--point", o->request.point,
                   "with --kind run: of one point of the platform's sweep")
      ->type_name("LABEL");
  command
      ->add_option("--observations", o->request.observations,
                   "with --kind explain: in place of the platform's file")
      ->type_name("FILE");
  command
      ->add_option("--hypotheses", o->request.hypotheses,
                   "with --kind explain: in place of the platform's file")
      ->type_name("FILE");
  command
      ->add_option("--ranks", o->request.ranks,
                   "also how so many ranks of `horae run` would share the devices")
      ->check(whole_number(4096, 1))
      ->type_name("N");
  command
      ->add_option("--points", o->points,
                   "many at once: a JSON object of overrides a line, from FILE or - (standard "
                   "input); prints a line for each, its hash or its error")
      ->type_name("FILE");
  command->add_flag("--memory", o->memory,
                    "in place of the configuration: what devices, links and connections of the run "
                    "take of this machine's memory before time starts");
  add_json(*command, o->json, "prints JSON in place of text");
  return {command, [o] { return configure(*o); }};
}

}  // namespace horae::cli
