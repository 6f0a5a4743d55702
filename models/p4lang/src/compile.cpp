#include "horae/p4lang/compile.hpp"

#include "elaborate/elaborator.hpp"
#include "read/reader.hpp"
#include "text/preprocessor.hpp"

namespace horae::p4lang {
namespace {

void translate(const std::string& file, const Options& options, Program& program, Report& report) {
  SourceFiles files(options, program.files);
  const std::vector<Token> tokens = Preprocessor(options, files, report).run(file);
  if (!report.good()) return;
  tree::Tree tree;
  Reader(tokens, tree, report).program();
  if (report.good()) Elaborator(tree, program, report).run();
}

}  // namespace

Program compile(const std::string& file, const Options& options) {
  Program program;
  Report report(program.files);
  try {
    translate(file, options, program, report);
  } catch (const Stop&) {
  } catch (const Skip&) {
  }
  if (!report.good()) throw ProgramError(report.faults());
  program.warnings = report.warnings();
  return program;
}

std::vector<std::string> preprocessed(const std::string& file, const Options& options) {
  std::vector<std::string> names;
  Report report(names);
  std::vector<std::string> out;
  try {
    SourceFiles files(options, names);
    for (const Token& token : Preprocessor(options, files, report).run(file)) {
      if (token.kind != TokenKind::end) out.push_back(token.text);
    }
  } catch (const Stop&) {
  }
  if (!report.good()) throw ProgramError(report.faults());
  return out;
}

}  // namespace horae::p4lang
