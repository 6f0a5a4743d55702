// What tests of ConWeave share: a top-of-rack switch's pipeline without a chip, driven pass by
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

namespace horae::programs::conweave_test {

using dataplane::Gress;
using dataplane::loopback_port;
using dataplane::MirrorRequest;
using dataplane::Pass;
using dataplane::QueueRequest;
using dataplane::Verdict;

/// Two NICs on ports 0 and 1, two racks behind four uplinks at ports 2 to 5.
constexpr NodeId near_node = 1, near_other = 2, far_node = 10, far_other = 20;
constexpr unsigned near_port = 0, first_uplink = 2, uplinks = 4;
inline const Routes routes = {.entries = {{near_node, {0}, true},
                                          {near_other, {1}, true},
                                          {far_node, {2, 3, 4, 5}},
                                          {far_other, {2, 3, 4, 5}}},
                              .pipeline_of_port = {0, 0, 0, 0, 0, 0},
                              .queues_per_port = 32};

inline std::unique_ptr<ProgramFactory> conweave(const std::string& parameters) {
  return read_program(Document::parse("name = \"conweave\"\n" + parameters, "test.toml").root());
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

/// What a pass left.
struct Outcome {
  Verdict verdict = Verdict::undecided;
  unsigned port = 0;
  unsigned queue = 0;  ///< 0: that of the class
  QueueRequest control;
  std::optional<MirrorRequest> copy;
  Packet packet;

  Header header() const { return Header::of(packet); }
  bool dropped() const { return verdict == Verdict::drop; }
  bool loops() const { return verdict == Verdict::recirculate; }
};

/// One copy of the program on one pipeline, with a clock.
struct Tor {
  explicit Tor(const std::string& parameters = "", const Routes& table = routes)
      : pipeline("tor.pipe0", 0, 1), program(conweave(parameters)->make(pipeline, table)) {}

  Outcome ingress(Picoseconds now, Packet p, unsigned port) {
    Pass pass(p, {0, Gress::ingress}, serial++, port, now);
    program->ingress(pass);
    return outcome(pass, p);
  }
  Outcome egress(Picoseconds now, Packet p, unsigned port, unsigned came_by = near_port,
                 const dataplane::MirrorHeader& header = {}) {
    Pass pass(p, {0, Gress::egress}, serial++, came_by, now);
    pass.leaves_by(port);
    pass.set_mirror_header(header);
    program->egress(pass);
    return outcome(pass, p);
  }
  /// The egress pass of the copy that a pass asked for.
  Outcome copied(Picoseconds now, const Outcome& o, unsigned came_by = first_uplink) {
    Packet p = o.packet;
    p.mirror_type = o.copy->type;
    p.metadata = o.copy->metadata;
    if (o.copy->length != 0) p.frame = std::min(p.frame, o.copy->length);
    if (o.copy->traffic_class) p.traffic_class = *o.copy->traffic_class;
    Outcome out = egress(now, p, o.copy->egress_port, came_by, o.copy->header);
    out.packet.mirror_type = 0;
    return out;
  }
  std::uint64_t count(std::string_view name) const {
    for (const auto& [n, value] : program->counters()) {
      if (n == name) return value;
    }
    ADD_FAILURE() << "no counter " << name;
    return 0;
  }

  dataplane::Pipeline pipeline;
  std::unique_ptr<Program> program;
  std::uint64_t serial = 0;

 private:
  static Outcome outcome(const Pass& pass, const Packet& p) {
    return {pass.verdict(),       pass.egress_port(),    pass.queue(),
            pass.queue_request(), pass.mirror_request(), p};
  }
};

}  // namespace horae::programs::conweave_test
