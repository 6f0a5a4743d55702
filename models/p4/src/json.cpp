#include "horae/p4/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "text_file.hpp"

namespace horae::p4 {
namespace {

constexpr std::size_t deepest = 100;

/// Steps through a text and tells how far the parser has read.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, std::size_t* read) : at_(at), read_(read) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    ++*read_;
    return *this;
  }
  CountingIterator operator++(int) {
    const CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& o) const { return at_ == o.at_; }
  bool operator!=(const CountingIterator& o) const { return at_ != o.at_; }

 private:
  const char* at_;
  std::size_t* read_;
};

std::string_view kind_text(Json::Kind kind) {
  switch (kind) {
    case Json::Kind::null:
      return "null";
    case Json::Kind::flag:
      return "true or false";
    case Json::Kind::number:
      return "a number";
    case Json::Kind::text:
      return "a text";
    case Json::Kind::list:
      return "a list";
    case Json::Kind::object:
      return "an object";
  }
  return "";
}

Location place(const std::vector<std::size_t>& lines, const std::string& file, std::size_t offset) {
  const auto line = std::upper_bound(lines.begin(), lines.end(), offset) - lines.begin();
  const auto begin = lines[static_cast<std::size_t>(line) - 1];
  return {
      file, static_cast<std::uint32_t>(line), static_cast<std::uint32_t>(offset - begin + 1), {}};
}

}  // namespace

/// The events of the JSON parser as a tree.
class JsonReader {
 public:
  JsonReader(std::string_view text, const std::string& name) : text_(text) {
    auto source = std::make_shared<Json::Source>();
    source->name = name;
    source->lines.push_back(0);
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\n') source->lines.push_back(i + 1);
    }
    source_ = std::move(source);
  }

  Json run() {
    CountingIterator begin(text_.data(), &read_), end(text_.data() + text_.size(), &read_);
    nlohmann::json::sax_parse(begin, end, this);
    return std::move(root_);
  }

  bool null() {
    return leaf(Json::Kind::null, [](Json&) {});
  }
  bool boolean(bool v) {
    return leaf(Json::Kind::flag, [&](Json& j) { j.flag_ = v; });
  }
  bool number_integer(std::int64_t v) { return number(static_cast<double>(v)); }
  bool number_unsigned(std::uint64_t v) { return number(static_cast<double>(v)); }
  bool number_float(double v, const std::string&) { return number(v); }
  bool string(std::string& v) {
    return leaf(Json::Kind::text, [&](Json& j) { j.text_ = std::move(v); });
  }
  bool binary(nlohmann::json::binary_t&) { return false; }
  bool start_object(std::size_t) { return open(Json::Kind::object); }
  bool start_array(std::size_t) { return open(Json::Kind::list); }
  bool key(std::string& v) {
    open_.back()->keys_.push_back(std::move(v));
    return true;
  }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) {
    // The parser counts from 1 and has read what it does not like.
    const std::size_t offset = std::min(position == 0 ? 0 : position - 1, text_.size());
    const auto line = std::upper_bound(source_->lines.begin(), source_->lines.end(), offset) - 1;
    std::size_t from = std::max(*line, offset - std::min<std::size_t>(offset, 24));
    from = std::min(offset, text_.find_first_not_of(" \t", from));
    throw input_error(
        place(source_->lines, source_->name, offset),
        offset == text_.size()
            ? std::string("the file ends in the middle of a value")
            : fmt::format("no JSON at '{}'", printable(text_.substr(from, offset + 1 - from))));
  }

 private:
  bool number(double v) {
    return leaf(Json::Kind::number, [&](Json& j) { j.number_ = v; });
  }
  template <class F>
  bool leaf(Json::Kind kind, F&& fill) {
    fill(add(kind));
    return true;
  }
  bool open(Json::Kind kind) {
    if (open_.size() == deepest) {
      throw input_error(place(source_->lines, source_->name, start(kind)),
                        fmt::format("nests deeper than {}", deepest));
    }
    open_.push_back(&add(kind));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }
  Json& add(Json::Kind kind) {
    Json* json = &root_;
    if (!open_.empty()) json = &open_.back()->elements_.emplace_back();
    json->kind_ = kind;
    json->offset_ = start(kind);
    json->source_ = source_;
    return *json;
  }
  /// Where the value begins whose end was just read.
  std::size_t start(Json::Kind kind) const {
    std::size_t at = std::min(read_, text_.size());
    if (at == 0) return 0;
    --at;
    switch (kind) {
      case Json::Kind::text: {
        while (at > 0 && text_[at] != '"') --at;
        const auto quoted = [&](std::size_t i) {
          std::size_t slashes = 0;
          while (i > slashes && text_[i - slashes - 1] == '\\') ++slashes;
          return slashes % 2 == 1;
        };
        std::size_t from = at == 0 ? 0 : at - 1;
        while (from > 0 && (text_[from] != '"' || quoted(from))) --from;
        return from;
      }
      case Json::Kind::list:
      case Json::Kind::object:
        while (at > 0 && text_[at] != '{' && text_[at] != '[') --at;
        return at;
      default: {
        const auto inside = [&](std::size_t i) {
          const auto c = static_cast<unsigned char>(text_[i]);
          return std::isalnum(c) != 0 || c == '-' || c == '+' || c == '.';
        };
        while (at > 0 && !inside(at)) --at;
        while (at > 0 && inside(at - 1)) --at;
        return at;
      }
    }
  }

  std::string_view text_;
  std::size_t read_ = 0;
  std::shared_ptr<const Json::Source> source_;
  Json root_;
  // Elements of one list are added while none of them is open: pointers to open ones stay.
  std::vector<Json*> open_;
};

Json Json::parse(std::string_view text, const std::string& name) {
  return JsonReader(text, name).run();
}

Json Json::load(const std::string& path) { return parse(read_text_file(path), path); }

Location Json::where() const {
  return source_ == nullptr ? Location{} : place(source_->lines, source_->name, offset_);
}

std::string Json::described() const {
  switch (kind_) {
    case Kind::text:
      return fmt::format("text \"{}\"", printable(text_));
    case Kind::number:
      return fmt::format("{}", number_);
    case Kind::flag:
      return flag_ ? "true" : "false";
    default:
      return std::string(kind_text(kind_));
  }
}

const Json& Json::expect(Kind kind) const {
  if (kind_ != kind) {
    throw input_error(where(), fmt::format("found {}, expected {}", described(), kind_text(kind)));
  }
  return *this;
}

const Json* Json::find(std::string_view key) const {
  expect(Kind::object);
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (keys_[i] == key) return &elements_[i];
  }
  return nullptr;
}

const Json& Json::at(std::string_view key) const {
  const Json* member = find(key);
  if (member == nullptr)
    throw input_error(where(), fmt::format("expected a key '{}'{}", key, suggestion(key, keys_)));
  return *member;
}

const std::vector<Json>& Json::list() const { return expect(Kind::list).elements_; }

const std::vector<Json>& Json::list_at(std::string_view key) const {
  static const std::vector<Json> none;
  const Json* member = find(key);
  return member == nullptr || member->kind_ == Kind::null ? none : member->list();
}

const std::string& Json::text() const { return expect(Kind::text).text_; }

std::string Json::text_at(std::string_view key, const std::string& otherwise) const {
  const Json* member = find(key);
  return member == nullptr ? otherwise : member->text();
}

bool Json::flag() const { return expect(Kind::flag).flag_; }

std::int64_t Json::whole(std::int64_t least, std::int64_t most) const {
  expect(Kind::number);
  if (number_ != std::floor(number_) || number_ < static_cast<double>(least) ||
      number_ > static_cast<double>(most)) {
    throw input_error(where(), fmt::format("found {}, expected a whole number from {} to {}",
                                           described(), least, most));
  }
  return static_cast<std::int64_t>(number_);
}

}  // namespace horae::p4
