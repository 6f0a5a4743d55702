#include "scanner.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>

#include "horae/core/quantity_text.hpp"

namespace horae::p4lang {
namespace {

/// Longest first. `>>` is two tokens: it also ends type arguments.
constexpr std::array<std::string_view, 24> signs = {
    "&&&", "|+|", "|-|", "...", "<<=", "##", "..", "==", "!=", "<=", ">=", "&&",
    "||",  "++",  "<<",  "::",  "+=",  "-=", "*=", "/=", "%=", "&=", "|=", "^="};

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool digit(char c) { return c >= '0' && c <= '9'; }
bool blank(char c) { return c == ' ' || c == '\t' || c == '\f' || c == '\v' || c == '\r'; }

class Scanner {
 public:
  Scanner(std::string_view text, std::uint32_t file, Report* report)
      : text_(text), file_(file), report_(report) {
    join();
  }

  std::vector<Token> all() {
    while (at_ < text_.size()) one();
    if (out_.empty() || out_.back().kind != TokenKind::line) add(TokenKind::line, {}, here());
    add(TokenKind::end, {}, here());
    return std::move(out_);
  }

 private:
  char peek(std::size_t ahead = 0) const {
    if (ahead == 0) return at_ < text_.size() ? text_[at_] : '\0';
    Scanner copy(*this, ahead);
    return copy.peek();
  }
  /// A place further on, to look at.
  Scanner(const Scanner& from, std::size_t ahead)
      : text_(from.text_),
        file_(from.file_),
        report_(nullptr),
        at_(from.at_),
        line_(from.line_),
        begin_(from.begin_) {
    for (; ahead > 0; --ahead) next();
  }
  Place here() const { return {file_, line_, static_cast<std::uint32_t>(at_ - begin_ + 1)}; }

  void next() {
    if (at_ >= text_.size()) return;
    if (text_[at_] == '\n') {
      ++line_;
      begin_ = at_ + 1;
    }
    ++at_;
    join();
  }
  /// Steps over joints of lines: a backslash and the end of its line.
  void join() {
    while (at_ + 1 < text_.size() && text_[at_] == '\\') {
      std::size_t end = at_ + 1;
      while (end < text_.size() && blank(text_[end])) ++end;  // as other preprocessors have it
      if (end >= text_.size() || text_[end] != '\n') return;
      at_ = end + 1;
      ++line_;
      begin_ = at_;
    }
  }

  void add(TokenKind kind, std::string text, const Place& place) {
    const bool first = out_.empty() || out_.back().kind == TokenKind::line;
    out_.push_back({kind, std::move(text), place, first, space_, false});
    space_ = false;
  }

  void one() {
    const char c = peek();
    const Place place = here();
    if (c == '\n') {
      add(TokenKind::line, {}, place);
      next();
    } else if (blank(c)) {
      space_ = true;
      next();
    } else if (c == '/' && peek(1) == '/') {
      while (at_ < text_.size() && peek() != '\n') next();
      space_ = true;
    } else if (c == '/' && peek(1) == '*') {
      comment(place);
    } else if (c == '"') {
      quoted(place);
    } else if (in_name(c)) {
      word(place);
    } else {
      sign(place);
    }
  }

  void comment(const Place& place) {
    next();
    next();
    while (at_ < text_.size() && !(peek() == '*' && peek(1) == '/')) next();
    if (at_ >= text_.size() && report_ != nullptr)
      report_->fault(place, "found a comment without its end, expected '*/'");
    next();
    next();
    space_ = true;
  }

  void quoted(const Place& place) {
    std::string text;
    do {
      text += peek();
      if (peek() == '\\') {
        next();
        if (at_ < text_.size() && peek() != '\n') text += peek();
      }
      next();
    } while (at_ < text_.size() && peek() != '"' && peek() != '\n');
    if (peek() != '"') {  // not a string: whether that matters is known later
      add(TokenKind::other, std::move(text), place);
      return;
    }
    text += '"';
    next();
    add(TokenKind::text, std::move(text), place);
  }

  void word(const Place& place) {
    const bool number = digit(peek());
    std::string text;
    for (; in_name(peek()); next()) text += peek();
    add(number ? TokenKind::number : TokenKind::name, std::move(text), place);
  }

  void sign(const Place& place) {
    std::string text(1, peek());
    for (const std::string_view s : signs) {
      if (s[0] != text[0] || !follows(s)) continue;
      text = s;
      break;
    }
    for (std::size_t i = 0; i < text.size(); ++i) next();
    constexpr std::string_view known = "+-*/%&|^~!<>=?:;,.()[]{}@#";
    const bool is_known = known.find(text[0]) != std::string_view::npos;
    add(is_known ? TokenKind::sign : TokenKind::other, std::move(text), place);
  }
  bool follows(std::string_view s) const {
    for (std::size_t i = 1; i < s.size(); ++i) {
      if (peek(i) != s[i]) return false;
    }
    return true;
  }

  std::string_view text_;
  std::uint32_t file_;
  Report* report_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  std::size_t begin_ = 0;  ///< of the line
  bool space_ = false;
  std::vector<Token> out_;
};

}  // namespace

std::vector<Token> scan(std::string_view text, std::uint32_t file, Report* report) {
  return Scanner(text, file, report).all();
}

std::string shown(const Token& token) {
  if (token.kind == TokenKind::end) return "the end of the file";
  if (token.kind == TokenKind::line) return "the end of the line";
  return fmt::format("'{}'", printable(token.text));
}

}  // namespace horae::p4lang
