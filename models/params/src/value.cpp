#include "horae/params/value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "horae/core/quantity_text.hpp"
#include "tree.hpp"

namespace horae::detail {

const Location& place_of(const Value& value) { return value.where; }

const Entry* find_entry(const Value& table, std::string_view key) {
  for (const Entry& entry : std::get<Value::Table>(table.data)) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

namespace {

bool is_table(const Value& value) { return std::holds_alternative<Value::Table>(value.data); }

bool is_array_of_tables(const Value::Array& array) {
  return !array.empty() &&
         std::all_of(array.begin(), array.end(), [](const auto& v) { return is_table(*v); });
}

/// "1/256" with non-negative decimal numbers on both sides, or nothing.
std::optional<double> parse_fraction(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto side = [](std::string_view s) -> std::optional<double> {
    while (s.starts_with(' ')) s.remove_prefix(1);
    while (s.ends_with(' ')) s.remove_suffix(1);
    constexpr std::size_t most_digits = 15;  // exact in a double
    if (s.empty() || s.size() > most_digits) return std::nullopt;
    double number = 0;
    for (const char c : s) {
      if (c < '0' || c > '9') return std::nullopt;
      number = number * 10 + (c - '0');
    }
    return number;
  };
  const auto above = side(text.substr(0, slash));
  const auto below = side(text.substr(slash + 1));
  if (!above || !below || *below == 0) return std::nullopt;
  return *above / *below;
}

/// Digits of a number that no 64 bits with a sign hold.
bool is_above_every_integer(std::string_view text) {
  std::int64_t ignored = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ignored);
  return error == std::errc::result_out_of_range && end == text.data() + text.size() &&
         text.front() != '-';
}

}  // namespace

std::string number_text(double number) { return fmt::format("{}", number); }

std::string found(const Value& value) {
  struct Visitor {
    std::string operator()(bool flag) const { return flag ? "flag true" : "flag false"; }
    std::string operator()(std::int64_t n) const { return fmt::format("integer {}", n); }
    std::string operator()(double n) const { return fmt::format("number {}", n); }
    std::string operator()(const std::string& text) const {
      return fmt::format("text \"{}\"", printable(text));
    }
    std::string operator()(const DateText& date) const { return fmt::format("date {}", date.text); }
    std::string operator()(const Value::Array& array) const {
      return is_array_of_tables(array) ? "an array of tables" : "an array";
    }
    std::string operator()(const Value::Table&) const { return "a table"; }
  };
  return std::visit(Visitor{}, value.data);
}

void refuse_value(const Value& value, std::string_view label, std::string_view expected) {
  throw input_error(value.where,
                    fmt::format("{}: expected {}, found {}", label, expected, found(value)));
}

bool read_flag(const Value& value, std::string_view label) {
  if (const auto* flag = std::get_if<bool>(&value.data)) return *flag;
  refuse_value(value, label, "true or false");
}

std::int64_t read_integer(const Value& value, std::string_view label, std::string_view expected) {
  if (const auto* n = std::get_if<std::int64_t>(&value.data)) return *n;
  // An override of digits alone is a text only because TOML has no integer of that size.
  if (const auto* text = std::get_if<std::string>(&value.data);
      text != nullptr && is_above_every_integer(*text)) {
    throw input_error(
        value.where,
        fmt::format("{} = {} is above the maximum {}, the largest integer of TOML", label,
                    printable(*text), std::numeric_limits<std::int64_t>::max()));
  }
  refuse_value(value, label, expected);
}

double read_number(const Value& value, std::string_view label) {
  if (const auto* n = std::get_if<std::int64_t>(&value.data)) return static_cast<double>(*n);
  if (const auto* n = std::get_if<double>(&value.data); n != nullptr && std::isfinite(*n)) {
    return *n;
  }
  if (const auto* text = std::get_if<std::string>(&value.data)) {
    if (const auto n = parse_fraction(*text)) return *n;
  }
  refuse_value(value, label, "a number such as 0.25 or \"1/256\"");
}

/// A text without what a terminal would obey when it is printed; lines and tabs may be in it.
static std::string shown_text(const Value& value, std::string_view label, const std::string& text) {
  for (const char c : text) {
    const bool obeyed = (c >= 0 && c < ' ' && c != '\n' && c != '\t') || c == '\x7f';
    if (!obeyed) continue;
    throw input_error(value.where,
                      fmt::format("{}: found the control character {:#04x} in a text, expected "
                                  "characters that can be printed",
                                  label, static_cast<unsigned>(c)));
  }
  return text;
}

std::string read_text(const Value& value, std::string_view label, std::string_view expected) {
  if (const auto* text = std::get_if<std::string>(&value.data))
    return shown_text(value, label, *text);
  // `--set name=100` means the text, whatever else the words could be.
  if (value.words) return shown_text(value, label, *value.words);
  refuse_value(value, label, expected);
}

const std::vector<ValuePtr>& read_array(const Value& value, std::string_view label,
                                        std::string_view expected) {
  if (const auto* array = std::get_if<Value::Array>(&value.data)) return *array;
  refuse_value(value, label, expected);
}

std::size_t read_choice(const Value& value, std::string_view label,
                        const std::vector<std::string>& names) {
  const std::string text =
      read_text(value, label, fmt::format("one of {}", fmt::join(names, ", ")));
  const auto it = std::find(names.begin(), names.end(), text);
  if (it == names.end()) {
    throw input_error(value.where, fmt::format("{}: unknown choice '{}'{}", label, printable(text),
                                               suggestion(text, names)));
  }
  return static_cast<std::size_t>(it - names.begin());
}

}  // namespace horae::detail
