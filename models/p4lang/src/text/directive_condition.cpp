#include "directive_condition.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <string_view>

namespace horae::p4lang {
namespace {

struct Wrong {};

/// Operators by how tight they bind, loosest first.
constexpr std::array<std::array<std::string_view, 4>, 10> levels = {{{"||"},
                                                                     {"&&"},
                                                                     {"|"},
                                                                     {"^"},
                                                                     {"&"},
                                                                     {"==", "!="},
                                                                     {"<", ">", "<=", ">="},
                                                                     {"<<", ">>"},
                                                                     {"+", "-"},
                                                                     {"*", "/", "%"}}};

class Condition {
 public:
  static constexpr int deepest = 200;
  Condition(const std::vector<Token>& tokens, const Place& where, Report& report)
      : tokens_(tokens), where_(where), report_(report) {}

  std::int64_t whole() {
    const std::int64_t value = choice();
    if (at_ < tokens_.size()) refuse("the end of the line");
    return value;
  }

 private:
  [[noreturn]] void refuse(std::string_view expected) {
    const bool more = at_ < tokens_.size();
    report_.fault(more ? tokens_[at_].place : where_,
                  fmt::format("condition: found {}, expected {}",
                              more ? shown(tokens_[at_]) : "the end of the line", expected));
    throw Wrong{};
  }
  bool ahead(std::string_view sign, std::size_t by = 0) const {
    return at_ + by < tokens_.size() && tokens_[at_ + by].kind == TokenKind::sign &&
           tokens_[at_ + by].text == sign;
  }
  bool take(std::string_view sign) {
    if (!ahead(sign)) return false;
    ++at_;
    return true;
  }
  /// The operator of a level that follows, taken; empty if there is none.
  std::string_view operator_of(std::size_t level) {
    if (ahead(">") && ahead(">", 1)) {
      if (level != 7) return {};
      at_ += 2;
      return ">>";
    }
    for (const std::string_view sign : levels[level]) {
      if (!sign.empty() && take(sign)) return sign;
    }
    return {};
  }

  std::int64_t choice() {
    if (++depth_ > deepest) refuse("fewer operands in each other");
    std::int64_t value = binary(0);
    if (take("?")) {
      const std::int64_t yes = choice();
      if (!take(":")) refuse("':'");
      const std::int64_t no = choice();
      value = value != 0 ? yes : no;
    }
    --depth_;
    return value;
  }

  std::int64_t binary(std::size_t level) {
    if (level == levels.size()) return unary();
    std::int64_t left = binary(level + 1);
    for (std::string_view op = operator_of(level); !op.empty(); op = operator_of(level)) {
      const bool idle = (op == "||" && left != 0) || (op == "&&" && left == 0);
      idle_ += idle ? 1 : 0;
      const std::int64_t right = binary(level + 1);
      idle_ -= idle ? 1 : 0;
      left = apply(op, left, right);
    }
    return left;
  }

  std::int64_t apply(std::string_view op, std::int64_t a, std::int64_t b) {
    const auto ua = static_cast<std::uint64_t>(a);
    const auto ub = static_cast<std::uint64_t>(b);
    if (op == "||") return (a != 0 || b != 0) ? 1 : 0;
    if (op == "&&") return (a != 0 && b != 0) ? 1 : 0;
    if (op == "|") return a | b;
    if (op == "^") return a ^ b;
    if (op == "&") return a & b;
    if (op == "==") return a == b ? 1 : 0;
    if (op == "!=") return a != b ? 1 : 0;
    if (op == "<") return a < b ? 1 : 0;
    if (op == ">") return a > b ? 1 : 0;
    if (op == "<=") return a <= b ? 1 : 0;
    if (op == ">=") return a >= b ? 1 : 0;
    if (op == "<<") return b < 0 || b > 63 ? 0 : static_cast<std::int64_t>(ua << ub);
    if (op == ">>") return b < 0 || b > 63 ? (a < 0 ? -1 : 0) : a >> b;
    if (op == "+") return static_cast<std::int64_t>(ua + ub);
    if (op == "-") return static_cast<std::int64_t>(ua - ub);
    if (op == "*") return static_cast<std::int64_t>(ua * ub);
    if (b == 0) {
      if (idle_ > 0) return 0;
      report_.fault(where_, "condition: division by zero");
      throw Wrong{};
    }
    if (b == -1) return op == "/" ? static_cast<std::int64_t>(0 - ua) : 0;
    return op == "/" ? a / b : a % b;
  }

  std::int64_t unary() {
    if (++depth_ > deepest) refuse("fewer operands in each other");
    std::int64_t value = 0;
    if (take("!")) {
      value = unary() == 0 ? 1 : 0;
    } else if (take("-")) {
      value = static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(unary()));
    } else if (take("~")) {
      value = ~unary();
    } else if (take("+")) {
      value = unary();
    } else if (take("(")) {
      value = choice();
      if (!take(")")) refuse("')'");
    } else {
      value = operand();
    }
    --depth_;
    return value;
  }

  std::int64_t operand() {
    if (at_ >= tokens_.size()) refuse("a number");
    const Token& token = tokens_[at_];
    if (token.kind == TokenKind::name) {
      ++at_;
      return token.text == "true" ? 1 : 0;
    }
    std::string_view digits = token.text;
    while (!digits.empty() &&
           std::string_view("uUlL").find(digits.back()) != std::string_view::npos)
      digits.remove_suffix(1);
    int base = 10;
    if (digits.starts_with("0x") || digits.starts_with("0X")) base = 16;
    if (digits.starts_with("0b") || digits.starts_with("0B")) base = 2;
    if (base != 10) digits.remove_prefix(2);
    if (base == 10 && digits.size() > 1 && digits[0] == '0') base = 8;
    std::uint64_t value = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (token.kind != TokenKind::number || error != std::errc{} ||
        end != digits.data() + digits.size())
      refuse("a number");
    ++at_;
    return static_cast<std::int64_t>(value);
  }

  const std::vector<Token>& tokens_;
  Place where_;
  Report& report_;
  std::size_t at_ = 0;
  int depth_ = 0;
  int idle_ = 0;  ///< in an operand whose value does not matter
};

/// `defined X` and `defined(X)` as 1 and 0, so that X is not expanded.
std::vector<Token> without_defined(const std::vector<Token>& line, const Macros& macros) {
  std::vector<Token> out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (!line[i].is("defined")) {
      out.push_back(line[i]);
      continue;
    }
    const bool paren = i + 3 < line.size() && line[i + 1].is("(") && line[i + 3].is(")");
    const std::size_t name = paren ? i + 2 : i + 1;
    if (name >= line.size() || line[name].kind != TokenKind::name) {
      out.push_back(line[i]);
      continue;
    }
    Token value = line[i];
    value.kind = TokenKind::number;
    value.text = macros.find(line[name].text) != nullptr ? "1" : "0";
    out.push_back(std::move(value));
    i = paren ? i + 3 : i + 1;
  }
  return out;
}

}  // namespace

std::optional<bool> condition_holds(const std::vector<Token>& line, const Place& where,
                                    const Macros& macros, Expander& expander, Report& report) {
  const std::vector<Token> tokens = expander.expand(without_defined(line, macros));
  try {
    return Condition(tokens, where, report).whole() != 0;
  } catch (const Wrong&) {
    return std::nullopt;
  }
}

}  // namespace horae::p4lang
