#include "command_p4_bfrt.hpp"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "horae/cli/command.hpp"
#include "horae/control/scripts.hpp"
#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/p4lang/compile.hpp"
#include "horae/p4prog/entries.hpp"
#include "horae/results/exit_code.hpp"
#include "p4_source.hpp"

namespace horae::cli {
namespace {

using nlohmann::ordered_json;

struct BfrtOptions {
  std::vector<std::string> scripts;
  P4Source source;
  std::string hostname;
  bool json = false;
};

ordered_json head(const BfrtOptions& o) {
  return {{"schema", 1},
          {"scripts", o.scripts},
          {"source", o.source.file},
          {"target", o.source.target}};
}

/// "registers pipe.Ingress.seen 4": what a kind of rows is called, of which object, how many.
void print_counts(const ordered_json& rows) {
  static constexpr std::pair<const char*, const char*> named[] = {
      {"entries", "table"},    {"defaults", "table"},
      {"members", "profile"},  {"selections", "selector"},
      {"registers", "name"},   {"counters", "name"},
      {"meters", "name"},      {"low_passes", "name"},
      {"early_drops", "name"}, {"parameters", "name"},
      {"value_sets", "name"},  {"port_metadata", "parser"},
      {"groups", ""},          {"mirrors", ""},
  };
  std::size_t all = 0;
  for (const auto& [kind, name] : named) {
    std::map<std::string, std::size_t> counts;
    for (const ordered_json& row : rows.at(kind))
      ++counts[*name == '\0' ? std::string() : row.at(name).get<std::string>()];
    for (const auto& [object, count] : counts)
      fmt::print("  {:<14} {:<50} {:>7}\n", kind, object, count);
    all += rows.at(kind).size();
  }
  if (all == 0) fmt::print("  nothing\n");
}

int bfrt(const BfrtOptions& o) {
  const p4lang::Program program = p4lang::compile(o.source.file, o.source.options());
  p4prog::P4Switch chip(program, p4prog::SwitchOptions::of(o.source.is_tofino2()));
  control::Scripts scripts{{}, o.hostname, !o.json};
  for (const std::string& file : o.scripts) scripts.files.push_back({file, {}});
  const control::Answer answer = control::run_scripts(p4_view(o.source, program, chip), scripts);
  for (const auto& step : answer.steps) step.entries.apply(chip.control_plane(), chip.manager());
  for (const std::string& note : answer.notes)
    fmt::print(stderr, "horae: warning: {}\n", printable(note, std::string_view::npos));
  if (o.json) {
    print_json(head(o), {{"verdict", "done"}, {"rows", answer.rows}, {"notes", answer.notes}});
  } else {
    fmt::print("left in {}:\n", o.source.file);
    print_counts(answer.rows);
  }
  return results::exit_done;
}

}  // namespace

P4Command add_p4_bfrt(CLI::App& p4) {
  const auto o = std::make_shared<BfrtOptions>();
  CLI::App* command = add_command(
      p4, "bfrt",
      "Run a control plane's script, as the vendor's bfrt_python does, and say what it left.",
      "Exit code: 0 the script filled tables, 2 the program, the script or what it left is "
      "refused.\n"
      "Example: horae p4 bfrt setup.py --source mine.p4");
  command->add_option("script", o->scripts, "scripts, run one after the other in one state")
      ->required()
      ->type_name("SCRIPT.py");
  add_p4_source(*command, o->source, "--source");
  add_hostname(*command, o->hostname);
  add_json(*command, o->json, "prints JSON in place of text: what was left, row by row");
  return {command, [o] { return unless_refused(head(*o), o->json, [&] { return bfrt(*o); }); }};
}

}  // namespace horae::cli
