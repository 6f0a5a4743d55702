#include "wide_ops.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "horae/p4prog/layout.hpp"
#include "horae/p4prog/wide.hpp"

namespace horae::p4prog {

namespace {

void wide_shift(std::uint64_t* d, const std::uint64_t* a, std::uint32_t bits, std::uint64_t by,
                bool left, bool fill) {
  const std::uint32_t words = words_of(bits);
  std::vector<std::uint64_t> out(words, fill ? ~std::uint64_t{0} : 0);
  wide::trim(out.data(), bits);
  if (by < bits) {
    const auto n = static_cast<std::uint32_t>(by);
    wide::copy(out.data(), left ? n : 0, a, words, left ? 0 : n, bits - n);
    if (left) {
      for (std::uint32_t i = 0; i < n; i += 64) wide::put(out.data(), i, std::min(64u, n - i), 0);
    }
  }
  std::ranges::copy(out, d);
}

void wide_multiply(std::uint64_t* d, const std::uint64_t* a, const std::uint64_t* b,
                   std::uint32_t bits) {
  const std::uint32_t words = words_of(bits);
  std::vector<std::uint64_t> out(words);
  for (std::uint32_t i = 0; i < words; ++i) {
    unsigned __int128 carry = 0;
    for (std::uint32_t j = 0; i + j < words; ++j) {
      carry += static_cast<unsigned __int128>(a[i]) * b[j] + out[i + j];
      out[i + j] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
  }
  std::ranges::copy(out, d);
  wide::trim(d, bits);
}

void wide_saturate(std::uint64_t* d, const std::uint64_t* a, const std::uint64_t* b,
                   std::uint32_t bits, bool add) {
  const std::uint32_t words = words_of(bits);
  if (add) {
    std::uint64_t over = wide::add(d, a, b, words, false, 0);
    if (bits % 64 != 0) over |= d[words - 1] >> bits % 64;
    if (over != 0) std::fill_n(d, words, ~std::uint64_t{0});
  } else if (wide::compare(a, b, words) > 0) {
    wide::add(d, a, b, words, true, 1);
  } else {
    std::fill_n(d, words, 0);
  }
  wide::trim(d, bits);
}

int signed_compare(const std::uint64_t* a, const std::uint64_t* b, std::uint32_t bits) {
  const bool negative_a = wide::sign(a, bits), negative_b = wide::sign(b, bits);
  if (negative_a != negative_b) return negative_a ? -1 : 1;
  return wide::compare(a, b, words_of(bits));
}

}  // namespace

void wide_op(const Instruction& i, std::uint64_t* w) {
  std::uint64_t* const d = &w[i.d];
  const std::uint64_t b = w[i.b];
  switch (i.op) {
    case Op::wide_add:
      wide::add(d, &w[i.a], &w[i.b], words_of(i.width), false, 0);
      wide::trim(d, i.width);
      break;
    case Op::wide_subtract:
      wide::add(d, &w[i.a], &w[i.b], words_of(i.width), true, 1);
      wide::trim(d, i.width);
      break;
    case Op::wide_multiply:
      wide_multiply(d, &w[i.a], &w[i.b], i.width);
      break;
    case Op::wide_and:
      for (std::uint32_t n = 0; n < words_of(i.width); ++n) w[i.d + n] = w[i.a + n] & w[i.b + n];
      break;
    case Op::wide_or:
      for (std::uint32_t n = 0; n < words_of(i.width); ++n) w[i.d + n] = w[i.a + n] | w[i.b + n];
      break;
    case Op::wide_xor:
      for (std::uint32_t n = 0; n < words_of(i.width); ++n) w[i.d + n] = w[i.a + n] ^ w[i.b + n];
      break;
    case Op::wide_complement:
      for (std::uint32_t n = 0; n < words_of(i.width); ++n) w[i.d + n] = ~w[i.a + n];
      wide::trim(d, i.width);
      break;
    case Op::wide_negate: {
      const std::vector<std::uint64_t> zero(words_of(i.width));
      wide::add(d, zero.data(), &w[i.a], words_of(i.width), true, 1);
      wide::trim(d, i.width);
      break;
    }
    case Op::wide_shift_left:
      wide_shift(d, &w[i.a], i.width, b, true, false);
      break;
    case Op::wide_shift_right:
      wide_shift(d, &w[i.a], i.width, b, false, false);
      break;
    case Op::wide_signed_shift_right:
      wide_shift(d, &w[i.a], i.width, b, false, wide::sign(&w[i.a], i.width));
      break;
    case Op::wide_equal:
      *d = wide::compare(&w[i.a], &w[i.b], words_of(i.width)) == 0;
      break;
    case Op::wide_not_equal:
      *d = wide::compare(&w[i.a], &w[i.b], words_of(i.width)) != 0;
      break;
    case Op::wide_less:
      *d = wide::compare(&w[i.a], &w[i.b], words_of(i.width)) < 0;
      break;
    case Op::wide_less_equal:
      *d = wide::compare(&w[i.a], &w[i.b], words_of(i.width)) <= 0;
      break;
    case Op::wide_signed_less:
      *d = signed_compare(&w[i.a], &w[i.b], i.width) < 0;
      break;
    case Op::wide_signed_less_equal:
      *d = signed_compare(&w[i.a], &w[i.b], i.width) <= 0;
      break;
    case Op::wide_saturating_add:
    case Op::wide_saturating_subtract:
      wide_saturate(d, &w[i.a], &w[i.b], i.width, i.op == Op::wide_saturating_add);
      break;
    case Op::wide_slice: {
      std::array<std::uint64_t, 64> part{};
      wide::copy(part.data(), 0, &w[i.a], i.b, i.n, i.width);
      std::copy_n(part.begin(), words_of(i.width), d);
      break;
    }
    case Op::wide_insert:
      wide::copy(d, i.n, &w[i.a], words_of(i.width), 0, i.width);
      break;
    case Op::wide_extend_sign: {
      const bool negative = wide::sign(&w[i.a], i.n);
      std::array<std::uint64_t, 64> out{};
      if (negative) out.fill(~std::uint64_t{0});
      wide::copy(out.data(), 0, &w[i.a], words_of(i.n), 0, i.n);
      std::copy_n(out.begin(), words_of(i.width), d);
      wide::trim(d, i.width);
      break;
    }
    default:
      break;
  }
}

}  // namespace horae::p4prog
