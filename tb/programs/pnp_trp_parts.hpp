// Shared by tests of the long-haul program: an exit switch on one pipeline, its flows and their
// packets.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "horae/programs/pnp_trp/pnp_trp.hpp"
#include "pass_driver.hpp"

namespace horae::programs::pnp_trp_test {

using dataplane::Verdict;
using test::Outcome;

constexpr NodeId near_node = 1, far_node = 2, other_far = 3;
constexpr std::uint16_t near_port = 4, far_port = 7;
inline const Routes routes{
    {{near_node, {near_port}, true}, {far_node, {far_port}, false}, {other_far, {far_port}, false}},
    {}};
inline Connection connection(NodeId from, NodeId to, std::uint32_t from_qp, std::uint32_t to_qp) {
  Connection c;
  c.sender = from;
  c.receiver = to;
  c.sender_qp = Qpn(from_qp);
  c.receiver_qp = Qpn(to_qp);
  c.entropy = 0xc000;
  return c;
}
// Out of the data center, and into it: queue pairs of the ends differ.
inline const Connection leaves = connection(near_node, far_node, 0x11, 0x22);
inline const Connection comes = connection(far_node, near_node, 0x33, 0x44);
inline const Connection comes_too = connection(other_far, near_node, 0x35, 0x46);

inline std::unique_ptr<ProgramFactory> factory(const std::string& parameters) {
  return test::read_by_name("pnp_trp", parameters);
}

inline std::string refusal(const std::string& parameters, const Routes& table = routes) {
  return test::refusal_of([&] { test::PassDriver(*factory(parameters), table); });
}

// The program on one pipeline. Connections are told at time zero; their entries are there at 1 ms.
struct Switch : test::PassDriver {
  explicit Switch(const std::string& parameters = "", const Routes& table = routes)
      : PassDriver(*factory(parameters), table) {
    for (const auto& c : {leaves, comes, comes_too}) program->connect(c);
  }

  Outcome operator()(Picoseconds now, const Packet& p, unsigned port = near_port) {
    return ingress(now, p, port);
  }
  // The copy of a pass at its egress: the packet that leaves, if one does.
  std::optional<Packet> copied(Picoseconds now, const Outcome& out) {
    const Outcome copy = PassDriver::copied(now, out.packet, *out.copy, near_port);
    return copy.dropped() ? std::nullopt : std::optional(copy.packet);
  }
  // Sends a packet and what it becomes around until it leaves: how often it went.
  unsigned loops(Picoseconds now, const Packet& p) {
    unsigned n = 0;
    Outcome out = (*this)(now, p, far_port);
    for (; out.loops(); ++n) out = (*this)(now, out.packet, far_port);
    EXPECT_EQ(out.verdict, Verdict::forward);
    EXPECT_EQ(out.port, near_port);
    EXPECT_EQ(out.packet.metadata, 0);
    return n;
  }
};

inline Packet data(const Connection& c, std::uint32_t psn = 0, Ecn ecn = Ecn::ect0) {
  Packet p;
  p.src = c.sender;
  p.dst = c.receiver;
  p.dest_qp = c.receiver_qp;
  p.psn = Psn(psn);
  p.entropy = c.entropy;
  p.opcode = Opcode::write_middle;
  p.payload = 1024;
  p.frame = static_cast<std::uint16_t>(frame_bytes(p.opcode, Bytes(p.payload)).count());
  p.ecn = ecn;
  return p;
}
inline Packet marked(const Connection& c, std::uint32_t psn = 0) { return data(c, psn, Ecn::ce); }
inline Packet cnp(const Connection& c) {
  Packet p = data(c, 0, Ecn::not_ect);
  p.src = c.receiver;
  p.dst = c.sender;
  p.dest_qp = c.sender_qp;
  p.opcode = Opcode::cnp;
  p.payload = 0;
  p.frame = 78;
  return p;
}

}  // namespace horae::programs::pnp_trp_test
