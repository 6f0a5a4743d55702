// How each type of value is named, read, printed and dumped.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "horae/core/quantity_text.hpp"
#include "horae/core/units.hpp"
#include "horae/params/dump.hpp"
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
  static void dump(bool q, nlohmann::ordered_json& out) { dump_flag(q, out); }
};

template <std::integral Q>
struct Leaf<Q> {
  static constexpr std::string_view type = "integer";
  /// `least`: of the field, so that what is below an unsigned type's too is refused with its limit.
  static Q read(const Value& v, std::string_view label, Q least = std::numeric_limits<Q>::min()) {
    const std::int64_t n = read_integer(v, label, "an integer");
    const auto check = [&](bool ok, std::string_view relation, Q limit) {
      if (ok) return;
      throw input_error(place_of(v), std::string(label) + " = " + std::to_string(n) + " is " +
                                         std::string(relation) + " " + std::to_string(limit));
    };
    check(!std::cmp_less(n, least), "below the minimum", least);
    check(!std::cmp_greater(n, std::numeric_limits<Q>::max()), "above the maximum",
          std::numeric_limits<Q>::max());
    return static_cast<Q>(n);
  }
  static std::string text(Q q) { return std::to_string(q); }
  static void dump(Q q, nlohmann::ordered_json& out) {
    if constexpr (std::signed_integral<Q>) {
      dump_integer(q, out);
    } else {
      dump_unsigned(q, out);
    }
  }
};

template <>
struct Leaf<Cycles> {
  static constexpr std::string_view type = "integer";
  static Cycles read(const Value& v, std::string_view label) {
    return Cycles(read_integer(v, label, "a number of cycles"));
  }
  static std::string text(Cycles q) { return std::to_string(q.count()); }
  static void dump(Cycles q, nlohmann::ordered_json& out) { dump_integer(q.count(), out); }
};

template <>
struct Leaf<double> {
  static constexpr std::string_view type = "number";
  static double read(const Value& v, std::string_view label) { return read_number(v, label); }
  static std::string text(double q) { return number_text(q); }
  static void dump(double q, nlohmann::ordered_json& out) { dump_number(q, out); }
};

template <>
struct Leaf<std::string> {
  static constexpr std::string_view type = "text";
  static std::string read(const Value& v, std::string_view label) {
    return read_text(v, label, "a text in quotes");
  }
  static std::string text(const std::string& q) { return q; }
  static void dump(const std::string& q, nlohmann::ordered_json& out) { dump_text(q, out); }
};

template <class Q>
struct QuantityLeaf {
  static Q read(const Value& v, std::string_view label) {
    const auto parsed = parse_quantity<Q>(read_text(v, label, quantity_expectation<Q>()));
    if (!parsed) throw input_error(place_of(v), std::string(label) + ": " + parsed.error);
    return *parsed.value;
  }
  static std::string text(Q q) { return to_text(q); }
  static void dump(Q q, nlohmann::ordered_json& out) { dump_text(to_text(q), out); }
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

}  // namespace horae::detail
