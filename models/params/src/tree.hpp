// The nodes of a document.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "horae/params/value.hpp"

namespace horae::detail {

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

/// The entry of a table, or null.
const Entry* find_entry(const Value& table, std::string_view key);

/// How messages call a value: "integer 100", "text \"abc\"", "array", "table" ...
std::string found(const Value& value);

[[noreturn]] void refuse_value(const Value& value, std::string_view label,
                               std::string_view expected);

}  // namespace horae::detail
