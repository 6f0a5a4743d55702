#include "p4_config.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "horae/capture/reader.hpp"
#include "horae/core/error.hpp"
#include "horae/p4lang/compile.hpp"
#include "horae/p4price/price_program.hpp"
#include "horae/p4prog/compiled_text.hpp"
#include "horae/p4prog/p4_switch.hpp"
#include "horae/p4prog/pipe_passes.hpp"
#include "horae/p4prog/script_view.hpp"
#include "horae/params/file_content.hpp"
#include "horae/params/schema.hpp"
#include "horae/params/shipped_file.hpp"

namespace horae::p4chip {

const Schema<P4Config>& P4Config::schema() {
  static const Schema<P4Config> s =
      Schema<P4Config>("program", "A P4-16 program for TNA or T2NA.")
          .required("source", &P4Config::source,
                    {.doc = "the program's file, relative to this one"})
          .field(
              "entries", &P4Config::entries,
              {.doc = "files of entries (TOML, or CSV), put into the tables one after the other"})
          .field("control", &P4Config::control,
                 {.doc = "scripts for the vendor's bfrt_python (Python), run before the first "
                         "packet, behind the files of entries"})
          .field("control_host", &P4Config::control_host,
                 {.doc = "the host's name that scripts are told; absent: this machine's"})
          .field("control_latency", &P4Config::control_latency,
                 {.doc = "from when a script does something after a time.sleep() to when tables "
                         "have it",
                  .min = Picoseconds{}})
          .field("include", &P4Config::include,
                 {.doc = "folders for #include, before what is shipped"})
          .field("define", &P4Config::define, {.doc = "macros, NAME or NAME=VALUE"})
          .field("tofino1", &P4Config::tofino1,
                 {.doc = "for a Tofino (__TARGET_TOFINO__ is 1), not a Tofino2; as `chip` says"})
          .choice("uninitialised", &P4Config::random_unwritten, {{"zero", false}, {"random", true}},
                  {.doc = "what fields and variables are that the program does not write"})
          .field("stages", &P4Config::stages,
                 {.doc = "that passes take in each gress, in place of what the source's price "
                         "says: for a program that does not fit by it",
                  .min = 1})
          .field("cpu_packets", &P4Config::cpu_packets,
                 {.doc = "a capture of what the CPU sends by its port (0 of a Tofino2, 192 of a "
                         "Tofino): its first packet at time 0, the others at their times after it"})
          .field("ghost_period", &P4Config::ghost_period,
                 {.doc = "how often the ghost thread of the program is told of queues whose depth "
                         "is another, for the first packet of a pipeline in each period. Absent: "
                         "100 ns",
                  .min = 1_ns})
          .table("routes", &P4Config::routes, RoutesConfig::schema())
          .field("compiled", &P4Config::compiled,
                 {.doc = "the program as a library, from what `horae p4 compile` prints; relative "
                         "to this file. Packets fare the same, faster"})
          .field("content", &P4Config::content,
                 {.doc = "what the source is expected to be (a hash), as the effective "
                         "configuration has it"});
  return s;
}

namespace {

std::string path_of(const Located<std::string>& name) {
  const std::filesystem::path beside = name.where.override_key.empty()
                                           ? std::filesystem::path(name.where.file).parent_path()
                                           : std::filesystem::path();
  return (beside / name.value).string();
}

p4lang::Options options_of(const P4Config& config) {
  p4lang::Options options;
  for (const auto& folder : config.include) {
    options.include_folders.push_back(path_of(folder));
    if (!std::filesystem::is_directory(options.include_folders.back()))
      throw input_error(folder.where, fmt::format("include = \"{}\": no such folder",
                                                  options.include_folders.back()));
  }
  options.defines = config.define;
  options.target = config.tofino1 ? p4lang::Target::tofino : p4lang::Target::tofino2;
  options.shipped = p4lang::shipped_p4;
  return options;
}

void use_library(P4Files& files, const Located<std::string>& name, CompiledLoader loader) {
  if (loader == nullptr)
    throw input_error(name.where, "compiled programs are loaded by the program horae alone");
  if (!p4prog::use_compiled(files.codes, loader(name)))
    throw input_error(name.where,
                      fmt::format("compiled = \"{}\": {}", name.value, p4prog::other_code));
}

/// Runs the scripts of the control plane.
std::vector<p4prog::ControlStep> run_control(const P4Files& files, const P4Config& config,
                                             const std::string& source,
                                             const p4prog::ControlPlane& control,
                                             ScriptRunner runner) {
  if (runner == nullptr)
    throw input_error(config.control.front().where, "scripts are run by the program horae alone");
  std::vector<Located<std::string>> scripts = config.control;
  for (auto& script : scripts) script.value = find_file(script, "control");
  const auto view =
      p4prog::script_view(*files.program, control, std::filesystem::path(source).stem().string(),
                          files.tofino2, p4prog::SwitchOptions::of(files.tofino2).pipes);
  return runner(view, scripts, config.control_host);
}

/// Entries that do not fit the program are refused before anything is built.
void try_entries(P4Files& files, const P4Config& config, const std::string& source,
                 ScriptRunner runner) {
  dataplane::Pipeline pipeline("p4", 0, 1);
  p4prog::ManagerTables manager;
  manager.generator.tofino2 = files.tofino2;
  const p4prog::PipePasses passes(*files.program, files.code(0), pipeline, manager, files.tofino2,
                                  0);
  p4prog::ControlPlane control(*files.program, passes.machines());
  if (!config.control.empty()) {
    for (auto& step : run_control(files, config, source, control, runner)) {
      if (step.at == Picoseconds{}) {
        files.entries.push_back(std::move(step.entries));
      } else {
        step.at += config.control_latency;
        files.later.push_back(std::move(step));
      }
    }
  }
  for (const auto& entries : files.entries) entries.apply(control, manager);
  for (const auto& step : files.later) step.entries.apply(control, manager);
  if (files.routes) files.routes->check(control);
}

void read_cpu_packets(P4Files& files, const P4Config& config) {
  if (!config.cpu_packets) return;
  capture::CaptureReader reader(find_file(*config.cpu_packets, "cpu_packets"));
  capture::CapturedFrame frame;
  while (reader.next(frame)) {
    const Picoseconds at(frame.time_ns * 1000);
    if (at < (files.cpu_times.empty() ? Picoseconds{} : files.cpu_times.back()))
      throw input_error(config.cpu_packets->where,
                        fmt::format("{}: packet {} was captured before the one before it",
                                    reader.path(), frame.number));
    files.cpu_times.push_back(at);
    auto& bytes = files.cpu_frames.emplace_back(frame.bytes.begin(), frame.bytes.end());
    bytes.resize(frame.length);
  }
}

/// Finds what the chip has to know of the code of any pipe.
void ask_code(P4Files& files, const P4Config& config) {
  for (std::size_t pipe = 0; pipe < files.codes.size(); ++pipe) {
    dataplane::Pipeline pipeline("p4", static_cast<unsigned>(pipe), 1);
    const p4prog::ManagerTables manager;
    const p4prog::PipePasses passes(*files.program, *files.codes[pipe], pipeline, manager,
                                    files.tofino2, 0);
    files.deflects |= passes.deflects();
    files.has_ghost |= passes.has_ghost();
  }
  if (config.ghost_period && !files.has_ghost)
    throw input_error(config.source.where,
                      fmt::format("ghost_period: {} has no ghost thread", config.source.value));
}

/// As many stages as the platform gives: in each gress a chain of actions, one a stage.
dataplane::Design chain_of(std::uint32_t stages) {
  dataplane::Design out;
  for (const auto gress : {dataplane::Gress::ingress, dataplane::Gress::egress}) {
    std::vector<dataplane::Dependency> after;
    for (std::uint32_t i = 0; i < stages; ++i) {
      const std::string name = fmt::format("{}.given{}", dataplane::gress_name(gress), i);
      out.objects.push_back({name, gress, dataplane::ActionSpec{}, after});
      after = {{name, dataplane::DependencyKind::match}};
    }
  }
  return out;
}

/// Requirements of the source on a chip; a program that no chip could run is run all the same.
void price(P4Files& files, const P4Config& config) {
  const Located<std::string> name{files.tofino2 ? "tofino2" : "tofino1", {}};
  const dataplane::ChipSpec& chip = dataplane::ChipSpec::find(name);
  if (config.stages) {
    if (config.stages->value > chip.stages)
      throw input_error(
          config.stages->where,
          fmt::format("stages = {}; {} has {}", config.stages->value, name.value, chip.stages));
    files.designs.push_back(chain_of(config.stages->value));
    files.stages_from = fmt::format("stages = {} of the platform", config.stages->value);
    return;
  }
  try {
    for (auto& pipe : p4price::designs_of(*files.program, chip))
      files.designs.push_back(std::move(pipe.design));
  } catch (const InputError& e) {
    files.designs.clear();
    files.stages_from = fmt::format("its objects alone, as the source has no price: {}", e.what());
  }
}

}  // namespace

std::shared_ptr<const P4Files> read_files(P4Config& config, const P4Host& host) {
  const std::string source = find_file(config.source, "source");
  take_content(source, config.content);
  auto out = std::make_shared<P4Files>();
  out->tofino2 = !config.tofino1;
  out->random_unwritten = config.random_unwritten;
  out->program =
      std::make_shared<const p4lang::Program>(p4lang::compile(source, options_of(config)));
  if (out->program->pipes.empty())
    throw input_error(config.source.where, fmt::format("{} has no pipe", source));
  if (out->program->architecture == "v1model")
    throw input_error(config.source.where,
                      fmt::format("{}: a program for v1model, which no chip runs; `horae p4 test` "
                                  "does, without time",
                                  source));
  out->codes = p4prog::code_of(*out->program);
  if (config.compiled) use_library(*out, *config.compiled, host.compiled);
  for (const auto& name : config.entries) {
    out->entries.push_back(p4prog::Entries::load(find_file(name, "entries")));
    const auto& ports = out->entries.back().ports();
    out->ports.insert(out->ports.end(), ports.begin(), ports.end());
  }
  if (config.routes) out->routes.emplace(*config.routes);
  try_entries(*out, config, source, host.scripts);
  ask_code(*out, config);
  read_cpu_packets(*out, config);
  price(*out, config);
  return out;
}

}  // namespace horae::p4chip
