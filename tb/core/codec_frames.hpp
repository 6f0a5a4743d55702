// Frames for the tests of the codec: random ones, and known ones with their checksums.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "horae/core/codec.hpp"
#include "horae/core/random.hpp"
#include "horae/core/service.hpp"

namespace horae::codec_frames {

using ByteVector = std::vector<std::uint8_t>;

inline ByteVector from_hex(std::string_view text) {
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

inline Ecn random_ecn(RandomStream& random) { return static_cast<Ecn>(random.below(4)); }

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
inline RoceFrame random_frame(RandomStream& random, const Shape& shape) {
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
  const auto headers = extension_headers(operation_of(shape.opcode), shape.reth_on_every_write);
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

inline std::vector<Opcode> known_opcodes() {
  std::vector<Opcode> all;
  for (int o = 0; o <= static_cast<int>(Opcode::fetch_add); ++o) {
    all.push_back(static_cast<Opcode>(o));
  }
  all.push_back(Opcode::cnp);
  return all;
}

// Captured on a ConnectX-4 Lx: scapy, test/contrib/roce.uts, "RoCE CNP captured on ConnectX-4 Lx".
inline const ByteVector captured_cnp = from_hex(
    "e41d2dab2bc2 7cfe90643b32 0800"
    "45c2003c718c400040119161 0a001101 0a001201"
    "000012b700280000"
    "8100ffff4000011800000000"
    "00000000000000000000000000000000"
    "82fd002a");

// A send of the unreliable connection service with two pad bytes: scapy, test/contrib/roce.uts,
// "RoCE layer", its checksums and ICRC as asserted there.
inline const ByteVector uc_send = from_hex(
    "248a07a8fa22 248a07a8fa22 0800"
    "4501004004784000 4011b4d5 c0a80007 c0a80007"
    "c00012b7002caca2"
    "2460ffff000000d300cf1710"
    "4630818be28935d90e9a95505401be885e500000"
    "78f353f3");

// The same over IPv6: scapy (fork polybassa/scapy-1), test/contrib/roce.uts, "RoCE over IPv6". A
// second implementation's answer, not a capture; masking the same fields of the GRH, which is laid
// out like IPv6, also gives the ICRCs of the two RoCEv1 packets captured there.
inline const ByteVector uc_send_ipv6 = from_hex(
    "248a07a8fa22 248a07a8fa22 86dd"
    "6e21face002c11ff"
    "20220000000000000000000000001023 20230000000000000000000000001024"
    "c00012b7002ce7c5"
    "2460ffff000000d300cf1710"
    "4630818be28935d90e9a95505401be885e500000"
    "3e5b743b");

}  // namespace horae::codec_frames
