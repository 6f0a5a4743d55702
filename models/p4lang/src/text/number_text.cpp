#include "number_text.hpp"

#include <algorithm>

namespace horae::p4lang {
namespace {

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

/// The base that a prefix stands for, taken off.
int base_of(std::string_view& text) {
  if (text.size() < 2 || text[0] != '0') return 10;
  const char c = static_cast<char>(text[1] | 0x20);
  const int base = c == 'x' ? 16 : c == 'o' ? 8 : c == 'b' ? 2 : c == 'd' ? 10 : 0;
  if (base == 0) return 10;
  text.remove_prefix(2);
  return base;
}

std::optional<Integer> digits_of(std::string_view text) {
  const auto base = static_cast<unsigned>(base_of(text));
  if (text.empty() || text.size() > most_width) return std::nullopt;
  Integer value = 0;
  bool any = false;
  std::uint64_t part = 0;  // digits are taken in pieces: a long number is not multiplied each time
  std::uint64_t scale = 1;
  for (const char c : text) {
    if (c == '_') continue;
    const int digit = digit_of(c);
    if (digit >= static_cast<int>(base)) return std::nullopt;
    any = true;
    part = part * base + static_cast<unsigned>(digit);
    scale *= base;
    if (scale < (1ULL << 56)) continue;
    value = value * scale + part;
    part = 0;
    scale = 1;
  }
  value = value * scale + part;
  return any ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<Number> number_of(std::string_view text) {
  Number out;
  const std::size_t mark = text.find_first_of("ws");
  if (mark != std::string_view::npos &&
      text.substr(0, mark).find_first_not_of("0123456789") == std::string_view::npos) {
    if (mark == 0 || mark > 8) return std::nullopt;
    for (const char c : text.substr(0, mark)) {
      out.width =
          std::min<std::uint32_t>(out.width * 10 + static_cast<unsigned>(c - '0'), 100'000'000);
    }
    if (out.width == 0) return std::nullopt;
    out.is_signed = text[mark] == 's';
    text.remove_prefix(mark + 1);
  }
  auto value = digits_of(text);
  if (!value) return std::nullopt;
  out.value = std::move(*value);
  return out;
}

}  // namespace horae::p4lang
