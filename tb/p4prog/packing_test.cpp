// Bits of packets and words: packing by a plan, copying and writing over what was written.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "horae/core/random.hpp"
#include "horae/dataplane/objects/bit_string.hpp"
#include "horae/p4prog/code.hpp"
#include "horae/p4prog/layout.hpp"
#include "horae/p4prog/packet_bits.hpp"

namespace horae::p4prog::packing_test {
namespace {

std::uint64_t word(RandomStream& draw) { return std::uint64_t{draw.bits()} << 32 | draw.bits(); }

TEST(Packing, IsAsPiecesAreAppended) {
  RandomStream draw(3, "pieces");
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::uint64_t> words(40);
    for (auto& w : words) w = word(draw);  // what lies beyond a piece's width does not count
    std::vector<Piece> pieces;
    dataplane::BitString appended;
    std::uint32_t at = 0;
    for (std::uint32_t n = draw.below(6); n > 0; --n) {
      const std::uint32_t bits = 1 + draw.below(draw.below(2) == 0 ? 16 : 150);
      if (at + words_of(bits) > words.size()) break;
      pieces.push_back({at, bits, 0});
      for (std::uint32_t left = bits; left > 0;) {
        const std::uint32_t part = left % 64 == 0 ? 64 : left % 64;
        appended.append(words[at + (left - 1) / 64], part);
        left -= part;
      }
      at += words_of(bits);
    }
    const PackPlan plan = pack_plan(pieces);
    ASSERT_EQ(plan.bits, appended.bits());
    std::vector<std::uint64_t> packed(plan.words, 1);
    plan.pack(words.data(), packed.data());
    if (plan.bits > 0) {
      ASSERT_TRUE(std::ranges::equal(packed, appended.words())) << round;
    }
  }
}

/// Bits, one a place.
std::vector<bool> bits_of(std::span<const std::uint8_t> bytes, std::size_t count) {
  std::vector<bool> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back((bytes[i / 8] >> (7 - i % 8) & 1) != 0);
  return out;
}

TEST(Packing, WritersCopyAndWriteOver) {
  RandomStream draw(4, "writers");
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::uint8_t> packet(60);
    for (auto& b : packet) b = static_cast<std::uint8_t>(draw.below(256));
    PacketReader reader;
    reader.begin({}, packet, 4);
    PacketWriter writer;
    writer.begin();
    std::vector<bool> expected;
    const bool whole_bytes = draw.below(2) == 0;
    const std::uint32_t unit = whole_bytes ? 8 : 1;
    for (int n = 0; n < 4; ++n) {
      const std::uint32_t count = unit * draw.below(200 / unit),
                          from = unit * draw.below(200 / unit);
      writer.copy(reader, from, count);
      const auto all = bits_of(packet, 480);
      expected.insert(expected.end(), all.begin() + from, all.begin() + from + count);
    }
    for (int n = 0; n < 4 && expected.size() > 64; ++n) {
      const std::uint32_t count = 1 + draw.below(64);
      const auto at = draw.below(static_cast<std::uint32_t>(expected.size()) - 64);
      const std::uint64_t value = word(draw);
      writer.replace(at, value, count);
      for (std::uint32_t i = 0; i < count; ++i)
        expected[at + i] = (value >> (count - 1 - i) & 1) != 0;
    }
    ASSERT_EQ(writer.bits(), expected.size());
    ASSERT_EQ(bits_of(writer.bytes(), expected.size()), expected) << round;
  }
}

// Whatever lies between the fields, and whatever words have beyond their field's width.
TEST(Packing, FieldsAreReadAndWrittenByWindows) {
  RandomStream draw(5, "windows");
  constexpr std::uint32_t all = 480;
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::uint8_t> bytes(all / 8 + 16);
    for (auto& b : bytes) b = static_cast<std::uint8_t>(draw.below(256));
    std::vector<FieldCode> fields;
    std::uint32_t words = 0;
    for (std::uint32_t at = 0, bits = 0; at < all; at += bits) {
      bits = std::min(all - at, 1 + draw.below(draw.below(4) == 0 ? 100 : 20));
      if (draw.below(3) != 0) fields.push_back({words, bits, at});
      words += words_of(bits);
    }
    const FieldWindows windows(fields);
    const auto is_wide = [](const FieldCode& f) { return f.at % 8 + f.bits > 64; };
    ASSERT_EQ(windows.parts.size() + windows.beyond.size(), fields.size());
    ASSERT_TRUE(std::ranges::all_of(windows.beyond, is_wide));

    std::vector<std::uint64_t> values(words, 1);
    windows.read(bytes.data(), values.data());
    auto expected = bits_of(bytes, 8 * bytes.size());
    std::vector<std::uint64_t> written(words);
    for (auto& w : written) w = word(draw);
    for (const FieldCode& f : fields) {
      if (is_wide(f)) continue;
      std::uint64_t value = 0;
      for (std::uint32_t i = 0; i < f.bits; ++i) {
        value = value << 1 | (expected[f.at + i] ? 1 : 0);
        expected[f.at + i] = (written[f.offset] >> (f.bits - 1 - i) & 1) != 0;
      }
      ASSERT_EQ(values[f.offset], value) << round;
    }
    windows.write(written.data(), bytes.data());
    ASSERT_EQ(bits_of(bytes, 8 * bytes.size()), expected) << round;
  }
}

}  // namespace
}  // namespace horae::p4prog::packing_test
