// A module on a link with its sockets: what is left to write is what happens to a packet.
#pragma once

#include <array>
#include <memory>

#include "horae/fabric/link_module.hpp"

namespace horae::fabric {

/// Derived classes say what becomes of a packet that arrived: sent at once or later, from any
/// process, to either side, or dropped (module_context).
class middlebox : public link_module {
 public:
  packet_target_socket& in(unsigned side) override;
  packet_initiator_socket& out(unsigned side) override;
  ~middlebox() override;

 protected:
  explicit middlebox(const sc_core::sc_module_name& name);

  /// The last bit of a packet from the device at `side` is here, now. The module has it.
  virtual void arrived(unsigned side, Packet& p) = 0;
  /// The device at `side` wants no packets of a class, or wants them again. Unless overridden, the
  /// device at the other side is told.
  virtual void paused(unsigned side, unsigned traffic_class, bool pause) {
    send_pause(1 - side, traffic_class, pause);
  }

  /// The last bit of a packet leaves to `side` in `after` from now, or as soon as the wire is free.
  void send(unsigned side, Packet& p, const sc_core::sc_time& after = sc_core::SC_ZERO_TIME);
  /// Likewise a PFC frame.
  void send_pause(unsigned side, unsigned traffic_class, bool pause,
                  const sc_core::sc_time& after = sc_core::SC_ZERO_TIME);

 private:
  class end;
  std::array<std::unique_ptr<end>, 2> ends_;
};

}  // namespace horae::fabric
