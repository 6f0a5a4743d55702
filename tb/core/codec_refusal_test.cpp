// Bytes that are no frame, and frames that have no bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>

#include "codec_frames.hpp"
#include "horae/core/error.hpp"

namespace horae::codec_refusal_test {
namespace {

using namespace codec_frames;

TEST(Codec, EveryTruncationIsRefused) {
  RandomStream random(11, "truncate");
  for (const Opcode opcode : known_opcodes()) {
    for (const bool ipv6 : {false, true}) {
      for (const bool vlan : {false, true}) {
        const auto bytes = encode(random_frame(random, {opcode, ipv6, vlan, 33}));
        for (std::size_t n = 0; n < bytes.size(); ++n) {
          // A copy of its own, so that a read past the end is one past an allocation.
          const ByteVector part(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n));
          EXPECT_THROW(decode(part), InputError) << n << " of " << bytes.size();
          EXPECT_THROW(decode(part, {.fcs = true}), InputError);
        }
      }
    }
  }
}

// A shortened datagram of consistent lengths must not eat the ICRC or the header that its
// opcode promises, or end within a word.
TEST(Codec, ConsistentLengthsTooShortForTheHeadersAreRefused) {
  RandomStream random(12, "short");
  for (const Opcode opcode : known_opcodes()) {
    for (const std::size_t udp_length :
         {0, 7, 8, 19, 20, 23, 24, 25, 28, 32, 36, 40, 41, 42, 43, 44}) {
      auto bytes = encode(random_frame(random, {.opcode = opcode, .ipv6 = true, .payload = 64}));
      bytes.resize(wire::ethernet + wire::ipv6 + udp_length);
      bytes[wire::ethernet + 5] = static_cast<std::uint8_t>(udp_length);
      if (udp_length >= 8) {
        bytes[wire::ethernet + wire::ipv6 + 5] = static_cast<std::uint8_t>(udp_length);
      }
      const auto h = extension_headers(opcode);
      const std::size_t needed = wire::udp + wire::bth + wire::icrc + (h.reth ? wire::reth : 0) +
                                 (h.aeth ? wire::aeth : 0) + (h.immediate ? wire::immediate : 0) +
                                 (h.cnp_reserved ? wire::cnp_padding : 0);
      if (udp_length < needed || udp_length % 4 != 0) {
        EXPECT_THROW(decode(bytes), InputError) << udp_length;
      } else {
        EXPECT_FALSE(decode(bytes).icrc_valid) << udp_length;
      }
    }
  }
}

TEST(Codec, AnyBytesAtAllEndInAFrameOrAnInputError) {
  RandomStream random(13, "fuzz");
  int accepted = 0;
  for (int i = 0; i < 10'000; ++i) {
    ByteVector bytes(random.below(200));
    for (auto& b : bytes) b = static_cast<std::uint8_t>(random.bits());
    // Most random bytes fail at the ethertype: lead some further.
    if (i % 2 == 1 && bytes.size() > 60) {
      const auto valid = encode(random_frame(
          random, {.opcode = static_cast<Opcode>(random.below(256)), .ipv6 = true, .payload = 88}));
      std::copy(valid.begin(), valid.begin() + 54, bytes.begin());
    }
    try {
      const auto f = decode(bytes, {.reth_on_every_write = random.chance(0.5)});
      EXPECT_LE(f.payload.size(), bytes.size());
      ++accepted;
    } catch (const InputError&) {
    }
  }
  for (int i = 0; i < 10'000; ++i) {
    const auto opcode = known_opcodes()[random.below(22)];
    auto bytes = encode(
        random_frame(random, {opcode, random.chance(0.8), random.chance(0.5), random.below(64)}));
    for (int flips = 0; flips < 3; ++flips) {
      bytes[random.below(static_cast<std::uint32_t>(bytes.size()))] =
          static_cast<std::uint8_t>(random.bits());
    }
    try {
      (void)decode(bytes);
      ++accepted;
    } catch (const InputError&) {
    }
  }
  EXPECT_GT(accepted, 1000);
}

/// The message of the InputError that decoding `bytes` ends in.
std::string refusal(const ByteVector& bytes) {
  try {
    (void)decode(bytes);
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(Codec, RefusalsNameByteFoundAndExpected) {
  const auto with = [](std::size_t at, std::uint8_t value) {
    auto bytes = captured_cnp;
    bytes[at] = value;
    return bytes;
  };
  EXPECT_EQ(refusal({1, 2, 3}), "frame byte 0: 3 bytes left, expected 14 for the Ethernet header");
  EXPECT_EQ(refusal(with(13, 0x06)),
            "frame byte 12: ethertype 0x0806, expected 0x0800 (IPv4) or 0x86dd (IPv6)");
  EXPECT_EQ(refusal(with(14, 0x46)),
            "frame byte 14: IP version 4 with a header of 24 bytes, expected version 4 with 20 "
            "bytes");
  EXPECT_EQ(refusal(with(24, 0)),
            "frame byte 24: wrong IPv4 header checksum (sum 0x9100), expected a sum of 0");
  EXPECT_EQ(refusal(with(37, 0xb8)),
            "frame byte 36: UDP destination port 4792, expected 4791 (RoCEv2)");
  EXPECT_EQ(refusal(with(39, 0x29)),
            "frame byte 38: UDP length 41, expected the 40 bytes of the IP payload");
  EXPECT_EQ(refusal(with(43, 0x30)),
            "frame byte 43: pad count 3 with 0 bytes of payload and pad, expected a multiple of 4 "
            "that holds it");
  auto tcp = uc_send_ipv6;
  tcp[20] = 6;
  EXPECT_EQ(refusal(tcp), "frame byte 20: IPv6 next header 6, expected 17 (UDP)");
  auto cut = uc_send_ipv6;
  cut.pop_back();
  EXPECT_EQ(refusal(cut),
            "frame byte 18: IPv6 payload length 44, expected at most the 43 bytes there are");
  auto short_ipv4 = captured_cnp;
  short_ipv4[17] = 61;  // of 60 bytes
  short_ipv4[25] -= 1;  // so that the checksum is right
  EXPECT_EQ(refusal(short_ipv4),
            "frame byte 16: IPv4 total length 61, expected 20 to the 60 bytes there are");
}

// Lengths that agree with each other, but leave no room for the header that the bytes before
// promise.
TEST(Codec, RefusalsNameTheHeaderThatIsCut) {
  RandomStream random(19, "cut");
  const auto cut = [&](Opcode opcode, std::size_t udp_length) {
    auto bytes = encode(random_frame(random, {.opcode = opcode, .ipv6 = true, .payload = 64}));
    bytes.resize(wire::ethernet + wire::ipv6 + udp_length);
    bytes[wire::ethernet + 5] = static_cast<std::uint8_t>(udp_length);
    bytes[wire::ethernet + wire::ipv6 + 5] = static_cast<std::uint8_t>(udp_length);
    return refusal(bytes);
  };
  EXPECT_EQ(cut(Opcode::write_only, 7),
            "frame byte 54: 7 bytes left, expected 8 for the UDP header");
  EXPECT_EQ(cut(Opcode::write_only, 19), "frame byte 62: 11 bytes left, expected 12 for the BTH");
  EXPECT_EQ(cut(Opcode::write_only, 39),
            "frame byte 74: 19 bytes left, expected 20 for the RETH and the ICRC");
  EXPECT_EQ(cut(Opcode::acknowledge, 27),
            "frame byte 74: 7 bytes left, expected 8 for the AETH and the ICRC");
  EXPECT_EQ(cut(Opcode::send_last_immediate, 27),
            "frame byte 74: 7 bytes left, expected 8 for the immediate data and the ICRC");
  EXPECT_EQ(
      cut(Opcode::cnp, 35),
      "frame byte 74: 15 bytes left, expected 20 for the reserved bytes of a CNP and the ICRC");
  EXPECT_EQ(cut(Opcode::send_only, 23), "frame byte 74: 3 bytes left, expected 4 for the ICRC");
  auto tagged = encode(random_frame(random, {.vlan = true}));
  tagged.resize(17);
  EXPECT_EQ(refusal(tagged), "frame byte 14: 3 bytes left, expected 4 for the VLAN tag");
}

TEST(Codec, FieldsThatDoNotFitAreRefused) {
  RandomStream random(14, "widths");
  const auto refused = [&](Shape shape, const std::function<void(RoceFrame&)>& change) {
    auto f = random_frame(random, shape);
    change(f);
    EXPECT_THROW(encode(f), ModelError);
  };
  refused({.vlan = true}, [](auto& f) { f.vlan->vid = 4096; });
  refused({.vlan = true}, [](auto& f) { f.vlan->pcp = 8; });
  refused({}, [](auto& f) { std::get<Ipv4Header>(f.ip).dscp = 64; });
  refused({.ipv6 = true}, [](auto& f) { std::get<Ipv6Header>(f.ip).flow_label = 1 << 20; });
  refused({}, [](auto& f) { f.bth.pad_count = 4; });
  refused({}, [](auto& f) { f.bth.pad_count = 1; });
  refused({}, [](auto& f) { f.bth.version = 16; });
  refused({}, [](auto& f) { f.bth.reserved6 = 64; });
  refused({}, [](auto& f) { f.bth.reserved7 = 128; });
  refused({.opcode = Opcode::acknowledge}, [](auto& f) { f.aeth->msn = 1 << 24; });
  refused({.opcode = Opcode::acknowledge}, [](auto& f) { f.aeth.reset(); });
  refused({.opcode = Opcode::acknowledge}, [](auto& f) { f.reth.emplace(); });
  refused({.opcode = Opcode::write_first}, [](auto& f) { f.reth.reset(); });
  refused({.opcode = Opcode::send_only}, [](auto& f) { f.immediate = 1; });
  refused({.opcode = Opcode::cnp}, [](auto& f) { f.cnp_reserved.reset(); });
  refused({}, [](auto& f) { f.payload.resize(65'480); });
}

}  // namespace
}  // namespace horae::codec_refusal_test
