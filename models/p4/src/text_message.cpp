#include "text_message.hpp"

#include <fmt/format.h>

#include <cctype>
#include <charconv>

#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"

namespace horae::p4 {
namespace {

constexpr int deepest_message = 100;

class MessageReader {
 public:
  MessageReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  TextMessage file() {
    TextMessage message = fields('\0', 0);
    message.where = {file_, 0, 0, {}};
    return message;
  }

 private:
  bool done() const { return at_ >= text_.size(); }
  char peek() const { return done() ? '\0' : text_[at_]; }
  void next() {
    if (done()) return;
    if (text_[at_] == '\n') {
      ++line_;
      begin_ = at_ + 1;
    }
    ++at_;
  }
  Location here() const { return {file_, line_, static_cast<std::uint32_t>(at_ - begin_ + 1), {}}; }
  [[noreturn]] void refuse(std::string_view expected) const {
    const std::string found =
        done() ? "the end of the file" : fmt::format("'{}'", printable(rest_of_line()));
    throw input_error(here(), fmt::format("found {}, expected {}", found, expected));
  }
  std::string_view rest_of_line() const {
    const std::string_view rest = text_.substr(at_, 20);
    return rest.substr(0, rest.find_first_of("\r\n"));
  }
  void skip() {
    for (;;) {
      while (!done() && std::isspace(static_cast<unsigned char>(peek())) != 0) next();
      if (peek() != '#') return;
      while (!done() && peek() != '\n') next();
    }
  }
  bool take(char c) {
    skip();
    if (peek() != c) return false;
    next();
    return true;
  }

  static bool in_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-' ||
           c == '+';
  }
  std::string word(std::string_view expected) {
    skip();
    const std::size_t from = at_;
    while (!done() && in_word(peek())) next();
    if (at_ == from) refuse(expected);
    return std::string(text_.substr(from, at_ - from));
  }

  /// Quoted texts that follow each other are one.
  std::string quoted() {
    std::string out;
    for (skip(); peek() == '"' || peek() == '\''; skip()) {
      const char quote = peek();
      for (next(); peek() != quote; next()) {
        if (done() || peek() == '\n') refuse("the end of the text");
        if (peek() == '\\') {
          next();
          out += peek() == 'n' ? '\n' : peek() == 't' ? '\t' : peek();
        } else {
          out += peek();
        }
      }
      next();
    }
    return out;
  }

  TextMessage fields(char end, int depth) {
    if (depth > deepest_message) refuse("fewer messages in each other");
    TextMessage out;
    out.where = here();
    for (skip(); peek() != end || (end == '\0' && !done()); skip()) {
      if (done()) refuse(fmt::format("'{}'", end));
      field(out, depth);
      while (take(',') || take(';')) {
      }
    }
    return out;
  }

  void field(TextMessage& out, int depth) {
    const Location where = here();
    std::string name;
    if (take('[')) {  // an extension, or a message of any type
      while (!done() && peek() != ']') next();
      next();
      name = "[]";
    } else {
      name = word("a field");
    }
    const bool colon = take(':');
    skip();
    if (take('[')) {
      while (!take(']')) {
        value(out, name, where, depth);
        skip();
        if (peek() != ']' && !take(',')) refuse("',' or ']'");
      }
      return;
    }
    if (!colon && peek() != '{' && peek() != '<') refuse("':' or '{'");
    value(out, name, where, depth);
  }

  void value(TextMessage& out, const std::string& name, const Location& where, int depth) {
    skip();
    TextMessage::Field field{name, {}, false, nullptr, where};
    if (peek() == '{' || peek() == '<') {
      const char end = peek() == '{' ? '}' : '>';
      next();
      field.message = std::make_shared<TextMessage>(fields(end, depth + 1));
      field.message->where = where;
      next();
    } else if (peek() == '"' || peek() == '\'') {
      field.value = quoted();
      field.quoted = true;
    } else {
      field.value = word("a value");
    }
    out.fields.push_back(std::move(field));
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;  ///< of the line
  std::uint32_t line_ = 1;
};

}  // namespace

TextMessage parse_text_message(std::string_view text, const std::string& name) {
  return MessageReader(text, name).file();
}

const TextMessage::Field* TextMessage::find(std::string_view name) const {
  for (const auto& f : fields) {
    if (f.name == name) return &f;
  }
  return nullptr;
}

std::vector<const TextMessage*> TextMessage::messages(std::string_view name) const {
  std::vector<const TextMessage*> out;
  for (const auto& f : fields) {
    if (f.name != name) continue;
    if (f.message == nullptr)
      throw input_error(f.where, fmt::format("{}: found a value, expected '{{'", name));
    out.push_back(f.message.get());
  }
  return out;
}

const TextMessage* TextMessage::message(std::string_view name) const {
  const auto all = messages(name);
  return all.empty() ? nullptr : all.front();
}

std::string TextMessage::text(std::string_view name, const std::string& otherwise) const {
  const Field* f = find(name);
  if (f == nullptr) return otherwise;
  if (f->message != nullptr)
    throw input_error(f->where, fmt::format("{}: found a message, expected a value", name));
  return f->value;
}

std::vector<std::uint64_t> TextMessage::numbers(std::string_view name) const {
  std::vector<std::uint64_t> out;
  for (const auto& f : fields) {
    if (f.name != name) continue;
    std::string_view digits = f.value;
    const bool hex = digits.starts_with("0x");
    if (hex) digits.remove_prefix(2);
    std::uint64_t n = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), n, hex ? 16 : 10);
    if (f.message != nullptr || f.quoted || error != std::errc{} ||
        end != digits.data() + digits.size()) {
      throw input_error(f.where, fmt::format("{}: found '{}', expected a whole number", name,
                                             f.message ? "{" : printable(f.value)));
    }
    out.push_back(n);
  }
  return out;
}

std::uint64_t TextMessage::number(std::string_view name, std::uint64_t least, std::uint64_t most,
                                  std::uint64_t otherwise) const {
  const auto all = numbers(name);
  if (all.empty()) return otherwise;
  if (all.back() < least || all.back() > most) {
    throw input_error(find(name)->where, fmt::format("{}: found {}, expected {} to {}", name,
                                                     all.back(), least, most));
  }
  return all.back();
}

}  // namespace horae::p4
