#include "macros.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scanner.hpp"

namespace horae::p4lang {
namespace {

/// The number of a macro's parameter, or nothing.
std::optional<std::size_t> parameter_of(const Macro& macro, const Token& token) {
  if (!macro.takes_arguments || token.kind != TokenKind::name) return std::nullopt;
  const auto it = std::find(macro.parameters.begin(), macro.parameters.end(), token.text);
  if (it == macro.parameters.end()) return std::nullopt;
  return static_cast<std::size_t>(it - macro.parameters.begin());
}

Token stringified(const Token& name, const std::vector<Token>& argument) {
  std::string text = "\"";
  for (std::size_t i = 0; i < argument.size(); ++i) {
    if (i > 0 && (argument[i].space || argument[i].first)) text += ' ';
    for (const char c : argument[i].text) {
      if (argument[i].kind == TokenKind::text && (c == '"' || c == '\\')) text += '\\';
      text += c;
    }
  }
  return {TokenKind::text, text + '"', name.place, false, true, false};
}

}  // namespace

void Expander::count(const Place& place, std::size_t tokens) {
  made_ += tokens;
  if (made_ <= most_tokens) return;
  report_.fault(place, fmt::format("macros expand to more than {} tokens", most_tokens));
  throw Stop{};
}

std::vector<Token> Expander::expand(const std::vector<Token>& input) {
  if (++depth_ > deepest) {
    report_.fault(input.empty() ? Place{} : input.front().place,
                  fmt::format("macros are nested more than {} deep", deepest));
    throw Stop{};
  }
  Input in;
  in.contexts.push_back({input, 0, {}});
  std::vector<Token> out;
  bool first = false;  // what a macro leaves of the start of a line when it expands to nothing
  while (auto token = next(in)) {
    if (token->kind == TokenKind::name && !token->final) {
      if (busy_.contains(token->text)) {
        token->final = true;
      } else if (const Macro* macro = macros_.find(token->text)) {
        if (enter(in, *token, *macro)) {
          first = first || token->first;
          continue;
        }
      }
    }
    token->first = token->first || first;
    first = false;
    out.push_back(std::move(*token));
  }
  --depth_;
  return out;
}

void Expander::leave(Input& input) {
  busy_.erase(input.contexts.back().macro);
  input.contexts.pop_back();
}

const Token* Expander::peek(Input& input) {
  while (input.contexts.back().at >= input.contexts.back().tokens.size()) {
    if (input.contexts.size() == 1) return nullptr;
    leave(input);
  }
  return &input.contexts.back().tokens[input.contexts.back().at];
}

std::optional<Token> Expander::next(Input& input) {
  const Token* token = peek(input);
  if (token == nullptr) return std::nullopt;
  ++input.contexts.back().at;
  return *token;
}

/// Puts the expansion of `macro` in front of what is read. False if it is a macro with arguments
/// and none follow.
bool Expander::enter(Input& input, const Token& name, const Macro& macro) {
  std::vector<std::vector<Token>> given;
  if (macro.takes_arguments) {
    const Token* open = peek(input);
    if (open == nullptr || !open->is("(")) return false;
    given = arguments(input, name, macro);
  }
  std::vector<Token> body = replaced(name, macro, given);
  count(name.place, body.size() + 1);
  if (input.contexts.size() > 4000) {
    report_.fault(name.place, "macros are nested too deep");
    throw Stop{};
  }
  busy_.insert(name.text);
  input.contexts.push_back({std::move(body), 0, name.text});
  return true;
}

std::vector<std::vector<Token>> Expander::arguments(Input& input, const Token& name,
                                                    const Macro& macro) {
  std::vector<std::vector<Token>> out(1);
  next(input);  // (
  for (int depth = 0;;) {
    auto token = next(input);
    if (!token) {
      report_.fault(name.place,
                    fmt::format("found no ')' behind the arguments of macro '{}'", name.text));
      throw Stop{};
    }
    if (token->is(")") && depth-- == 0) break;
    if (token->is("(")) ++depth;
    const bool rest = macro.variadic && out.size() == macro.parameters.size();
    if (token->is(",") && depth == 0 && !rest) {
      out.emplace_back();
    } else {
      token->space = token->space || token->first;
      token->first = false;
      out.back().push_back(std::move(*token));
    }
  }
  const std::size_t expected = macro.parameters.size();
  if (expected == 0 && out.size() == 1 && out[0].empty()) out.clear();
  if (macro.variadic && out.size() + 1 == expected) out.emplace_back();
  if (out.size() != expected) {
    report_.fault(name.place, fmt::format("macro '{}': found {} arguments, expected {}", name.text,
                                          out.size(), expected));
    out.resize(expected);
  }
  return out;
}

/// The body with its arguments in it, at the place of the use.
std::vector<Token> Expander::replaced(const Token& name, const Macro& macro,
                                      const std::vector<std::vector<Token>>& arguments) {
  std::vector<Token> body = substitute(name, macro, arguments);
  for (Token& t : body) {
    t.place = name.place;
    t.first = false;
  }
  if (!body.empty()) {
    body.front().first = name.first;
    body.front().space = name.space;
  }
  return body;
}

std::vector<Token> Expander::substitute(const Token& name, const Macro& macro,
                                        const std::vector<std::vector<Token>>& arguments) {
  std::vector<Token> out;
  bool paste = false;  // the next token is pasted to the last
  const auto join = [&](const Token& token) {
    if (!paste || out.empty()) {
      out.push_back(token);
    } else {
      // Two parts that make no token together stay two, as for text that is no C.
      std::vector<Token> made = scan(out.back().text + token.text, 0, nullptr);
      if (made.size() == 3) {
        made.front().space = out.back().space;
        out.back() = made.front();
      } else {
        out.push_back(token);
        out.back().space = false;
      }
    }
    paste = false;
  };
  const auto& body = macro.body;
  for (std::size_t i = 0; i < body.size(); ++i) {
    const Token& t = body[i];
    if (t.is("##") && i > 0 && i + 1 < body.size()) {
      paste = true;
      continue;
    }
    if (t.is("#") && macro.takes_arguments && i + 1 < body.size()) {
      if (const auto p = parameter_of(macro, body[i + 1])) {
        join(stringified(name, arguments[*p]));
        ++i;
        continue;
      }
    }
    const auto p = parameter_of(macro, t);
    if (!p) {
      join(t);
      continue;
    }
    const bool pasted = paste || (i + 1 < body.size() && body[i + 1].is("##"));
    const bool joins = paste;  // to the token before
    const auto& argument = arguments[*p];
    const bool optional_comma = paste && macro.variadic && *p + 1 == macro.parameters.size() &&
                                !out.empty() && out.back().is(",");
    if (optional_comma) {  // `, ## rest`: the comma goes with an empty rest
      if (argument.empty()) out.pop_back();
      paste = false;
    }
    std::vector<Token> tokens = pasted && !optional_comma ? argument : expand(argument);
    count(name.place, tokens.size());
    if (tokens.empty()) {
      // An empty argument leaves what it is pasted to as it is. What is pasted to it stands alone.
      if (!joins && pasted) ++i;
      paste = false;
      continue;
    }
    tokens.front().space = t.space;
    join(tokens.front());
    out.insert(out.end(), tokens.begin() + 1, tokens.end());
  }
  return out;
}

}  // namespace horae::p4lang
