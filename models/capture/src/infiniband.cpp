#include "infiniband.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/crc.hpp>
#include <boost/endian/conversion.hpp>

#include "horae/core/roce.hpp"

namespace horae::capture {
namespace {

using boost::endian::endian_load;
using boost::endian::endian_store;
using boost::endian::order;
using Bytes8 = std::span<const std::uint8_t>;

/// Local route header (IBTA vol. 1, 7.7): sizes, and what its field LNH says of the next header.
constexpr std::size_t lrh_size = 8;
enum : unsigned { next_raw = 0, next_ipv6 = 1, next_bth = 2, next_grh = 3 };
constexpr std::size_t raw_header = 4;  // two reserved bytes and an ethertype (IBTA vol. 1, 5.3)

std::uint32_t get16(Bytes8 b, std::size_t at) {
  return endian_load<std::uint32_t, 2, order::big>(&b[at]);
}

void push16(std::vector<std::uint8_t>& out, std::uint32_t value) {
  out.push_back(static_cast<std::uint8_t>(value >> 8));
  out.push_back(static_cast<std::uint8_t>(value));
}

void push_gid(std::vector<std::uint8_t>& out, std::uint32_t lid) {
  push16(out, 0xfe80);
  out.resize(out.size() + 12);
  push16(out, lid);
}

}  // namespace

std::uint32_t invariant_crc(Bytes8 lrh, Bytes8 rest, bool global) {
  constexpr std::uint8_t ones = 0xff;
  std::array<std::uint8_t, lrh_size + grh::size + wire::bth> masked;
  masked.fill(ones);
  if (!lrh.empty()) {
    std::ranges::copy(lrh.first(lrh_size), masked.begin());
    masked[0] |= 0xf0;  // virtual lane
  }
  const std::size_t bth = global ? grh::size : 0, headers = bth + wire::bth;
  const std::size_t there = std::min(headers, rest.size());
  const auto behind = std::span(masked).subspan(lrh_size);
  std::ranges::copy(rest.first(there), behind.begin());
  if (global) {
    behind[0] |= 0x0f;                         // traffic class and
    behind[1] = behind[2] = behind[3] = ones;  // flow label
    behind[grh::hop_limit] = ones;
  }
  behind[bth + 4] = ones;  // resv8a
  boost::crc_32_type crc;
  crc.process_bytes(masked.data(), lrh_size + there);
  const auto payload = rest.subspan(there);
  crc.process_bytes(payload.data(), payload.size());
  return crc.checksum();
}

void ethernet_of(Bytes8 packet, std::uint32_t length, EthernetOfInfiniband& out) {
  out.bytes.clear();
  out.length = length;
  out.problem.clear();
  if (packet.size() < lrh_size) return;  // too short to be anything
  const unsigned level = packet[1] >> 4, next = packet[1] & 3;
  const std::uint32_t to = get16(packet, 2), from = get16(packet, 6);
  const std::uint32_t end = (get16(packet, 4) & 0x7ff) * 4;  // without VCRC
  const std::size_t least = lrh_size + (next == next_raw ? raw_header : 0);
  if (end > length || end < least) {
    out.problem = fmt::format(
        "an InfiniBand packet length of {} bytes (LRH); expected {} to {}, what is on the wire",
        end, least, length);
    return;
  }
  const bool roce = next == next_bth || next == next_grh;
  const Bytes8 there = packet.first(std::min<std::size_t>(packet.size(), end));
  for (const std::uint32_t lid : {to, from}) {
    out.bytes.insert(out.bytes.end(), {2, 0, 0, 0});
    push16(out.bytes, lid);
  }
  if (level != 0) {
    push16(out.bytes, 0x8100);
    push16(out.bytes, (level & 7) << 13);
  }
  std::size_t behind = lrh_size;
  if (next == next_raw) {
    behind += raw_header;
    if (there.size() < behind) {
      out.bytes.clear();
      return;
    }
    push16(out.bytes, get16(there, behind - 2));
  } else {
    push16(out.bytes, roce ? rocev1_ethertype : 0x86dd);
  }
  const std::size_t headers = out.bytes.size();
  if (next == next_bth) {
    out.bytes.insert(out.bytes.end(), {0x60, 0, 0, 0});
    push16(out.bytes, end - lrh_size);
    out.bytes.insert(out.bytes.end(), {grh::next_is_bth, 0xff});
    push_gid(out.bytes, from);
    push_gid(out.bytes, to);
  }
  const std::size_t made = out.bytes.size();
  const auto rest = there.subspan(std::min(behind, there.size()));
  out.bytes.insert(out.bytes.end(), rest.begin(), rest.end());
  out.length = static_cast<std::uint32_t>(made + end - behind);
  const std::size_t smallest =
      lrh_size + wire::bth + wire::icrc + (next == next_grh ? grh::size : 0);
  if (!roce || there.size() < end || end < smallest) return;
  const auto covered = there.subspan(lrh_size, end - lrh_size - wire::icrc);
  const auto icrc = endian_load<std::uint32_t, 4, order::little>(&there[end - wire::icrc]);
  if (icrc != invariant_crc(there.first(lrh_size), covered, next == next_grh)) return;
  const Bytes8 frame = out.bytes;
  endian_store<std::uint32_t, 4, order::little>(
      &out.bytes[frame.size() - wire::icrc],
      invariant_crc({}, frame.subspan(headers, frame.size() - headers - wire::icrc), true));
}

}  // namespace horae::capture
