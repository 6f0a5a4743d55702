#include "horae/capture/rewriter.hpp"

#include <algorithm>
#include <boost/crc.hpp>
#include <boost/endian/conversion.hpp>

#include "horae/core/codec.hpp"
#include "infiniband.hpp"

namespace horae::capture {
namespace {

using boost::endian::endian_load;
using boost::endian::endian_store;
using boost::endian::order;

constexpr std::size_t mac_bytes = 6;
constexpr std::size_t extra_bytes = 4;
constexpr std::size_t minimum_without_fcs = wire::minimum_frame - wire::fcs;

std::uint32_t get16(std::span<const std::uint8_t> b, std::size_t at) {
  return endian_load<std::uint32_t, 2, order::big>(&b[at]);
}

/// One's complement sum of 16-bit words; a last odd byte counts as the upper half of one.
std::uint16_t sum_of(std::span<const std::uint8_t> b) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i + 1 < b.size(); i += 2) sum += get16(b, i);
  if (b.size() % 2 != 0) sum += std::uint64_t{b.back()} << 8;
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(sum);
}

std::uint32_t icrc_of(std::span<const std::uint8_t> b, const Dissection& d, std::uint32_t udp_end) {
  const auto covered = b.subspan(d.ip, udp_end - wire::icrc - d.ip);
  return d.v1 ? invariant_crc({}, covered, true) : icrc(covered);
}

/// Checks a frame that is complete up to the end of its datagram.
bool icrc_is_right(std::span<const std::uint8_t> b, const Dissection& d) {
  return b.size() >= d.udp_end && endian_load<std::uint32_t, 4, order::little>(
                                      &b[d.udp_end - wire::icrc]) == icrc_of(b, d, d.udp_end);
}

/// Where what the lengths count begins: UDP's header, or the BTH of RoCEv1.
std::size_t datagram_of(const Dissection& d) { return d.v1 ? d.bth : d.udp; }

std::uint32_t fcs_of(std::span<const std::uint8_t> b) {
  boost::crc_32_type crc;
  crc.process_bytes(b.data(), b.size());
  return crc.checksum();
}

bool swapped(const Packet& before, const Packet& after) {
  return before.src != before.dst && after.src == before.dst && after.dst == before.src;
}

}  // namespace

Rewriter::Change Rewriter::change_of(const Dissection& d, const Packet& after) {
  const Packet& p = d.packet;
  if (d.kind == FrameKind::roce) {
    if (after.opcode != p.opcode || after.payload != p.payload) return Change::body;
    if (after.frame == p.frame + extra_bytes && !has_aeth(p.opcode)) return Change::insert;
    if (after.frame + extra_bytes == p.frame && d.extra) return Change::remove;
    if (after.frame < p.frame) return Change::cut;
    if (after.dest_qp != p.dest_qp || after.psn != p.psn || after.entropy != p.entropy ||
        after.ack_request != p.ack_request || after.bth_reserved != p.bth_reserved ||
        after.syndrome != p.syndrome || after.msn != p.msn || swapped(p, after))
      return Change::fields;
  } else if (after.frame < p.frame) {
    return Change::cut;
  }
  const bool ip = d.ip != 0 && d.kind != FrameKind::cut;
  return ip && (after.ecn != p.ecn || after.hop_limit != p.hop_limit) ? Change::fields
                                                                      : Change::none;
}

void Rewriter::put16(std::size_t at, std::uint32_t value) {
  endian_store<std::uint32_t, 2, order::big>(&out_[at], value);
}

/// A word of the IP header, with the header's checksum.
void Rewriter::put_ip16(const Dissection& d, std::size_t at, std::uint32_t value) {
  const std::uint32_t before = get16(out_, at);
  if (before == value) return;
  put16(at, value);
  if (d.ipv6) return;
  const std::size_t checksum = d.ip + 10u;
  put16(checksum, updated_checksum(get16(out_, checksum), before, value));
}

void Rewriter::swap_macs(std::size_t at) {
  const auto first = out_.begin() + static_cast<std::ptrdiff_t>(at);
  std::swap_ranges(first, first + mac_bytes, first + mac_bytes);
}

/// Swaps the addresses of an IP header; its checksum stays valid.
void Rewriter::swap_addresses(std::size_t ip, bool ipv6) {
  const auto source = out_.begin() + static_cast<std::ptrdiff_t>(ip + (ipv6 ? 8 : 12));
  const std::ptrdiff_t size = ipv6 ? 16 : 4;
  std::swap_ranges(source, source + size, source + size);
}

/// Fields that stay where they are.
void Rewriter::patch(const Dissection& d, const Packet& after) {
  const Packet& p = d.packet;
  if (after.ecn != p.ecn && !d.v1) {
    const unsigned shift = d.ipv6 ? 4 : 0;
    const std::uint32_t word = get16(out_, d.ip);
    put_ip16(d, d.ip, (word & ~(3u << shift)) | static_cast<std::uint32_t>(after.ecn) << shift);
  }
  if (after.hop_limit != p.hop_limit) {
    const std::size_t at = d.ip + (d.ipv6 ? 6u : 8u);
    const std::uint32_t word = get16(out_, at);
    put_ip16(d, at,
             d.ipv6 ? (word & 0xff00) | after.hop_limit
                    : (word & 0x00ff) | std::uint32_t{after.hop_limit} << 8);
  }
  if (d.kind != FrameKind::roce) return;
  if (swapped(p, after)) {
    if (d.has_mac()) swap_macs(d.mac);
    swap_addresses(d.ip, d.ipv6);
    if (d.tunnel != Tunnel::none) {
      swap_macs(0);
      if (d.outer_ip != 0) swap_addresses(d.outer_ip, out_[d.outer_ip] >> 4 == 6);
    }
  }
  if (!d.v1) put16(d.udp, after.entropy);
  const std::size_t bth = d.bth;
  out_[bth] = static_cast<std::uint8_t>(after.opcode);
  // Reserved bits that are not read (BECN of a CNP) stay: only differences count.
  const std::uint32_t reserved = after.bth_reserved ^ p.bth_reserved;
  out_[bth + 4] = static_cast<std::uint8_t>(out_[bth + 4] ^ reserved >> 7);
  endian_store<std::uint32_t, 3, order::big>(&out_[bth + 5], after.dest_qp.value());
  out_[bth + 8] = static_cast<std::uint8_t>(((out_[bth + 8] ^ reserved) & 0x7f) |
                                            (after.ack_request ? 0x80 : 0));
  endian_store<std::uint32_t, 3, order::big>(&out_[bth + 9], after.psn.value());
  if (after.opcode != p.opcode) return;  // its body is made anew
  if (has_aeth(p.opcode)) {
    const std::size_t aeth = bth + wire::bth + (has_reth(p.opcode) ? wire::reth : 0);
    out_[aeth] = after.syndrome;
    endian_store<std::uint32_t, 3, order::big>(&out_[aeth + 1], after.msn);
  } else if (d.extra) {
    endian_store<std::uint32_t, 4, order::big>(&out_[bth + wire::bth], after.msn);
  }
}

/// `udp_length`: from UDP's header on; RoCEv1 has none, and counts from its BTH.
void Rewriter::set_lengths(const Dissection& d, std::uint32_t udp_length) {
  if (d.v1) {
    put16(d.ip + grh::payload_length, std::min(udp_length, 0xffffu));
    return;
  }
  const std::uint32_t total = udp_length + (d.ipv6 ? 0 : static_cast<std::uint32_t>(wire::ipv4));
  put_ip16(d, d.ip + (d.ipv6 ? 4u : 2u), std::min(total, 0xffffu));
  put16(d.udp + 4u, std::min(udp_length, 0xffffu));
}

/// The four bytes behind the BTH come or go.
void Rewriter::move_extra(const Dissection& d, const Packet& after, bool insert) {
  const auto behind = out_.begin() + d.bth + wire::bth;
  const std::uint32_t length = d.udp_end - datagram_of(d);
  if (insert) {
    std::array<std::uint8_t, extra_bytes> field{};
    endian_store<std::uint32_t, 4, order::big>(field.data(), after.msn);
    out_.insert(behind, field.begin(), field.end());
    set_lengths(d, length + extra_bytes);
  } else {
    out_.erase(behind, behind + extra_bytes);
    set_lengths(d, length - extra_bytes);
  }
}

/// Headers to the BTH are kept; what its opcode asks for follows, and a payload of zeros.
void Rewriter::make_body(const Dissection& d, const Packet& after) {
  const std::size_t bth = d.bth;
  out_.resize(bth + wire::bth);
  const std::uint8_t pad = pad_count_of(after.payload);
  out_[bth + 1] = static_cast<std::uint8_t>((out_[bth + 1] & 0xcf) | pad << 4);
  if (after.opcode == Opcode::cnp) out_[bth + 4] = 0x40;  // BECN (annex A17.9.3)
  const ExtensionHeaders headers = extension_headers(after.opcode);
  if (headers.reth) out_.resize(out_.size() + wire::reth);
  if (headers.aeth) {
    out_.push_back(after.syndrome);
    out_.resize(out_.size() + 3);
    endian_store<std::uint32_t, 3, order::big>(&out_[out_.size() - 3], after.msn);
  }
  if (headers.immediate) out_.resize(out_.size() + wire::immediate);
  if (headers.cnp_reserved) out_.resize(out_.size() + wire::cnp_padding);
  out_.resize(out_.size() + after.payload + pad + wire::icrc);
  set_lengths(d, static_cast<std::uint32_t>(out_.size() - datagram_of(d)));
}

/// A checksum of UDP or GRE over what begins at `from` of the frame, where what it covers was `old`
/// to `old_end` and goes to `end` now. Both may be cut off.
void Rewriter::put_checksum(std::size_t at, std::size_t from, std::span<const std::uint8_t> old,
                            std::size_t old_end, std::size_t end) {
  const auto part = [from](std::span<const std::uint8_t> b, std::size_t to) {
    return sum_of(b.subspan(from, std::min(to, b.size()) - from));
  };
  put16(at, updated_checksum(get16(out_, at), part(old, old_end), part(out_, end)));
}

/// Outer headers: their lengths and checksums follow what changed inside. An answer, `made` by the
/// switch, has their addresses exchanged and no checksum that it need not have.
void Rewriter::follow_tunnel(const Dissection& d, bool made, std::span<const std::uint8_t> old,
                             std::uint32_t udp_end) {
  if (d.tunnel == Tunnel::mpls) return;  // labels have neither
  const std::size_t ip = d.outer_ip, next = d.outer_next;
  const bool six = out_[ip] >> 4 == 6;
  const auto moved = [&](std::size_t n) { return n + udp_end - d.udp_end; };
  const auto put_length = [&](std::size_t at, auto put) {
    const std::uint32_t before = get16(out_, at);  // 0: the sender's NIC fills it in
    if (before != 0) put(at, static_cast<std::uint32_t>(moved(before)) & 0xffff);
    return before;
  };
  Dissection outer;
  outer.ip = d.outer_ip;
  outer.ipv6 = six;
  const std::uint32_t length =
      put_length(ip + (six ? 4u : 2u),
                 [&](std::size_t at, std::uint32_t value) { put_ip16(outer, at, value); });
  const std::size_t old_end = length != 0 ? ip + (six ? wire::ipv6 : 0) + length : old.size();
  const std::size_t end = std::min(moved(old_end), out_.size());
  if (d.tunnel == Tunnel::gre) {
    if ((out_[next] & 0x80) == 0) return;
    if (made) {
      put16(next + 4, 0);
      put16(next + 4, ~std::uint32_t{sum_of(std::span(out_).subspan(next, end - next))});
    } else {
      put_checksum(next + 4, next, old, old_end, end);
    }
    return;
  }
  if (d.tunnel == Tunnel::ip || d.tunnel == Tunnel::srv6) return;
  const std::uint32_t udp =
      put_length(next + 4, [&](std::size_t at, std::uint32_t value) { put16(at, value); });
  const std::size_t at = next + 6;
  if (get16(out_, at) == 0) return;
  if (made) {
    put16(at, 0);
    return;
  }
  put_checksum(at, next, old, old_end, end);
  // The length stands in the pseudo header as well.
  const std::uint32_t sum = updated_checksum(get16(out_, at), udp, get16(out_, next + 4));
  put16(at, sum == 0 ? 0xffffu : sum);
}

/// The ICRC, where all it covers is there.
void Rewriter::finish(const Dissection& d, std::uint32_t udp_end) {
  if (out_.size() < udp_end) return;
  endian_store<std::uint32_t, 4, order::little>(&out_[udp_end - wire::icrc],
                                                icrc_of(out_, d, udp_end));
}

RewrittenFrame Rewriter::rewrite(const Dissection& d, const Packet& after,
                                 std::span<const std::uint8_t> bytes, std::uint32_t length) {
  const Change change = change_of(d, after);
  if (change == Change::none) return {bytes, length};
  const std::size_t fcs = fcs_ ? wire::fcs : 0;
  std::uint32_t rest = length - static_cast<std::uint32_t>(std::min<std::size_t>(length, fcs));
  const std::size_t trailer = d.whole ? std::min(fcs, bytes.size()) : 0;
  out_.assign(bytes.begin(), bytes.end() - static_cast<std::ptrdiff_t>(trailer));
  if (change == Change::cut) {
    rest = std::min<std::uint32_t>(rest, after.frame - static_cast<std::uint32_t>(wire::fcs));
    out_.resize(std::min<std::size_t>(out_.size(), rest));
  } else {
    patch(d, after);
  }
  bool whole = d.whole;
  if (d.kind == FrameKind::roce && change != Change::cut) {
    const std::span<const std::uint8_t> old = bytes;
    const std::size_t old_end = std::min<std::size_t>(d.udp_end, old.size());
    std::uint32_t udp_end = d.udp_end;
    if (change == Change::body) {
      make_body(d, after);
      udp_end = static_cast<std::uint32_t>(out_.size());
      whole = true;
      rest = std::max<std::uint32_t>(udp_end, after.frame - static_cast<std::uint32_t>(wire::fcs));
    } else if (change == Change::insert || change == Change::remove) {
      const bool insert = change == Change::insert;
      move_extra(d, after, insert);
      udp_end = insert ? udp_end + extra_bytes : udp_end - extra_bytes;
      rest = insert ? rest + extra_bytes : rest - extra_bytes;
    }
    if (whole) {
      rest = std::max<std::uint32_t>(rest, d.padded ? 0u : minimum_without_fcs);
      out_.resize(rest);
    }
    if (change == Change::body || icrc_is_right(old, d)) finish(d, udp_end);
    const std::size_t at = d.udp + 6u;  // of UDP's checksum; zero: there is none
    if (!d.v1 && get16(out_, at) != 0) {
      if (change == Change::body) {
        put16(at, 0);
      } else {
        put_checksum(at, d.udp, old, old_end, udp_end);
        // The length stands in the pseudo header as well.
        const std::uint32_t sum =
            updated_checksum(get16(out_, at), d.udp_end - d.udp, udp_end - d.udp);
        put16(at, sum == 0 ? 0xffffu : sum);
      }
    }
    if (d.tunnel != Tunnel::none) follow_tunnel(d, change == Change::body, old, udp_end);
  }
  if (fcs_ && whole) {
    std::uint32_t last = fcs_of(out_);
    if (change != Change::body && trailer == wire::fcs) {
      const auto old = endian_load<std::uint32_t, 4, order::little>(&bytes[bytes.size() - trailer]);
      if (old != fcs_of(bytes.first(bytes.size() - trailer))) last = old;  // wrong, and stays so
    }
    out_.resize(out_.size() + wire::fcs);
    endian_store<std::uint32_t, 4, order::little>(&out_[out_.size() - wire::fcs], last);
  }
  return {out_, static_cast<std::uint32_t>(rest + fcs)};
}

}  // namespace horae::capture
