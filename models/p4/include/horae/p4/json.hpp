// JSON that knows where each of its values stands, for files that others wrote.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "horae/params/location.hpp"

namespace horae::p4 {

/// A value of a JSON file. Reading what is not there, or is of another kind, is an InputError
/// "file:line:column: what was found, what was expected".
class Json {
 public:
  enum class Kind : std::uint8_t { null, flag, number, text, list, object };

  /// Reads a file. InputError when it cannot be read, is no JSON, or nests deeper than 100.
  static Json load(const std::string& path);
  /// Reads a text; `name` stands for the file in messages.
  static Json parse(std::string_view text, const std::string& name);

  Kind kind() const { return kind_; }
  Location where() const;

  /// The member of an object; InputError when it is missing.
  const Json& at(std::string_view key) const;
  /// The member of an object, or nothing.
  const Json* find(std::string_view key) const;
  /// The elements of a list.
  const std::vector<Json>& list() const;
  /// The elements of a list that is the member `key`; none when there is no such member.
  const std::vector<Json>& list_at(std::string_view key) const;
  const std::string& text() const;
  /// A text that is the member `key`, or `otherwise`.
  std::string text_at(std::string_view key, const std::string& otherwise) const;
  bool flag() const;
  /// A whole number from `least` to `most`.
  std::int64_t whole(std::int64_t least, std::int64_t most) const;
  std::int64_t whole_at(std::string_view key, std::int64_t least, std::int64_t most) const {
    return at(key).whole(least, most);
  }

  /// "text \"abc\"", "a list": for messages.
  std::string described() const;

 private:
  friend class JsonReader;

  const Json& expect(Kind kind) const;

  /// Shared by all values of a file.
  struct Source {
    std::string name;
    std::vector<std::size_t> lines;  ///< where each line begins
  };

  Kind kind_ = Kind::null;
  double number_ = 0;
  bool flag_ = false;
  std::string text_;
  std::vector<Json> elements_;
  std::vector<std::string> keys_;  ///< of an object, beside its elements
  std::size_t offset_ = 0;
  std::shared_ptr<const Source> source_;
};

}  // namespace horae::p4
