// horae list.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "horae/cli/catalogue.hpp"
#include "horae/cli/command.hpp"
#include "horae/config/plugins.hpp"
#include "horae/params/document.hpp"
#include "horae/results/exit_code.hpp"
#include "horae/run/run.hpp"

namespace horae::cli {

namespace {

struct ListOptions {
  std::string section;
  std::string name;
  std::optional<std::string> platform;
  bool json = false;
};

int list(const ListOptions& o) {
  if (o.platform) {
    auto ignored = nlohmann::ordered_json::object();
    config::load_plugins(Document::load(*o.platform).root(), ignored);
  }
  const auto content = catalogue(o.section, platform_dir(), o.name);
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
      "List platforms, devices, chips, nics, workloads, programs, policies, modules, parameters, "
      "quantities.",
      "Examples: horae list parameters fetch.prefetch\n"
      "          horae list quantities pcie\n"
      "          horae list policies --json");
  command->add_option("section", o->section,
                      "platforms, devices, chips, nics, workloads, programs, policies, modules, "
                      "parameters or quantities; all by "
                      "default");
  command->add_option("name", o->name,
                      "only what has this name: an entry, a key, or a part of a key");
  command->add_option("--platform", o->platform, "also what the plug-ins of this platform add")
      ->type_name("PLATFORM.toml");
  add_json(*command, o->json, "prints JSON in place of text");
  return {command, [o] { return list(*o); }};
}

}  // namespace horae::cli
