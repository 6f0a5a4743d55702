// Shared by tests of ConWeave: a top-of-rack switch's pipeline without a chip, driven pass by
// pass.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/core/roce.hpp"
#include "horae/programs/conweave/conweave.hpp"
#include "pass_driver.hpp"

namespace horae::programs::conweave_test {

using dataplane::Gress;
using dataplane::loopback_port;
using dataplane::MirrorRequest;
using dataplane::Pass;
using dataplane::QueueRequest;
using dataplane::Verdict;
using test::Outcome;

/// Two NICs on ports 0 and 1, two racks behind four uplinks at ports 2 to 5.
constexpr NodeId near_node = 1, near_other = 2, far_node = 10, far_other = 20;
constexpr unsigned near_port = 0, first_uplink = 2, uplinks = 4;
inline const Routes routes = {.entries = {{near_node, {0}, true},
                                          {near_other, {1}, true},
                                          {far_node, {2, 3, 4, 5}},
                                          {far_other, {2, 3, 4, 5}}},
                              .pipeline_of_port = {0, 0, 0, 0, 0, 0},
                              .queues_per_port = 32};

inline std::unique_ptr<ProgramFactory> read_conweave(const std::string& parameters) {
  return test::read_by_name("conweave", parameters);
}

/// ConWeave's header, as published: 15 reserved bits of the BTH and two stamps behind it.
struct Header {
  unsigned path, kind, epoch;
  bool rerouted, request, tail, marked;
  std::uint16_t sent, tail_sent;

  static Header of(const Packet& p) {
    const unsigned b = p.bth_reserved;
    return {b >> 8,
            b >> 5 & 3,
            b >> 2 & 3,
            (b & 1u << 4) != 0,
            (b & 1u << 1) != 0,
            (b & 1u) != 0,
            (b & 1u << 7) != 0,
            static_cast<std::uint16_t>(p.msn >> 16),
            static_cast<std::uint16_t>(p.msn)};
  }
  /// Fields of the packet that a pass left.
  static Header of(const Outcome& o) { return of(o.packet); }
  void put(Packet& p) const {
    p.bth_reserved = static_cast<std::uint16_t>(path << 8 | (marked ? 1u << 7 : 0u) | kind << 5 |
                                                (rerouted ? 1u << 4 : 0u) | epoch << 2 |
                                                (request ? 1u << 1 : 0u) | (tail ? 1u : 0u));
    p.msn = std::uint32_t{sent} << 16 | tail_sent;
  }
};
constexpr unsigned data_kind = 1, reply_kind = 2, notify_kind = 3;

/// Clock ticks of 1024 ns, the unit of all stamps.
inline Picoseconds at_tick(std::int64_t n) { return Picoseconds(n * 1'024'000); }

inline Connection connection(NodeId sender, NodeId receiver, std::uint16_t entropy = 0xc001) {
  return {sender, receiver, Qpn(0x55), Qpn(0x77), entropy, Psn(0)};
}
inline Packet data(NodeId src, NodeId dst, std::uint16_t entropy = 0xc001) {
  Packet p;
  p.src = src;
  p.dst = dst;
  p.dest_qp = Qpn(0x77);
  p.entropy = entropy;
  p.payload = 1024;
  p.frame = 1086;
  p.ecn = Ecn::ect0;
  p.opcode = Opcode::write_middle;
  return p;
}

/// One copy of the program on one pipeline.
struct Tor : test::PassDriver {
  explicit Tor(const std::string& parameters = "", const Routes& table = routes)
      : PassDriver(*read_conweave(parameters), table) {}

  /// The egress pass of the copy that a pass asked for.
  Outcome copied(Picoseconds now, const Outcome& o, unsigned came_by = first_uplink) {
    return PassDriver::copied(now, o.packet, *o.copy, came_by);
  }
};

}  // namespace horae::programs::conweave_test
