// Who watches packets go through the devices of a simulation.
#pragma once

#include "horae/core/packet.hpp"
#include "horae/fabric/packet_pool.hpp"
#include "horae/fabric/ports/injector.hpp"

namespace horae::fabric {

class device;

/// Told of every packet's steps, to record them. Each device runs ahead on a time of its own, and
/// some decide sendings late, so calls come in no order of time over devices, nor within one: sort
/// by the times given. A watcher must not change what it sees. Without one, next to nothing is
/// spent: devices choose at the start of a stretch of time, and ports take the branch of imperfect
/// links.
class observer {
 public:
  virtual ~observer() = default;

  /// The last bit reached `port` of `d` at `at`; the device handles the packet at `ready`.
  virtual void arrived(const device& /*d*/, unsigned /*port*/, const Packet& /*p*/,
                       Picoseconds /*at*/, Picoseconds /*ready*/) {}
  /// It waits for its turn at an egress port of a switch since `at`. `queue` is the class's, or a
  /// program's own from 8 on.
  virtual void queued(const device& /*d*/, unsigned /*port*/, unsigned /*queue*/,
                      const Packet& /*p*/, Picoseconds /*at*/) {}
  /// It left the queue of `port` (a NIC: was chosen to go) at `start`; on the wire its first bit is
  /// at `first_bit`, its last at `last_bit`. A lossy link may still lose it: `dropped` follows.
  virtual void sent(const device& /*d*/, unsigned /*port*/, const Packet& /*p*/,
                    Picoseconds /*start*/, Picoseconds /*first_bit*/, Picoseconds /*last_bit*/) {}
  /// It ends in, or on the link behind, `d`.
  virtual void dropped(const device& /*d*/, const Packet& /*p*/, DropCause /*cause*/,
                       Picoseconds /*at*/) {}
  /// An injection meets it as its last bit leaves `port` at `at`, before it may be `dropped`. A
  /// copy is told as `sent` like others.
  virtual void injected(const device& /*d*/, unsigned /*port*/, const Packet& /*p*/,
                        Injection::Action /*action*/, Picoseconds /*at*/) {}
  /// A pause (PFC) of a class, or its end, takes effect at the sending side of `port`.
  virtual void paused(const device& /*d*/, unsigned /*port*/, unsigned /*traffic_class*/,
                      bool /*pause*/, Picoseconds /*at*/) {}
};

}  // namespace horae::fabric
