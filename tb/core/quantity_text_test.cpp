// Quantities as text, exactly.
#include "horae/core/quantity_text.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "horae/core/random.hpp"

namespace horae::quantity_text_test {
namespace {

template <class Q>
std::int64_t value(std::string_view text) {
  const auto parsed = parse_quantity<Q>(text);
  EXPECT_TRUE(parsed) << text << ": " << parsed.error;
  return parsed ? parsed.value->count() : -1;
}

template <class Q>
std::string error(std::string_view text) {
  const auto parsed = parse_quantity<Q>(text);
  EXPECT_FALSE(parsed) << text;
  return parsed.error;
}

TEST(QuantityText, EveryUnit) {
  EXPECT_EQ(value<Picoseconds>("1 ps"), 1);
  EXPECT_EQ(value<Picoseconds>("1 ns"), 1'000);
  EXPECT_EQ(value<Picoseconds>("1 us"), 1'000'000);
  EXPECT_EQ(value<Picoseconds>("1 ms"), 1'000'000'000);
  EXPECT_EQ(value<Picoseconds>("1 s"), 1'000'000'000'000);
  EXPECT_EQ(value<Bytes>("1 B"), 1);
  EXPECT_EQ(value<Bytes>("1 KB"), 1'000);
  EXPECT_EQ(value<Bytes>("1 MB"), 1'000'000);
  EXPECT_EQ(value<Bytes>("1 GB"), 1'000'000'000);
  EXPECT_EQ(value<Bytes>("1 KiB"), 1 << 10);
  EXPECT_EQ(value<Bytes>("1 MiB"), 1 << 20);
  EXPECT_EQ(value<Bytes>("1 GiB"), 1 << 30);
  EXPECT_EQ(value<BitRate>("1 bps"), 1);
  EXPECT_EQ(value<BitRate>("1 kbps"), 1'000);
  EXPECT_EQ(value<BitRate>("1 Mbps"), 1'000'000);
  EXPECT_EQ(value<BitRate>("1 Gbps"), 1'000'000'000);
  EXPECT_EQ(value<BitRate>("12.8 Tbps"), 12'800'000'000'000);
  EXPECT_EQ(value<Hertz>("1 Hz"), 1);
  EXPECT_EQ(value<Hertz>("1 kHz"), 1'000);
  EXPECT_EQ(value<Hertz>("1312.5 MHz"), 1'312'500'000);
  EXPECT_EQ(value<Hertz>("1.5 GHz"), 1'500'000'000);
}

TEST(QuantityText, BlanksSignsAndZeros) {
  EXPECT_EQ(value<BitRate>("100Gbps"), 100'000'000'000);
  EXPECT_EQ(value<BitRate>("  100 \t Gbps "), 100'000'000'000);
  EXPECT_EQ(value<Picoseconds>("-1.5 us"), -1'500'000);
  EXPECT_EQ(value<Picoseconds>("+2 ns"), 2'000);
  EXPECT_EQ(value<Picoseconds>("0 s"), 0);
  EXPECT_EQ(value<Picoseconds>("007.500 ns"), 7'500);
}

TEST(QuantityText, DecimalsAreExact) {
  EXPECT_EQ(value<Picoseconds>("1.5 us"), 1'500'000);
  EXPECT_EQ(value<Picoseconds>("0.000000000001 s"), 1);
  EXPECT_EQ(value<Picoseconds>("9007199.254740993 s"), 9'007'199'254'740'993'000);
  EXPECT_EQ(value<Picoseconds>("1." + std::string(500, '0') + " ps"), 1);
  EXPECT_EQ(value<Bytes>("0.5 KiB"), 512);
  EXPECT_EQ(value<Bytes>("0.000000000931322574615478515625 GiB"), 1);  // 2^-30
  EXPECT_EQ(error<Picoseconds>("0.3 ps"), "\"0.3 ps\" is not a whole number of picoseconds");
  EXPECT_EQ(error<Picoseconds>("1.0000000000001 s"),
            "\"1.0000000000001 s\" is not a whole number of picoseconds");
  EXPECT_EQ(error<Bytes>("0.3 KiB"), "\"0.3 KiB\" is not a whole number of bytes");
  EXPECT_EQ(error<BitRate>("0.5 bps"), "\"0.5 bps\" is not a whole number of bits per second");
  EXPECT_EQ(error<Hertz>("0.1 Hz"), "\"0.1 Hz\" is not a whole number of hertz");
}

TEST(QuantityText, EdgesOfSixtyFourBits) {
  constexpr auto top = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(value<Picoseconds>("9223372036854775807 ps"), top);
  EXPECT_EQ(value<Picoseconds>("9223372.036854775807 s"), top);
  EXPECT_EQ(value<Picoseconds>("-9223372036854775808 ps"), -top - 1);
  EXPECT_EQ(error<Picoseconds>("9223372036854775808 ps"),
            "\"9223372036854775808 ps\" does not fit 64 bits of picoseconds");
  EXPECT_EQ(error<Picoseconds>("9223372.036854775808 s"),
            "\"9223372.036854775808 s\" does not fit 64 bits of picoseconds");
  EXPECT_EQ(error<Picoseconds>("-9223372036854775809 ps"),
            "\"-9223372036854775809 ps\" does not fit 64 bits of picoseconds");
  EXPECT_FALSE(parse_quantity<BitRate>(std::string(1000, '9') + " Tbps"));
  // The largest, and a digit more.
  for (const char digit : {'0', '7'}) {
    EXPECT_FALSE(parse_quantity<Picoseconds>(std::string("9223372036854775807") + digit + " ps"));
    EXPECT_FALSE(parse_quantity<Picoseconds>(std::string("-9223372036854775808") + digit + " ps"));
  }
}

TEST(QuantityText, ExponentsMoveThePoint) {
  EXPECT_EQ(value<Picoseconds>("2e3 s"), 2'000'000'000'000'000);
  EXPECT_EQ(value<Picoseconds>("1.5e-3us"), 1'500);
  EXPECT_EQ(value<Picoseconds>("12.5E+1 ns"), 125'000);
  EXPECT_EQ(value<Picoseconds>("0.001e-9s"), 1);
  EXPECT_EQ(value<BitRate>("100e9 bps"), 100'000'000'000);
  EXPECT_EQ(error<Picoseconds>("1e9s"), "\"1e9s\" does not fit 64 bits of picoseconds");
  EXPECT_EQ(error<Picoseconds>("1e-3 ps"), "\"1e-3 ps\" is not a whole number of picoseconds");
  for (const char* text : {"1e s", "1e999 s", "e3 s", "1e3", "1e3.5 s", "1 e3 s"})
    EXPECT_FALSE(parse_quantity<Picoseconds>(text)) << text;
}

TEST(QuantityText, MicrosecondsByTheirSign) {
  EXPECT_EQ(value<Picoseconds>("1.5 \u00b5s"), 1'500'000);
  EXPECT_EQ(value<Picoseconds>("2\u03bcs"), 2'000'000);
}

TEST(QuantityText, WhatIsNoQuantity) {
  for (const char* text : {"", " ", "abc", "us", "-", "1.", ".5 us", "1..5 us", "1.5.2 us",
                           "1 5 us", "- 1 us", "--1 us", "1,5 us", "0x10 ps"}) {
    EXPECT_FALSE(parse_quantity<Picoseconds>(text)) << text;
  }
  EXPECT_EQ(error<Picoseconds>("abc"), "expected a time such as \"1.5 us\", found \"abc\"");
  EXPECT_EQ(error<Bytes>(""), "expected a size such as \"4 KiB\", found \"\"");
  EXPECT_EQ(error<BitRate>("fast"), "expected a rate such as \"100 Gbps\", found \"fast\"");
  EXPECT_EQ(error<Hertz>("1."), "expected a frequency such as \"1.5 GHz\", found \"1.\"");
  EXPECT_EQ(error<Picoseconds>("15"),
            "expected a time such as \"1.5 us\", found \"15\" without a unit");
}

TEST(QuantityText, UnknownUnitsNameTheNearest) {
  EXPECT_EQ(error<BitRate>("100 gbps"),
            "unknown unit 'gbps' in \"100 gbps\", did you mean 'Gbps'?");
  EXPECT_EQ(error<BitRate>("100 Gb/s"),
            "unknown unit 'Gb/s' in \"100 Gb/s\", did you mean 'Gbps'?");
  for (const char* unit : {"GB/s", "GBps", "GiB/s", "MB/s", "B/s"}) {
    EXPECT_EQ(error<BitRate>(std::string("100 ") + unit),
              std::string("unknown unit '") + unit + "' in \"100 " + unit +
                  "\": rates are in bits per second, and 1 GB/s is 8 Gbps");
  }
  EXPECT_EQ(error<Bytes>("4 kib"), "unknown unit 'kib' in \"4 kib\", did you mean 'KiB'?");
  EXPECT_EQ(error<Picoseconds>("1 uss"), "unknown unit 'uss' in \"1 uss\", did you mean 'us'?");
  EXPECT_EQ(error<Picoseconds>("1 minute"),
            "unknown unit 'minute' in \"1 minute\"; expected one of s, ms, us, ns, ps");
  EXPECT_EQ(error<Bytes>("4 us"),
            "unknown unit 'us' in \"4 us\"; expected one of GiB, GB, MiB, MB, KiB, KB, B");
}

TEST(QuantityText, PrintsTheLargestExactShortUnit) {
  EXPECT_EQ(to_text(100_Gbps), "100 Gbps");
  EXPECT_EQ(to_text(BitRate(12'800'000'000'000)), "12.8 Tbps");
  EXPECT_EQ(to_text(1500_ns), "1.5 us");
  EXPECT_EQ(to_text(88480_ps), "88480 ps");
  EXPECT_EQ(to_text(0_ps), "0 ps");
  EXPECT_EQ(to_text(999_ps), "999 ps");
  EXPECT_EQ(to_text(Picoseconds(-1500)), "-1.5 ns");
  EXPECT_EQ(to_text(never), "9223372036854775807 ps");
  EXPECT_EQ(to_text(4_KiB), "4 KiB");
  EXPECT_EQ(to_text(1500_B), "1500 B");
  EXPECT_EQ(to_text(Bytes(1'000'000)), "1 MB");
  EXPECT_EQ(to_text(64_MiB), "64 MiB");
  EXPECT_EQ(to_text(Hertz(1'500'000'000)), "1.5 GHz");
  EXPECT_EQ(to_text(Hertz(1'312'500'000)), "1312.5 MHz");
}

template <class Q>
void expect_round_trip(std::int64_t count) {
  const auto parsed = parse_quantity<Q>(to_text(Q(count)));
  ASSERT_TRUE(parsed) << count << ": " << parsed.error;
  EXPECT_EQ(parsed.value->count(), count) << to_text(Q(count));
}

TEST(QuantityText, ParsingWhatWasPrintedGivesTheSame) {
  constexpr auto top = std::numeric_limits<std::int64_t>::max();
  RandomStream stream(1, "quantities");
  std::vector<std::int64_t> counts{0, 1, -1, top, -top, -top - 1};
  for (int i = 0; i < 20'000; ++i) {
    auto bits =
        (static_cast<std::uint64_t>(stream.bits()) << 32 | stream.bits()) >> stream.below(64);
    // Numbers with trailing zeros too, decimal and binary.
    for (auto zeros = stream.below(13); zeros > 0; --zeros) bits *= 10;
    bits <<= stream.below(2) * stream.below(31);
    counts.push_back(static_cast<std::int64_t>(bits));
  }
  for (const auto count : counts) {
    expect_round_trip<Picoseconds>(count);
    expect_round_trip<Bytes>(count);
    expect_round_trip<BitRate>(count);
    expect_round_trip<Hertz>(count);
  }
}

TEST(QuantityText, PrintableIsOneShortLine) {
  EXPECT_EQ(printable("a\nb\x7f\t"), "a\\x0ab\\x7f\\x09");
  EXPECT_EQ(printable(std::string(61, 'x')), std::string(60, 'x') + "...");
  EXPECT_EQ(printable("aé", 2), "a...");
  EXPECT_EQ(printable("aé", 3), "aé");
  EXPECT_EQ(printable("é", 1), "...");
}

}  // namespace
}  // namespace horae::quantity_text_test
