#include "horae/params/json_section.hpp"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "toml_value.hpp"

namespace horae {
namespace {

using detail::Value;
using detail::ValuePtr;
using nlohmann::ordered_json;

ValuePtr value_of(const ordered_json& json, const std::string& path, int depth) {
  auto out = std::make_shared<Value>();
  out->where.file = path;
  const auto refuse = [&](std::string_view what) { return input_error(out->where, what); };
  if (depth > detail::deepest_nesting)
    throw refuse(fmt::format("nested deeper than {}", detail::deepest_nesting));
  if (json.is_object()) {
    Value::Table entries;
    entries.reserve(json.size());
    for (const auto& [key, value] : json.items()) {
      const std::string at = path + "." + key;
      entries.push_back({key, Location{at, 0, 0, {}}, value_of(value, at, depth + 1)});
    }
    out->data = std::move(entries);
  } else if (json.is_array()) {
    Value::Array elements;
    elements.reserve(json.size());
    for (std::size_t i = 0; i < json.size(); ++i)
      elements.push_back(value_of(json[i], fmt::format("{}[{}]", path, i), depth + 1));
    out->data = std::move(elements);
  } else if (json.is_string()) {
    out->data = json.get<std::string>();
  } else if (json.is_boolean()) {
    out->data = json.get<bool>();
  } else if (json.is_number_float()) {
    out->data = json.get<double>();
  } else if (json.is_number_unsigned() &&
             json.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
    throw refuse("an integer beyond 64 bits");
  } else if (json.is_number_integer()) {
    out->data = json.get<std::int64_t>();
  } else {
    throw refuse("nothing; expected a table, a list, a text, a number or a flag");
  }
  return out;
}

}  // namespace

Section section_of(const ordered_json& table, const std::string& name) {
  const ValuePtr root = value_of(table, name, 0);
  if (!table.is_object())
    throw input_error(root->where, fmt::format("{}; expected a table", detail::found(*root)));
  return {root, "", root->where};
}

}  // namespace horae
