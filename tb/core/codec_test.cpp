// RoCEv2 frames as bytes.
#include "horae/core/codec.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/crc.hpp>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>

#include "horae/core/error.hpp"
#include "horae/core/random.hpp"

namespace horae {
namespace {

using ByteVector = std::vector<std::uint8_t>;

ByteVector from_hex(std::string_view text) {
  std::string digits;
  std::ranges::copy_if(text, std::back_inserter(digits), [](char c) { return c != ' '; });
  ByteVector bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    bytes.push_back(static_cast<std::uint8_t>(std::stoul(digits.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

template <std::size_t n>
void randomise(RandomStream& random, std::array<std::uint8_t, n>& bytes) {
  for (auto& b : bytes) b = static_cast<std::uint8_t>(random.bits());
}

Ecn random_ecn(RandomStream& random) { return static_cast<Ecn>(random.below(4)); }

template <class Ip>
Ip random_ip(RandomStream& random) {
  Ip ip;
  ip.dscp = static_cast<std::uint8_t>(random.below(64));
  ip.ecn = random_ecn(random);
  randomise(random, ip.src);
  randomise(random, ip.dst);
  if constexpr (std::is_same_v<Ip, Ipv4Header>) {
    ip.identification = static_cast<std::uint16_t>(random.bits());
    ip.reserved_flag = random.chance(0.5);
    ip.dont_fragment = random.chance(0.5);
    ip.ttl = static_cast<std::uint8_t>(random.bits());
  } else {
    ip.flow_label = random.bits() & 0xfffff;
    ip.hop_limit = static_cast<std::uint8_t>(random.bits());
  }
  return ip;
}

struct Shape {
  Opcode opcode = Opcode::write_only;
  bool ipv6 = false;
  bool vlan = false;
  std::size_t payload = 0;
  bool reth_on_every_write = false;
};

/// Every field random, within what `shape` and the widths allow.
RoceFrame random_frame(RandomStream& random, const Shape& shape) {
  RoceFrame f;
  randomise(random, f.ethernet.dst);
  randomise(random, f.ethernet.src);
  if (shape.vlan) {
    f.vlan = VlanTag{.pcp = static_cast<std::uint8_t>(random.below(8)),
                     .dei = random.chance(0.5),
                     .vid = static_cast<std::uint16_t>(random.below(4096))};
  }
  if (shape.ipv6) {
    f.ip = random_ip<Ipv6Header>(random);
  } else {
    f.ip = random_ip<Ipv4Header>(random);
  }
  f.udp = {.src_port = static_cast<std::uint16_t>(random.bits()),
           .checksum = static_cast<std::uint16_t>(random.bits())};
  f.bth = {.opcode = shape.opcode,
           .solicited_event = random.chance(0.5),
           .migration_request = random.chance(0.5),
           .pad_count = pad_count_of(shape.payload),
           .version = static_cast<std::uint8_t>(random.below(16)),
           .pkey = static_cast<std::uint16_t>(random.bits()),
           .fecn = random.chance(0.5),
           .becn = random.chance(0.5),
           .reserved6 = static_cast<std::uint8_t>(random.below(64)),
           .dest_qp = Qpn(random.bits()),
           .ack_request = random.chance(0.5),
           .reserved7 = static_cast<std::uint8_t>(random.below(128)),
           .psn = Psn(random.bits())};
  const auto headers = extension_headers(shape.opcode, shape.reth_on_every_write);
  if (headers.reth) {
    f.reth = Reth{.virtual_address = std::uint64_t{random.bits()} << 32 | random.bits(),
                  .remote_key = random.bits(),
                  .dma_length = random.bits()};
  }
  if (headers.aeth) {
    f.aeth = Aeth{.syndrome = static_cast<std::uint8_t>(random.bits()),
                  .msn = random.bits() & Psn::mask};
  }
  if (headers.immediate) f.immediate = random.bits();
  if (headers.cnp_reserved) randomise(random, f.cnp_reserved.emplace());
  f.payload.resize(shape.payload);
  for (auto& b : f.payload) b = static_cast<std::uint8_t>(random.bits());
  for (std::size_t i = 0; i < f.bth.pad_count; ++i) {
    f.pad[i] = static_cast<std::uint8_t>(random.bits());
  }
  return f;
}

std::vector<Opcode> known_opcodes() {
  std::vector<Opcode> all;
  for (int o = 0; o <= static_cast<int>(Opcode::fetch_add); ++o) {
    all.push_back(static_cast<Opcode>(o));
  }
  all.push_back(Opcode::cnp);
  return all;
}

// Captured on a ConnectX-4 Lx: scapy, test/contrib/roce.uts, "RoCE CNP captured on ConnectX-4 Lx".
const ByteVector captured_cnp = from_hex(
    "e41d2dab2bc2 7cfe90643b32 0800"
    "45c2003c718c400040119161 0a001101 0a001201"
    "000012b700280000"
    "8100ffff4000011800000000"
    "00000000000000000000000000000000"
    "82fd002a");

// A send of the unreliable connection service with two pad bytes: scapy, test/contrib/roce.uts,
// "RoCE layer", its checksums and ICRC as asserted there.
const ByteVector uc_send = from_hex(
    "248a07a8fa22 248a07a8fa22 0800"
    "4501004004784000 4011b4d5 c0a80007 c0a80007"
    "c00012b7002caca2"
    "2460ffff000000d300cf1710"
    "4630818be28935d90e9a95505401be885e500000"
    "78f353f3");

// The same over IPv6: scapy (fork polybassa/scapy-1), test/contrib/roce.uts, "RoCE over IPv6". A
// second implementation's answer, not a capture; masking the same fields of the GRH, which is laid
// out like IPv6, also gives the ICRCs of the two RoCEv1 packets captured there.
const ByteVector uc_send_ipv6 = from_hex(
    "248a07a8fa22 248a07a8fa22 86dd"
    "6e21face002c11ff"
    "20220000000000000000000000001023 20230000000000000000000000001024"
    "c00012b7002ce7c5"
    "2460ffff000000d300cf1710"
    "4630818be28935d90e9a95505401be885e500000"
    "3e5b743b");

TEST(Codec, IcrcAndChecksumsEqualThoseOfKnownPackets) {
  for (const auto& bytes : {captured_cnp, uc_send, uc_send_ipv6}) {
    const RoceFrame f = decode(bytes);
    EXPECT_TRUE(f.icrc_valid);
    EXPECT_EQ(encode(f), bytes);
  }
}

TEST(Codec, FieldsOfACapturedCnp) {
  const RoceFrame f = decode(captured_cnp);
  EXPECT_EQ(f.ethernet.dst, (MacAddress{0xe4, 0x1d, 0x2d, 0xab, 0x2b, 0xc2}));
  EXPECT_FALSE(f.vlan);
  const auto& ip = std::get<Ipv4Header>(f.ip);
  EXPECT_EQ(ip.dscp, 48);
  EXPECT_EQ(ip.ecn, Ecn::ect0);
  EXPECT_EQ(ip.identification, 0x718c);
  EXPECT_TRUE(ip.dont_fragment);
  EXPECT_EQ(ip.ttl, 64);
  EXPECT_EQ(ip.src, (Ipv4Address{10, 0, 17, 1}));
  EXPECT_EQ(f.bth.opcode, Opcode::cnp);
  EXPECT_TRUE(f.bth.becn);
  EXPECT_FALSE(f.bth.fecn);
  EXPECT_EQ(f.bth.dest_qp, Qpn(0x118));
  EXPECT_EQ(f.cnp_reserved, CnpReserved{});
  EXPECT_TRUE(f.payload.empty());
  EXPECT_EQ(Bytes(static_cast<std::int64_t>(captured_cnp.size()) + wire::fcs),
            frame_bytes(Opcode::cnp, 0_B));
}

TEST(Codec, UnknownOpcodeIsOpaquePayload) {
  const RoceFrame f = decode(uc_send);
  EXPECT_EQ(static_cast<int>(f.bth.opcode), 0x24);
  EXPECT_EQ(f.payload.size(), 18u);
  EXPECT_EQ(f.bth.pad_count, 2);
  EXPECT_FALSE(f.reth || f.aeth || f.immediate || f.cnp_reserved);
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

TEST(Codec, EveryHeaderComesBack) {
  RandomStream random(9, "roundtrip");
  auto opcodes = known_opcodes();
  for (const int unknown : {0x15, 0x24, 0x64, 0x80, 0xff}) {
    opcodes.push_back(static_cast<Opcode>(unknown));
  }
  for (const Opcode opcode : opcodes) {
    for (const bool ipv6 : {false, true}) {
      for (const bool vlan : {false, true}) {
        for (const bool ddp : {false, true}) {
          for (const std::size_t payload : {0, 1, 2, 3, 4, 61, 256, 1023, 4096}) {
            const auto f = random_frame(random, {opcode, ipv6, vlan, payload, ddp});
            const auto bytes = encode(f);
            const auto read = decode(bytes, {.reth_on_every_write = ddp});
            ASSERT_EQ(read, f) << "opcode " << static_cast<int>(opcode);
            ASSERT_EQ(encode(read), bytes);
            ASSERT_EQ(Bytes(static_cast<std::int64_t>(bytes.size()) + wire::fcs), frame_bytes(f));
          }
        }
      }
    }
  }
}

// Bytes of the padding to Ethernet's minimum belong to no header.
TEST(Codec, ShortFramesAreFilledUpToTheMinimum) {
  RandomStream random(10, "minimum");
  const auto f = random_frame(random, {.opcode = Opcode::send_only});
  const auto bytes = encode(f);
  EXPECT_EQ(bytes.size(), 60u);
  EXPECT_EQ(bytes[58], 0);
  EXPECT_EQ(bytes[59], 0);
  EXPECT_EQ(encode(f, {.fcs = true}).size(), 64u);
  EXPECT_EQ(decode(std::span(bytes).first(58)), f);
  auto longer = bytes;
  longer.resize(200, 0xaa);
  EXPECT_EQ(decode(longer), f);
}

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

// What a shortened datagram of consistent lengths must not do: eat the ICRC or the header that its
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

Packet random_packet(RandomStream& random, Opcode opcode, const AddressPlan& plan) {
  Packet p;
  p.src = random.below(AddressPlan::max_node + 1);
  p.dst = random.below(AddressPlan::max_node + 1);
  p.opcode = opcode;
  p.dest_qp = Qpn(random.bits());
  p.psn = Psn(random.bits());
  p.payload = static_cast<std::uint16_t>(random.below(4097));
  p.frame = static_cast<std::uint16_t>(
      frame_bytes(opcode, Bytes(p.payload), plan.encapsulation()).count());
  p.entropy = static_cast<std::uint16_t>(random.bits());
  p.ecn = random_ecn(random);
  p.traffic_class = static_cast<std::uint8_t>(random.below(8));
  p.ack_request = random.chance(0.5);
  if (has_aeth(opcode)) {
    p.syndrome = static_cast<std::uint8_t>(random.bits());
    p.msn = random.bits() & Psn::mask;
  }
  return p;
}

void expect_same_wire_fields(const Packet& a, const Packet& b) {
  EXPECT_EQ(a.src, b.src);
  EXPECT_EQ(a.dst, b.dst);
  EXPECT_EQ(a.opcode, b.opcode);
  EXPECT_EQ(a.dest_qp, b.dest_qp);
  EXPECT_EQ(a.psn, b.psn);
  EXPECT_EQ(a.msn, b.msn);
  EXPECT_EQ(a.payload, b.payload);
  EXPECT_EQ(a.frame, b.frame);
  EXPECT_EQ(a.entropy, b.entropy);
  EXPECT_EQ(a.syndrome, b.syndrome);
  EXPECT_EQ(a.ecn, b.ecn);
  EXPECT_EQ(a.traffic_class, b.traffic_class);
  EXPECT_EQ(a.ack_request, b.ack_request);
}

TEST(Codec, PacketsBecomeFramesOfTheirSizeAndComeBack) {
  RandomStream random(15, "packets");
  for (const bool ipv6 : {false, true}) {
    for (const bool vlan : {false, true}) {
      const AddressPlan plan{.ipv6 = ipv6,
                             .vlan_id = vlan ? std::optional<std::uint16_t>(17) : std::nullopt};
      for (const Opcode opcode : known_opcodes()) {
        for (int i = 0; i < 20; ++i) {
          const Packet p = random_packet(random, opcode, plan);
          const auto bytes = encode(frame_of(p, plan));
          ASSERT_EQ(bytes.size() + wire::fcs, p.frame);
          expect_same_wire_fields(packet_of(decode(bytes), plan), p);
        }
        Packet empty = random_packet(random, opcode, plan);
        empty.payload = 0;
        empty.frame =
            static_cast<std::uint16_t>(frame_bytes(opcode, 0_B, plan.encapsulation()).count());
        ASSERT_EQ(encode(frame_of(empty, plan)).size() + wire::fcs, empty.frame);
      }
    }
  }
}

TEST(Codec, AWriteLargerByARethHasOne) {
  RandomStream random(16, "ddp");
  const AddressPlan plan;
  for (const Opcode opcode : {Opcode::write_middle, Opcode::write_last}) {
    for (const std::uint16_t payload : {0, 5, 1024}) {
      Packet p = random_packet(random, opcode, plan);
      p.payload = payload;
      const auto bare = frame_bytes(opcode, Bytes(payload));
      p.frame = static_cast<std::uint16_t>(bare.count());
      EXPECT_FALSE(frame_of(p, plan).reth);
      // Below the minimum the header replaces fill bytes: 62 bytes and 16 are 78.
      p.frame = static_cast<std::uint16_t>(payload == 0 ? 78 : bare.count() + wire::reth);
      const auto f = frame_of(p, plan);
      EXPECT_EQ(f.reth, Reth{});
      const auto bytes = encode(f);
      EXPECT_EQ(bytes.size() + wire::fcs, p.frame);
      expect_same_wire_fields(packet_of(decode(bytes, {.reth_on_every_write = true}), plan), p);
      ++p.frame;
      EXPECT_THROW(frame_of(p, plan), ModelError);
    }
  }
}

TEST(Codec, AddressesOfNodes) {
  EXPECT_EQ(ipv4_of(0), (Ipv4Address{10, 0, 0, 1}));
  EXPECT_EQ(ipv4_of(0x010203), (Ipv4Address{10, 1, 2, 4}));
  EXPECT_EQ(mac_of(255), (MacAddress{2, 0, 0, 0, 1, 0}));
  EXPECT_EQ(ipv6_of(1), (Ipv6Address{0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2}));
  for (const NodeId n : {NodeId{0}, NodeId{255}, NodeId{65'535}, AddressPlan::max_node}) {
    EXPECT_EQ(node_of(ipv4_of(n)), n);
    EXPECT_EQ(node_of(ipv6_of(n)), n);
  }
  EXPECT_THROW(ipv4_of(AddressPlan::max_node + 1), ModelError);
  EXPECT_THROW(node_of(Ipv4Address{10, 0, 0, 0}), InputError);
  EXPECT_THROW(node_of(Ipv4Address{10, 255, 255, 255}), InputError);
  EXPECT_THROW(node_of(Ipv4Address{192, 168, 0, 1}), InputError);
  EXPECT_THROW(node_of(Ipv6Address{0xfe, 0x80}), InputError);
}

TEST(Codec, FramesOutsideThePlanAreNoPackets) {
  RandomStream random(17, "plan");
  const AddressPlan plan{.vlan_id = 5};
  const auto f = frame_of(random_packet(random, Opcode::write_only, plan), plan);
  EXPECT_NO_THROW(packet_of(f, plan));
  EXPECT_THROW(packet_of(f, {.vlan_id = 6}), InputError);
  EXPECT_THROW(packet_of(f, {}), InputError);
  EXPECT_THROW(packet_of(f, {.ipv6 = true, .vlan_id = 5}), InputError);
  auto unknown = f;
  unknown.bth.opcode = static_cast<Opcode>(0x64);
  unknown.reth.reset();
  EXPECT_THROW(packet_of(unknown, plan), InputError);
}

}  // namespace
}  // namespace horae
