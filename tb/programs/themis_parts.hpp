// Shared by tests of Themis: a top-of-rack switch's pipeline without a chip, driven pass by pass.
#pragma once

#include <fmt/format.h>
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
#include "horae/programs/themis/themis.hpp"
#include "pass_driver.hpp"

namespace horae::programs::test {

using dataplane::Gress;
using dataplane::MirrorRequest;
using dataplane::Pass;
using dataplane::Verdict;

/// Two NICs on ports 0 and 1, four uplinks at ports 8 to 11; pipelines as below.
constexpr NodeId near_node = 1, near_other = 2, far_node = 10, far_other = 11;
constexpr unsigned near_port = 0, other_port = 1;
inline const Routes routes = {{{near_node, {0}, true},
                               {near_other, {1}, true},
                               {far_node, {8, 9, 10, 11}},
                               {far_other, {8, 9, 10, 11}}},
                              // Ports 0 and 1 on pipelines 0 and 1; uplinks 8, 10 and 9, 11.
                              {0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1}};

struct Setup {
  std::uint32_t paths = 4;
  std::uint32_t window = 16;
  std::uint32_t ooo_threshold = 1000;
  std::uint32_t avoidance_window = 5;
  std::uint32_t qps = 4;
  bool source = true, destination = true;
  std::uint64_t seed = 1;
  std::string more = {};  ///< further parameters

  std::string text() const {
    return fmt::format(
        "nics = 2\nqps_per_nic = {}\npipelines = 2\npaths = {}\nwindow = {}\npieces = 2\n"
        "ooo_threshold = {}\navoidance_window = {}\nsource = {}\ndestination = {}\n{}\n",
        qps, paths, window, ooo_threshold, avoidance_window, source, destination, more);
  }
};

inline std::unique_ptr<ProgramFactory> read_themis(const std::string& parameters) {
  return read_by_name("themis", parameters);
}

/// One copy of the program on one pipeline. Themis asks for no time: all passes are at 1 us.
struct Tor : PassDriver {
  explicit Tor(const Setup& setup, unsigned index = 0, const Routes& table = routes)
      : PassDriver(*read_themis(setup.text()), table, index, setup.seed) {}
  Tor(const ProgramFactory& factory, unsigned index, const Routes& table)
      : PassDriver(factory, table, index) {}

  Outcome ingress(const Packet& p, unsigned port) { return PassDriver::ingress(1_us, p, port); }
  Outcome egress(const Packet& p, unsigned port, const dataplane::MirrorHeader& header = {}) {
    return PassDriver::egress(1_us, p, port, 0, header);
  }
  /// The egress pass of the copy of `p` that was asked for.
  Outcome copied(const Packet& p, const MirrorRequest& request) {
    return PassDriver::copied(1_us, p, request);
  }
};

/// Queue pair 0x77 of the receiver, 0x55 of the sender.
inline Connection connection(NodeId sender, NodeId receiver, std::uint32_t first_psn = 0) {
  return {sender, receiver, Qpn(0x55), Qpn(0x77), 0xc001, Psn(first_psn)};
}
inline Packet data(NodeId src, NodeId dst, std::uint32_t psn, std::uint16_t entropy = 0xc001) {
  Packet p;
  p.src = src;
  p.dst = dst;
  p.dest_qp = Qpn(0x77);
  p.psn = Psn(psn);
  p.entropy = entropy;
  p.payload = 1024;
  p.frame = 1086;
  p.ecn = Ecn::ect0;
  p.opcode = Opcode::write_middle;
  return p;
}
inline Packet ack(NodeId src, NodeId dst, std::uint32_t psn, std::uint16_t entropy = 0xc001) {
  Packet p = data(src, dst, psn, entropy);
  p.dest_qp = Qpn(0x55);
  p.payload = 0;
  p.frame = 64;
  p.opcode = Opcode::acknowledge;
  p.syndrome = syndrome::ack;
  return p;
}
inline Packet nack(NodeId src, NodeId dst, std::uint32_t psn, std::uint16_t entropy = 0xc001) {
  Packet p = ack(src, dst, psn, entropy);
  p.syndrome = syndrome::nak_psn_sequence;
  return p;
}

}  // namespace horae::programs::test
