// Shared by tests of the hardware's rules.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "horae/core/error.hpp"
#include "horae/dataplane/pipeline.hpp"

namespace horae::dataplane {

/// The message of the ModelError that `work` must end in.
template <class F>
std::string broken_rule(F&& work) {
  try {
    work();
  } catch (const ModelError& e) {
    return e.what();
  }
  return "nothing was refused";
}

/// Pipeline 2 of a switch, and passes of one packet through it: they come in by port 5 and are
/// numbered from 12.
struct PassesOfAPacket : ::testing::Test {
  PassesOfAPacket() { packet.id = 0x10000000003; }

  Pass numbered(std::uint64_t number, PipelineId where = {2, Gress::ingress}) {
    return Pass(packet, where, number, 5, 7_us);
  }
  /// The next one.
  Pass pass(Gress gress = Gress::ingress) { return numbered(serial++, {2, gress}); }

  Packet packet;
  Pipeline pipeline{"tor.pipe2", 2, 1};
  std::uint64_t serial = 12;
};

}  // namespace horae::dataplane
