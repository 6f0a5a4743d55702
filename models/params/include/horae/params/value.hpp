// The nodes of a document, for params' own parts.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "horae/params/location.hpp"

namespace horae::detail {

struct Value;
using ValuePtr = std::shared_ptr<Value>;

/// A key of a table with the place of the key itself.
struct Entry {
  std::string key;
  Location where;
  ValuePtr value;
};

/// A TOML date or time: no parameter is one, so only its text is kept.
struct DateText {
  std::string text;
};

/// A node of a document, with overrides applied. Tables keep the order of the document.
struct Value {
  using Array = std::vector<ValuePtr>;
  using Table = std::vector<Entry>;
  std::variant<bool, std::int64_t, double, std::string, DateText, Array, Table> data;
  Location where;
  /// The words of an override, which a text field takes as they are (`--set name=100`).
  std::optional<std::string> words;
};

const Entry* find_entry(const Value& table, std::string_view key);

/// "integer 100", "text \"abc\"", "array", "table" ...
std::string found(const Value& value);
[[noreturn]] void refuse_value(const Value& value, std::string_view label,
                               std::string_view expected);

bool read_flag(const Value& value, std::string_view label);
std::int64_t read_integer(const Value& value, std::string_view label, std::string_view expected);
double read_number(const Value& value, std::string_view label);
std::string read_text(const Value& value, std::string_view label, std::string_view expected);
const Value::Array& read_array(const Value& value, std::string_view label,
                               std::string_view expected);
std::string number_text(double number);
std::size_t read_choice(const Value& value, std::string_view label,
                        const std::vector<std::string>& names);

}  // namespace horae::detail
