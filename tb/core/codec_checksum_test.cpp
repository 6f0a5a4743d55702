// Checksums of RoCEv2 frames: what they cover, and that they equal those of known frames.
#include <gtest/gtest.h>

#include <boost/crc.hpp>
#include <cstddef>
#include <functional>
#include <set>

#include "codec_frames.hpp"
#include "horae/core/error.hpp"

namespace horae::codec_checksum_test {
namespace {

using namespace codec_frames;

TEST(Codec, IcrcAndChecksumsEqualThoseOfKnownPackets) {
  for (const auto& bytes : {captured_cnp, uc_send, uc_send_ipv6}) {
    const RoceFrame f = decode(bytes);
    EXPECT_TRUE(f.icrc_valid);
    EXPECT_EQ(encode(f), bytes);
  }
}

// One's complement sums carry over, and what carried over may carry over again.
TEST(Codec, ChecksumsCarryTwice) {
  RandomStream random(7, "carries");
  for (int i = 0; i < 50; ++i) {
    auto frame = random_frame(random, {.opcode = Opcode::write_only, .payload = 16});
    auto& ip = std::get<Ipv4Header>(frame.ip);
    const auto sum_of = [](const ByteVector& bytes, bool with_checksum) {
      std::uint32_t sum = 0;
      for (std::size_t at = 0; at < 20; at += 2) {
        if (at == 10 && !with_checksum) continue;
        sum += static_cast<std::uint32_t>(bytes[wire::ethernet + at] << 8) |
               bytes[wire::ethernet + at + 1];
      }
      return sum;
    };
    // The identification with which the lower half of the sum is all ones.
    ip.identification = 0;
    const std::uint32_t others = sum_of(encode(frame), false);
    ip.identification = static_cast<std::uint16_t>(0xffff - (others & 0xffff));
    const auto bytes = encode(frame);
    ASSERT_GT(sum_of(bytes, false), 0x1ffffu - 1);
    std::uint32_t sum = sum_of(bytes, true);
    while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
    ASSERT_EQ(sum, 0xffffu);
  }
}

// The CRC register over a frame with its FCS ends in a constant whatever the frame, which pins the
// FCS's byte order too.
TEST(Codec, FcsHasTheResidueOfEthernet) {
  RandomStream random(5, "fcs");
  for (std::size_t payload = 0; payload < 64; ++payload) {
    const auto f = random_frame(random, {.opcode = Opcode::send_only, .payload = payload});
    const auto bytes = encode(f, {.fcs = true});
    boost::crc_optimal<32, 0x04c11db7, 0xffffffff, 0, true, true> residue;
    residue.process_bytes(bytes.data(), bytes.size());
    EXPECT_EQ(residue.checksum(), 0xdebb20e3);
    EXPECT_EQ(decode(bytes, {.fcs = true}), f);
    auto broken = bytes;
    broken[3] ^= 0x10;
    const auto read = decode(broken, {.fcs = true});
    EXPECT_FALSE(read.fcs_valid);
    EXPECT_TRUE(read.icrc_valid);
  }
}

TEST(Codec, IcrcCoversExactlyTheInvariantBits) {
  RandomStream random(6, "icrc");
  for (const bool ipv6 : {false, true}) {
    // Byte offsets in the datagram; of byte 0 of IPv6 only the low nibble.
    const std::set<std::size_t> variant = ipv6 ? std::set<std::size_t>{1, 2, 3, 7, 46, 47, 52}
                                               : std::set<std::size_t>{1, 8, 10, 11, 26, 27, 32};
    const auto bytes = encode(
        random_frame(random, {.opcode = Opcode::write_only_immediate, .ipv6 = ipv6, .payload = 9}));
    ByteVector datagram(bytes.begin() + wire::ethernet, bytes.end() - wire::icrc);
    const std::uint32_t right = icrc(datagram);
    for (std::size_t bit = 0; bit < datagram.size() * 8; ++bit) {
      const std::size_t byte = bit / 8;
      const auto flip = static_cast<std::uint8_t>(1 << bit % 8);
      const bool invariant = !variant.contains(byte) && !(ipv6 && byte == 0 && flip < 0x10);
      datagram[byte] ^= flip;
      bool changed = true;  // an IP version other than 4 and 6 has no ICRC at all
      try {
        changed = icrc(datagram) != right;
      } catch (const InputError&) {
        EXPECT_EQ(byte, 0u);
        EXPECT_GE(flip, 0x10);
      }
      EXPECT_EQ(changed, invariant)
          << "IPv" << (ipv6 ? 6 : 4) << " byte " << byte << " bit " << bit % 8;
      datagram[byte] ^= flip;
    }
  }
}

// Through the decoder: a flipped bit either makes the frame malformed, or is seen by the ICRC, or
// lies where routers and switches may write.
TEST(Codec, EveryFlippedBitIsSeenWhereItShould) {
  RandomStream random(7, "flip");
  for (const bool ipv6 : {false, true}) {
    const auto sent = random_frame(
        random, {.opcode = Opcode::write_first, .ipv6 = ipv6, .vlan = true, .payload = 64});
    const auto bytes = encode(sent);
    const std::size_t ip = wire::ethernet + wire::vlan_tag;
    const std::size_t udp = ip + (ipv6 ? wire::ipv6 : wire::ipv4);
    const std::size_t bth = udp + wire::udp;
    for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
      const std::size_t byte = bit / 8;
      auto received = bytes;
      received[byte] ^= static_cast<std::uint8_t>(1 << bit % 8);
      bool refused = false;
      bool valid = false;
      try {
        valid = decode(received).icrc_valid;
      } catch (const InputError&) {
        refused = true;
      }
      const bool ethertype = byte == 12 || byte == 13 || byte == 16 || byte == 17;
      const bool ipv4_header = !ipv6 && byte >= ip && byte < udp;  // its checksum sees all
      const bool ipv6_variant =
          ipv6 && ((byte == ip && bit % 8 < 4) || (byte > ip && byte <= ip + 3) || byte == ip + 7);
      const bool lengths =
          (ipv6 && (byte == ip + 4 || byte == ip + 5)) || byte == udp + 4 || byte == udp + 5;
      const bool constants = (ipv6 && (byte == ip + 6 || (byte == ip && bit % 8 >= 4))) ||
                             byte == udp + 2 || byte == udp + 3;
      const bool unseen =
          byte < ip || ipv6_variant || byte == udp + 6 || byte == udp + 7 || byte == bth + 4;
      if (ethertype || ipv4_header || lengths || constants) {
        EXPECT_TRUE(refused) << "byte " << byte << " bit " << bit % 8;
      } else if (!refused) {
        EXPECT_EQ(valid, unseen) << "byte " << byte << " bit " << bit % 8;
      } else {
        EXPECT_FALSE(unseen) << "byte " << byte << " bit " << bit % 8;
      }
    }
  }
}

TEST(Codec, RoutersAndSwitchesDoNotTouchTheIcrc) {
  RandomStream random(8, "routers");
  const auto icrc_bytes = [](const RoceFrame& f) {
    const auto bytes = encode(f);
    return ByteVector(bytes.end() - wire::icrc, bytes.end());
  };
  const auto sent = random_frame(random, {.payload = 256});
  const auto right = icrc_bytes(sent);
  const auto with = [&](const std::function<void(RoceFrame&)>& change) {
    RoceFrame f = sent;
    change(f);
    return icrc_bytes(f);
  };
  EXPECT_EQ(right, with([](auto& f) { --std::get<Ipv4Header>(f.ip).ttl; }));
  EXPECT_EQ(right, with([](auto& f) { std::get<Ipv4Header>(f.ip).ecn = Ecn::ce; }));
  EXPECT_EQ(right, with([](auto& f) { std::get<Ipv4Header>(f.ip).dscp ^= 63; }));
  EXPECT_EQ(right, with([](auto& f) { f.bth.fecn = !f.bth.fecn; }));
  EXPECT_EQ(right, with([](auto& f) { f.bth.becn = !f.bth.becn; }));
  EXPECT_EQ(right, with([](auto& f) { f.bth.reserved6 ^= 63; }));
  EXPECT_EQ(right, with([](auto& f) { f.ethernet = {}; }));
  EXPECT_EQ(right, with([](auto& f) { f.vlan = VlanTag{.pcp = 3}; }));
  EXPECT_NE(right, with([](auto& f) { ++f.bth.psn; }));
  EXPECT_NE(right, with([](auto& f) { ++f.udp.src_port; }));
  EXPECT_NE(right, with([](auto& f) { ++f.reth->remote_key; }));
  EXPECT_NE(right, with([](auto& f) { f.payload.back() ^= 1; }));
}

}  // namespace
}  // namespace horae::codec_checksum_test
