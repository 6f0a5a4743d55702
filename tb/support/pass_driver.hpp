// A switch program on one pipeline, without a chip: a test gives it one pass after another and sees
// what each pass left. Tests of programs build their scenarios on it.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "horae/params/document.hpp"
#include "horae/params/section.hpp"
#include "horae/programs/program.hpp"
#include "refusal.hpp"

namespace horae::programs::test {

/// The program called `name` with `parameters` (lines of TOML), as a platform names it.
inline std::unique_ptr<ProgramFactory> read_by_name(std::string_view name,
                                                    const std::string& parameters) {
  return read_program(
      Document::parse(fmt::format("name = \"{}\"\n{}", name, parameters), "test.toml").root());
}

using horae::test::refusal_of;

/// Outcome of a pass.
struct Outcome {
  dataplane::Verdict verdict = dataplane::Verdict::undecided;
  unsigned port = 0;   ///< of ingress: where it goes; of egress: the port it leaves by
  unsigned loop = 0;   ///< pipeline whose loopback port it takes, when it recirculates
  unsigned queue = 0;  ///< of the egress port; 0: the one of its class
  dataplane::QueueRequest control;
  std::optional<dataplane::MirrorRequest> copy;
  Packet packet;  ///< with the changes that the pass made

  bool dropped() const { return verdict == dataplane::Verdict::drop; }
  bool loops() const { return verdict == dataplane::Verdict::recirculate; }
  /// True if egress lets the packet leave, and makes no copy.
  bool passes() const { return verdict == dataplane::Verdict::undecided && !copy; }
};

/// The packet that a mirror session makes of `p`, as it enters egress.
inline Packet mirrored(Packet p, const dataplane::MirrorRequest& request) {
  p.mirror_type = request.type;
  p.metadata = request.metadata;
  if (request.length != 0) p.frame = std::min(p.frame, request.length);
  if (request.traffic_class) p.traffic_class = *request.traffic_class;
  return p;
}

/// One copy of a program on pipeline `index`.
struct PassDriver {
  PassDriver(const ProgramFactory& factory, const Routes& routes, unsigned index = 0,
             std::uint64_t seed = 1)
      : pipeline("tor.pipe" + std::to_string(index), index, seed),
        program(factory.make(pipeline, routes)) {}

  /// A packet that came in by `port`.
  Outcome ingress(Picoseconds now, Packet p, unsigned port) {
    dataplane::Pass pass(p, {pipeline.index(), dataplane::Gress::ingress}, passes++, port, now);
    program->ingress(pass);
    return outcome(pass, p);
  }
  /// A packet that leaves by `port` and came in by `came_by`; `header` is that of a copy.
  Outcome egress(Picoseconds now, Packet p, unsigned port, unsigned came_by = 0,
                 const dataplane::MirrorHeader& header = {}) {
    dataplane::Pass pass(p, {pipeline.index(), dataplane::Gress::egress}, passes++, came_by, now);
    pass.leaves_by(port);
    pass.set_mirror_header(header);
    program->egress(pass);
    return outcome(pass, p);
  }
  /// The egress pass of the copy of `p` that `request` asks for. The packet it leaves is no copy
  /// any more.
  Outcome copied(Picoseconds now, const Packet& p, const dataplane::MirrorRequest& request,
                 unsigned came_by = 0) {
    Outcome out = egress(now, mirrored(p, request), request.egress_port, came_by, request.header);
    out.packet.mirror_type = 0;
    return out;
  }
  /// A counter of the program. One that it does not have fails the test.
  std::uint64_t count(std::string_view name) const {
    for (const auto& [n, value] : program->counters()) {
      if (n == name) return value;
    }
    ADD_FAILURE() << "no counter " << name;
    return 0;
  }

  dataplane::Pipeline pipeline;
  std::unique_ptr<Program> program;
  std::uint64_t passes = 0;  ///< so far; the number of the next one

 private:
  static Outcome outcome(const dataplane::Pass& pass, const Packet& p) {
    return {.verdict = pass.verdict(),
            .port = pass.egress_port(),
            .loop = pass.loopback_pipeline(),
            .queue = pass.queue(),
            .control = pass.queue_request(),
            .copy = pass.mirror_request(),
            .packet = p};
  }
};

}  // namespace horae::programs::test
