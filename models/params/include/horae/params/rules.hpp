// Permitted values of a field: any in a range, or those with names.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/params/field_info.hpp"
#include "horae/params/leaf.hpp"

namespace horae {

/// A value of a field and the name it has in a document.
template <class E>
struct Choice {
  std::string_view name;
  E value;
};

namespace detail {

/// "500 is no power of two, as 256 and 512 are"; empty for a power of two and for 0.
std::string no_power_of_two(std::uint64_t number, std::string_view text,
                            const std::function<std::string(std::uint64_t)>& text_of);

/// Integers and sizes may have to be powers of two.
template <class Q>
inline constexpr bool has_powers =
    (std::integral<Q> && !std::same_as<Q, bool>) || std::same_as<Q, Bytes>;

/// The rule of a plain field: its type and range.
template <class Q>
struct PlainRule {
  std::optional<Q> min, max;
  bool power_of_two = false;

  Q read(const Value& v, std::string_view label) const {
    Q q = [&] {
      if constexpr (std::integral<Q> && has_range<Q>) {
        if (min) return Leaf<Q>::read(v, label, *min);
      }
      return Leaf<Q>::read(v, label);
    }();
    if (const std::string why = violation(q); !why.empty()) {
      throw input_error(place_of(v), std::string(label) + " = " + why);
    }
    return q;
  }
  /// "0 ps is below the minimum 1 ns", or empty.
  std::string violation(const Q& q) const {
    if constexpr (has_range<Q>) {
      if (min && q < *min) return text(q) + " is below the minimum " + text(*min);
      if (max && q > *max) return text(q) + " is above the maximum " + text(*max);
    }
    if constexpr (has_powers<Q>) {
      if (power_of_two)
        return no_power_of_two(number(q), text(q), [this](std::uint64_t n) {
          return text(static_cast<Q>(static_cast<std::int64_t>(n)));
        });
    }
    return {};
  }
  std::string text(const Q& q) const { return Leaf<Q>::text(q); }
  void dump(const Q& q, nlohmann::ordered_json& out) const { Leaf<Q>::dump(q, out); }
  std::string type() const { return std::string(Leaf<Q>::type); }
  std::string range() const {
    return limits() + (power_of_two ? (min || max ? ", a power of two" : "a power of two") : "");
  }

 private:
  static std::uint64_t number(const Q& q) {
    if constexpr (std::integral<Q>)
      return static_cast<std::uint64_t>(q);
    else
      return static_cast<std::uint64_t>(q.count());
  }
  std::string limits() const {
    if (min && max) return text(*min) + " .. " + text(*max);
    if (min) return ">= " + text(*min);
    if (max) return "<= " + text(*max);
    return {};
  }
};

/// "choice: a|b"
std::string choice_type(const std::vector<std::string>& names);

/// The rule of a field with named values: an enum, or anything with ==. Built from a braced list of
/// names and values, or from pairs of them.
template <class E>
class ChoiceRule {
 public:
  ChoiceRule(std::initializer_list<Choice<E>> choices) {
    for (const auto& choice : choices) add(std::string(choice.name), choice.value);
  }
  ChoiceRule(const std::vector<std::pair<std::string, E>>& choices) {
    for (const auto& [name, value] : choices) add(name, value);
  }

  E read(const Value& v, std::string_view label) const {
    return static_cast<E>(values_[read_choice(v, label, names_)]);
  }
  std::string violation(const E& e) const {
    return index_of(e) < names_.size() ? std::string() : "a value without a name";
  }
  std::string text(const E& e) const {
    const std::size_t index = index_of(e);
    if (index < names_.size()) return names_[index];
    throw ModelError("choice: a value without a name");
  }
  void dump(const E& e, nlohmann::ordered_json& out) const { dump_text(text(e), out); }
  std::string type() const { return choice_type(names_); }
  std::string range() const { return {}; }

 private:
  /// Enums are kept as integers, so that all share one type of list.
  using Stored = std::conditional_t<std::is_enum_v<E>, std::int64_t, E>;

  void add(std::string name, const E& value) {
    names_.push_back(std::move(name));
    values_.push_back(static_cast<Stored>(value));
  }
  /// Index of the first that equals `e`; beyond the last when there is none.
  std::size_t index_of(const E& e) const {
    std::size_t i = 0;
    while (i < values_.size() && !(values_[i] == static_cast<Stored>(e))) ++i;
    return i;
  }

  std::vector<std::string> names_;
  std::vector<Stored> values_;
};

}  // namespace detail

}  // namespace horae
