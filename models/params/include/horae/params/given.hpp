// A document that is no file: what a program in another language hands over.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "horae/params/section.hpp"
#include "horae/params/value.hpp"

namespace horae {

/// A node of such a document. In messages its place is its path, "design.register[0].width".
class Given {
 public:
  static Given flag(std::string path, bool value);
  static Given integer(std::string path, std::int64_t value);
  static Given number(std::string path, double value);
  static Given text(std::string path, std::string value);
  static Given list(std::string path, std::vector<Given> elements);
  /// Keys with their values, each key once.
  static Given table(std::string path, std::vector<std::pair<std::string, Given>> entries);

  /// The table that it is, as the whole document. InputError for what is none.
  Section section() const;

 private:
  explicit Given(detail::ValuePtr value) : value_(std::move(value)) {}
  template <class T>
  static Given node(std::string path, T data);
  detail::ValuePtr value_;
};

}  // namespace horae
