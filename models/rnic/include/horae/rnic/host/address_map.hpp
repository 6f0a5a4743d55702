// Addresses of a NIC's accesses on a bus of a user's own.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>

#include "horae/core/units.hpp"
#include "horae/rnic/host/host_addresses.hpp"

namespace horae::rnic {

/// Puts the NIC's regions (host_addresses.hpp) into `size` bytes from `base` on. Each of eight
/// regions has an eighth, in this order: WQEs, payload to send, payload received, last packets of
/// WRITEs kept apart, receive WQEs and words of atomics, completion queues, contexts, memory
/// keys and translations, and what is read again for retransmissions. What is larger than its
/// eighth begins anew there, so queue pairs share bytes; WQEs of a queue pair are 256 KiB apart
/// from those of the next, payload to send 16 MiB. Without a size each address is itself, behind
/// `base`.
class AddressMap {
 public:
  static constexpr unsigned regions = 8;

  AddressMap() = default;
  /// InputError unless `base` is a multiple of 4 KiB and `size` a power of two from 1 MiB on, and
  /// both are addresses of 64 bits.
  AddressMap(Bytes base, std::optional<Bytes> size);

  /// Accesses that do not cross a 4 KiB boundary do not afterwards.
  std::uint64_t operator()(std::uint64_t address) const {
    if (share_ == 0) return base_ + address;
    const Place place = place_of(address);
    return base_ + place.region * share_ + (place.offset & (share_ - 1));
  }

 private:
  struct Place {
    std::uint64_t region, offset;
  };
  static Place place_of(std::uint64_t address);

  std::uint64_t base_ = 0;
  std::uint64_t share_ = 0;  ///< of a region; zero: none
};

}  // namespace horae::rnic
