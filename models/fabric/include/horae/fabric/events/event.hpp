// Events of a device, and their order.
#pragma once

#include <cstdint>

#include "horae/core/units.hpp"

namespace horae::fabric {

/// Something that happens in a device. Events of a device are handled in the order of (time, key).
struct Event {
  Picoseconds time;
  std::uint64_t key;      ///< see make_key(): unique among a device's events of one time
  std::uint64_t payload;  ///< of the device's choice: a packet's address, an index

  friend bool operator<(const Event& a, const Event& b) {
    return a.time != b.time ? a.time < b.time : a.key < b.key;
  }
};

/// Key of an event: its kind (0-255; also its priority among events of one time), what it concerns
/// (a port, a queue pair), and an ordinal that makes it unique. Keys must come from the model
/// alone, never from the order in which SystemC happened to run processes.
constexpr std::uint64_t make_key(std::uint8_t kind, std::uint16_t entity, std::uint64_t ordinal) {
  return static_cast<std::uint64_t>(kind) << 56 | static_cast<std::uint64_t>(entity) << 40 |
         (ordinal & ((std::uint64_t{1} << 40) - 1));
}
constexpr std::uint8_t key_kind(std::uint64_t key) { return static_cast<std::uint8_t>(key >> 56); }
constexpr std::uint16_t key_entity(std::uint64_t key) {
  return static_cast<std::uint16_t>(key >> 40);
}

}  // namespace horae::fabric
