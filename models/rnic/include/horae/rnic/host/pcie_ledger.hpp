// Uses of the bytes of a PCIe link, by direction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "horae/core/cxx20.hpp"

namespace horae::rnic {

/// Use of an access over PCIe. A read counts with its request, and a use is that of what is read or
/// written, whoever asks for it.
enum class PcieUse : std::uint8_t {
  doorbell,     ///< MMIO writes that tell of WQEs
  wqe,          ///< WQEs, read by the NIC or written by the CPU (BlueFlame)
  payload,      ///< also what is read again, and copies within host memory
  context,      ///< contexts of queue pairs and completion queues, written back as well
  translation,  ///< memory keys and translations
  cqe,
  receive_wqe,  ///< WQEs of messages that come, read by the NIC
  count_
};
inline constexpr std::size_t pcie_uses = static_cast<std::size_t>(PcieUse::count_);

constexpr std::string_view name_of(PcieUse use) {
  constexpr std::array<std::string_view, pcie_uses> names = {
      "doorbell", "wqe", "payload", "context", "translation", "cqe", "receive_wqe"};
  return names[static_cast<std::size_t>(use)];
}

enum class PcieDirection : std::uint8_t { to_host, to_nic, count_ };
inline constexpr std::size_t pcie_directions = static_cast<std::size_t>(PcieDirection::count_);

constexpr std::string_view name_of(PcieDirection direction) {
  return direction == PcieDirection::to_host ? "to_host" : "to_nic";
}

/// Whether a NIC has TLPs of this use in this direction: doorbells go to the NIC, CQEs to the host.
constexpr bool occurs(PcieUse use, PcieDirection direction) {
  return use == PcieUse::doorbell ? direction == PcieDirection::to_nic
         : use == PcieUse::cqe    ? direction == PcieDirection::to_host
                                  : true;
}

/// Bytes of TLPs since the start of the run: headers, framing and whole double words of data. They
/// count with the call that reserves them.
class PcieLedger {
 public:
  /// Posted writes, by the NIC (`to_host`) or by the CPU (`to_nic`).
  void add(PcieUse use, PcieDirection direction, std::int64_t bytes) {
    written_[static_cast<std::size_t>(use)][static_cast<std::size_t>(direction)] +=
        static_cast<std::uint64_t>(bytes);
  }
  /// A read by the NIC: its request and its completions.
  void add_read(PcieUse use, std::int64_t request, std::int64_t completions) {
    auto& read = read_[static_cast<std::size_t>(use)];
    read[static_cast<std::size_t>(PcieDirection::to_host)] += static_cast<std::uint64_t>(request);
    read[static_cast<std::size_t>(PcieDirection::to_nic)] +=
        static_cast<std::uint64_t>(completions);
  }
  std::uint64_t bytes(PcieUse use, PcieDirection direction) const {
    const auto u = static_cast<std::size_t>(use), d = static_cast<std::size_t>(direction);
    return written_[u][d] + read_[u][d];
  }
  std::uint64_t bytes(PcieDirection direction) const {
    std::uint64_t sum = 0;
    for (std::size_t u = 0; u < pcie_uses; ++u) sum += bytes(static_cast<PcieUse>(u), direction);
    return sum;
  }
  /// Bytes of reads by the NIC, both directions.
  std::uint64_t fetched(PcieUse use) const {
    const auto& read = read_[static_cast<std::size_t>(use)];
    return read[0] + read[1];
  }
  /// Bytes of both directions.
  std::uint64_t bytes(PcieUse use) const {
    return bytes(use, PcieDirection::to_host) + bytes(use, PcieDirection::to_nic);
  }
  std::uint64_t total() const {
    return bytes(PcieDirection::to_host) + bytes(PcieDirection::to_nic);
  }

  /// Calls `f` with each pair of equal counters of both.
  template <class F>
  friend void for_each_pair(PcieLedger& a, const PcieLedger& b, F&& f) {
    for (std::size_t u = 0; u < pcie_uses; ++u) {
      for (std::size_t d = 0; d < pcie_directions; ++d) {
        f(a.written_[u][d], b.written_[u][d]);
        f(a.read_[u][d], b.read_[u][d]);
      }
    }
  }

 private:
  using ByUse = std::array<std::array<std::uint64_t, pcie_directions>, pcie_uses>;
  ByUse written_{}, read_{};
};

}  // namespace horae::rnic
