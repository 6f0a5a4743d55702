#include "toml_value.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <sstream>

#include "horae/core/quantity_text.hpp"

namespace horae::detail {

namespace {

Location location_of(const toml::source_region& region, const std::string& file) {
  return {file, region.begin.line, region.begin.column, {}};
}

ValuePtr from_toml(const toml::node& node, const std::string& file, int depth) {
  auto out = std::make_shared<Value>();
  out->where = location_of(node.source(), file);
  if (depth > deepest_nesting) {
    throw input_error(out->where, fmt::format("nested deeper than {}", deepest_nesting));
  }
  if (const auto* table = node.as_table()) {
    Value::Table entries;
    for (const auto& [key, value] : *table) {
      entries.push_back({std::string(key.str()), location_of(key.source(), file),
                         from_toml(value, file, depth + 1)});
    }
    // toml++ sorts by name; messages and dumps follow the document.
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return std::pair(a.where.line, a.where.column) < std::pair(b.where.line, b.where.column);
    });
    out->data = std::move(entries);
  } else if (const auto* array = node.as_array()) {
    Value::Array elements;
    for (const auto& element : *array) elements.push_back(from_toml(element, file, depth + 1));
    out->data = std::move(elements);
  } else if (const auto* text = node.as_string()) {
    out->data = text->get();
  } else if (const auto* integer = node.as_integer()) {
    out->data = integer->get();
  } else if (const auto* number = node.as_floating_point()) {
    out->data = number->get();
  } else if (const auto* flag = node.as_boolean()) {
    out->data = flag->get();
  } else {
    std::ostringstream date;
    if (const auto* d = node.as_date()) date << d->get();
    if (const auto* t = node.as_time()) date << t->get();
    if (const auto* dt = node.as_date_time()) date << dt->get();
    out->data = DateText{date.str()};
  }
  return out;
}

/// toml++ bounds the nesting of brackets but not the length of a dotted key, whose tables it frees
/// recursively: a key long enough to end the stack is refused before it is parsed.
void refuse_long_keys(std::string_view text, const std::string& file) {
  constexpr int most_dots = 1000;
  std::uint32_t line = 1;
  int dots = 0;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') {
      ++line;
      dots = 0;
      quote = 0;
    } else if (quote != 0) {
      if (c == '\\' && quote == '"' && i + 1 < text.size() && text[i + 1] != '\n') ++i;
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == ',') {
      dots = 0;
    } else if (c == '.' && ++dots > most_dots) {
      throw input_error({file, line, 1, {}}, fmt::format("more than {} dots in a row", most_dots));
    }
  }
}

}  // namespace

ValuePtr parse_toml(std::string_view text, const std::string& file) {
  refuse_long_keys(text, file);
  try {
    const toml::table table = toml::parse(text, file);
    auto root = from_toml(table, file, 0);
    root->where = {file, 0, 0, {}};
    return root;
  } catch (const toml::parse_error& e) {
    throw input_error(location_of(e.source(), file), printable(e.description(), 300));
  }
}

ValuePtr parse_toml_value(std::string_view text) {
  const std::string assignment = fmt::format("value = {}", text);
  refuse_long_keys(assignment, {});
  try {
    const toml::table table = toml::parse(assignment, std::string_view{});
    return from_toml(*table.get("value"), {}, 0);
  } catch (const toml::parse_error&) {
    return nullptr;
  }
}

}  // namespace horae::detail
