// Plans by which fields are taken out of bytes and packed into words.
#include "packing.hpp"

#include <algorithm>
#include <bit>

#include "horae/p4prog/code.hpp"
#include "horae/p4prog/layout.hpp"
#include "horae/p4prog/wide.hpp"

namespace horae::p4prog {
namespace {

/// A value of so many bits that is put behind `at` bits, word by word, the highest first: for each
/// word of it, by how much it is rotated to the left, where it goes, and under which mask.
template <class Part>
void in_parts(std::uint32_t at, std::uint32_t bits, Part part_of) {
  for (std::uint32_t left = bits; left > 0;) {
    const std::uint32_t part = left % 64 == 0 ? 64 : left % 64, from = (left - 1) / 64;
    const int free = 64 - static_cast<int>(at % 64), beyond = static_cast<int>(part) - free;
    const std::uint64_t mask = wide::low_mask(part);
    if (beyond <= 0) {
      part_of(from, -beyond, at / 64, mask << -beyond);
    } else {
      part_of(from, 64 - beyond, at / 64, mask >> beyond);
      part_of(from, 64 - beyond, at / 64 + 1, mask << (64 - beyond));
    }
    at += part;
    left -= part;
  }
}

}  // namespace

void pack(std::vector<std::uint64_t>& out, std::uint32_t at, std::span<const std::uint64_t> value,
          std::uint32_t bits) {
  in_parts(at, bits, [&](std::uint32_t from, int rotation, std::uint32_t to, std::uint64_t mask) {
    out[to] |= std::rotl(value[from], rotation) & mask;
  });
}

FieldWindows::FieldWindows(std::span<const FieldCode> fields) {
  for (const FieldCode& f : fields) {
    if (f.varbit || f.bits == 0 || f.at % 8 + f.bits > 64) {
      beyond.push_back(f);
      continue;
    }
    if (windows.empty() || f.at < 8 * windows.back().byte ||
        f.at + f.bits > 8 * windows.back().byte + 64)
      windows.push_back({f.at / 8, 0, 0});
    Window& window = windows.back();
    const std::uint32_t before = f.at - 8 * window.byte, behind = 64 - before - f.bits;
    parts.push_back({f.offset, behind, wide::low_mask(f.bits)});
    window.end = static_cast<std::uint32_t>(parts.size());
    window.mask |= __builtin_bswap64(wide::low_mask(f.bits) << behind);
  }
}

void PackPlan::leave_out(std::uint32_t word) {
  PackPlan rest;
  std::size_t at = 0;
  for (const std::uint32_t end : ends) {
    for (; at < end; ++at) {
      if (steps[at].word != word) rest.steps.push_back(steps[at]);
    }
    rest.ends.push_back(static_cast<std::uint32_t>(rest.steps.size()));
  }
  steps = std::move(rest.steps);
  ends = std::move(rest.ends);
}

PackPlan pack_plan(std::span<const Piece> pieces) {
  PackPlan out;
  for (const Piece& p : pieces) {
    in_parts(out.bits, p.bits,
             [&](std::uint32_t from, int rotation, std::uint32_t to, std::uint64_t mask) {
               out.steps.push_back({p.word + from, static_cast<std::uint32_t>(rotation), mask});
               out.ends.resize(std::max<std::size_t>(out.ends.size(), to + 1));
               out.ends[to] = static_cast<std::uint32_t>(out.steps.size());
             });
    out.bits += p.bits;
  }
  out.words = words_of(out.bits);
  out.ends.resize(out.words);
  return out;
}

}  // namespace horae::p4prog
