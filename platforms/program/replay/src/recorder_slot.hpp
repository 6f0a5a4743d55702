// State that a recorder keeps for one packet.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "horae/replay/recorder.hpp"

namespace horae::replay {

inline constexpr Picoseconds not_yet = Picoseconds(-1);
inline constexpr unsigned no_port = ~0u;

/// A packet that the switch has, or is about to have.
struct ReplayRecorder::Slot {
  bool used = false;
  std::uint64_t id = 0;
  std::uint64_t number = 0;  ///< in its trace; of a copy, that of the packet it comes from
  std::uint64_t copy = 0;    ///< 0: it is none
  std::uint64_t parent = 0;  ///< of a copy: the copy that it is one of
  unsigned in_port = 0;
  Picoseconds first_bit_in, last_bit_in, ingress_in, ingress_out, queue_in, egress_in;
  unsigned queue = 0;
  unsigned passes = 0;
  bool copied = false;  ///< by the last pass
  int stage = -1;
  std::string object;
  capture::Dissection before;
  std::vector<std::uint8_t> bytes;
  std::uint32_t length = 0;

  void clear(Picoseconds first_bit) {
    first_bit_in = first_bit;
    last_bit_in = ingress_in = ingress_out = queue_in = egress_in = not_yet;
    queue = passes = 0;
    copied = false;
    stage = -1;
    object.clear();
    used = true;
  }
};

/// The end of a packet.
struct ReplayRecorder::Outcome {
  std::string_view verdict;
  std::string_view cause = {};
  unsigned port = no_port;
  Picoseconds first_bit_out = not_yet;
};

}  // namespace horae::replay
