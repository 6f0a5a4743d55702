#include "preprocessor.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "directive_condition.hpp"
#include "horae/core/quantity_text.hpp"
#include "scanner.hpp"

namespace horae::p4lang {
namespace {

const std::vector<std::string> directives = {"define",  "undef",  "include", "if",    "ifdef",
                                             "ifndef",  "elif",   "else",    "endif", "error",
                                             "warning", "pragma", "line"};

/// Hint at a directive that an unknown one may have meant.
std::string near_directive(const std::string& name) {
  const std::string near = nearest_name(name, directives);
  return near.empty() ? "" : fmt::format("; did you mean '#{}'?", near);
}

std::string joined(const std::vector<Token>& tokens, std::size_t from = 0) {
  std::string text;
  for (std::size_t i = from; i < tokens.size(); ++i) {
    if (i > from && tokens[i].space) text += ' ';
    text += tokens[i].text;
  }
  return text;
}

}  // namespace

Preprocessor::Preprocessor(const Options& options, SourceFiles& files, Report& report)
    : files_(files), report_(report), expander_(macros_, report) {
  predefine(options);
}

void Preprocessor::predefine(const Options& options) {
  // Macros that programs ask the vendor's compiler for; its version is that of the last release.
  std::vector<std::string> all = {
      fmt::format("__TARGET_TOFINO__={}", static_cast<int>(options.target)),
      "__p4c__=1",
      "__p4c_major__=9",
      "__p4c_minor__=13",
      "__p4c_patchlevel__=4",
      "__p4c_version__=\"9.13.4\""};
  all.insert(all.end(), options.defines.begin(), options.defines.end());
  for (const std::string& text : all) {
    const std::size_t equal = text.find('=');
    const std::string name = text.substr(0, equal);
    Macro macro;
    macro.body = scan(equal == std::string::npos ? "1" : text.substr(equal + 1), 0, nullptr);
    macro.body.resize(macro.body.size() - 2);
    macros_.define(name, std::move(macro));
  }
}

std::vector<Token> Preprocessor::run(const std::string& file) {
  const auto first = files_.open(file);
  if (!first) throw InputError(fmt::format("{}: there is no such file", printable(file, 200)));
  read(*first);
  flush();
  Token end;
  end.place = out_.empty() ? Place{*first, 1, 1} : out_.back().place;
  out_.push_back(end);
  return std::move(out_);
}

void Preprocessor::read(std::uint32_t file) {
  const std::size_t open = branches_.size();
  including_.push_back(file);
  std::vector<Token> tokens;
  for (Token& token : scan(files_.text(file), file, &report_)) {
    if (token.kind == TokenKind::end) break;
    if (token.kind != TokenKind::line) {
      tokens.push_back(std::move(token));
      continue;
    }
    line(tokens);
    tokens.clear();
  }
  for (; branches_.size() > open; branches_.pop_back())
    report_.fault(branches_.back().place, "found a condition without its end, expected '#endif'");
  including_.pop_back();
}

bool Preprocessor::skips() const { return !branches_.empty() && !branches_.back().taken; }

void Preprocessor::line(std::vector<Token>& tokens) {
  if (tokens.empty()) return;
  if (tokens[0].is("#")) {
    directive(tokens);
    return;
  }
  if (skips()) return;
  if (tokens[0].is("##")) {
    report_.warn(tokens[0].place, "'##' begins no declaration: its line is left out");
    return;
  }
  if (pending_.size() + out_.size() + tokens.size() > most_tokens) {
    report_.fault(tokens[0].place, fmt::format("the program has more than {} tokens", most_tokens));
    throw Stop{};
  }
  std::move(tokens.begin(), tokens.end(), std::back_inserter(pending_));
}

void Preprocessor::flush() {
  const std::vector<Token> expanded = expander_.expand(pending_);
  out_.insert(out_.end(), expanded.begin(), expanded.end());
  pending_.clear();
}

void Preprocessor::directive(std::vector<Token>& line) {
  if (line.size() == 1) return;
  const Token name = line[1];
  const std::vector<Token> rest(line.begin() + 2, line.end());
  if (conditional(name, rest) || skips()) return;
  if (name.is("define")) {
    define(name, rest);
  } else if (name.is("undef")) {
    if (rest.empty() || rest[0].kind != TokenKind::name)
      return report_.fault(name.place, "#undef: expected the name of a macro");
    flush();
    macros_.undefine(rest[0].text);
  } else if (name.is("include")) {
    include(name, rest);
  } else if (name.is("error")) {
    report_.fault(name.place, fmt::format("#error {}", printable(joined(rest), 200)));
  } else if (name.is("warning")) {
    report_.warn(name.place, fmt::format("#warning {}", printable(joined(rest), 200)));
  } else if (!name.is("pragma") && !name.is("line") && name.kind != TokenKind::number) {
    // As for text that is no C: the line is none of the program's.
    report_.warn(name.place, fmt::format("'#{}' is no directive: its line is left out{}",
                                         printable(name.text), near_directive(name.text)));
  }
}

bool Preprocessor::conditional(const Token& name, const std::vector<Token>& rest) {
  if (name.is("if") || name.is("ifdef") || name.is("ifndef")) {
    const bool outer = !skips();
    const bool taken = outer && holds(name, rest);
    branches_.push_back({taken, taken || !outer, false, name.place});
    return true;
  }
  if (!name.is("elif") && !name.is("else") && !name.is("endif")) return false;
  if (branches_.empty()) {
    report_.fault(name.place, fmt::format("found '#{}' without a condition before it", name.text));
  } else if (name.is("endif")) {
    branches_.pop_back();
  } else {
    alternative(name, rest);
  }
  return true;
}

void Preprocessor::alternative(const Token& name, const std::vector<Token>& rest) {
  Branch& branch = branches_.back();
  if (branch.otherwise)
    report_.fault(name.place, fmt::format("found '#{}' behind '#else'", name.text));
  if (name.is("else")) branch.otherwise = true;
  branch.taken = !branch.was && (name.is("else") || holds(name, rest));
  branch.was = branch.was || branch.taken;
}

bool Preprocessor::holds(const Token& name, const std::vector<Token>& rest) {
  if (name.is("ifdef") || name.is("ifndef")) {
    if (rest.empty() || rest[0].kind != TokenKind::name) {
      report_.fault(name.place, fmt::format("#{}: expected the name of a macro", name.text));
      return false;
    }
    return (macros_.find(rest[0].text) != nullptr) == name.is("ifdef");
  }
  return condition_holds(rest, name.place, macros_, expander_, report_).value_or(false);
}

void Preprocessor::define(const Token& at, const std::vector<Token>& rest) {
  if (rest.empty() || rest[0].kind != TokenKind::name || rest[0].is("defined"))
    return report_.fault(rest.empty() ? at.place : rest[0].place,
                         "#define: expected the name of a macro");
  Macro macro;
  macro.place = rest[0].place;
  std::size_t from = 1;
  if (rest.size() > 1 && rest[1].is("(") && !rest[1].space && !parameters(macro, rest, from))
    return;
  macro.body.assign(rest.begin() + static_cast<std::ptrdiff_t>(from), rest.end());
  flush();
  macros_.define(rest[0].text, std::move(macro));
}

/// Reads `(a, b, ...)`; `at` is behind it then.
bool Preprocessor::parameters(Macro& macro, const std::vector<Token>& rest, std::size_t& at) {
  macro.takes_arguments = true;
  for (at = 2; at < rest.size() && !rest[at].is(")"); ++at) {
    if (rest[at].is("...")) {
      macro.variadic = true;
      macro.parameters.emplace_back("__VA_ARGS__");
    } else if (rest[at].kind == TokenKind::name) {
      macro.parameters.push_back(rest[at].text);
      if (at + 1 < rest.size() && rest[at + 1].is("...")) {
        macro.variadic = true;
        ++at;
      }
    } else {
      break;
    }
    if (at + 1 < rest.size() && rest[at + 1].is(",")) ++at;
  }
  if (at >= rest.size() || !rest[at].is(")")) {
    report_.fault(at < rest.size() ? rest[at].place : rest.back().place,
                  fmt::format("#define: found {}, expected ')' behind the parameters",
                              at < rest.size() ? shown(rest[at]) : "the end of the line"));
    return false;
  }
  ++at;
  return true;
}

void Preprocessor::include(const Token& at, const std::vector<Token>& rest) {
  flush();
  const bool written = !rest.empty() && (rest[0].is("<") || rest[0].kind == TokenKind::text);
  const std::vector<Token> tokens = written ? rest : expander_.expand(rest);
  std::string name;
  const bool quoted = !tokens.empty() && tokens[0].kind == TokenKind::text;
  if (quoted) {
    name = tokens[0].text.substr(1, tokens[0].text.size() - 2);
  } else if (tokens.size() > 2 && tokens[0].is("<")) {
    const auto end = std::find_if(tokens.begin(), tokens.end(), [](auto& t) { return t.is(">"); });
    for (auto it = tokens.begin() + 1; it != end; ++it) {
      if (it->space && it != tokens.begin() + 1) name += ' ';
      name += it->text;
    }
    if (end == tokens.end()) name.clear();
  }
  if (name.empty()) return report_.fault(at.place, "#include: expected \"FILE\" or <FILE>");
  const auto file = files_.include(name, quoted, including_.back());
  const Place where = rest[0].place;
  if (!file) {
    report_.fault(where, fmt::format("#include: there is no file '{}'{}", printable(name, 200),
                                     quoted ? "" : " in the include folders (-I)"));
    throw Stop{};
  }
  if (including_.size() >= deepest_include) {
    report_.fault(where, fmt::format("includes are nested more than {} deep", deepest_include));
    throw Stop{};
  }
  read(*file);
}

}  // namespace horae::p4lang
