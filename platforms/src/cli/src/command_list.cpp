// horae list.
#include <fmt/format.h>

#include <memory>

#include "horae/cli/catalogue.hpp"
#include "horae/cli/command.hpp"
#include "horae/results/exit_code.hpp"
#include "horae/run/run.hpp"

namespace horae::cli {

namespace {

struct ListOptions {
  std::string section;
  bool json = false;
};

int list(const ListOptions& o) {
  const auto content = catalogue(o.section, platform_dir());
  if (o.json) {
    fmt::print("{}\n", content.dump(1));
  } else {
    fmt::print("{}", catalogue_text(content));
  }
  return results::exit_done;
}

}  // namespace

Command add_list(CLI::App& app) {
  const auto o = std::make_shared<ListOptions>();
  CLI::App* command = add_command(
      app, "list",
      "List platforms, devices, chips, nics, workloads, programs, policies, parameters.",
      "Examples: horae list parameters\n"
      "          horae list policies --json");
  command->add_option(
      "section", o->section,
      "platforms, devices, chips, nics, workloads, programs, policies or parameters; all by "
      "default");
  add_json(*command, o->json, "as JSON");
  return {command, [o] { return list(*o); }};
}

}  // namespace horae::cli
