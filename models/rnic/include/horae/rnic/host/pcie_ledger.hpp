// Uses of the bytes of a PCIe link, by direction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

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
  count_
};
inline constexpr std::size_t pcie_uses = static_cast<std::size_t>(PcieUse::count_);

constexpr std::string_view name_of(PcieUse use) {
  constexpr std::array<std::string_view, pcie_uses> names = {"doorbell", "wqe",         "payload",
                                                             "context",  "translation", "cqe"};
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
  void add(PcieUse use, PcieDirection direction, std::int64_t bytes) {
    bytes_[static_cast<std::size_t>(use)][static_cast<std::size_t>(direction)] +=
        static_cast<std::uint64_t>(bytes);
  }
  std::uint64_t bytes(PcieUse use, PcieDirection direction) const {
    return bytes_[static_cast<std::size_t>(use)][static_cast<std::size_t>(direction)];
  }
  std::uint64_t bytes(PcieDirection direction) const {
    std::uint64_t sum = 0;
    for (const auto& of_use : bytes_) sum += of_use[static_cast<std::size_t>(direction)];
    return sum;
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
      for (std::size_t d = 0; d < pcie_directions; ++d) f(a.bytes_[u][d], b.bytes_[u][d]);
    }
  }

 private:
  std::array<std::array<std::uint64_t, pcie_directions>, pcie_uses> bytes_{};
};

}  // namespace horae::rnic
