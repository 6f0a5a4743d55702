// horae explain.
#include <fmt/format.h>

#include <memory>

#include "horae/cli/command.hpp"
#include "horae/explain/answer.hpp"
#include "horae/explain/report.hpp"
#include "horae/lab/laboratory.hpp"
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
  unsigned jobs = 0;
  bool json = false;
  bool no_progress = false;
};

int explain_platform(const ExplainOptions& o) {
  question::ExplainRequest request = o.request;
  request.platform = o.platform;
  request.overrides = o.overrides;
  for (const auto& text : o.readings) question::select_reading(request.readings, text);
  request.jobs = jobs_of(o.jobs);
  request.show_progress = !o.no_progress;
  std::optional<results::ResultFolder> folder;
  if (o.out) folder.emplace(*o.out);
  const question::Question question = question::read_question(request);
  lab::Laboratory laboratory(question);
  const explain::Answer answer = explain::find_answer(laboratory);
  const std::string json = explain::answer_json(laboratory, answer).dump(1) + "\n";
  if (folder) {
    folder->write("summary.json", json);
    folder->write("runs.csv", lab::runs_csv(laboratory.runs()));
    folder->commit();
  }
  if (o.json) {
    fmt::print("{}", json);
    return results::exit_done;
  }
  if (folder) fmt::print("results in {}\n\n", *o.out);
  fmt::print("{}", explain::answer_text(laboratory, answer));
  return results::exit_done;
}

}  // namespace

Command add_explain(CLI::App& app) {
  const auto o = std::make_shared<ExplainOptions>();
  CLI::App* command = add_command(
      app, "explain", "Hold hypotheses against published numbers: fit, exclude, rank, tell apart.",
      "Examples: horae explain platforms/cx7_spray.toml --quick\n"
      "          horae explain platforms/cx7_spray.toml --only H1 --reading nacks=both");
  add_platform_file(*command, o->platform)->required();
  add_overrides(*command, o->overrides);
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
  command->add_option("--seeds", o->request.seeds, "runs of each result (3)")
      ->type_name("N")
      ->check(whole_number(100, 1));
  command
      ->add_option("--evaluations", o->request.evaluations,
                   "of a fit, per parameter (20, with a reaction 10; quick: 6, 10)")
      ->type_name("N")
      ->check(whole_number(10000, 1));
  command
      ->add_option("--survivors", o->request.survivors, "hypotheses that experiments compare (6)")
      ->type_name("N")
      ->check(whole_number(1000, 1));
  command->add_flag("--quick", o->request.quick,
                    "smaller fits; leaves out what the file marks quick = false");
  add_out(*command, o->out);
  add_jobs(*command, o->jobs, "runs at the same time; 0: one per core");
  add_json(*command, o->json, "print the summary as JSON");
  add_no_progress(*command, o->no_progress);
  return {command, [o] { return explain_platform(*o); }};
}

}  // namespace horae::cli
