// The reader: its tokens, names that are types, what it skips after a fault.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "horae/core/quantity_text.hpp"
#include "reader.hpp"

namespace horae::p4lang {
namespace {

constexpr std::array<std::string_view, 44> keywords = {
    "abstract", "action",  "bit",       "bool",       "const", "control", "default",      "else",
    "enum",     "error",   "exit",      "extern",     "false", "header",  "header_union", "if",
    "in",       "inout",   "int",       "match_kind", "out",   "package", "parser",       "return",
    "select",   "string",  "struct",    "switch",     "table", "this",    "transition",   "true",
    "tuple",    "typedef", "value_set", "varbit",     "void",  "for",     "while",        "break",
    "continue", "foreach", "_",         "goto"};

constexpr std::array<std::string_view, 9> base_types = {
    "bit", "int", "varbit", "bool", "error", "string", "tuple", "void", "match_kind"};

bool keyword(std::string_view text) {
  return std::find(keywords.begin(), keywords.end(), text) != keywords.end();
}

/// Words that begin a declaration of a whole program: where reading goes on after a fault.
bool begins_declaration(const Token& token) {
  static constexpr std::array<std::string_view, 12> words = {
      "control", "parser", "header", "struct", "typedef",      "extern",
      "package", "enum",   "action", "const",  "header_union", "table"};
  return token.kind == TokenKind::name && token.first &&
         std::find(words.begin(), words.end(), token.text) != words.end();
}

}  // namespace

Reader::Depth::Depth(Reader& reader) : reader_(reader) {
  if (++reader_.depth_ <= deepest) return;
  --reader_.depth_;
  reader_.report_.fault(reader_.peek().place,
                        fmt::format("found more than {} levels in each other", deepest));
  throw Stop{};
}

void Reader::program() {
  while (peek().kind != TokenKind::end) {
    const std::size_t from = at_;
    try {
      if (accept(";")) continue;
      if (const Decl* decl = declaration()) tree_.top.push_back(decl);
    } catch (const Skip&) {
      scopes_.resize(1);
      skip_to(from, false);
    }
  }
}

const Token& Reader::peek(std::size_t ahead) const {
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}

const Token& Reader::take() {
  const Token& token = peek();
  if (token.kind != TokenKind::end) ++at_;
  return token;
}

bool Reader::ahead(std::string_view text, std::size_t by) const {
  const Token& token = peek(by);
  return token.kind != TokenKind::text && token.kind != TokenKind::end && token.text == text;
}

bool Reader::accept(std::string_view text) {
  if (!ahead(text)) return false;
  ++at_;
  return true;
}

void Reader::expect(std::string_view text) {
  if (!accept(text)) refuse(fmt::format("'{}'", text));
}

void Reader::refuse(std::string_view expected) {
  report_.refuse(peek().place, fmt::format("found {}, expected {}", shown(peek()), expected));
}

void Reader::close_angle() { expect(">"); }

bool Reader::is_name(const Token& token) const {
  return token.kind == TokenKind::name && !keyword(token.text);
}

std::string Reader::name(std::string_view what) {
  if (!is_name(peek())) refuse(what);
  return take().text;
}

/// Goes on behind the `;` or block that the fault is in: of a statement in its block, or of a
/// declaration of the program.
void Reader::skip_to(std::size_t from, bool in_block) {
  if (at_ == from) ++at_;
  for (int open = 0; peek().kind != TokenKind::end; ++at_) {
    if (!in_block && open > 0 && begins_declaration(peek()) && peek().place.column == 1) return;
    if (ahead("{")) ++open;
    if (ahead("}")) {
      if (open == 0 && in_block) return;
      --open;
      if (open <= 0) {
        ++at_;
        if (!in_block || !ahead(";")) return;
        ++at_;
        return;
      }
    }
    if (open <= 0 && ahead(";")) {
      ++at_;
      return;
    }
  }
}

bool Reader::names_type(const std::string& name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (const auto it = scope->find(name); it != scope->end()) return it->second;
  }
  return false;
}

/// Whether a type stands here. `E` of `E.member` is none.
bool Reader::starts_type(std::size_t by) const {
  const Token& token = peek(by);
  if (token.kind == TokenKind::sign) {
    return token.text == "." && peek(by + 1).kind == TokenKind::name &&
           names_type(peek(by + 1).text) && !ahead(".", by + 2);
  }
  if (token.kind != TokenKind::name) return false;
  if (ahead(".", by + 1)) return false;
  if (token.text == "_") return true;
  return std::find(base_types.begin(), base_types.end(), token.text) != base_types.end() ||
         names_type(token.text);
}

}  // namespace horae::p4lang
