// Quantities as people write them: "100 Gbps", "1.5 us", "4 KiB", "1.5 GHz".
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "horae/core/units.hpp"

namespace horae {

/// Result of `parse_quantity`: the value, or why there is none.
template <class Q>
struct ParsedQuantity {
  std::optional<Q> value;
  /// One line saying what was expected and what was found; empty when there is a value.
  std::string error;

  explicit operator bool() const { return value.has_value(); }
};

/// Reads an optionally signed decimal number, optional blanks and a unit. Exact: a value that is
/// not a whole number of the base unit, or does not fit 64 bits, is an error. `Q` is one of
/// - Picoseconds: ps, ns, us, ms, s
/// - Bytes: B, KB, MB, GB (powers of 1000), KiB, MiB, GiB (powers of 1024)
/// - BitRate: bps, kbps, Mbps, Gbps, Tbps (powers of 1000)
/// - Hertz: Hz, kHz, MHz, GHz
template <class Q>
ParsedQuantity<Q> parse_quantity(std::string_view text);
template <>
ParsedQuantity<Picoseconds> parse_quantity(std::string_view text);
template <>
ParsedQuantity<Bytes> parse_quantity(std::string_view text);
template <>
ParsedQuantity<BitRate> parse_quantity(std::string_view text);
template <>
ParsedQuantity<Hertz> parse_quantity(std::string_view text);

/// The quantity in the largest unit in which its number is at least 1 and has at most one digit
/// after the point (bytes: none). `parse_quantity` reads exactly the same quantity back.
std::string to_text(Picoseconds time);
std::string to_text(Bytes bytes);
std::string to_text(BitRate rate);
std::string to_text(Hertz frequency);

/// Words for the expected form in a message: `a time such as "1.5 us"`.
template <class Q>
std::string_view quantity_expectation();
template <>
std::string_view quantity_expectation<Picoseconds>();
template <>
std::string_view quantity_expectation<Bytes>();
template <>
std::string_view quantity_expectation<BitRate>();
template <>
std::string_view quantity_expectation<Hertz>();

/// A user's text made fit for a one-line message: control characters as \xNN, cut with "..."
/// between characters after at most `limit` bytes.
std::string printable(std::string_view text, std::size_t limit = 60);

}  // namespace horae
