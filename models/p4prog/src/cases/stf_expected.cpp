#include "stf_expected.hpp"

#include <fmt/format.h>

#include <string>

#include "stf_lines.hpp"

namespace horae::p4prog {

namespace {

/// The digits as bits of packets: 0, 1 and *.
std::string bits_of_digits(const std::string& digits) {
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (digits[i] == '.') {
      out += digits.substr(i + 1, bits_of_byte);
      i += bits_of_byte;
    } else if (digits[i] == '*') {
      out += "****";
    } else {
      out += fmt::format("{:04b}", std::stoul(digits.substr(i, 1), nullptr, 16));
    }
  }
  return out;
}

}  // namespace

std::string hex(const Bytes8& bytes) {
  std::string out;
  for (const std::uint8_t b : bytes) out += fmt::format("{:02x}", b);
  return out;
}

bool matches(const StfExpected& e, const std::string& came) {
  if (e.any) return true;
  const std::string wanted = bits_of_digits(e.digits), bits = bits_of_digits(came);
  if (bits.size() < wanted.size() || (e.whole && bits.size() != wanted.size())) return false;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] != '*' && wanted[i] != bits[i]) return false;
  }
  return true;
}

}  // namespace horae::p4prog
