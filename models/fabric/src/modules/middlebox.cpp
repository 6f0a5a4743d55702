#include "horae/fabric/middlebox.hpp"

#include <fmt/format.h>

namespace horae::fabric {

/// The sockets of a side.
class middlebox::end : public packet_fw_if, public packet_bw_if {
 public:
  end(middlebox& box, unsigned side)
      : in(fmt::format("in{}", side).c_str()),
        out(fmt::format("out{}", side).c_str()),
        box_(box),
        side_(side) {
    in.bind(static_cast<packet_fw_if&>(*this));
    out.bind(static_cast<packet_bw_if&>(*this));
  }

  packet_target_socket in;
  packet_initiator_socket out;

 private:
  tlm::tlm_sync_enum nb_transport_fw(Packet& p, packet_phase& /*phase*/,
                                     sc_core::sc_time& /*t*/) override {
    box_.arrived(side_, p);
    return tlm::TLM_ACCEPTED;
  }
  tlm::tlm_sync_enum nb_transport_bw(Packet& p, packet_phase& phase,
                                     sc_core::sc_time& /*t*/) override {
    box_.paused(side_, p.traffic_class, phase == packet_phase::pause);
    return tlm::TLM_ACCEPTED;
  }

  middlebox& box_;
  unsigned side_;
};

middlebox::middlebox(const sc_core::sc_module_name& name)
    : link_module(name),
      ends_{std::make_unique<end>(*this, 0u), std::make_unique<end>(*this, 1u)} {}

middlebox::~middlebox() = default;

packet_target_socket& middlebox::in(unsigned side) { return ends_.at(side)->in; }
packet_initiator_socket& middlebox::out(unsigned side) { return ends_.at(side)->out; }

void middlebox::send(unsigned side, Packet& p, const sc_core::sc_time& after) {
  packet_phase phase = packet_phase::begin_packet;
  sc_core::sc_time at = sc_core::sc_time_stamp() + after;
  out(side)->nb_transport_fw(p, phase, at);
}

void middlebox::send_pause(unsigned side, unsigned traffic_class, bool pause,
                           const sc_core::sc_time& after) {
  Packet carrier;
  carrier.traffic_class = static_cast<std::uint8_t>(traffic_class);
  packet_phase phase = pause ? packet_phase::pause : packet_phase::resume;
  sc_core::sc_time at = sc_core::sc_time_stamp() + after;
  in(side)->nb_transport_bw(carrier, phase, at);
}

}  // namespace horae::fabric
