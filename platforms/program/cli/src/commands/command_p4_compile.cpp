#include "command_p4_compile.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "horae/cli/command.hpp"
#include "horae/core/error.hpp"
#include "horae/p4lang/compile.hpp"
#include "horae/p4prog/compiled_text.hpp"
#include "horae/results/exit_code.hpp"
#include "horae/results/whole_file.hpp"
#include "p4_source.hpp"

namespace horae::cli {
namespace {

struct CompileOptions {
  P4Source source;
  std::string out;
};

int compile(const CompileOptions& o) {
  const p4lang::Program program = p4lang::compile(o.source.file, o.source.options());
  const std::string cpp =
      "// Printed by horae p4 compile.\n" + p4prog::compiled_text(p4prog::code_of(program)).cpp;
  if (o.out.empty()) {
    fmt::print("{}", cpp);
  } else if (const auto error = results::write_whole(o.out, cpp)) {
    throw InputError(fmt::format("{}: cannot be written: {}", o.out, error.message()));
  }
  return results::exit_done;
}

}  // namespace

P4Command add_p4_compile(CLI::App& p4) {
  const auto o = std::make_shared<CompileOptions>();
  CLI::App* command =
      add_command(p4, "compile", "Print a program as C++, for a plug-in that runs it faster.",
                  "Exit code: 0 it is printed, 2 the program is refused.\n"
                  "Example: horae p4 compile mine.p4 --target tofino2 --out mine.cpp");
  add_p4_source(*command, o->source, "file");
  command->add_option("--out", o->out, "file to write in place of standard output")
      ->type_name("FILE.cpp");
  return {command, [o] { return unless_refused({}, false, [&] { return compile(*o); }); }};
}

}  // namespace horae::cli
