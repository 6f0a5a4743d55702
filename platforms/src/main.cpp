// The command line: the only sc_main.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <systemc>
#include <thread>

#include "catalogue.hpp"
#include "explain.hpp"
#include "explain_report.hpp"
#include "horae/core/error.hpp"
#include "result_folder.hpp"
#include "run.hpp"
#include "size.hpp"
#include "size_curve.hpp"
#include "stage_picture.hpp"
#include "sweep.hpp"
#include "version.hpp"

namespace {

using namespace horae;
using namespace horae::platforms;

struct Options {
  std::string platform;
  std::vector<std::string> overrides;
  std::optional<std::string> out;
  bool json = false;
  bool no_progress = false;
  unsigned jobs = 0;
  std::optional<std::string> point;
  std::string section;
  std::string objects;
  std::optional<std::string> chip;
  std::optional<std::string> plot;
  bool stages = false;
  std::string most;
  std::vector<std::string> over;
  ExplainRequest explain;
  std::vector<std::string> readings;
  std::string nic;
  std::optional<unsigned> qps;
  std::optional<unsigned> depth;
  std::optional<std::string> message;
};

void write_run(ResultFolder& folder, const std::filesystem::path& sub, const RunOutcome& outcome) {
  folder.write(sub / "summary.json", outcome.summary.dump(1) + "\n");
  folder.write(sub / "flows.csv", outcome.flows_csv);
  if (!outcome.series_csv.empty()) folder.write(sub / "series.csv", outcome.series_csv);
  if (!outcome.trace_json.empty()) folder.write(sub / "trace.json", outcome.trace_json);
}

void print_assumptions(const PlatformConfig& platform) {
  if (platform.about.assumptions.empty()) return;
  fmt::print("\nAssumptions (no published value; `horae list parameters` gives sources):\n");
  for (const auto& a : platform.about.assumptions) fmt::print("  - {}\n", a);
}

void print_summary(const PlatformConfig& platform, const RunOutcome& outcome) {
  const auto& s = outcome.summary;
  fmt::print("{}: {} after {} simulated\n", platform.about.name, s["verdict"].get<std::string>(),
             to_text(Picoseconds(s["sim_time_ps"].get<std::int64_t>())));
  fmt::print("measured from {} to {}\n\n",
             to_text(Picoseconds(s["measured_from_ps"].get<std::int64_t>())),
             to_text(Picoseconds(s["measured_to_ps"].get<std::int64_t>())));
  for (const auto& [name, result] : s["results"].items()) {
    fmt::print("  {:<34} {:>14.6g}  {}\n", name, result["value"].get<double>(),
               result["unit"].get<std::string>());
  }
  const auto& p = s["packets"];
  std::string dropped;
  for (const auto& [cause, n] : p["dropped"].items()) {
    if (n.get<std::uint64_t>() > 0) dropped += fmt::format(" {} {}", cause, n.get<std::uint64_t>());
  }
  fmt::print("\npackets: {} created = {} delivered + dropped ({}) + {} in flight\n",
             p["created"].get<std::uint64_t>(), p["delivered"].get<std::uint64_t>(),
             dropped.empty() ? "none" : dropped.substr(1), p["in_flight"].get<std::uint64_t>());
  print_assumptions(platform);
}

void print_sweep(const PlatformConfig& platform, const SweepOutcome& outcome) {
  fmt::print("{}", table_text(platform, outcome.summary));
  if (!outcome.summary["validation"].empty()) {
    fmt::print("\nPublished beside measured (nothing is calibrated here):\n");
    for (const auto& v : outcome.summary["validation"]) {
      fmt::print(
          "  {:<20} published {:<8} measured {:<10} {}  [{}]\n", v["id"].get<std::string>(),
          fmt::format("{:g}", v["published"].get<double>()),
          v["measured"].is_null() ? "nothing" : fmt::format("{:.4g}", v["measured"].get<double>()),
          v["unit"].get<std::string>(), v["source"].get<std::string>());
    }
  }
  print_assumptions(platform);
}

void print_dump(const std::string& label, const RunOutcome& outcome) {
  if (outcome.exit_code != exit_stuck) return;
  fmt::print(stderr, "horae: {}no progress; what is waiting:\n", label.empty() ? "" : label + ": ");
  for (const auto& line : outcome.dump) fmt::print(stderr, "  {}\n", line);
}

const SweepPoint& find_point(const PlatformConfig& platform, const std::string& label) {
  std::vector<std::string> labels;
  for (const auto& point : platform.sweep.points) {
    if (point.label.value == label) return point;
    labels.push_back(point.label);
  }
  if (labels.empty()) throw InputError(fmt::format("--point {}: the platform has no sweep", label));
  throw InputError(
      fmt::format("--point {}: no such sweep point{}", label, suggestion(label, labels)));
}

/// Results are in place before anything is printed, or nothing is.
int run_one(const Options& o, const PlatformConfig& platform, std::optional<ResultFolder>& folder) {
  const RunOutcome outcome = run_platform(platform, !o.no_progress);
  if (folder) {
    write_run(*folder, "", outcome);
    folder->commit();
  }
  if (o.json) {
    fmt::print("{}\n", outcome.summary.dump(1));
  } else {
    print_summary(platform, outcome);
  }
  print_dump("", outcome);
  return outcome.exit_code;
}

unsigned jobs_of(const Options& o) {
  return o.jobs != 0 ? o.jobs : std::max(1u, std::thread::hardware_concurrency());
}

int run_all_points(const Options& o, const PlatformConfig& platform,
                   std::optional<ResultFolder>& folder) {
  const SweepOutcome outcome =
      run_sweep(platform, o.platform, o.overrides, jobs_of(o), !o.no_progress);
  if (folder) {
    folder->write("summary.json", outcome.summary.dump(1) + "\n");
    for (const auto& [label, point] : outcome.points)
      write_run(*folder, std::filesystem::path("points") / folder_name(label), point);
    folder->commit();
  }
  if (o.json) {
    fmt::print("{}\n", outcome.summary.dump(1));
  } else {
    print_sweep(platform, outcome);
  }
  for (const auto& [label, point] : outcome.points) print_dump(label, point);
  return outcome.exit_code;
}

int run(const Options& o) {
  const PlatformConfig platform = read_platform(Document::load(o.platform, o.overrides));
  const auto point = [&] {
    return read_point(find_point(platform, *o.point), o.platform, o.overrides);
  };
  const bool sweep = !o.point && !platform.sweep.points.empty();
  const PlatformConfig effective = o.point ? point() : platform;
  std::optional<ResultFolder> folder;
  if (o.out) folder.emplace(*o.out);
  const int exit_code =
      sweep ? run_all_points(o, effective, folder) : run_one(o, effective, folder);
  if (folder && !o.json) fmt::print("\nresults in {}\n", *o.out);
  return exit_code;
}

int explain_platform(const Options& o) {
  ExplainRequest request = o.explain;
  request.platform = o.platform;
  request.overrides = o.overrides;
  for (const auto& text : o.readings) select_reading(request.readings, text);
  request.jobs = jobs_of(o);
  request.show_progress = !o.no_progress;
  std::optional<ResultFolder> folder;
  if (o.out) folder.emplace(*o.out);
  const Explanation explanation = explain(request);
  const std::string json = explanation_json(explanation).dump(1) + "\n";
  if (folder) {
    folder->write("summary.json", json);
    folder->write("runs.csv", runs_csv(explanation.runs));
    folder->commit();
  }
  if (o.json) {
    fmt::print("{}", json);
    return exit_done;
  }
  if (folder) fmt::print("results in {}\n\n", *o.out);
  fmt::print("{}", explanation_text(explanation));
  return exit_done;
}

/// The platforms that come with the sources; beside the current directory first.
std::string platform_dir() {
  return std::filesystem::is_directory("platforms") ? "platforms" : HORAE_PLATFORM_DIR;
}

int list(const Options& o) {
  const auto content = catalogue(o.section, platform_dir());
  if (o.json) {
    fmt::print("{}\n", content.dump(1));
  } else {
    fmt::print("{}", catalogue_text(content));
  }
  return exit_done;
}

/// 3: something does not fit; 1: a value differs from what the file expects of it without a reason.
int exit_code_of(const std::vector<SizedDesign>& designs) {
  bool differs = false, refused = false;
  for (const auto& d : designs) {
    refused |= !d.ledger.refused.empty() && !d.expected_refusal;
    for (const auto& c : d.comparisons) differs |= c.must_agree && !c.agrees() && c.note.empty();
  }
  return refused ? exit_does_not_fit : differs ? exit_failed : exit_done;
}

std::vector<dataplane::Ledger> ledgers_of(const std::vector<SizedDesign>& designs) {
  std::vector<dataplane::Ledger> out;
  for (const auto& d : designs) out.push_back(d.ledger);
  return out;
}

SizeRequest size_request(const Options& o) {
  if (o.platform.empty() == o.objects.empty()) {
    throw InputError(o.platform.empty()
                         ? "size: expected PLATFORM.toml, --objects FILE or --nic NIC"
                         : "size: expected PLATFORM.toml or --objects FILE, found both");
  }
  const bool objects = !o.objects.empty();
  return {objects ? o.objects : o.platform, objects, o.overrides, o.chip, std::nullopt};
}

/// A file that appears whole or not at all.
void write_picture(const std::string& path, const std::string& bytes) {
  const std::string part = path + ".part";
  std::ofstream file(part, std::ios::binary);
  file << bytes;
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(part, path, error);
  if (file && !error) return;
  std::filesystem::remove(part, error);
  throw InputError(fmt::format("--plot {}: cannot be written", path));
}

int size_curve(const Options& o, const SizeRequest& request, std::optional<ResultFolder>& folder) {
  if (o.plot)
    throw InputError("--plot: a stage map is of one design; see scripts/plot_curve for --most");
  const auto curve = trace_curve(request, o.most, o.over, !o.no_progress);
  if (folder) {
    folder->write("summary.json", curve_json(curve).dump(1) + "\n");
    folder->commit();
  }
  fmt::print("{}", o.json ? curve_json(curve).dump(1) + "\n" : curve_text(curve));
  return exit_done;
}

/// A NIC without a platform.
int size_one_nic(const Options& o) {
  if (!o.platform.empty() || !o.objects.empty() || o.chip || o.plot || !o.most.empty() ||
      !o.over.empty() || o.stages) {
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
  std::optional<ResultFolder> folder;
  if (o.out) folder.emplace(*o.out);
  const std::vector<SizedNic> nics = {size_nic(
      {o.nic, o.overrides, {o.qps.value_or(qps), o.depth.value_or(depth), *message.value}})};
  const nlohmann::ordered_json json = {{"schema", 1}, {"nics", nics_json(nics)}};
  if (folder) {
    folder->write("summary.json", json.dump(1) + "\n");
    folder->commit();
  }
  fmt::print("{}", o.json ? json.dump(1) + "\n" : nics_text(nics));
  return all_fit(nics) ? exit_done : exit_does_not_fit;
}

int size(const Options& o) {
  if (!o.nic.empty()) return size_one_nic(o);
  for (const auto& [name, given] :
       {std::pair{"--qps", o.qps.has_value()}, std::pair{"--depth", o.depth.has_value()},
        std::pair{"--message", o.message.has_value()}}) {
    if (given) throw InputError(fmt::format("{}: expected --nic NIC with it", name));
  }
  const SizeRequest request = size_request(o);
  std::optional<PictureFormat> format;
  if (o.plot) format = picture_format(*o.plot);
  if (o.most.empty() && !o.over.empty()) throw InputError("--over: expected --most KEY with it");
  std::optional<ResultFolder> folder;
  if (o.out) folder.emplace(*o.out);
  if (!o.most.empty()) return size_curve(o, request, folder);
  const auto designs = size_designs(request);
  const auto nics = request.objects
                        ? std::vector<SizedNic>{}
                        : size_nics(read_platform(Document::load(request.file, request.overrides)));
  const int programs = exit_code_of(designs);
  const int exit_code = all_fit(nics) ? programs : exit_does_not_fit;
  const auto remedies =
      programs == exit_does_not_fit ? find_remedies(request) : std::vector<Remedy>{};
  const auto json = size_json(request, designs, remedies, nics);
  const std::string text = json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace);
  if (folder) {
    folder->write("summary.json", text + "\n");
    folder->write("ledger.json", text + "\n");
  }
  if (o.plot) write_picture(*o.plot, stage_picture(ledgers_of(designs), *format));
  if (folder) folder->commit();
  if (o.json) {
    fmt::print("{}\n", text);
  } else if (designs.size() > 1 && request.objects) {
    fmt::print("{}", comparison_text(designs));
    for (const auto& d : designs) {
      if (d.ledger.refused.empty() || d.expected_refusal) continue;
      fmt::print("\n{} does not fit {}:\n{}", d.ledger.name, d.ledger.chip,
                 refusals_text(d.ledger.refused));
    }
  } else {
    fmt::print("{}{}{}", size_text(designs, remedies, o.stages),
               designs.empty() || nics.empty() ? "" : "\n", nics_text(nics));
  }
  return exit_code;
}

/// What CLI11 knows in `app` and could be meant by `word`: flags for a flag, else commands.
std::vector<std::string> known_words(const CLI::App& app, const std::string& word) {
  std::vector<std::string> words;
  if (word.starts_with('-')) {
    for (const auto* option : app.get_options()) {
      for (const auto& name : option->get_lnames()) words.push_back("--" + name);
    }
  } else {
    for (const auto* sub : app.get_subcommands([](const CLI::App*) { return true; }))
      words.push_back(sub->get_name());
  }
  return words;
}

void refuse_extras(const CLI::App& app) {
  const auto extras = app.remaining();
  if (extras.empty()) return;
  const std::string word = extras.front().substr(0, extras.front().find('='));
  const auto known = known_words(app, word);
  throw InputError(fmt::format("unexpected argument '{}'{}", word,
                               known.empty() ? fmt::format("; see horae {} --help", app.get_name())
                                             : suggestion(word, known)));
}

CLI::Validator whole_number(unsigned most, unsigned least = 0) {
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

/// CLI11's complaint as one of ours.
InputError bad_arguments(const CLI::App& command, const CLI::ParseError& e) {
  if (dynamic_cast<const CLI::RequiredError*>(&e) != nullptr) {
    refuse_extras(command);  // what is missing may only be misspelt
    return InputError(fmt::format("missing argument: expected horae {} {}", command.get_name(),
                                  command.get_option("platform")->get_type_name()));
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&e) != nullptr) {
    for (const auto* option : command.get_options()) {
      const std::string name = option->get_name();
      if (!std::string_view(e.what()).starts_with(name + ":")) continue;
      return InputError(fmt::format("{0}: expected {0} {1}", name, option->get_type_name()));
    }
  }
  std::string message = e.what();
  std::replace(message.begin(), message.end(), '\n', ' ');
  return InputError(message);
}

int dispatch(int argc, char** argv) {
  Options o;
  CLI::App app{"Cycle-approximate SystemC models of a Tofino2 switch and an RDMA NIC."};
  app.set_version_flag("--version", version());
  app.allow_extras();
  app.get_formatter()->column_width(34);

  CLI::App* run_command = app.add_subcommand(
      "run", "Simulate a platform; prints the summary, writes the result folder.");
  run_command->allow_extras();
  run_command->footer(
      "Example: horae run platforms/cx7_spray.toml --set nic.mtu=4KiB --out out/mtu4096");
  run_command->add_option("platform", o.platform, "platform file (TOML)")
      ->required()
      ->type_name("PLATFORM.toml");
  run_command
      ->add_option("--set", o.overrides, "overrides a value of the platform; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  run_command->add_option("--out", o.out, "result folder")->type_name("DIR");
  run_command->add_option("--point", o.point, "run one point of the platform's sweep")
      ->type_name("LABEL");
  run_command->add_option("--jobs", o.jobs, "runs at the same time in a sweep; 0: one per core")
      ->type_name("N")
      ->check(whole_number(1024));
  run_command->add_flag("--json", o.json, "print the summary as JSON");
  run_command->add_flag("--no-progress", o.no_progress, "no progress line");

  CLI::App* size_command =
      app.add_subcommand("size",
                         "Price switch programs against a chip's budget, and queue pairs "
                         "against a NIC's memory, without traffic.");
  size_command->allow_extras();
  size_command->footer(
      "Examples: horae size platforms/themis_tor.toml --plot stages.svg\n"
      "          horae size --objects design.toml --chip tofino1\n"
      "          horae size platforms/themis_tor.toml --most tor.program.qps_per_nic "
      "--over tor.program.paths=32,64,128\n"
      "          horae size --nic connectx7 --qps 1000 --set sram.total=4MiB");
  size_command->add_option("platform", o.platform, "platform file (TOML)")
      ->type_name("PLATFORM.toml");
  size_command->add_option("--objects", o.objects, "objects file (TOML) in place of a platform")
      ->type_name("FILE");
  size_command->add_option("--chip", o.chip, "a shipped chip's name, or a chip file (.toml)")
      ->type_name("CHIP");
  size_command
      ->add_option("--nic", o.nic, "a shipped NIC's name, or a NIC file (.toml), in place of both")
      ->type_name("NIC");
  size_command->add_option("--qps", o.qps, "with --nic: queue pairs that send; 1 by default")
      ->type_name("N")
      ->check(whole_number(1 << 24));
  size_command
      ->add_option("--depth", o.depth, "with --nic: messages outstanding on each; 128 by default")
      ->type_name("N")
      ->check(whole_number(32768));
  size_command
      ->add_option("--message", o.message,
                   "with --nic: memory that each sends from; 64 KiB by default")
      ->type_name("BYTES");
  size_command->add_option("--set", o.overrides, "overrides a value of the file; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  size_command->add_flag("--stages", o.stages, "also what each stage holds");
  size_command->add_option("--plot", o.plot, "draw the stages (.svg or .png)")->type_name("FILE");
  size_command->add_option("--most", o.most, "find the largest value of KEY that fits")
      ->type_name("KEY");
  size_command->add_option("--over", o.over, "... for each of these values; may be repeated")
      ->type_name("KEY=A,B,C")
      ->allow_extra_args(false);
  size_command->add_option("--out", o.out, "result folder")->type_name("DIR");
  size_command->add_flag("--json", o.json, "print the ledger as JSON");
  size_command->add_flag("--no-progress", o.no_progress, "no progress line");

  CLI::App* explain_command = app.add_subcommand(
      "explain", "Hold hypotheses against published numbers: fit, exclude, rank, tell apart.");
  explain_command->allow_extras();
  explain_command->footer(
      "Examples: horae explain platforms/cx7_spray.toml --quick\n"
      "          horae explain platforms/cx7_spray.toml --only H1 --reading nacks=both");
  explain_command->add_option("platform", o.platform, "platform file (TOML)")
      ->required()
      ->type_name("PLATFORM.toml");
  explain_command
      ->add_option("--set", o.overrides, "overrides a value of the platform; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  explain_command
      ->add_option("--observations", o.explain.observations,
                   "published numbers, in place of the platform's file")
      ->type_name("FILE");
  explain_command
      ->add_option("--hypotheses", o.explain.hypotheses,
                   "mechanisms, in place of the platform's file")
      ->type_name("FILE");
  explain_command
      ->add_option("--reading", o.readings,
                   "how published numbers are read: rate=l1|l2, ratio=unique|payload, "
                   "nacks=sender|both; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  explain_command->add_option("--only", o.explain.only, "only these hypotheses, by id or family")
      ->type_name("ID,..")
      ->delimiter(',')
      ->allow_extra_args(false);
  explain_command->add_option("--seeds", o.explain.seeds, "runs of each result (3)")
      ->type_name("N")
      ->check(whole_number(100, 1));
  explain_command
      ->add_option("--evaluations", o.explain.evaluations,
                   "of a fit, per parameter (20, with a reaction 10; quick: 6, 10)")
      ->type_name("N")
      ->check(whole_number(10000, 1));
  explain_command
      ->add_option("--survivors", o.explain.survivors, "hypotheses that experiments compare (6)")
      ->type_name("N")
      ->check(whole_number(1000, 1));
  explain_command->add_flag("--quick", o.explain.quick,
                            "smaller fits; leaves out what the file marks quick = false");
  explain_command->add_option("--out", o.out, "result folder")->type_name("DIR");
  explain_command->add_option("--jobs", o.jobs, "runs at the same time; 0: one per core")
      ->type_name("N")
      ->check(whole_number(1024));
  explain_command->add_flag("--json", o.json, "print the summary as JSON");
  explain_command->add_flag("--no-progress", o.no_progress, "no progress line");

  CLI::App* list_command = app.add_subcommand(
      "list", "What there is: platforms, devices, chips, nics, programs, policies, parameters.");
  list_command->allow_extras();
  list_command->footer("Example: horae list parameters");
  list_command->add_option(
      "section", o.section,
      "platforms, devices, chips, nics, programs, policies or parameters; all by default");
  list_command->add_flag("--json", o.json, "as JSON");

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& e) {
    return app.exit(e);
  } catch (const CLI::CallForAllHelp& e) {
    return app.exit(e);
  } catch (const CLI::CallForVersion& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    throw bad_arguments(list_command->parsed()      ? *list_command
                        : size_command->parsed()    ? *size_command
                        : explain_command->parsed() ? *explain_command
                                                    : *run_command,
                        e);
  }
  for (const CLI::App* sub : {run_command, size_command, explain_command, list_command}) {
    if (sub->parsed()) refuse_extras(*sub);
  }
  refuse_extras(app);
  if (run_command->parsed()) return run(o);
  if (size_command->parsed()) return size(o);
  if (explain_command->parsed()) return explain_platform(o);
  if (list_command->parsed()) return list(o);
  throw InputError("expected a command: run, size, explain or list (see horae --help)");
}

}  // namespace

int main(int argc, char** argv) {
  ::setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  return sc_core::sc_elab_and_sim(argc, argv);
}

int sc_main(int argc, char** argv) {
  try {
    return dispatch(argc, argv);
  } catch (const InputError& e) {
    fmt::print(stderr, "horae: {}\n", e.what());
    return exit_bad_input;
  } catch (const dataplane::DoesNotFit& e) {
    fmt::print(stderr, "horae: {} (see horae size)\n{}", e.what(), refusals_text(e.ledger.refused));
    return exit_does_not_fit;
  } catch (const NicDoesNotFit& e) {
    fmt::print(stderr, "horae: {}", e.what());
    return exit_does_not_fit;
  } catch (const std::exception& e) {
    fmt::print(stderr, "horae: {}\n", e.what());
    return exit_failed;
  }
}
