// A SystemC module of a user's own in the middle of a link, in exact time.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <systemc>
#include <vector>

#include "horae/core/random.hpp"
#include "horae/core/units.hpp"
#include "horae/core/wire_bytes.hpp"
#include "horae/fabric/packet_link.hpp"

namespace horae {
class StatTree;
}

namespace horae::fabric {

/// Interface for a module on a link. Side 0 is towards the first device of `between`, side 1
/// towards the second.
class module_context {
 public:
  virtual ~module_context() = default;

  /// The node at a side, if it is an end point.
  virtual std::optional<NodeId> node(unsigned side) const = 0;
  /// Rate of the wire from the module to the device at a side.
  virtual BitRate rate(unsigned side) const = 0;
  /// A random stream of the run's seed, the module's name and `what`: another `what`, another
  /// stream.
  virtual RandomStream random(std::string_view what) const = 0;
  /// The bytes of packets, for a module that works on them.
  virtual WireBytes& bytes() = 0;
  /// Ends a packet that the module has (cause `module`). `at_random`: the same packet, sent again,
  /// may come through; it matters to whether a run counts as stuck. ModelError for a packet that
  /// the module does not have.
  virtual void drop(Packet& p, bool at_random = false) = 0;
  /// A packet of the node at side 1, which the module has from now on. For an end point: ModelError
  /// for any other module.
  virtual Packet& create() = 0;
  /// Ends a packet that the module has, as one that reached its destination. Likewise.
  virtual void deliver(Packet& p) = 0;
  /// Ends the run with this error: for processes of the module, which must let nothing out.
  virtual void fail(std::exception_ptr error) = 0;
};

/// The module: any sc_module with two sides, of two sockets each. It may have processes, threads,
/// clocks and modules inside. It runs in this process's SystemC time, which is the simulated time.
///
/// The link's wire and delay are outside of it. `in(side)` gets a packet in the moment of its last
/// bit: the annotated time is sc_time_stamp(), and what the module's own timers do at that time is
/// done. From then on the module has the packet, until it
/// hands it to `out(side)` or drops it. It makes no packets (an end_point does). What it hands
/// over has the time at which its last bit leaves, absolute and not before sc_time_stamp(). A
/// packet for which the wire is not free so early leaves later, in the order of calls. So a module
/// that takes no time changes nothing.
///
/// PFC: the device at a side pauses what goes to it, by `pause` and `resume` on the backward path
/// of `out(side)`; the module pauses the device at a side on the backward path of `in(side)`, with
/// the time at which the frame's last bit leaves. These frames wait for no packet and hold none up.
/// Nothing is passed on without the module.
///
/// What one of its processes throws must not leave it, as SystemC would end the program
/// (module_context::fail).
class link_module : public sc_core::sc_module {
 public:
  virtual packet_target_socket& in(unsigned side) = 0;
  virtual packet_initiator_socket& out(unsigned side) = 0;

  /// Adds what it counted, beside packets and bytes that came and were dropped; at the end of a
  /// run, and before where the measured time begins later. Every number is a result,
  /// `<name>.<number>`: what was counted in the measured time, but of a number whose name says that
  /// it is no count (StatKind).
  virtual void statistics(StatTree& /*tree*/) const {}
  /// Whether it will send something that nobody has asked for yet: a run does not end as one with
  /// nothing left to do, or as stuck, before.
  virtual bool pending() const { return false; }
  /// One line for each thing that holds packets, for the dump of a stuck run.
  virtual std::vector<std::string> describe_queues() const { return {}; }

 protected:
  explicit link_module(const sc_core::sc_module_name& name) : sc_module(name) {}
};

}  // namespace horae::fabric
