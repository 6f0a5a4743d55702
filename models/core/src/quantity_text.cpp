#include "horae/core/quantity_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "horae/core/error.hpp"

namespace horae {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t size;  // in the base unit
};

/// Units largest first; the base unit (size 1) last.
struct Scale {
  std::string_view expectation;
  std::string_view base_plural;
  std::span<const Unit> units;
  int digits_after_point;  // when printing
};

constexpr std::uint64_t kilo = 1000, mega = 1000 * kilo, giga = 1000 * mega, tera = 1000 * giga;
constexpr std::uint64_t kibi = 1024, mebi = 1024 * kibi, gibi = 1024 * mebi;

constexpr Unit time_units[] = {{"s", tera}, {"ms", giga}, {"us", mega}, {"ns", kilo}, {"ps", 1}};
constexpr Unit byte_units[] = {{"GiB", gibi}, {"GB", giga}, {"MiB", mebi}, {"MB", mega},
                               {"KiB", kibi}, {"KB", kilo}, {"B", 1}};
constexpr Unit rate_units[] = {
    {"Tbps", tera}, {"Gbps", giga}, {"Mbps", mega}, {"kbps", kilo}, {"bps", 1}};
constexpr Unit frequency_units[] = {{"GHz", giga}, {"MHz", mega}, {"kHz", kilo}, {"Hz", 1}};

template <class Q>
constexpr Scale scale{};
template <>
constexpr Scale scale<Picoseconds>{"a time such as \"1.5 us\"", "picoseconds", time_units, 1};
template <>
constexpr Scale scale<Bytes>{"a size such as \"4 KiB\"", "bytes", byte_units, 0};
template <>
constexpr Scale scale<BitRate>{"a rate such as \"100 Gbps\"", "bits per second", rate_units, 1};
template <>
constexpr Scale scale<Hertz>{"a frequency such as \"1.5 GHz\"", "hertz", frequency_units, 1};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }
char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return to_lower(x) == to_lower(y); });
}

/// True for a rate in bytes per second, which no key takes: the factor is easily forgotten.
bool is_bytes_per_second(std::string_view unit) {
  if (unit.size() > 1 && std::string_view("kKMGT").find(unit[0]) != std::string_view::npos) {
    unit.remove_prefix(unit.size() > 2 && unit[1] == 'i' ? 2 : 1);
  }
  return unit == "B/s" || unit == "Bps" || unit == "Byte/s" || unit == "bytes/s";
}

std::string unit_suggestion(std::string_view name, const Scale& s) {
  if (s.units.back().name == "bps" && is_bytes_per_second(name)) {
    return ": rates are in bits per second, and 1 GB/s is 8 Gbps";
  }
  // Slips of case first: by edit distance "gbps" is as near to "kbps" as to "Gbps".
  for (const Unit& unit : s.units) {
    if (equal_ignoring_case(name, unit.name)) {
      return fmt::format(", did you mean '{}'?", unit.name);
    }
  }
  std::vector<std::string> names;
  for (const Unit& unit : s.units) names.emplace_back(unit.name);
  return suggestion(name, names);
}

std::string_view take_while(std::string_view& rest, bool (*wanted)(char)) {
  const auto end = std::find_if_not(rest.begin(), rest.end(), wanted);
  const std::string_view taken = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
  rest.remove_prefix(taken.size());
  return taken;
}

/// Takes "e6" or "E-3" in front of a unit: so many places the point is to be moved. Nothing where
/// there is no such exponent, or one beyond any quantity.
int take_exponent(std::string_view& rest) {
  if (rest.empty() || to_lower(rest[0]) != 'e') return 0;
  std::string_view after = rest.substr(1);
  const bool negative = after.starts_with('-');
  if (negative || after.starts_with('+')) after.remove_prefix(1);
  const std::string_view digits = take_while(after, is_digit);
  if (digits.empty() || digits.size() > 2) return 0;
  int exponent = 0;
  for (const char digit : digits) exponent = 10 * exponent + (digit - '0');
  rest = after;
  return negative ? -exponent : exponent;
}

/// Moves the point between two rows of digits.
void move_point(std::string& whole, std::string& fraction, int places) {
  for (; places > 0; --places) {
    whole += fraction.empty() ? '0' : fraction.front();
    if (!fraction.empty()) fraction.erase(0, 1);
  }
  for (; places < 0; ++places) {
    fraction.insert(0, 1, whole.empty() ? '0' : whole.back());
    if (!whole.empty()) whole.pop_back();
  }
}

/// The micro sign and the Greek letter are the u of "us".
std::string_view plain_unit(std::string_view unit) {
  return unit == "\u00b5s" || unit == "\u03bcs" ? "us" : unit;
}

ParsedQuantity<std::int64_t> parse_in(std::string_view text, const Scale& s) {
  const auto fail = [](std::string why) {
    return ParsedQuantity<std::int64_t>{std::nullopt, std::move(why)};
  };
  const std::string shown = fmt::format("\"{}\"", printable(text));

  std::string_view rest = text;
  take_while(rest, is_blank);
  while (!rest.empty() && is_blank(rest.back())) rest.remove_suffix(1);
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  std::string whole(take_while(rest, is_digit)), fraction;
  bool number = !whole.empty();
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    fraction = take_while(rest, is_digit);
    number = number && !fraction.empty();
  }
  move_point(whole, fraction, take_exponent(rest));
  take_while(rest, is_blank);
  rest = plain_unit(rest);
  if (!number || (!rest.empty() && (is_digit(rest[0]) || rest[0] == '.'))) {
    return fail(fmt::format("expected {}, found {}", s.expectation, shown));
  }
  if (rest.empty()) {
    return fail(fmt::format("expected {}, found {} without a unit", s.expectation, shown));
  }
  const auto unit =
      std::find_if(s.units.begin(), s.units.end(), [&](const Unit& u) { return u.name == rest; });
  if (unit == s.units.end()) {
    return fail(
        fmt::format("unknown unit '{}' in {}{}", printable(rest), shown, unit_suggestion(rest, s)));
  }

  // The fraction times the unit, as in long multiplication from the last digit: every digit left
  // behind the point must come out zero. Exact however many digits there are.
  std::uint64_t carry = 0;
  for (auto digit = fraction.rbegin(); digit != fraction.rend(); ++digit) {
    carry += static_cast<std::uint64_t>(*digit - '0') * unit->size;
    if (carry % 10 != 0) {
      return fail(fmt::format("{} is not a whole number of {}", shown, s.base_plural));
    }
    carry /= 10;
  }
  const auto limit = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) +
                     static_cast<std::uint64_t>(negative);
  detail::Wide amount = 0;
  for (const char digit : whole) {
    amount = amount * 10 + static_cast<std::uint64_t>(digit - '0') * unit->size;
    if (amount > limit) break;
  }
  amount += carry;
  if (amount > limit) {
    return fail(fmt::format("{} does not fit 64 bits of {}", shown, s.base_plural));
  }
  const auto magnitude = static_cast<std::uint64_t>(amount);
  return {static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude), {}};
}

template <class Q>
ParsedQuantity<Q> parse_as(std::string_view text) {
  auto parsed = parse_in(text, scale<Q>);
  if (!parsed) return {std::nullopt, std::move(parsed.error)};
  return {Q(*parsed.value), {}};
}

std::string print_in(std::int64_t count, const Scale& s) {
  const std::string_view sign = count < 0 ? "-" : "";
  const auto bits = static_cast<std::uint64_t>(count);
  const std::uint64_t magnitude = count < 0 ? 0 - bits : bits;
  for (const Unit& unit : s.units) {
    if (magnitude < unit.size) continue;
    const std::uint64_t whole = magnitude / unit.size;
    const std::uint64_t rest = magnitude % unit.size;
    if (rest == 0) return fmt::format("{}{} {}", sign, whole, unit.name);
    if (s.digits_after_point > 0 && rest * 10 % unit.size == 0) {
      return fmt::format("{}{}.{} {}", sign, whole, rest * 10 / unit.size, unit.name);
    }
  }
  return fmt::format("{}{} {}", sign, magnitude, s.units.back().name);
}

}  // namespace

template <>
ParsedQuantity<Picoseconds> parse_quantity(std::string_view text) {
  return parse_as<Picoseconds>(text);
}
template <>
ParsedQuantity<Bytes> parse_quantity(std::string_view text) {
  return parse_as<Bytes>(text);
}
template <>
ParsedQuantity<BitRate> parse_quantity(std::string_view text) {
  return parse_as<BitRate>(text);
}
template <>
ParsedQuantity<Hertz> parse_quantity(std::string_view text) {
  return parse_as<Hertz>(text);
}

std::string to_text(Picoseconds time) { return print_in(time.count(), scale<Picoseconds>); }
std::string to_text(Bytes bytes) { return print_in(bytes.count(), scale<Bytes>); }
std::string to_text(BitRate rate) { return print_in(rate.count(), scale<BitRate>); }
std::string to_text(Hertz frequency) { return print_in(frequency.count(), scale<Hertz>); }

template <>
std::string_view quantity_expectation<Picoseconds>() {
  return scale<Picoseconds>.expectation;
}
template <>
std::string_view quantity_expectation<Bytes>() {
  return scale<Bytes>.expectation;
}
template <>
std::string_view quantity_expectation<BitRate>() {
  return scale<BitRate>.expectation;
}
template <>
std::string_view quantity_expectation<Hertz>() {
  return scale<Hertz>.expectation;
}

std::string printable(std::string_view text, std::size_t limit) {
  std::size_t end = std::min(limit, text.size());
  const auto continues_character = [](char c) { return (static_cast<unsigned char>(c) >> 6) == 2; };
  while (end > 0 && end < text.size() && continues_character(text[end])) --end;
  std::string out;
  for (const char c : text.substr(0, end)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  if (text.size() > end) out += "...";
  return out;
}

}  // namespace horae
