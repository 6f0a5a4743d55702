#include "horae/params/params.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace horae {

std::string Location::text() const {
  if (!override_key.empty()) return fmt::format("--set {}", override_key);
  if (line == 0) return file;
  return fmt::format("{}:{}:{}", file, line, column);
}

InputError input_error(const Location& where, std::string_view message) {
  const std::string place = where.text();
  return InputError(place.empty() ? std::string(message) : fmt::format("{}: {}", place, message));
}

namespace detail {

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

/// The path without indices, as a header of the file names the table.
std::string header_path(std::string_view path) {
  std::string out;
  bool inside = false;
  for (const char c : path) {
    if (c == '[') inside = true;
    if (!inside) out += c;
    if (c == ']') inside = false;
  }
  return out;
}

std::string join_path(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

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

void refuse_missing(const Section& section, std::string_view key, std::string_view doc) {
  const std::string_view colon = doc.empty() ? "" : ": ";
  const std::string in = section.path().empty() ? "at" : "in";
  throw input_error(section.where(), fmt::format("missing key '{}' {} {}{}{}", key, in,
                                                 section.title(), colon, doc));
}

void refuse_unknown(const Section& section, const Entry& entry,
                    const std::vector<std::string>& valid) {
  const std::string in = section.path().empty() ? "at" : "in";
  throw input_error(entry.where, fmt::format("unknown key '{}' {} {}{}", printable(entry.key), in,
                                             section.title(), suggestion(entry.key, valid)));
}

void refuse_schema(std::string_view schema, std::string_view field, std::string_view why) {
  throw ModelError(fmt::format("schema {}: field '{}': {}", schema, field, why));
}

bool read_flag(const Value& value, std::string_view label) {
  if (const auto* flag = std::get_if<bool>(&value.data)) return *flag;
  refuse_value(value, label, "true or false");
}

std::int64_t read_integer(const Value& value, std::string_view label, std::string_view expected) {
  if (const auto* n = std::get_if<std::int64_t>(&value.data)) return *n;
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

std::string read_text(const Value& value, std::string_view label, std::string_view expected) {
  if (const auto* text = std::get_if<std::string>(&value.data)) return *text;
  // `--set name=100` means the text, whatever else the words could be.
  if (value.words) return *value.words;
  refuse_value(value, label, expected);
}

const Value::Array& read_array(const Value& value, std::string_view label,
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

Section sub_section(const Section& parent, std::string_view key) {
  if (parent.has(key)) return parent.child(key);
  return Section(nullptr, join_path(parent.path(), key), parent.where());
}

}  // namespace detail

using detail::Entry;
using detail::Value;
using detail::ValuePtr;

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
  if (!detail::is_table(*value)) {
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
    if (!detail::is_table(*array[i])) {
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
  return table_ == nullptr ? nlohmann::ordered_json::object() : detail::raw_json(*table_);
}

namespace {

/// Beyond this the recursion over a document is refused rather than risked.
constexpr int deepest_nesting = 200;

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
    out->data = detail::DateText{date.str()};
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
    const std::string assignment = fmt::format("value = {}", text);
    refuse_long_keys(assignment, {});
    const toml::table table = toml::parse(assignment, std::string_view{});
    value = from_toml(*table.get("value"), {}, 0);
  } catch (const toml::parse_error&) {
    return bare;
  } catch (const InputError&) {
    throw input_error(where, fmt::format("nested deeper than {}", deepest_nesting));
  }
  if (std::holds_alternative<detail::DateText>(value->data)) return bare;
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
        throw input_error(where,
                          fmt::format("{} is {}, not a table{}", path, detail::found(*at), hint));
      }
      const auto it = std::find_if(table->begin(), table->end(),
                                   [&](const Entry& e) { return e.key == *name; });
      Entry& entry = it != table->end() ? *it : table->emplace_back(Entry{*name, where, nullptr});
      if (last) entry.where = where;
      slot = &entry.value;
      path = detail::join_path(path, *name);
    } else {
      const std::size_t index = std::get<std::size_t>(steps[i]);
      auto* array = std::get_if<Value::Array>(&at->data);
      if (array == nullptr) {
        throw input_error(where, fmt::format("{} is {}, not an array", path, detail::found(*at)));
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

}  // namespace

Document Document::parse(std::string_view text, const std::string& name,
                         const std::vector<std::string>& overrides) {
  const ValuePtr root = parse_toml(text, name);
  for (const auto& override_text : overrides) apply_override(*root, override_text);
  return Document(Section(root, "", root->where));
}

Document Document::load(const std::string& path, const std::vector<std::string>& overrides) {
  const auto refuse = [&](std::string_view why) {
    return InputError(fmt::format("{}: cannot read: {}", path, why));
  };
  std::error_code status_error;
  if (std::filesystem::is_directory(path, status_error)) throw refuse("is a directory");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw refuse(errno != 0 ? std::strerror(errno) : "cannot open");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) throw refuse("input error");
  return parse(text, path, overrides);
}

}  // namespace horae
