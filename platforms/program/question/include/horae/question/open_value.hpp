// A value of the platform that is open: a number from 0 to 1.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "horae/question/files.hpp"

namespace horae::question {

/// Maps positions of [0, 1] to texts of the key's own type between two bounds, on its scale. Texts
/// have four significant digits, so that positions that do not matter apart are one value. Of a
/// choice each value has an equal share of [0, 1).
class OpenValue {
 public:
  /// `effective` is the platform's configuration, which says what type the key has. InputError for
  /// bounds that are none.
  OpenValue(const ParameterSpec& spec, const nlohmann::ordered_json& effective);

  const std::string& key() const { return spec_->key.value; }
  const ParameterSpec& spec() const { return *spec_; }
  /// The value at a position, which is clamped.
  std::string text(double position) const;
  /// The position of a value.
  double position(const std::string& text) const;

 private:
  enum class Kind { time, bytes, rate, frequency, integer, number, choice };

  double parse(const Located<std::string>& text, std::string_view bound) const;
  std::string print(double value) const;
  double rounded(double value) const;

  const ParameterSpec* spec_;
  Kind kind_ = Kind::number;
  double low_ = 0, high_ = 1;
};

}  // namespace horae::question
