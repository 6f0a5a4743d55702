// The packet protocol on TLM-2.0 sockets: how devices hand each other packets.
#pragma once

#include <cstdint>
#include <systemc>
#include <tlm>

#include "horae/core/packet.hpp"
#include "horae/core/units.hpp"

namespace horae::fabric {

/// Phases of the packet protocol (IEEE 1666-2011, 15: a protocol of its own, not the base
/// protocol).
///
/// Forward path, `begin_packet`: the packet's last bit reaches the target at the annotated time,
/// and with the call the target owns it. Backward path, `pause` and `resume` (PFC, IEEE 802.1Q
/// clause 36): the initiator's class `traffic_class` of the carried packet stops or goes on at the
/// annotated time; the packet is only the carrier and stays with the caller.
///
/// The annotated time is absolute (not relative to sc_time_stamp(): devices run ahead of it on
/// their local time), in picoseconds, and never before the end of the current window. Every call
/// returns TLM_ACCEPTED.
///
/// `late_packet` is a begin_packet between the ranks of a run alone: the packet may arrive behind
/// packets that are sent after it.
enum class packet_phase : std::uint8_t { begin_packet, pause, resume, late_packet };
/// Whether a packet comes, rather than a pause or its end.
constexpr bool brings_packet(packet_phase phase) {
  return phase == packet_phase::begin_packet || phase == packet_phase::late_packet;
}

/// The protocol's traits, as TLM-2.0 names them.
struct packet_protocol {
  using tlm_payload_type = Packet;
  using tlm_phase_type = packet_phase;
};
struct packet_fw_if : tlm::tlm_fw_nonblocking_transport_if<Packet, packet_phase> {
  using protocol_types = packet_protocol;
};
struct packet_bw_if : tlm::tlm_bw_nonblocking_transport_if<Packet, packet_phase> {
  using protocol_types = packet_protocol;
};

/// Sockets of the protocol. They bind to each other only: a base-protocol socket does not compile.
/// A port may stay unconnected.
using packet_initiator_socket = tlm::tlm_base_initiator_socket<64, packet_fw_if, packet_bw_if, 1,
                                                               sc_core::SC_ZERO_OR_MORE_BOUND>;
using packet_target_socket =
    tlm::tlm_base_target_socket<64, packet_fw_if, packet_bw_if, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;

/// InputError unless SystemC's time resolution is its default of 1 ps, of which all times of ours
/// are. From here on it cannot be changed. Called where a simulation begins (window_clock), and by
/// modules that may be used without one.
void require_picoseconds();

/// Conversions at the seam, right only after require_picoseconds().
inline sc_core::sc_time to_sc_time(Picoseconds t) {
  return sc_core::sc_time::from_value(static_cast<std::uint64_t>(t.count()));
}
inline Picoseconds from_sc_time(const sc_core::sc_time& t) {
  return Picoseconds(static_cast<std::int64_t>(t.value()));
}

}  // namespace horae::fabric
