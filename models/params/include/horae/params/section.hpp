// A table of a document.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "horae/params/location.hpp"

namespace horae {

template <class T>
class Schema;

namespace detail {
struct Value;
}  // namespace detail

/// A table of a document, with its path and where it was given; shares ownership of the document.
/// A default-constructed Section, or one for an optional table that is absent, is an empty table.
class Section {
 public:
  Section() = default;
  /// For Document and Schema: `table` holds a table or is null (absent).
  Section(std::shared_ptr<const detail::Value> table, std::string path, Location where);

  /// Whether the document has this table.
  bool exists() const { return table_ != nullptr; }
  /// "link[0].program"; empty for the root.
  const std::string& path() const { return path_; }
  /// How messages name the table: "[link.program]" or "the top level".
  std::string title() const;
  /// Where the table was given; for an absent table, where the table around it was.
  const Location& where() const { return where_; }
  /// Where the value of `key` was given; where the table was, if it has no such key.
  const Location& where(std::string_view key) const;

  /// The keys of the table, in the order of the document.
  std::vector<std::string> keys() const;
  bool has(std::string_view key) const;
  /// The table under `key`. InputError when absent or not a table.
  Section child(std::string_view key) const;
  /// The tables of the array under `key`, none when absent. InputError when something else.
  std::vector<Section> children(std::string_view key) const;
  /// The text under `key`, for choosing the schema. InputError when absent or not a text.
  std::string get_string(std::string_view key) const;

  /// An InputError that points at the value of `key`.
  InputError error(std::string_view key, std::string_view message) const;

  /// Reads the table as a T, refusing what `schema` does not allow with an InputError. The keys in
  /// `also_known` are left alone: those that chose the schema.
  template <class T>
  T read(const Schema<T>& schema, const std::vector<std::string>& also_known = {}) const;
  /// The same with `T::schema()`.
  template <class T>
  T read(const std::vector<std::string>& also_known = {}) const {
    return read<T>(T::schema(), also_known);
  }

  /// The table as the document has it, nothing checked and no defaults.
  nlohmann::ordered_json to_json() const;

  friend bool operator==(const Section& a, const Section& b);

  /// For Schema: null when absent.
  const detail::Value* table() const { return table_.get(); }

 private:
  std::shared_ptr<const detail::Value> table_;
  std::string path_;
  Location where_;
};

}  // namespace horae
