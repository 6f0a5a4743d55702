// An end point of a user's own: a device with one port, as a SystemC module in exact time.
#pragma once

#include "horae/core/roce.hpp"
#include "horae/fabric/middlebox.hpp"

namespace horae::fabric {

/// Derived classes say what becomes of a packet that is for the node, and send packets of it from
/// any process. Platform files name it as the kind of a profile (end_point_kind): then the module
/// is `<device>_end_point.module`, at the end of the device's one link.
class end_point : public middlebox {
 protected:
  end_point(const sc_core::sc_module_name& name, module_context& context)
      : middlebox(name), context_(context) {}

  /// Its address.
  NodeId node() const { return context_.node(1).value(); }
  /// Rate of its wire.
  BitRate rate() const { return context_.rate(0); }

  /// The last bit of a packet for the node is here, now. It is delivered when this returns. With
  /// `corrupted` its ICRC is wrong.
  virtual void received(const Packet& p) = 0;
  /// The network wants no packets of a class, or wants them again. Unless overridden, nothing
  /// happens: what is sent meanwhile is sent.
  virtual void stopped(unsigned /*traffic_class*/, bool /*stop*/) {}

  /// A packet of the node, with the sizes of its headers; the caller sets what else it is to be.
  Packet& make(NodeId to, Opcode opcode, Bytes payload) {
    Packet& p = context_.create();
    p.dst = to;
    p.opcode = opcode;
    p.payload = static_cast<std::uint16_t>(payload.count());
    p.frame = static_cast<std::uint16_t>(frame_bytes(opcode, payload).count());
    return p;
  }
  /// Its last bit leaves as soon as the wire has carried it and all before it; so several may be
  /// sent at once.
  void transmit(Packet& p) { send(0, p, to_sc_time(serialisation_time(p.wire_size(), rate()))); }
  /// Pauses a class of the device at the other end of the link, or lets it go on (PFC).
  void stop(unsigned traffic_class, bool pause) { send_pause(0, traffic_class, pause); }

 private:
  void arrived(unsigned side, Packet& p) final {
    if (side == 1) return send(0, p);  // [[traffic]] of its host
    received(p);
    context_.deliver(p);
  }
  void paused(unsigned side, unsigned traffic_class, bool pause) final {
    if (side == 0) stopped(traffic_class, pause);
  }

  module_context& context_;
};

}  // namespace horae::fabric
