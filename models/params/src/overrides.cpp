#include "overrides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <variant>

#include "horae/core/quantity_text.hpp"
#include "path.hpp"
#include "toml_value.hpp"

namespace horae::detail {

namespace {

void set_location(Value& value, const Location& where) {
  value.where = where;
  if (auto* table = std::get_if<Value::Table>(&value.data)) {
    for (Entry& entry : *table) {
      entry.where = where;
      set_location(*entry.value, where);
    }
  } else if (auto* array = std::get_if<Value::Array>(&value.data)) {
    for (const ValuePtr& element : *array) set_location(*element, where);
  }
}

/// A step of an override's key: into a table by name, or into an array by index.
using Step = std::variant<std::string, std::size_t>;

[[noreturn]] void refuse_override(std::string_view text, std::string_view more) {
  throw InputError(fmt::format("--set '{}': expected KEY=VALUE{}", printable(text), more));
}

bool is_bare_key_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

/// The end of the key: the first '=' outside quotes.
std::size_t find_equals(std::string_view text) {
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (text[i] == '=' && !quoted) return i;
  }
  return std::string_view::npos;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

/// Steps of `a.b[2]."c d"`; empty when malformed.
std::vector<Step> parse_key(std::string_view key) {
  std::vector<Step> steps;
  std::size_t i = 0;
  while (true) {
    if (i < key.size() && key[i] == '"') {
      const auto end = key.find('"', i + 1);
      if (end == std::string_view::npos) return {};
      steps.emplace_back(std::string(key.substr(i + 1, end - i - 1)));
      i = end + 1;
    } else {
      const auto begin = i;
      while (i < key.size() && is_bare_key_char(key[i])) ++i;
      if (i == begin) return {};
      steps.emplace_back(std::string(key.substr(begin, i - begin)));
    }
    while (i < key.size() && key[i] == '[') {
      const auto begin = ++i;
      std::size_t index = 0;
      while (i < key.size() && key[i] >= '0' && key[i] <= '9') {
        index = index * 10 + static_cast<std::size_t>(key[i] - '0');
        if (++i - begin > 9) return {};
      }
      if (i == begin || i == key.size() || key[i] != ']') return {};
      ++i;
      steps.emplace_back(index);
    }
    if (i == key.size()) return steps;
    if (key[i] != '.') return {};
    ++i;
  }
}

/// The value of an override: TOML if it is, else the bare text.
ValuePtr override_value(std::string_view text, const Location& where) {
  auto bare = std::make_shared<Value>();
  bare->data = std::string(text);
  bare->where = where;
  const bool bracketed = text.starts_with('"') || text.starts_with('\'') || text.starts_with('[') ||
                         text.starts_with('{');
  // A comment or a second line would be dropped or taken for another key.
  if (text.find('\n') != std::string_view::npos) return bare;
  if (!bracketed && text.find('#') != std::string_view::npos) return bare;
  ValuePtr value;
  try {
    value = parse_toml_value(text);
  } catch (const InputError&) {
    throw input_error(where, fmt::format("nested deeper than {}", deepest_nesting));
  }
  if (value == nullptr || std::holds_alternative<DateText>(value->data)) return bare;
  set_location(*value, where);
  if (!bracketed) value->words = std::string(text);
  return value;
}

ValuePtr make_container(const Step& next, const Location& where) {
  auto value = std::make_shared<Value>();
  value->where = where;
  if (std::holds_alternative<std::string>(next)) {
    value->data = Value::Table{};
  } else {
    value->data = Value::Array{};
  }
  return value;
}

}  // namespace

void apply_override(Value& root, std::string_view text) {
  const auto equals = find_equals(text);
  if (equals == std::string_view::npos || equals == 0) refuse_override(text, "");
  const std::string_view key = trim(text.substr(0, equals));
  const std::vector<Step> steps = parse_key(key);
  if (steps.empty() || steps.size() > deepest_nesting / 2) {
    refuse_override(text, " with a KEY such as nic.rate or link[0].delay");
  }
  const Location where{{}, 0, 0, std::string(key)};
  const ValuePtr value = override_value(trim(text.substr(equals + 1)), where);

  Value* at = &root;
  std::string path;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool last = i + 1 == steps.size();
    ValuePtr* slot = nullptr;
    if (const auto* name = std::get_if<std::string>(&steps[i])) {
      auto* table = std::get_if<Value::Table>(&at->data);
      if (table == nullptr) {
        const bool array = std::holds_alternative<Value::Array>(at->data);
        const std::string hint =
            array ? fmt::format("; say {}[0].{}", path, printable(*name)) : std::string();
        throw input_error(where, fmt::format("{} is {}, not a table{}", path, found(*at), hint));
      }
      const auto it = std::find_if(table->begin(), table->end(),
                                   [&](const Entry& e) { return e.key == *name; });
      Entry& entry = it != table->end() ? *it : table->emplace_back(Entry{*name, where, nullptr});
      if (last) entry.where = where;
      slot = &entry.value;
      path = join_path(path, *name);
    } else {
      const std::size_t index = std::get<std::size_t>(steps[i]);
      auto* array = std::get_if<Value::Array>(&at->data);
      if (array == nullptr) {
        throw input_error(where, fmt::format("{} is {}, not an array", path, found(*at)));
      }
      if (index > array->size()) {
        throw input_error(where, fmt::format("{} has {} elements, so the next index is {}", path,
                                             array->size(), array->size()));
      }
      if (index == array->size()) array->push_back(nullptr);
      slot = &(*array)[index];
      path += fmt::format("[{}]", index);
    }
    if (last) {
      *slot = value;
    } else if (*slot == nullptr) {
      *slot = make_container(steps[i + 1], where);
    }
    at = slot->get();
  }
}

}  // namespace horae::detail
