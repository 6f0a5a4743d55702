#include "horae/core/codec/selective_report.hpp"

#include <boost/endian/conversion.hpp>

namespace horae {
namespace {

using boost::endian::endian_load;
using boost::endian::endian_store;
using boost::endian::order;

constexpr std::uint8_t trimmed_flag = 0x80;
constexpr std::uint8_t own_flag = 0x40;  // the bitmap begins with the cause
constexpr std::size_t word = 8;

}  // namespace

std::vector<std::uint8_t> bytes_of(const SelectiveReport& report) {
  std::vector<std::uint8_t> out(report.wire_bytes());
  if (out.empty()) return out;
  endian_store<std::uint32_t, 3, order::big>(out.data(), report.cause.value());
  const bool own = report.first == report.cause;
  out[3] = static_cast<std::uint8_t>((report.trimmed ? trimmed_flag : 0) | (own ? own_flag : 0));
  for (unsigned i = 0; i < report.bits; ++i) {
    if (report.test(i))
      out[SelectiveReport::head_bytes + i / 8] |= static_cast<std::uint8_t>(1u << i % 8);
  }
  return out;
}

SelectiveReport report_of(std::span<const std::uint8_t> bytes, Psn expected) {
  SelectiveReport out;
  constexpr std::size_t head = SelectiveReport::head_bytes;
  if (bytes.size() < head + word || bytes.size() > head + SelectiveReport::most_bits / 8 ||
      bytes.size() % word != head)
    return out;
  out.bits = static_cast<std::uint16_t>(8 * (bytes.size() - head));
  out.cause = Psn(endian_load<std::uint32_t, 3, order::big>(bytes.data()));
  out.trimmed = (bytes[3] & trimmed_flag) != 0;
  const Psn earliest = out.cause - (out.bits - 1);
  out.first = (bytes[3] & own_flag) != 0 ? out.cause
              : earliest.after(expected) ? earliest
                                         : expected + 1;
  for (std::size_t i = 0; i < out.bits / 64u; ++i) {
    out.received[i] = endian_load<std::uint64_t, word, order::little>(&bytes[head + word * i]);
  }
  return out;
}

}  // namespace horae
