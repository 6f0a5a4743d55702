// horae p4.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "catalogue/p4_listing.hpp"
#include "command_p4_bfrt.hpp"
#include "command_p4_compile.hpp"
#include "command_p4_test.hpp"
#include "horae/cli/command.hpp"
#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/p4lang/compile.hpp"
#include "horae/results/exit_code.hpp"
#include "p4_source.hpp"

namespace horae::cli {
namespace {

struct CheckOptions {
  P4Source source;
  bool json = false;
};

void print_lines(const std::vector<p4lang::Fault>& faults, const char* what) {
  for (const auto& f : faults) {
    std::string line = f.text();
    if (const std::size_t at = line.rfind(f.message); *what != '\0' && at != std::string::npos)
      line.insert(at, what);
    fmt::print(stderr, "horae: {}\n", printable(line, std::string_view::npos));
  }
}

nlohmann::ordered_json head(const CheckOptions& o) {
  return {{"schema", 1}, {"file", o.source.file}, {"target", o.source.target}};
}

int check(const CheckOptions& o) {
  try {
    const p4lang::Program program = p4lang::compile(o.source.file, o.source.options());
    const auto listing = p4_listing(program);
    print_lines(program.warnings, "warning: ");
    if (o.json) {
      print_json(head(o), listing);
    } else {
      fmt::print("{}", p4_listing_text(listing, o.source.file, o.source.target));
    }
  } catch (const p4lang::ProgramError& e) {
    print_lines(e.faults(), "");
    if (o.json) print_json(head(o), {{"faults", p4_faults(e.faults())}});
    return results::exit_bad_input;
  }
  return results::exit_done;
}

void add_check(CLI::App& p4, const std::shared_ptr<CheckOptions>& o) {
  CLI::App* command =
      add_command(p4, "check", "Read a program and list what is in it.",
                  "Example: horae p4 check mine.p4 -I include -D SKETCH_ROWS=4 --target tofino2");
  add_p4_source(*command, o->source, "file");
  add_json(*command, o->json, "prints JSON in place of text");
}

}  // namespace

Command add_p4(CLI::App& app) {
  const auto o = std::make_shared<CheckOptions>();
  CLI::App* command = add_command(
      app, "p4", "Read, test and compile a P4 program, run scripts of its control plane.",
      "Example: horae p4 check mine.p4");
  add_check(*command, o);
  const P4Command others[] = {add_p4_test(*command), add_p4_bfrt(*command),
                              add_p4_compile(*command)};
  return {
      command, [command, o, others] {
        if (command->get_subcommands().empty())
          throw InputError(
              "expected a command: horae p4 check, test, bfrt or compile (see horae p4 --help)");
        for (const P4Command& other : others) {
          if (other.command->parsed()) return other.run();
        }
        return check(*o);
      }};
}

}  // namespace horae::cli
