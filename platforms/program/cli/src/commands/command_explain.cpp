// horae explain.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "horae/cli/command.hpp"
#include "horae/cli/commit_report.hpp"
#include "horae/core/error.hpp"
#include "horae/explain/answer.hpp"
#include "horae/explain/symptoms.hpp"
#include "horae/lab/laboratory.hpp"
#include "horae/params/document.hpp"
#include "horae/question/question.hpp"
#include "horae/results/exit_code.hpp"
#include "horae/results/result_folder.hpp"
#include "horae/run/run.hpp"

namespace horae::cli {

namespace {

struct ExplainOptions {
  std::string platform;
  std::vector<std::string> overrides;
  std::vector<std::string> readings;
  question::ExplainRequest request;
  std::optional<std::string> out;
  std::optional<std::string> symptoms;
  unsigned jobs = 0;
  bool infer = false;
  bool json = false;
  bool no_progress = false;
};

/// Forms of an answer: files, and one of text and JSON.
struct Output {
  std::string json, text;
  std::vector<std::pair<std::string, std::string>> tables;  ///< CSV by file name
};

Output output_of(const question::Question& question) {
  lab::Laboratory laboratory(question);
  const explain::Answer answer = explain::find_answer(laboratory);
  return {explain::answer_json(laboratory, answer).dump(1) + "\n",
          explain::answer_text(laboratory, answer),
          {{"points.csv", explain::points_csv(question, answer)},
           {"runs.csv", lab::runs_csv(laboratory.runs())}}};
}

/// Platforms of the shipped questions, by name.
std::vector<std::string> shipped_questions() {
  const auto folder = std::filesystem::path(platform_dir()) / "questions";
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const auto& path = entry.path();
    if (path.extension() == ".toml" && Document::load(path.string()).root().has("explain"))
      files.push_back(path.string());
  }
  if (files.empty())
    throw InputError(
        fmt::format("--symptoms: no questions in {}; expected the program's own "
                    "platforms beside it, or this to run where they are",
                    folder.string()));
  std::sort(files.begin(), files.end());
  return files;
}

int explain_symptoms(const ExplainOptions& o) {
  if (!o.platform.empty())
    throw InputError("--symptoms asks the shipped questions: expected no PLATFORM.toml");
  std::optional<results::ResultFolder> folder;
  if (o.out) folder.emplace(*o.out);
  auto symptoms = explain::read_symptoms(*o.symptoms);
  const auto diagnosis =
      explain::diagnose(shipped_questions(), std::move(symptoms), jobs_of(o.jobs), !o.no_progress);
  const std::string json = explain::diagnosis_json(diagnosis).dump(1) + "\n";
  if (folder) {
    folder->write("summary.json", json);
    commit(*folder);
  }
  fmt::print("{}", o.json ? json : explain::diagnosis_text(diagnosis, *o.symptoms));
  return results::exit_done;
}

int explain_platform(const ExplainOptions& o) {
  if (o.symptoms) return explain_symptoms(o);
  if (o.platform.empty())
    throw InputError("missing argument: expected horae explain PLATFORM.toml");
  question::ExplainRequest request = o.request;
  request.platform = o.platform;
  request.overrides = o.overrides;
  for (const auto& text : o.readings) question::select_reading(request.readings, text);
  request.fixed_readings = o.readings;
  request.jobs = jobs_of(o.jobs);
  request.show_progress = !o.no_progress;
  std::optional<results::ResultFolder> folder;
  if (o.out) folder.emplace(*o.out);
  const question::Question question = question::read_question(request);
  const Output output = output_of(question);
  if (folder) {
    folder->write("summary.json", output.json);
    for (const auto& [name, table] : output.tables) folder->write(name, table);
    commit(*folder);
  }
  if (o.json) {
    fmt::print("{}", output.json);
    return results::exit_done;
  }
  if (folder) fmt::print("{}\n\n", commit_report(*o.out));
  fmt::print("{}", output.text);
  return results::exit_done;
}

}  // namespace

Command add_explain(CLI::App& app) {
  const auto o = std::make_shared<ExplainOptions>();
  CLI::App* command = add_command(
      app, "explain",
      "Test hypotheses against published numbers, with everything open that was not published: "
      "which "
      "agree, what that leaves open, and which experiment tells them apart.",
      "Examples: horae explain platforms/cx7_spray.toml --quick\n"
      "          horae explain platforms/cx7_spray.toml --only H1 --reading nacks=both\n"
      "          horae explain --symptoms mine.toml");
  add_platform_file(*command, o->platform);
  add_overrides(*command, o->overrides);
  command
      ->add_option("--symptoms", o->symptoms,
                   "in place of a platform: which of the shipped questions shows these numbers, a "
                   "file of [[symptom]] or of a tool")
      ->type_name("FILE");
  command
      ->add_option("--observations", o->request.observations,
                   "published numbers, in place of the platform's file")
      ->type_name("FILE");
  command
      ->add_option("--hypotheses", o->request.hypotheses,
                   "mechanisms, in place of the platform's file")
      ->type_name("FILE");
  command
      ->add_option("--reading", o->readings,
                   "how published numbers are read: rate=l1|l2, ratio=unique|payload, "
                   "nacks=sender|both; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command->add_option("--only", o->request.only, "only these hypotheses, by id or family")
      ->type_name("ID,..")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      ->add_option("--seeds", o->request.seeds,
                   "seeds of the simulation, an unknown like others (default 3)")
      ->type_name("N")
      ->check(whole_number(100, 1));
  command
      ->add_option("--survivors", o->request.survivors,
                   "most hypotheses that experiments and curves compare (default: all that agree)")
      ->type_name("N")
      ->check(whole_number(1000, 1));
  command->add_flag("--quick", o->request.quick,
                    "a first look: fewer points, without what the file marks quick = false");
  command->add_flag("--infer", o->infer,
                    "no effect: what earlier releases called inference is what this command does");
  command
      ->add_option("--points", o->request.points,
                   "simulated points of a hypothesis, at most (default 1000; --quick: 160)")
      ->type_name("N")
      ->check(whole_number(1000000, 8));
  command
      ->add_option(
          "--minutes", o->request.minutes,
          "the answer may take so long: that of the most points whose search ends in time, "
          "8, 16, 32 ... up to --points")
      ->type_name("M")
      ->check(CLI::Range(0.001, 100000.0));
  command
      ->add_option(
          "--from", o->request.from,
          "the result folder of an earlier answer, of fewer observations say: where no point "
          "agrees, the search goes on from those that came nearest there")
      ->type_name("DIR");
  command
      ->add_option("--store", o->request.store,
                   "keeps finished runs in this folder and looks for them there: what was killed "
                   "goes on, several machines may share it")
      ->type_name("DIR");
  add_out(*command, o->out);
  add_jobs(*command, o->jobs, "runs at the same time; 0: one per core");
  add_json(*command, o->json, "print the summary as JSON");
  add_no_progress(*command, o->no_progress);
  return {command, [o] { return explain_platform(*o); }};
}

}  // namespace horae::cli
