#include "stf_lines.hpp"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <regex>

#include "horae/core/error.hpp"

namespace horae::p4prog {

namespace {

constexpr std::size_t most_lines = 1'000'000;

class LineReader {
 public:
  LineReader(const std::string& file, const std::string& text) : file_(file), text_(text) {}

  std::vector<StfLine> read() {
    std::size_t at = 0, number = 0;
    while (at < text_.size()) {
      const std::size_t end = std::min(text_.find('\n', at), text_.size());
      std::string line = text_.substr(at, end - at);
      at = end + 1;
      ++number;
      const std::size_t first = number;
      // A line may go on in the next, and a loop may go over several.
      while (line.ends_with('\\') && at < text_.size()) {
        const std::size_t next = std::min(text_.find('\n', at), text_.size());
        line.back() = ' ';
        line += text_.substr(at, next - at);
        at = next + 1;
        ++number;
      }
      while (open_brackets(line) > 0 && at < text_.size()) {
        const std::size_t next = std::min(text_.find('\n', at), text_.size());
        line += " " + text_.substr(at, next - at);
        at = next + 1;
        ++number;
      }
      take(first, line);
    }
    return std::move(lines_);
  }

 private:
  [[noreturn]] void refuse(std::size_t number, const std::string& what) const {
    throw InputError(fmt::format("{}:{}:1: {}", file_, number, what));
  }

  /// Open `$(` of a line that begins with one.
  static int open_brackets(const std::string& line) {
    if (line.find("$(") == std::string::npos) return 0;
    int open = 0;
    for (const char c : line) open += c == '(' ? 1 : c == ')' ? -1 : 0;
    return open;
  }

  static std::string trimmed(const std::string& s) {
    std::size_t from = 0, to = s.size();
    while (from < to && std::isspace(static_cast<unsigned char>(s[from])) != 0) ++from;
    while (to > from && std::isspace(static_cast<unsigned char>(s[to - 1])) != 0) --to;
    return s.substr(from, to - from);
  }

  void take(std::size_t number, std::string line) {
    if (const std::size_t comment = line.find('#'); comment != std::string::npos)
      line.erase(comment);
    line = trimmed(line);
    if (line.starts_with("$(for")) {
      while (line.ends_with(';')) line = trimmed(line.substr(0, line.size() - 1));
      loop(number, line);
      return;
    }
    for (std::size_t at = 0; at <= line.size();) {
      const std::size_t end = std::min(line.find(';', at), line.size());
      one(number, trimmed(line.substr(at, end - at)));
      at = end + 1;
    }
  }

  /// One of the commands that stand on a line between semicolons.
  void one(std::size_t number, std::string line) {
    if (line.empty()) return;
    line = replaced(number, line, variables_, false);
    if (line.starts_with("setenv ")) {
      const std::string rest = trimmed(line.substr(7));
      const std::size_t space = rest.find_first_of(" \t");
      if (space == std::string::npos) refuse(number, "setenv without a text");
      variables_[rest.substr(0, space)] = trimmed(rest.substr(space));
      return;
    }
    if (lines_.size() == most_lines) refuse(number, "more than a million lines");
    lines_.push_back({number, line});
  }

  /// `$NAME` and `${NAME}`. Others stay: they name entries and parts of names.
  std::string replaced(std::size_t, const std::string& line,
                       const std::map<std::string, std::string>& variables, bool) const {
    std::string out;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] != '$') {
        out += line[i];
        continue;
      }
      const bool braces = i + 1 < line.size() && line[i + 1] == '{';
      std::size_t from = i + (braces ? 2 : 1), to = from;
      while (to < line.size() &&
             (std::isalnum(static_cast<unsigned char>(line[to])) != 0 || line[to] == '_'))
        ++to;
      const auto found = variables.find(line.substr(from, to - from));
      if (found == variables.end()) {
        out += '$';
        continue;
      }
      out += found->second;
      i = braces ? to : to - 1;
    }
    return out;
  }

  /// $(for NAME in $(seq FIRST LAST); do COMMAND; done)
  void loop(std::size_t number, const std::string& line) {
    static const std::regex form(
        R"(\$\(for\s+(\w+)\s+in\s+(\$\(seq\s+([^)]*)\)|[^;]*);\s*do\s+([\s\S]*?);?\s*done;?\s*\)\s*)");
    std::smatch m;
    if (!std::regex_match(line, m, form))
      refuse(number,
             "this loop is not understood, expected "
             "$(for NAME in $(seq FIRST LAST); do COMMAND; done)");
    for (const std::string& value : values(number, m[2].str(), m[3].str())) {
      auto variables = variables_;
      variables[m[1].str()] = value;
      body(number, m[4].str(), variables);
    }
  }

  std::vector<std::string> values(std::size_t number, const std::string& list,
                                  const std::string& seq) const {
    std::vector<std::string> out;
    std::vector<std::string> words;
    for (const char c : seq.empty() ? list : seq) {
      if (std::isspace(static_cast<unsigned char>(c)) != 0)
        words.emplace_back();
      else if (words.empty())
        words.emplace_back(1, c);
      else
        words.back() += c;
    }
    std::erase(words, "");
    if (seq.empty()) return words;
    std::vector<std::int64_t> n;
    for (const std::string& w : words) n.push_back(integer(number, w));
    if (n.empty() || n.size() > 3) refuse(number, "seq of one to three numbers is expected");
    const std::int64_t first = n.size() > 1 ? n.front() : 1, last = n.back();
    const std::int64_t step = n.size() == 3 ? n[1] : 1;
    if (step == 0) refuse(number, "seq with a step of 0");
    for (std::int64_t v = first; step > 0 ? v <= last : v >= last; v += step) {
      out.push_back(std::to_string(v));
      if (out.size() == most_lines) refuse(number, "more than a million turns of a loop");
    }
    return out;
  }

  std::int64_t integer(std::size_t number, const std::string& text) const {
    std::int64_t out = 0;
    const bool hex = text.starts_with("0x");
    const char* from = text.data() + (hex ? 2 : 0);
    const auto [end, error] = std::from_chars(from, text.data() + text.size(), out, hex ? 16 : 10);
    if (error != std::errc() || end != text.data() + text.size())
      refuse(number, fmt::format("'{}' is no number", text));
    return out;
  }

  /// Commands between semicolons, each plain or by printf or echo.
  void body(std::size_t number, const std::string& commands,
            const std::map<std::string, std::string>& variables) {
    std::string text;
    bool quoted = false;
    const auto one = [&] {
      const std::string command = trimmed(text);
      text.clear();
      if (command.empty()) return;
      std::string made = replaced(number, arithmetic(number, command, variables), variables, true);
      if (made.starts_with("printf ")) made = printed(number, made.substr(7));
      if (made.starts_with("echo ")) made = unquoted(trimmed(made.substr(5)));
      std::string part;
      for (const char c : made + ";") {
        if (c != ';' && c != '\n') {
          part += c;
          continue;
        }
        take(number, part);
        part.clear();
      }
    };
    for (const char c : commands) {
      if (c == '"') quoted = !quoted;
      if (c == ';' && !quoted)
        one();
      else
        text += c;
    }
    one();
  }

  static std::string unquoted(const std::string& s) {
    if (s.size() >= 2 && (s.front() == '"' || s.front() == '\'') && s.back() == s.front())
      return s.substr(1, s.size() - 2);
    return s;
  }

  /// $((a + b)) of variables and numbers, from left to right.
  std::string arithmetic(std::size_t number, const std::string& text,
                         const std::map<std::string, std::string>& variables) const {
    std::string out = text;
    for (std::size_t at = out.find("$(("); at != std::string::npos; at = out.find("$((")) {
      const std::size_t end = out.find("))", at);
      if (end == std::string::npos) refuse(number, "$(( without ))");
      const std::string inner = out.substr(at + 3, end - at - 3);
      std::int64_t value = 0;
      char op = '+';
      for (std::size_t i = 0; i < inner.size();) {
        if (std::isspace(static_cast<unsigned char>(inner[i])) != 0 || inner[i] == '$') {
          ++i;
          continue;
        }
        std::size_t to = i;
        while (to < inner.size() &&
               (std::isalnum(static_cast<unsigned char>(inner[to])) != 0 || inner[to] == '_'))
          ++to;
        if (to == i) {
          op = inner[i++];
          continue;
        }
        std::string word = inner.substr(i, to - i);
        if (const auto found = variables.find(word); found != variables.end()) word = found->second;
        value = combined(number, value, op, integer(number, word));
        i = to;
      }
      out.replace(at, end + 2 - at, std::to_string(value));
    }
    return out;
  }

  std::int64_t combined(std::size_t number, std::int64_t a, char op, std::int64_t b) const {
    switch (op) {
      case '+':
        return a + b;
      case '-':
        return a - b;
      case '*':
        return a * b;
      case '/':
        return b == 0 ? 0 : a / b;
      case '%':
        return b == 0 ? 0 : a % b;
      default:
        refuse(number, fmt::format("'{}' is no operator of $(( ))", op));
    }
  }

  /// A format in quotes with %d, %x, %s and widths, and its arguments.
  std::string printed(std::size_t number, const std::string& text) const {
    const std::string t = trimmed(text);
    if (t.empty() || (t.front() != '"' && t.front() != '\''))
      refuse(number, "printf without a format in quotes");
    const std::size_t end = t.find(t.front(), 1);
    if (end == std::string::npos) refuse(number, "printf without the end of its format");
    const std::string format = t.substr(1, end - 1);
    std::vector<std::string> arguments;
    std::string word;
    for (const char c : t.substr(end + 1) + " ") {
      if (std::isspace(static_cast<unsigned char>(c)) == 0) {
        word += c;
      } else if (!word.empty()) {
        arguments.push_back(unquoted(word));
        word.clear();
      }
    }
    std::string out;
    std::size_t next = 0;
    for (std::size_t i = 0; i < format.size(); ++i) {
      if (format[i] == '\\' && i + 1 < format.size()) {
        out += format[++i] == 'n' ? '\n' : format[i];
        continue;
      }
      if (format[i] != '%') {
        out += format[i];
        continue;
      }
      std::size_t to = i + 1;
      while (to < format.size() && std::isdigit(static_cast<unsigned char>(format[to])) != 0) ++to;
      const bool zero = format.compare(i + 1, 1, "0") == 0;
      const int width = to > i + 1 ? std::atoi(format.substr(i + 1, to - i - 1).c_str()) : 0;
      const char kind = to < format.size() ? format[to] : '%';
      const std::string argument = next < arguments.size() ? arguments[next] : "0";
      std::string made;
      switch (kind) {
        case '%':
          made = "%";
          break;
        case 'd':
          made = std::to_string(integer(number, argument));
          break;
        case 'x':
          made = fmt::format("{:x}", integer(number, argument));
          break;
        case 'X':
          made = fmt::format("{:X}", integer(number, argument));
          break;
        case 's':
          made = argument;
          break;
        default:
          refuse(number, fmt::format("printf with %{} is not understood", kind));
      }
      if (kind != '%') ++next;
      while (static_cast<int>(made.size()) < width) made.insert(0, 1, zero ? '0' : ' ');
      out += made;
      i = to;
    }
    return out;
  }

  const std::string& file_;
  const std::string& text_;
  std::map<std::string, std::string> variables_;
  std::vector<StfLine> lines_;
};

}  // namespace

std::vector<StfLine> stf_lines(const std::string& file, const std::string& text) {
  return LineReader(file, text).read();
}

}  // namespace horae::p4prog
