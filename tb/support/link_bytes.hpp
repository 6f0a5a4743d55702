// RoCE on other links and in tunnels, byte by byte, for tests. ICRCs are made here by the rule of
// IBTA vol. 1, 7.8.1, with a CRC of zlib's, so that they do not depend on the code that is tested.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <vector>

#include "capture_bytes.hpp"

namespace horae::testing {

inline ByteString joined(std::initializer_list<ByteString> parts) {
  ByteString all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// With its ICRC, least significant byte first. `lrh` may be empty: ones in its place.
inline ByteString with_icrc(const ByteString& lrh, const ByteString& rest, bool global) {
  ByteString masked = lrh.empty() ? ByteString(8, 0xff) : lrh;
  masked[0] |= 0xf0;
  ByteString behind = rest;
  if (global) behind[0] |= 0x0f, behind[1] = behind[2] = behind[3] = behind[7] = 0xff;
  behind[(global ? 40u : 0u) + 4] = 0xff;
  masked.insert(masked.end(), behind.begin(), behind.end());
  const auto crc = ::crc32(0, masked.data(), static_cast<uInt>(masked.size()));
  return joined({lrh, rest, ByteWriter().put32(crc).bytes()});
}

struct BthFields {
  std::uint8_t opcode = 4;
  std::uint32_t dest_qp = 17, psn = 7;
};
/// BTH and a payload of zeros.
inline ByteString bth_of(const BthFields& f, std::size_t payload) {
  ByteString bytes =
      ByteWriter(true).put8(f.opcode).put8(0).put16(0xffff).put32(f.dest_qp).put32(f.psn).bytes();
  bytes.resize(bytes.size() + payload);
  return bytes;
}

/// A GID that maps 10.0.0.`last`.
inline ByteString gid_of(std::uint8_t last) {
  return {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, last};
}
/// A GRH before so many bytes of BTH and payload, which an ICRC follows.
inline ByteString grh_of(const ByteString& source, const ByteString& destination, std::size_t size,
                         std::uint32_t flow_label = 0x12345) {
  return joined(
      {ByteWriter(true).put32(6u << 28 | flow_label).put16(size + 4).put8(0x1b).put8(64).bytes(),
       source, destination});
}

inline ByteString ethernet_of(std::uint32_t type, const ByteString& tag = {}) {
  return joined({{2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1}, tag, ByteWriter(true).put16(type).bytes()});
}

/// A frame of RoCEv1 from node 0 to node 1.
inline ByteString rocev1_frame(std::size_t payload = 64, const BthFields& f = {},
                               const ByteString& tag = {}) {
  const ByteString bth = bth_of(f, payload);
  return joined({ethernet_of(0x8915, tag),
                 with_icrc({}, joined({grh_of(gid_of(1), gid_of(2), bth.size()), bth}), true)});
}

/// A packet of an InfiniBand link from LID 5 to LID 9, with GRH (node 0 to node 1) or without, and
/// two bytes in place of a VCRC.
inline ByteString infiniband_packet(bool global, std::size_t payload = 64, unsigned level = 0,
                                    const BthFields& f = {}) {
  const ByteString bth = bth_of(f, payload);
  const ByteString rest = global ? joined({grh_of(gid_of(1), gid_of(2), bth.size()), bth}) : bth;
  const ByteString lrh = ByteWriter(true)
                             .put8(0x10)
                             .put8(level << 4 | (global ? 3 : 2))
                             .put16(9)
                             .put16((8 + rest.size() + 4) / 4)
                             .put16(5)
                             .bytes();
  return joined({with_icrc(lrh, rest, global), {0xee, 0xee}});
}

/// Outer headers from 10.9.0.1 to 10.9.0.2 before `inner`; checksums of zero.
inline ByteString ipv4_before(std::uint8_t protocol, const ByteString& inner) {
  return joined({ethernet_of(0x0800),
                 ByteWriter(true)
                     .put16(0x4500)
                     .put16(20 + inner.size())
                     .put32(0)
                     .put8(60)
                     .put8(protocol)
                     .put16(0)
                     .bytes(),
                 {10, 9, 0, 1, 10, 9, 0, 2},
                 inner});
}
inline ByteString vxlan_frame(const ByteString& frame, std::uint16_t checksum = 0) {
  return ipv4_before(17, joined({ByteWriter(true)
                                     .put16(0xbeef)
                                     .put16(4789)
                                     .put16(16 + frame.size())
                                     .put16(checksum)
                                     .bytes(),
                                 {8, 0, 0, 0, 0, 0, 42, 0},
                                 frame}));
}
/// `header`: GRE's, from its flags on.
inline ByteString gre_frame(const ByteString& header, const ByteString& inner) {
  return ipv4_before(47, joined({header, inner}));
}
inline const ByteString nvgre = {0x20, 0, 0x65, 0x58, 0, 0, 42, 1};

/// An ERF record, padded to eight bytes. Types of Ethernet get their two bytes; `extensions` of
/// eight bytes each have bit 7 where another follows.
struct ErfRecord {
  std::uint8_t type = 2;
  ByteString packet = {};
  std::uint64_t stamp = std::uint64_t{1000} << 32;  ///< 2^-32 s
  std::vector<ByteString> extensions = {};
  std::uint16_t lost = 0, length = 0;  ///< 0: that of the packet
};
inline ByteString bytes_of(const ErfRecord& r) {
  ByteString body;
  for (const auto& e : r.extensions) body.insert(body.end(), e.begin(), e.end());
  if (r.type == 2 || r.type == 11 || r.type == 16 || r.type == 20) body.resize(body.size() + 2);
  body.insert(body.end(), r.packet.begin(), r.packet.end());
  while (body.size() % 8 != 0) body.push_back(0xdd);
  const std::size_t length = r.length != 0 ? r.length : r.packet.size();
  return joined({ByteWriter().put(r.stamp, 8).bytes(),
                 ByteWriter(true)
                     .put8(r.type | (r.extensions.empty() ? 0 : 0x80))
                     .put8(4)
                     .put16(16 + body.size())
                     .put16(r.lost)
                     .put16(length)
                     .bytes(),
                 body});
}

/// A frame with the FCS of Ethernet.
inline ByteString with_fcs(const ByteString& frame) {
  const auto crc = ::crc32(0, frame.data(), static_cast<uInt>(frame.size()));
  return joined({frame, ByteWriter().put32(crc).bytes()});
}

}  // namespace horae::testing
