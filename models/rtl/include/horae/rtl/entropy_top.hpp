// The pins and the clock of the hardware that gives a sender's entropy values.
#pragma once

#include <cstdint>

#include "horae/rtl/clocked.hpp"

namespace horae::rtl {

/// Input pins; all are read at a rising edge of the clock. A request is that of a packet which
/// wants its value, unless one of `open`, `feedback` and `freeze` says otherwise. Times are in ps.
struct EntropyInputs {
  bool reset = false;  ///< synchronous
  bool request_valid = false;
  bool open = false;             ///< the connection begins
  bool feedback = false;         ///< the end of a packet, as its sender hears of it
  bool freeze = false;           ///< freezes as a failure would
  std::uint32_t connection = 0;  ///< queue pair of the NIC
  std::uint64_t now = 0;
  std::uint32_t draw = 0;       ///< uniform in 0 to values - 1; another one once it was used
  std::uint32_t value = 0;      ///< feedback: what the packet had
  std::uint32_t signal = 0;     ///< feedback: number of policy::PathSignal
  std::uint32_t delivered = 0;  ///< feedback: bytes newly reported as received
  std::uint64_t rtt = 0;        ///< feedback: 0: unknown
  bool room = false;            ///< feedback: the window has room for more than one more packet
  // Facts about the connection, at every request.
  std::uint32_t own = 0;  ///< its constant source port
  std::uint32_t ordinal = 0;
  std::uint64_t base_rtt = 0;
  std::uint64_t rto = 0;
  std::uint32_t bdp_packets = 1;
  bool trimming = false;
  bool response_ready = false;
};

/// Output pins, as they stand after a clock.
struct EntropyOutputs {
  bool request_ready = false;
  bool response_valid = false;
  std::uint32_t value = 0;   ///< of the packet; nothing for other requests
  std::uint32_t origin = 0;  ///< of the value: number of EntropyOrigin
  bool drew = false;         ///< it used the draw
  bool frozen = false;       ///< afterwards
};

/// Where a value came from, as policy::EntropyCounts counts it.
enum class EntropyOrigin : std::uint8_t { recycled, random, frozen, fixed };

using EntropyTop = ClockedTop<EntropyInputs, EntropyOutputs>;

}  // namespace horae::rtl
