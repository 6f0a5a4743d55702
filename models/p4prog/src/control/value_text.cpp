// Values as users write them.
#include <fmt/format.h>

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cctype>
#include <charconv>
#include <utility>

#include "horae/core/error.hpp"
#include "horae/p4prog/control_plane.hpp"
#include "horae/p4prog/layout.hpp"

namespace horae::p4prog {

using dataplane::BitString;
using dataplane::FieldMatch;
using dataplane::FieldPattern;
using p4lang::Integer;

namespace {

[[noreturn]] void no_value(const std::string& text) {
  throw InputError(
      fmt::format("'{}' is no value, expected a number as 12, 0x1f or 0b101, or an address", text));
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

/// A number whose digits may be stars: value and mask.
struct Starred {
  Integer value, mask;
  bool stars = false;
};

std::vector<std::string> cut(const std::string& text, char at) {
  std::vector<std::string> out(1);
  for (const char c : text) {
    if (c == at)
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}

std::optional<Integer> ipv4(const std::string& text) {
  const auto parts = cut(text, '.');
  if (parts.size() != 4) return std::nullopt;
  Integer out = 0;
  for (const std::string& p : parts) {
    unsigned n = 256;
    const auto [end, error] = std::from_chars(p.data(), p.data() + p.size(), n);
    if (error != std::errc() || end != p.data() + p.size() || n > 255) return std::nullopt;
    out = out << 8 | n;
  }
  return out;
}

std::optional<Integer> hex_groups(const std::vector<std::string>& groups, std::size_t most,
                                  unsigned bits) {
  Integer out = 0;
  for (const std::string& g : groups) {
    if (g.empty() || g.size() > most) return std::nullopt;
    unsigned n = 0;
    for (const char c : g) {
      if (digit_of(c) > 15) return std::nullopt;
      n = n << 4 | static_cast<unsigned>(digit_of(c));
    }
    out = out << bits | n;
  }
  return out;
}

/// MAC and IPv6 addresses.
std::optional<Integer> with_colons(const std::string& text) {
  const auto parts = cut(text, ':');
  if (parts.size() == 6 && std::ranges::none_of(parts, &std::string::empty))
    return hex_groups(parts, 2, 8);
  const std::size_t gap = text.find("::");
  if (gap == std::string::npos) return parts.size() == 8 ? hex_groups(parts, 4, 16) : std::nullopt;
  const auto side = [](const std::string& s) {
    return s.empty() ? std::vector<std::string>() : cut(s, ':');
  };
  auto groups = side(text.substr(0, gap));
  const auto behind = side(text.substr(gap + 2));
  if (groups.size() + behind.size() > 7) return std::nullopt;
  groups.resize(8 - behind.size(), "0");
  groups.insert(groups.end(), behind.begin(), behind.end());
  return hex_groups(groups, 4, 16);
}

Starred starred(const std::string& text) {
  Starred out;
  int base = 10;
  std::string digits = text;
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) base = 16;
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'b' || text[1] == 'B')) base = 2;
  if (base != 10) digits = text.substr(2);
  if (base == 10 && text.find('.') != std::string::npos) {
    const auto address = ipv4(text);
    if (!address) no_value(text);
    return {*address, -1, false};
  }
  if (base == 10 && text.find(':') != std::string::npos) {
    const auto address = with_colons(text);
    if (!address) no_value(text);
    return {*address, -1, false};
  }
  if (digits.empty()) no_value(text);
  if (digits == "*") return {0, 0, true};
  for (const char c : digits) {
    if (c == '_') continue;
    const bool star = c == '*' && base != 10;
    if (!star && digit_of(c) >= base) no_value(text);
    out.value = out.value * base + (star ? 0 : digit_of(c));
    out.mask = out.mask * base + (star ? 0 : base - 1);
    out.stars = out.stars || star;
  }
  return out;
}

/// `script`: ones alone may be more than the width.
BitString bits_of_number(const Integer& given, std::uint32_t bits, const std::string& text,
                         bool script = false) {
  const Integer beyond = given < 0 ? Integer(0) : Integer(given >> bits);
  const bool cut = script && beyond != 0 && (given & (given + 1)) == 0;
  const Integer value = cut ? Integer(given - (beyond << bits)) : given;
  if (value < 0 || value >> bits != 0)
    throw InputError(fmt::format("{} is wider than {} bits", text, bits));
  BitString out;
  for (std::uint32_t left = bits; left > 0;) {
    const std::uint32_t part = left % 64 == 0 ? 64 : left % 64;
    left -= part;
    out.append(static_cast<std::uint64_t>((value >> left) & ~std::uint64_t{0}), part);
  }
  return out;
}

std::optional<std::pair<std::string, std::string>> two(const std::string& text,
                                                       std::string_view between) {
  const std::size_t at = text.find(between);
  if (at == std::string::npos) return std::nullopt;
  return std::pair(text.substr(0, at), text.substr(at + between.size()));
}

Integer ones(std::uint32_t bits) { return (Integer(1) << bits) - 1; }

}  // namespace

FieldPattern pattern_of(const std::string& text, const dataplane::MatchField& field, bool script) {
  const std::uint32_t bits = field.bits;
  if (text == "_" || text == "default") return dataplane::MatchTable::any(field);
  auto range = two(text, "->");
  if (!range) range = two(text, "..");
  if (range) {
    if (field.kind != FieldMatch::range)
      throw InputError(fmt::format("{} is a range, but {} is matched otherwise", text, field.name));
    return {bits_of_number(starred(range->first).value, bits, text),
            bits_of_number(starred(range->second).value, bits, text)};
  }
  Integer value, mask = ones(bits);
  if (const auto masked = two(text, "&&&")) {
    value = starred(masked->first).value;
    mask = starred(masked->second).value;
  } else if (const auto prefix = two(text, "/")) {
    value = starred(prefix->first).value;
    const Integer length = starred(prefix->second).value;
    if (length > bits)
      throw InputError(fmt::format("{}: a prefix of {} bits of {}", text, length.str(), bits));
    mask = ones(bits) ^ ones(bits - static_cast<std::uint32_t>(length));
  } else {
    const Starred s = starred(text);
    value = s.value;
    if (s.stars) {
      // Digits that are not written are zeros.
      const auto digits = text == "*" ? 0 : static_cast<std::uint32_t>(text.size() - 2);
      const std::uint32_t written = digits * (text.size() > 1 && text[1] == 'b' ? 1u : 4u);
      mask = s.mask;
      if (text != "*" && written < bits) mask |= ones(bits) ^ ones(written);
      mask &= ones(bits);
    }
  }
  if (field.kind == FieldMatch::range) {
    if (mask == ones(bits)) {
      const BitString one = bits_of_number(value, bits, text);
      return {one, one};
    }
    if (mask == 0) return dataplane::MatchTable::any(field);
    throw InputError(fmt::format("{} has a mask, but {} is matched as a range", text, field.name));
  }
  bits_of_number(value, bits, text, script);  // refuses what is wider
  return {bits_of_number(value & mask & ones(bits), bits, text),
          bits_of_number(mask & ones(bits), bits, text)};
}

std::vector<std::uint64_t> number_of(const std::string& text, std::uint32_t bits,
                                     const p4lang::Type* type, bool script) {
  Integer value;
  bool known = text == "true" || text == "false";
  value = text == "true" ? 1 : 0;
  if (type != nullptr) {
    for (const p4lang::Member& m : type->members) {
      if (text != m.name && text != type->name + "." + m.name) continue;
      value = m.value;
      known = true;
    }
  }
  if (!known && text.size() > 1 && text[0] == '-') {
    value = (Integer(1) << bits) - starred(text.substr(1)).value;
  } else if (!known) {
    value = starred(text).value;
  }
  const BitString string = bits_of_number(value, bits, text, script);
  std::vector<std::uint64_t> out;
  for (std::uint32_t done = 0; done < bits; done += 64) {
    const std::uint32_t part = std::min(64u, bits - done);
    out.push_back(string.at(bits - done - part, part));
  }
  return out;
}

}  // namespace horae::p4prog
