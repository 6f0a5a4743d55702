// Host side of a NIC: the PCIe link and what is read and kept because of it.
#pragma once

#include <memory>
#include <optional>

#include "horae/rnic/host/host_interface.hpp"
#include "horae/rnic/host/payload_fetcher.hpp"
#include "horae/rnic/host/pcie_port.hpp"
#include "horae/rnic/host/wqe_reads.hpp"
#include "horae/rnic/memory/context_fetcher.hpp"
#include "horae/rnic/parts/rx_buffer.hpp"
#include "horae/rnic/rnic_config.hpp"

namespace horae::rnic {

/// Empty where the host is not modelled (HostModel::none). Made while the NIC is constructed: the
/// link is its child `host`.
struct HostSide {
  /// Context entries read are counted in `misses`, which the caller keeps alive.
  HostSide(const RnicConfig& config, std::uint64_t seed, std::uint64_t& misses);
  HostSide(const HostSide&) = delete;
  HostSide& operator=(const HostSide&) = delete;

  bool modelled() const { return link != nullptr; }
  /// WQEs whose read is done by `t` are on the chip.
  void take_wqes(Picoseconds t) {
    wqe_reads.take(t, [this](std::size_t qp, Picoseconds at) { fetcher->wqe_arrived(qp, at); });
  }

  std::unique_ptr<host_interface> link;  ///< null: not modelled
  std::optional<PciePort> port;          ///< the same, for the fetcher
  WqeReads wqe_reads;
  std::optional<PayloadFetcher> fetcher;
  std::optional<ContextFetcher<host_interface>> contexts;  ///< none: all are on the chip
  Bytes policies_on_chip{};  ///< of a queue pair, where contexts are limited
  RxBuffer rx_buffer;
};

}  // namespace horae::rnic
