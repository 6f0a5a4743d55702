// Writes a capture of every kind of frame the codec makes: make_frames FILE. For check_captures.py.
#include "horae/capture/writer.hpp"
#include "horae/core/codec.hpp"
#include "horae/core/service.hpp"

int main(int argc, char** argv) {
  using namespace horae;
  if (argc != 2) return 2;
  constexpr std::array opcodes = {Opcode::send_first,
                                  Opcode::send_middle,
                                  Opcode::send_last,
                                  Opcode::send_only,
                                  Opcode::write_first,
                                  Opcode::write_middle,
                                  Opcode::write_last,
                                  Opcode::write_only,
                                  Opcode::write_only_immediate,
                                  Opcode::acknowledge,
                                  Opcode::cnp,
                                  opcode_of(Service::uc, Opcode::send_first),
                                  opcode_of(Service::uc, Opcode::write_only),
                                  opcode_of(Service::uc, Opcode::write_last_immediate),
                                  opcode_of(Service::ud, Opcode::send_only)};
  capture::CaptureWriter writer(argv[1]);
  std::int64_t stamp = 0;
  for (const bool ipv6 : {false, true}) {
    for (const auto vlan : {std::optional<std::uint16_t>(), std::optional<std::uint16_t>(7)}) {
      const AddressPlan plan{ipv6, vlan};
      for (const Opcode opcode : opcodes) {
        const bool data = operation_of(opcode) < Opcode::acknowledge;
        const bool last = ends_message(operation_of(opcode));
        for (const std::uint16_t payload : {256, 255, 254, 253}) {
          if (!last && payload != 256) continue;  // only last packets are shorter
          Packet p;
          p.src = 1;
          p.dst = 2;
          p.dest_qp = Qpn(0x40);
          p.psn = Psn(0xffffff);
          p.opcode = opcode;
          p.payload = data ? payload : std::uint16_t{0};
          p.msn = is_ud(opcode) ? 0x41 : 0;
          p.syndrome = syndrome::nak_psn_sequence;
          p.ecn = Ecn::ce;
          p.traffic_class = 3;
          p.entropy = 0xc001;
          p.frame = static_cast<std::uint16_t>(
              frame_of_service(opcode, Bytes(p.payload), plan.encapsulation()).count());
          writer.write(stamp += 1000, encode(frame_of(p, plan)));
        }
      }
    }
  }
  writer.close();
  return 0;
}
