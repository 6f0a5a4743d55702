#include "horae/params/given.hpp"

#include <fmt/format.h>

#include "tree.hpp"

namespace horae {

using detail::Value;

template <class T>
Given Given::node(std::string path, T data) {
  auto value = std::make_shared<Value>();
  value->data = std::move(data);
  value->where.file = std::move(path);
  return Given(std::move(value));
}

Given Given::flag(std::string path, bool value) { return node(std::move(path), value); }
Given Given::integer(std::string path, std::int64_t value) { return node(std::move(path), value); }
Given Given::number(std::string path, double value) { return node(std::move(path), value); }
Given Given::text(std::string path, std::string value) {
  return node(std::move(path), std::move(value));
}

Given Given::list(std::string path, std::vector<Given> elements) {
  Value::Array array;
  array.reserve(elements.size());
  for (auto& e : elements) array.push_back(std::move(e.value_));
  return node(std::move(path), std::move(array));
}

Given Given::table(std::string path, std::vector<std::pair<std::string, Given>> entries) {
  Value::Table table;
  table.reserve(entries.size());
  for (auto& [key, given] : entries) {
    const Location where = given.value_->where;
    table.push_back({std::move(key), where, std::move(given.value_)});
  }
  return node(std::move(path), std::move(table));
}

Section Given::section() const {
  if (!std::holds_alternative<Value::Table>(value_->data))
    throw input_error(value_->where, fmt::format("{}; expected a table", detail::found(*value_)));
  return {value_, "", value_->where};
}

}  // namespace horae
