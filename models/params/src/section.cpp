#include "horae/params/section.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "path.hpp"
#include "refuse.hpp"
#include "tree.hpp"

namespace horae {

namespace {

using detail::DateText;
using detail::Entry;
using detail::Value;
using detail::ValuePtr;

bool is_table(const Value& value) { return std::holds_alternative<Value::Table>(value.data); }

nlohmann::ordered_json raw_json(const Value& value) {
  struct Visitor {
    nlohmann::ordered_json operator()(const DateText& date) const { return date.text; }
    nlohmann::ordered_json operator()(const Value::Array& array) const {
      auto out = nlohmann::ordered_json::array();
      for (const auto& element : array) out.push_back(raw_json(*element));
      return out;
    }
    nlohmann::ordered_json operator()(const Value::Table& table) const {
      auto out = nlohmann::ordered_json::object();
      for (const auto& entry : table) out[entry.key] = raw_json(*entry.value);
      return out;
    }
    nlohmann::ordered_json operator()(bool flag) const { return flag; }
    nlohmann::ordered_json operator()(std::int64_t n) const { return n; }
    nlohmann::ordered_json operator()(double n) const { return n; }
    nlohmann::ordered_json operator()(const std::string& text) const { return text; }
  };
  return std::visit(Visitor{}, value.data);
}

}  // namespace

Section::Section(std::shared_ptr<const Value> table, std::string path, Location where)
    : table_(std::move(table)), path_(std::move(path)), where_(std::move(where)) {}

std::string Section::title() const {
  return path_.empty() ? "the top level" : fmt::format("[{}]", detail::header_path(path_));
}

const Location& Section::where(std::string_view key) const {
  const Entry* entry = table_ == nullptr ? nullptr : detail::find_entry(*table_, key);
  return entry == nullptr ? where_ : entry->value->where;
}

std::vector<std::string> Section::keys() const {
  std::vector<std::string> out;
  if (table_ == nullptr) return out;
  for (const Entry& entry : std::get<Value::Table>(table_->data)) out.push_back(entry.key);
  return out;
}

bool Section::has(std::string_view key) const {
  return table_ != nullptr && detail::find_entry(*table_, key) != nullptr;
}

Section Section::child(std::string_view key) const {
  if (!has(key)) detail::refuse_missing(*this, key, "a table");
  const ValuePtr& value = detail::find_entry(*table_, key)->value;
  if (!is_table(*value)) {
    detail::refuse_value(
        *value, key,
        fmt::format("a table [{}]", detail::header_path(detail::join_path(path_, key))));
  }
  return Section(value, detail::join_path(path_, key), value->where);
}

std::vector<Section> Section::children(std::string_view key) const {
  std::vector<Section> out;
  if (!has(key)) return out;
  const Value& value = *detail::find_entry(*table_, key)->value;
  const std::string path = detail::join_path(path_, key);
  const auto& array = detail::read_array(
      value, key, fmt::format("an array of tables [[{}]]", detail::header_path(path)));
  for (std::size_t i = 0; i < array.size(); ++i) {
    if (!is_table(*array[i])) {
      detail::refuse_value(*array[i], fmt::format("{}[{}]", key, i), "a table");
    }
    out.emplace_back(array[i], fmt::format("{}[{}]", path, i), array[i]->where);
  }
  return out;
}

std::string Section::get_string(std::string_view key) const {
  if (!has(key)) detail::refuse_missing(*this, key, "");
  const Value& value = *detail::find_entry(*table_, key)->value;
  return detail::read_text(value, key, "a text in quotes");
}

InputError Section::error(std::string_view key, std::string_view message) const {
  return input_error(where(key), message);
}

nlohmann::ordered_json Section::to_json() const {
  return table_ == nullptr ? nlohmann::ordered_json::object() : raw_json(*table_);
}

bool operator==(const Section& a, const Section& b) {
  return a.exists() == b.exists() && a.to_json() == b.to_json();
}

}  // namespace horae
