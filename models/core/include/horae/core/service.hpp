// Transport services of queue pairs, and packets of those that acknowledge nothing.
#pragma once

#include <cstdint>

#include "horae/core/packet.hpp"
#include "horae/core/roce.hpp"
#include "horae/core/units.hpp"

namespace horae {

/// The transport service of a queue pair (IBTA vol. 1, 9.7 to 9.8).
enum class Service : std::uint8_t {
  rc,  ///< reliable connection
  uc,  ///< unreliable connection: no acknowledgements; a gap in its PSNs drops the message
  ud,  ///< unreliable datagram: each message is one packet, and none has to do with another
  dc,  ///< dynamically connected (mlx5): as rc, by initiators that are connected on demand
};
constexpr bool is_unreliable(Service s) { return s == Service::uc || s == Service::ud; }

/// Bits 7 to 5 of a BTH opcode say the service, the others the operation (IBTA vol. 1, table 38).
namespace service_bits {
inline constexpr std::uint8_t uc = 0x20, ud = 0x60, operation = 0x1f;
}

constexpr bool is_uc(Opcode o) {
  return (static_cast<std::uint8_t>(o) & ~service_bits::operation) == service_bits::uc &&
         (static_cast<std::uint8_t>(o) & service_bits::operation) <=
             static_cast<std::uint8_t>(Opcode::write_only_immediate);
}
/// UD has SEND only, with immediate data or without.
constexpr bool is_ud(Opcode o) {
  return static_cast<std::uint8_t>(o) ==
             (service_bits::ud | static_cast<std::uint8_t>(Opcode::send_only)) ||
         static_cast<std::uint8_t>(o) ==
             (service_bits::ud | static_cast<std::uint8_t>(Opcode::send_only_immediate));
}
constexpr bool is_unreliable(Opcode o) { return is_uc(o) || is_ud(o); }

/// The opcode by which the reliable connection does the same; itself where it is of that, or of no
/// service known here.
constexpr Opcode operation_of(Opcode o) {
  return is_unreliable(o)
             ? static_cast<Opcode>(static_cast<std::uint8_t>(o) & service_bits::operation)
             : o;
}
/// The opcode by which a service does what `operation`, of the reliable connection, does.
constexpr Opcode opcode_of(Service s, Opcode operation) {
  const std::uint8_t bits = s == Service::uc   ? service_bits::uc
                            : s == Service::ud ? service_bits::ud
                                               : std::uint8_t{0};
  return static_cast<Opcode>(bits | static_cast<std::uint8_t>(operation));
}

/// Whether the packet brings data of a message, by any service. Packet::is_data() says so of the
/// reliable connection alone, of which programs of switches know.
inline bool carries_data(const Packet& p) { return p.is_data() || is_unreliable(p.opcode); }

/// The datagram extended header (IBTA vol. 1, 9.3.1): queue key, and the sender's queue pair.
inline constexpr Bytes deth_bytes = 8_B;
/// Room for a global routing header in front of what a UD message brings into its receive buffer;
/// with RoCEv2 its last 20 bytes are an IPv4 header (IBTA vol. 1, 11.4.1.2; annex A17.4.5.1).
inline constexpr Bytes grh_bytes = 40_B;

/// Size of a RoCEv2 frame with FCS of a packet of any service; `payload` without DETH.
constexpr Bytes frame_of_service(Opcode o, Bytes payload, Encapsulation e = {}) {
  return frame_bytes(operation_of(o), is_ud(o) ? payload + deth_bytes : payload, e);
}

}  // namespace horae
