// Who watches packets pass the pipelines of a chip.
#pragma once

#include "horae/core/packet.hpp"
#include "horae/dataplane/pass.hpp"

namespace horae::tofino {

class tofino_switch;

/// Told of what a chip does to a packet beyond what fabric::observer is told.
class pass_observer {
 public:
  virtual ~pass_observer() = default;
  /// A packet entered a gress (`pass.where()`) at `entered` and left its deparser, or was dropped
  /// by the program, at `deparsed`. Headers are those after the pass.
  virtual void passed(const tofino_switch& /*chip*/, const dataplane::Pass& /*pass*/,
                      Picoseconds /*entered*/, Picoseconds /*deparsed*/) {}
  /// The pass just told of made `copy` of `original`; it leaves the deparser at `at`.
  virtual void mirrored(const tofino_switch& /*chip*/, const Packet& /*original*/,
                        const Packet& /*copy*/, Picoseconds /*at*/) {}
  /// The traffic manager made `copy` of `original` for a group at `at`.
  virtual void replicated(const tofino_switch& /*chip*/, const Packet& /*original*/,
                          const Packet& /*copy*/, Picoseconds /*at*/) {}
  /// The packet generator of a pipeline made a packet at `at`.
  virtual void generated(const tofino_switch& /*chip*/, const Packet& /*p*/, Picoseconds /*at*/) {}
  /// A recirculated packet waited for the loopback port of `pipeline` from `queued` to
  /// `start`, and is on its wire until `last_bit`. A packet that recirculates through egress waits
  /// in the traffic manager before its egress pass already; nobody is told of that wait, which
  /// lies between its two passes.
  virtual void looped(const tofino_switch& /*chip*/, unsigned /*pipeline*/, const Packet& /*p*/,
                      Picoseconds /*queued*/, Picoseconds /*start*/, Picoseconds /*last_bit*/) {}
  /// An event of the chip is handled; what it holds is as of `at` (times never decrease).
  virtual void stepped(const tofino_switch& /*chip*/, Picoseconds /*at*/) {}
};

}  // namespace horae::tofino
