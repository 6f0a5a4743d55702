// horae size.
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <memory>

#include "horae/cli/command.hpp"
#include "horae/cli/commit_report.hpp"
#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/params/document.hpp"
#include "horae/results/exit_code.hpp"
#include "horae/results/result_folder.hpp"
#include "horae/run/run.hpp"
#include "horae/size/compiled.hpp"
#include "horae/size/curve.hpp"
#include "horae/size/nic.hpp"
#include "horae/size/report.hpp"
#include "horae/size/search.hpp"
#include "horae/size/size.hpp"
#include "horae/workload/nic_fit.hpp"
#include "horae/workload/read_platform.hpp"

namespace horae::cli {

namespace {

struct SizeOptions {
  std::string platform;
  std::string objects;
  std::string p4c;
  std::string p4info;
  std::optional<std::string> write;
  std::optional<std::string> chip;
  std::vector<std::string> overrides;
  std::string nic;
  std::optional<unsigned> qps;
  std::optional<unsigned> depth;
  std::optional<std::string> message;
  size::P4Reading p4;
  bool stages = false;
  bool no_remedies = false;
  std::optional<std::string> plot;
  std::string most;
  std::vector<std::string> over;
  std::optional<std::string> out;
  bool json = false;
  bool no_progress = false;
};

/// 3: something does not fit; 1: a value differs from what the file expects of it without a reason.
int exit_code_of(const std::vector<size::SizedDesign>& designs) {
  bool differs = false, refused = false;
  for (const auto& d : designs) {
    refused |= !d.ledger.refused.empty() && !d.expected_refusal;
    for (const auto& c : d.comparisons) differs |= c.must_agree && !c.agrees() && c.note.empty();
  }
  return refused ? results::exit_does_not_fit : differs ? results::exit_failed : results::exit_done;
}

/// Whether the file is P4: by its ending, else by what only P4 has.
bool is_p4(const std::string& file) {
  if (file.ends_with(".p4") || file.ends_with(".p4i")) return true;
  if (file.ends_with(".toml")) return false;
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  return text.find("main;") != std::string::npos && text.find("Switch(") != std::string::npos;
}

size::SizeRequest size_request(const SizeOptions& o) {
  if (o.platform.empty() == o.objects.empty()) {
    throw InputError(o.platform.empty()
                         ? "size: expected PLATFORM.toml, FILE.p4, --objects FILE, --p4c DIR, "
                           "--p4info FILE or --nic NIC"
                         : "size: expected PLATFORM.toml or --objects FILE, found both");
  }
  const bool objects = !o.objects.empty();
  if (!objects && is_p4(o.platform)) {
    size::SizeRequest request;
    request.file = o.platform;
    request.overrides = o.overrides;
    request.chip = o.chip;
    request.p4 = o.p4;
    return request;
  }
  if (o.p4.target || !o.p4.include_folders.empty() || !o.p4.defines.empty())
    throw InputError("-I, -D, --target: expected with FILE.p4 only");
  return {objects ? o.objects : o.platform, objects, o.overrides, o.chip, std::nullopt};
}

int size_curve(const SizeOptions& o, const size::SizeRequest& request,
               std::optional<results::ResultFolder>& folder) {
  const auto curve = size::trace_curve(request, o.most, o.over, !o.no_progress);
  if (folder) {
    folder->write("summary.json", size::curve_json(curve).dump(1) + "\n");
    commit(*folder);
  }
  fmt::print("{}", o.json ? size::curve_json(curve).dump(1) + "\n" : size::curve_text(curve));
  return results::exit_done;
}

int size_over(const SizeOptions& o, const size::SizeRequest& request,
              std::optional<results::ResultFolder>& folder) {
  const auto table = size::price_over(request, o.over, !o.no_progress);
  const std::string text = size::price_table_json(table).dump(1) + "\n";
  if (folder) {
    folder->write("summary.json", text);
    commit(*folder);
  }
  fmt::print("{}", o.json ? text : size::price_table_text(table));
  return results::exit_done;
}

/// A program of a P4 compiler's: its output folder, or its P4Info.
int size_compiled(const SizeOptions& o) {
  const std::string option = o.p4c.empty() ? "--p4info" : "--p4c";
  if (!o.platform.empty() || !o.objects.empty() || !o.overrides.empty() || !o.most.empty() ||
      !o.over.empty() || (!o.p4c.empty() && !o.p4info.empty())) {
    throw InputError(option + ": expected with --chip, --write, --stages, --out and --json only");
  }
  const auto designs = o.p4c.empty()
                           ? std::vector<size::CompiledDesign>{size::size_p4info(o.p4info, o.chip)}
                           : size::size_report_folder(o.p4c, o.chip);
  if (o.write) size::write_objects_file(*o.write, designs);
  bool fits = true;
  for (const auto& d : designs) fits &= d.sized.ledger.refused.empty();
  const auto json = size::compiled_json(o.p4c.empty() ? o.p4info : o.p4c, designs, o.stages);
  const std::string text = json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace);
  if (o.out) {
    results::ResultFolder folder(*o.out);
    folder.write("summary.json", text + "\n");
    folder.write("ledger.json", text + "\n");
    commit(folder);
  }
  fmt::print("{}", o.json ? text + "\n" : size::compiled_text(designs, o.stages));
  return fits ? results::exit_done : results::exit_does_not_fit;
}

/// A NIC without a platform.
int size_one_nic(const SizeOptions& o) {
  if (!o.platform.empty() || !o.objects.empty() || o.chip || !o.most.empty() || !o.over.empty() ||
      o.stages) {
    throw InputError(
        "--nic: expected with --qps, --depth, --message, --set, --out and --json only");
  }
  // perftest's defaults
  constexpr unsigned qps = 1, depth = 128;
  const auto message = parse_quantity<Bytes>(o.message.value_or("64 KiB"));
  if (!message) throw InputError("--message: " + message.error);
  constexpr Bytes most = 1024_MiB;
  if (*message.value < 0_B || *message.value > most)
    throw InputError(fmt::format("--message {}: expected 0 B to {}", *o.message, to_text(most)));
  std::optional<results::ResultFolder> folder;
  if (o.out) folder.emplace(*o.out);
  const std::vector<workload::SizedNic> nics = {size::size_nic(
      {o.nic, o.overrides, {o.qps.value_or(qps), o.depth.value_or(depth), *message.value}})};
  const nlohmann::ordered_json json = {{"schema", 1}, {"nics", size::nics_json(nics)}};
  if (folder) {
    folder->write("summary.json", json.dump(1) + "\n");
    commit(*folder);
  }
  fmt::print("{}", o.json ? json.dump(1) + "\n" : workload::nics_text(nics));
  return all_fit(nics) ? results::exit_done : results::exit_does_not_fit;
}

int size(const SizeOptions& o) {
  if (o.plot) {
    const std::string file = o.objects.empty() ? o.platform : "--objects " + o.objects;
    throw InputError(fmt::format("--plot: expected scripts/plot {} -o {}, which draws the stages",
                                 file.empty() ? "PLATFORM.toml" : file, *o.plot));
  }
  if (!o.nic.empty()) return size_one_nic(o);
  if (!o.p4c.empty() || !o.p4info.empty()) return size_compiled(o);
  for (const auto& [name, given] :
       {std::pair{"--qps", o.qps.has_value()}, std::pair{"--depth", o.depth.has_value()},
        std::pair{"--message", o.message.has_value()}}) {
    if (given) throw InputError(fmt::format("{}: expected --nic NIC with it", name));
  }
  const size::SizeRequest request = size_request(o);
  if (o.write && !request.p4)
    throw InputError("--write: expected FILE.p4, --p4c DIR or --p4info FILE with it");
  if (o.write && !o.over.empty())
    throw InputError("--write: expected without --over, which prices many designs");
  std::optional<results::ResultFolder> folder;
  if (o.out) folder.emplace(*o.out);
  if (!o.most.empty()) return size_curve(o, request, folder);
  if (!o.over.empty()) return size_over(o, request, folder);
  size::SizeRequest beside = request;
  beside.beside = true;
  const auto designs = size::size_designs(beside);
  if (o.write) size::write_objects_file(*o.write, designs);
  const auto nics = request.objects || request.p4
                        ? std::vector<workload::SizedNic>{}
                        : workload::size_nics(workload::read_platform(
                              Document::load(request.file, request.overrides)));
  const int programs = exit_code_of(designs);
  const int exit_code = all_fit(nics) ? programs : results::exit_does_not_fit;
  const auto remedies = programs == results::exit_does_not_fit && !o.no_remedies
                            ? size::find_remedies(request, !o.no_progress)
                            : std::vector<size::Remedy>{};
  const auto json = size::size_json(request, designs, remedies, nics, o.stages);
  const std::string text = json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace);
  if (folder) {
    folder->write("summary.json", text + "\n");
    folder->write("ledger.json", text + "\n");
  }
  if (folder) commit(*folder);
  if (o.json) {
    fmt::print("{}\n", text);
  } else if (designs.size() > 1 && request.objects) {
    fmt::print("{}", size::comparison_text(designs));
    for (const auto& d : designs) {
      if (d.ledger.refused.empty() || d.expected_refusal) continue;
      fmt::print("\n{} does not fit {}:\n{}", d.ledger.name, d.ledger.chip,
                 refusals_text(d.ledger.refused));
    }
  } else {
    fmt::print("{}{}{}", size::size_text(designs, remedies, o.stages),
               designs.empty() || nics.empty() ? "" : "\n", workload::nics_text(nics));
  }
  return exit_code;
}

}  // namespace

Command add_size(CLI::App& app) {
  const auto o = std::make_shared<SizeOptions>();
  CLI::App* command = add_command(
      app, "size",
      "Compute what switch programs take of a chip, and queue pairs of a NIC's memory. Nothing is "
      "simulated.",
      "Examples: horae size platforms/themis_tor.toml --stages\n"
      "          horae size --objects platforms/objects/longhaul_artifact.toml --chip tofino1\n"
      "          horae size platforms/themis_tor.toml --most tor.program.qps_per_nic "
      "--over tor.program.paths=32,64,128\n"
      "          horae size my_program.p4 --most CELLS\n"
      "          horae size --p4c build/my_program.tofino --write my_program.toml\n"
      "          horae size --nic connectx7 --qps 1000 --set sram.total=4MiB");
  add_platform_file(*command, o->platform);
  command->add_option("--objects", o->objects, "objects file (TOML) in place of a platform")
      ->type_name("FILE");
  command
      ->add_option("--p4c", o->p4c,
                   "output folder of the P4 compiler's Tofino back end in place of a platform")
      ->type_name("DIR");
  command
      ->add_option("-I", o->p4.include_folders,
                   "with FILE.p4: folder for #include, before what is shipped; may be repeated")
      ->type_name("DIR")
      ->allow_extra_args(false);
  command->add_option("-D", o->p4.defines, "with FILE.p4: defines a macro; may be repeated")
      ->type_name("NAME[=VALUE]")
      ->allow_extra_args(false);
  command
      ->add_option("--target", o->p4.target,
                   "with FILE.p4: chip, tofino or tofino2; without, by what the source includes")
      ->type_name("CHIP")
      ->check(CLI::IsMember({"tofino", "tofino2"}));
  command
      ->add_option("--p4info", o->p4info,
                   "a program's P4Info (P4Runtime, protobuf text) in place of a platform")
      ->type_name("FILE");
  command
      ->add_option("--write", o->write,
                   "with FILE.p4, --p4c or --p4info: also write the design as an objects file")
      ->type_name("FILE");
  command->add_option("--chip", o->chip, "a shipped chip's name, or a chip file (.toml)")
      ->type_name("CHIP");
  command
      ->add_option("--nic", o->nic, "a shipped NIC's name, or a NIC file (.toml), in place of both")
      ->type_name("NIC");
  command->add_option("--qps", o->qps, "with --nic: queue pairs that send; 1 by default")
      ->type_name("N")
      ->check(whole_number(1 << 24));
  command
      ->add_option("--depth", o->depth, "with --nic: messages outstanding on each; 128 by default")
      ->type_name("N")
      ->check(whole_number(32768));
  command
      ->add_option("--message", o->message,
                   "with --nic: memory that each sends from; 64 KiB by default")
      ->type_name("BYTES");
  add_overrides(*command, o->overrides, "file");
  command->add_flag(
      "--stages", o->stages,
      "also print what each stage holds; with --json: what each object takes in each stage");
  command->add_flag("--no-remedies", o->no_remedies,
                    "do not search for parameter changes with which the design fits");
  // Not offered any more: its message names the script that draws.
  command->add_option("--plot", o->plot)->group("");
  command
      ->add_option(
          "--most", o->most,
          "find the largest value of KEY that fits; with * or ?: of all that match, together")
      ->type_name("KEY");
  command
      ->add_option(
          "--over", o->over,
          "price with each of these values of a key, or with --most search; may be repeated")
      ->type_name("KEY=A,B,C")
      ->allow_extra_args(false);
  add_out(*command, o->out);
  add_json(*command, o->json, "print the ledger as JSON");
  add_no_progress(*command, o->no_progress);
  return {command, [o] { return size(*o); }};
}

}  // namespace horae::cli
