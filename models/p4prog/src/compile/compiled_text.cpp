#include "horae/p4prog/compiled_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gress_text.hpp"
#include "horae/params/file_content.hpp"

namespace horae::p4prog {
namespace {

constexpr const char* gress_names[2] = {"ingress", "egress"};

std::string pipe_text(const PipeCode& pipe, std::size_t number) {
  std::string out;
  for (std::size_t g = 0; g < 2; ++g) {
    if (!pipe.gress[g].present) continue;
    const std::string name = fmt::format("{}_{}", gress_names[g], number);
    out += fmt::format("\nnamespace {0} {{\n\n{1}\n}}  // namespace {0}\n", name,
                       gress_text(pipe.gress[g]));
  }
  return out;
}

/// All but what stands around it in every program's text.
std::string pipes_text(const ProgramCode& code) {
  std::string out, all;
  for (std::size_t n = 0; n < code.size(); ++n) {
    out += pipe_text(*code[n], n);
    std::string runs[2];
    for (std::size_t g = 0; g < 2; ++g)
      runs[g] =
          code[n]->gress[g].present ? fmt::format("{}_{}::run", gress_names[g], n) : "nullptr";
    all += fmt::format("    {{{}, {}}},\n", runs[0], runs[1]);
  }
  return fmt::format("{}\nconst horae::p4prog::CompiledRun pipes[][2] = {{\n{}}};\n", out, all);
}

}  // namespace

CompiledText compiled_text(const ProgramCode& code) {
  const std::string pipes = pipes_text(code);
  CompiledText out;
  out.digest = content_hash_of(pipes);
  // One compiler run may see several programs.
  std::string name = "p4_" + out.digest;
  std::ranges::replace(name, '-', '_');
  out.cpp = fmt::format(
      "#include \"horae/p4prog/compiled_pass.hpp\"\n\n"
      "namespace {0} {{\n"
      "namespace {{\n\n"
      "using horae::p4prog::CompiledPass;\n"
      "using horae::p4prog::Machine;\n"
      "using Word = std::uint64_t;\n"
      "{1}\n"
      "}}  // namespace\n"
      "}}  // namespace {0}\n\n"
      "extern \"C\" {{\n"
      "extern const horae::p4prog::CompiledProgram horae_p4_program;\n"
      "const horae::p4prog::CompiledProgram horae_p4_program = {{\"{2}\", {0}::pipes, {3}}};\n"
      "}}\n",
      name, pipes, out.digest, code.size());
  return out;
}

bool use_compiled(ProgramCode& code, const CompiledProgram& compiled) {
  if (compiled.pipe_count != code.size() || compiled_text(code).digest != compiled.digest)
    return false;
  for (std::size_t n = 0; n < code.size(); ++n) {
    for (std::size_t g = 0; g < 2; ++g) code[n]->gress[g].compiled = compiled.pipes[n][g];
  }
  return true;
}

}  // namespace horae::p4prog
