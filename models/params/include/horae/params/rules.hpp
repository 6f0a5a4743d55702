// How the values of a field are read, limited, printed and dumped.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/core/units.hpp"
#include "horae/params/field_info.hpp"
#include "horae/params/value.hpp"

namespace horae::detail {

/// How one type of value is named, read, printed and dumped.
template <class Q>
struct Leaf;

template <>
struct Leaf<bool> {
  static constexpr std::string_view type = "flag";
  static bool read(const Value& v, std::string_view label) { return read_flag(v, label); }
  static std::string text(bool q) { return q ? "true" : "false"; }
  static nlohmann::ordered_json json(bool q) { return q; }
};

template <std::integral Q>
struct Leaf<Q> {
  static constexpr std::string_view type = "integer";
  static Q read(const Value& v, std::string_view label) {
    const std::int64_t n = read_integer(v, label, "an integer");
    const auto check = [&](bool ok, std::string_view relation, Q limit) {
      if (ok) return;
      throw input_error(v.where, std::string(label) + " = " + std::to_string(n) + " is " +
                                     std::string(relation) + " " + std::to_string(limit));
    };
    check(!std::cmp_less(n, std::numeric_limits<Q>::min()), "below the minimum",
          std::numeric_limits<Q>::min());
    check(!std::cmp_greater(n, std::numeric_limits<Q>::max()), "above the maximum",
          std::numeric_limits<Q>::max());
    return static_cast<Q>(n);
  }
  static std::string text(Q q) { return std::to_string(q); }
  static nlohmann::ordered_json json(Q q) { return q; }
};

template <>
struct Leaf<Cycles> {
  static constexpr std::string_view type = "integer";
  static Cycles read(const Value& v, std::string_view label) {
    return Cycles(read_integer(v, label, "a number of cycles"));
  }
  static std::string text(Cycles q) { return std::to_string(q.count()); }
  static nlohmann::ordered_json json(Cycles q) { return q.count(); }
};

template <>
struct Leaf<double> {
  static constexpr std::string_view type = "number";
  static double read(const Value& v, std::string_view label) { return read_number(v, label); }
  static std::string text(double q) { return number_text(q); }
  static nlohmann::ordered_json json(double q) { return q; }
};

template <>
struct Leaf<std::string> {
  static constexpr std::string_view type = "text";
  static std::string read(const Value& v, std::string_view label) {
    return read_text(v, label, "a text in quotes");
  }
  static std::string text(const std::string& q) { return q; }
  static nlohmann::ordered_json json(const std::string& q) { return q; }
};

template <class Q>
struct QuantityLeaf {
  static Q read(const Value& v, std::string_view label) {
    const auto parsed = parse_quantity<Q>(read_text(v, label, quantity_expectation<Q>()));
    if (!parsed) throw input_error(v.where, std::string(label) + ": " + parsed.error);
    return *parsed.value;
  }
  static std::string text(Q q) { return to_text(q); }
  static nlohmann::ordered_json json(Q q) { return to_text(q); }
};
template <>
struct Leaf<Picoseconds> : QuantityLeaf<Picoseconds> {
  static constexpr std::string_view type = "time";
};
template <>
struct Leaf<Bytes> : QuantityLeaf<Bytes> {
  static constexpr std::string_view type = "bytes";
};
template <>
struct Leaf<BitRate> : QuantityLeaf<BitRate> {
  static constexpr std::string_view type = "rate";
};
template <>
struct Leaf<Hertz> : QuantityLeaf<Hertz> {
  static constexpr std::string_view type = "frequency";
};

/// The rule of a plain field: its type and range.
template <class Q>
struct PlainRule {
  std::optional<Q> min, max;

  Q read(const Value& v, std::string_view label) const {
    Q q = Leaf<Q>::read(v, label);
    if (const std::string why = violation(q); !why.empty()) {
      throw input_error(v.where, std::string(label) + " = " + why);
    }
    return q;
  }
  /// "0 ps is below the minimum 1 ns", or empty.
  std::string violation(const Q& q) const {
    if constexpr (has_range<Q>) {
      if (min && q < *min) return text(q) + " is below the minimum " + text(*min);
      if (max && q > *max) return text(q) + " is above the maximum " + text(*max);
    }
    return {};
  }
  std::string text(const Q& q) const { return Leaf<Q>::text(q); }
  nlohmann::ordered_json json(const Q& q) const { return Leaf<Q>::json(q); }
  std::string type() const { return std::string(Leaf<Q>::type); }
  std::string range() const {
    if (min && max) return text(*min) + " .. " + text(*max);
    if (min) return ">= " + text(*min);
    if (max) return "<= " + text(*max);
    return {};
  }
};

/// The rule of a field with named values.
template <class E>
struct ChoiceRule {
  std::vector<std::string> names;
  std::vector<E> values;

  E read(const Value& v, std::string_view label) const {
    return values[read_choice(v, label, names)];
  }
  std::string violation(const E& e) const {
    for (const E& value : values) {
      if (value == e) return {};
    }
    return "a value without a name";
  }
  std::string text(const E& e) const {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] == e) return names[i];
    }
    throw ModelError("choice: a value without a name");
  }
  nlohmann::ordered_json json(const E& e) const { return text(e); }
  std::string type() const {
    std::string out = "choice: ";
    for (const auto& name : names) out += (&name == &names.front() ? "" : "|") + name;
    return out;
  }
  std::string range() const { return {}; }
};

/// A member of type M read, dumped and printed by the rule of its core type.
template <class M>
struct Member {
  template <class Rule>
  static M read(const Value& v, std::string_view label, const Rule& rule) {
    return rule.read(v, label);
  }
  template <class Rule>
  static std::optional<nlohmann::ordered_json> json(const M& m, const Rule& rule) {
    return rule.json(m);
  }
  template <class Rule>
  static std::string text(const M& m, const Rule& rule) {
    return rule.text(m);
  }
  template <class Rule>
  static std::string violation(const M& m, const Rule& rule) {
    return rule.violation(m);
  }
  static std::string type(std::string core) { return core; }
};

template <class M>
struct Member<Located<M>> {
  template <class Rule>
  static Located<M> read(const Value& v, std::string_view label, const Rule& rule) {
    return {Member<M>::read(v, label, rule), v.where};
  }
  template <class Rule>
  static std::optional<nlohmann::ordered_json> json(const Located<M>& m, const Rule& rule) {
    return Member<M>::json(m.value, rule);
  }
  template <class Rule>
  static std::string text(const Located<M>& m, const Rule& rule) {
    return Member<M>::text(m.value, rule);
  }
  template <class Rule>
  static std::string violation(const Located<M>& m, const Rule& rule) {
    return Member<M>::violation(m.value, rule);
  }
  static std::string type(std::string core) { return Member<M>::type(std::move(core)); }
};

template <class M>
struct Member<std::optional<M>> {
  template <class Rule>
  static std::optional<M> read(const Value& v, std::string_view label, const Rule& rule) {
    return Member<M>::read(v, label, rule);
  }
  template <class Rule>
  static std::optional<nlohmann::ordered_json> json(const std::optional<M>& m, const Rule& rule) {
    if (!m) return std::nullopt;
    return Member<M>::json(*m, rule);
  }
  template <class Rule>
  static std::string text(const std::optional<M>& m, const Rule& rule) {
    return m ? Member<M>::text(*m, rule) : std::string();
  }
  template <class Rule>
  static std::string violation(const std::optional<M>& m, const Rule& rule) {
    return m ? Member<M>::violation(*m, rule) : std::string();
  }
  static std::string type(std::string core) { return Member<M>::type(std::move(core)); }
};

template <class M>
struct Member<std::vector<M>> {
  static_assert(!Core<M>::optional, "an element of a list cannot be absent");
  template <class Rule>
  static std::vector<M> read(const Value& v, std::string_view label, const Rule& rule) {
    std::vector<M> out;
    const auto& array = read_array(v, label, "an array of " + rule.type() + " values");
    for (std::size_t i = 0; i < array.size(); ++i) {
      out.push_back(
          Member<M>::read(*array[i], std::string(label) + "[" + std::to_string(i) + "]", rule));
    }
    return out;
  }
  template <class Rule>
  static std::optional<nlohmann::ordered_json> json(const std::vector<M>& m, const Rule& rule) {
    auto out = nlohmann::ordered_json::array();
    for (const auto& element : m) out.push_back(*Member<M>::json(element, rule));
    return out;
  }
  template <class Rule>
  static std::string text(const std::vector<M>& m, const Rule& rule) {
    std::string out = "[";
    for (const auto& element : m) {
      if (out.size() > 1) out += ", ";
      out += Member<M>::text(element, rule);
    }
    return out + "]";
  }
  template <class Rule>
  static std::string violation(const std::vector<M>& m, const Rule& rule) {
    for (const auto& element : m) {
      if (auto why = Member<M>::violation(element, rule); !why.empty()) return why;
    }
    return {};
  }
  static std::string type(std::string core) {
    return "list of " + Member<M>::type(std::move(core));
  }
};

}  // namespace horae::detail
