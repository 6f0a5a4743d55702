// Captured bytes, with what a switch changed of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "horae/capture/dissection.hpp"

namespace horae::capture {

/// A frame as it is to be written: `bytes` of `length` on the wire.
struct RewrittenFrame {
  std::span<const std::uint8_t> bytes;
  std::uint32_t length = 0;
};

/// Makes the bytes of a packet that left a switch from those that entered it.
///
/// What the switch left alone keeps its bytes to the last bit. Of the rest: ECN and hop limit of
/// IP; UDP source port, opcode, reserved and acknowledge bits, QP, PSN and AETH of RoCEv2; the four
/// bytes behind the BTH put in, changed or taken out; addresses of IP and Ethernet exchanged.
/// A packet whose opcode or payload is another was made by the switch: it gets a body of its
/// opcode, of zeros, and is whole. One that is only shorter is cut. A frame that was captured in
/// part stays so. A right IPv4 or UDP checksum stays right and a wrong one wrong; so do the ICRC
/// and the FCS where all bytes are there (wrong ones keep their bytes), and what the switch made
/// has right ones. A queue's class is no header field: DSCP and PCP stay.
/// Of a packet in a tunnel the inner one is changed; lengths and checksums of the outer headers
/// follow, and an answer goes back with their addresses exchanged.
class Rewriter {
 public:
  /// `fcs`: frames end with their FCS, before and after.
  explicit Rewriter(bool fcs = false) : fcs_(fcs) {}

  /// `before` is what `dissect` said of `bytes`, with its nodes filled in; `after` what left. The
  /// result is valid until the next call, and as long as `bytes` is.
  RewrittenFrame rewrite(const Dissection& before, const Packet& after,
                         std::span<const std::uint8_t> bytes, std::uint32_t length);

 private:
  enum class Change { none, fields, insert, remove, body, cut };
  static Change change_of(const Dissection& before, const Packet& after);
  void patch(const Dissection& before, const Packet& after);
  void move_extra(const Dissection& before, const Packet& after, bool insert);
  void set_lengths(const Dissection& before, std::uint32_t udp_length);
  void make_body(const Dissection& before, const Packet& after);
  void swap_macs(std::size_t at);
  void swap_addresses(std::size_t ip, bool ipv6);
  void put_checksum(std::size_t at, std::size_t from, std::span<const std::uint8_t> old,
                    std::size_t old_end, std::size_t end);
  void follow_tunnel(const Dissection& before, bool made, std::span<const std::uint8_t> old,
                     std::uint32_t udp_end);
  void finish(const Dissection& before, std::uint32_t udp_end);
  void put16(std::size_t at, std::uint32_t value);
  void put_ip16(const Dissection& before, std::size_t at, std::uint32_t value);

  bool fcs_;
  std::vector<std::uint8_t> out_;
};

}  // namespace horae::capture
