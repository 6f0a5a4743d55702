// Results of blocks of NICs: their PCIe links, and their packet engines by the public names of
// blocks.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "result_parts.hpp"

namespace horae::run {
namespace {

/// NICs whose host is modelled, together.
void pcie_results(const elaboration::Simulation& s, const Snapshot& from, const Snapshot& to,
                  std::vector<NamedResult>& out) {
  rnic::PcieCounters sum;
  int nics = 0;
  for (std::size_t i = 0; i < s.nics().size(); ++i) {
    if (s.nics()[i]->config().host == rnic::HostModel::none) continue;
    sum = sum + (to.nic_hosts[i].pcie - from.nic_hosts[i].pcie);
    ++nics;
  }
  if (nics == 0) return;
  const bool receives = std::ranges::any_of(s.flows(), &elaboration::Connection::receives);
  const double time = to_seconds(to.time - from.time) * nics;
  const auto add = [&](const std::string& name, double value, const char* unit) {
    out.push_back({"nics.pcie_" + name, value, unit});
  };
  const auto gbps = [&](std::uint64_t bytes) {
    return 8 * static_cast<double>(bytes) / time / 1e9;
  };
  add("read_rate", gbps(sum.bytes_completed), "Gbps of data, mean of NICs");
  add("write_rate", gbps(sum.bytes_written), "Gbps of data, mean of NICs");
  // Reservations count at once, also those that end behind the window.
  const auto share = [&](Picoseconds busy) { return std::min(to_seconds(busy) / time, 1.0); };
  add("upstream_busy", share(sum.upstream_busy), "share of time");
  add("downstream_busy", share(sum.downstream_busy), "share of time");
  add("reads_in_flight", to_seconds(sum.reads_in_flight) / time, "reads, mean over time");
  for (std::size_t u = 0; u < rnic::pcie_uses; ++u) {
    for (std::size_t d = 0; d < rnic::pcie_directions; ++d) {
      const auto use = static_cast<rnic::PcieUse>(u);
      const auto direction = static_cast<rnic::PcieDirection>(d);
      if (!occurs(use, direction) || (use == rnic::PcieUse::receive_wqe && !receives)) continue;
      add(fmt::format("{}_{}", name_of(use), name_of(direction)),
          gbps(sum.ledger.bytes(use, direction)), "Gbps of TLPs, mean of NICs");
    }
  }
  for (std::size_t w = 0; w < rnic::pcie_waits; ++w) {
    add(fmt::format("wait_{}", name_of(static_cast<rnic::PcieWait>(w))),
        to_seconds(sum.waited[w]) / time, "requests that wait, mean over time");
  }
}

/// NICs whose memory has limits, together.
void memory_results(const elaboration::Simulation& s, const Snapshot& from, const Snapshot& to,
                    std::vector<NamedResult>& out) {
  rnic::MemoryCounters sum;
  int nics = 0;
  for (std::size_t i = 0; i < s.nics().size(); ++i) {
    const auto& config = s.nics()[i]->config();
    if (config.host == rnic::HostModel::none || !rnic::MemoryRates::limited(config.memory))
      continue;
    sum = sum + (to.nic_hosts[i].memory - from.nic_hosts[i].memory);
    ++nics;
  }
  if (nics == 0) return;
  const double time = to_seconds(to.time - from.time) * nics;
  const auto gbps = [&](std::uint64_t bytes) {
    return 8 * static_cast<double>(bytes) / time / 1e9;
  };
  out.push_back({"nics.dram_read", gbps(sum.dram_read), "Gbps of lines, mean of NICs"});
  out.push_back({"nics.dram_written", gbps(sum.dram_written), "Gbps of lines, mean of NICs"});
  out.push_back(
      {"nics.ddio_spilled",
       ratio(static_cast<double>(sum.lines_spilled), static_cast<double>(sum.lines_written)),
       "lines/line written"});
  for (std::size_t p = 0; p < rnic::memory_parts; ++p) {
    out.push_back({fmt::format("nics.memory_wait_{}", name_of(static_cast<rnic::MemoryPart>(p))),
                   to_seconds(sum.waited[p]) / time, "accesses that wait, mean over time"});
  }
}

/// NICs whose contexts are in caches, together.
void cache_results(const elaboration::Simulation& s, const Snapshot& from, const Snapshot& to,
                   std::vector<NamedResult>& out) {
  rnic::RnicCounters sum;
  bool any = false;
  for (std::size_t i = 0; i < s.nics().size(); ++i) {
    if (s.nics()[i]->cache() == nullptr) continue;
    sum = sum + (to.nics[i] - from.nics[i]);
    any = true;
  }
  for (std::size_t k = 0; any && k < rnic::cache_kinds; ++k) {
    const auto kind = static_cast<rnic::CacheKind>(k);
    if (kind == rnic::CacheKind::send_wqe) continue;
    const auto packets = static_cast<double>(sum.sent_packets() + sum.data_received);
    out.push_back({fmt::format("nics.{}_misses", name_of(kind)),
                   ratio(static_cast<double>(sum.cache_misses[k]), packets), "misses/packet"});
  }
}

/// NICs with a packet engine, together.
void engine_results(const elaboration::Simulation& s, const Snapshot& from, const Snapshot& to,
                    std::vector<NamedResult>& out) {
  rnic::EngineCounters sum;
  std::uint32_t units = 0;
  for (std::size_t i = 0; i < s.nics().size(); ++i) {
    const auto& engine = s.nics()[i]->config().engine;
    if (!engine) continue;
    const auto of_nic = to.nics[i] - from.nics[i];
    for (std::size_t w = 0; w < rnic::engine_works; ++w) sum.busy[w] += of_nic.engine.busy[w];
    units += engine->units * (engine->pools == rnic::EnginePools::apart ? 2 : 1);
  }
  if (units == 0) return;
  const double time = to_seconds(to.time - from.time) * units;
  for (std::size_t w = 0; w < rnic::engine_works; ++w) {
    out.push_back({fmt::format("nics.{}_busy", name_of(static_cast<rnic::EngineWork>(w))),
                   to_seconds(sum.busy[w]) / time, "share of time of the engine's units"});
  }
}

/// NICs that execute atomics, together.
void atomic_results(const elaboration::Simulation& s, const Snapshot& from, const Snapshot& to,
                    std::vector<NamedResult>& out) {
  if (std::ranges::none_of(s.flows(), &elaboration::Connection::atomics)) return;
  rnic::RnicCounters sum;
  for (std::size_t i = 0; i < s.nics().size(); ++i) sum = sum + (to.nics[i] - from.nics[i]);
  const auto executed = static_cast<double>(sum.atomics_executed);
  out.push_back({"nics.atomics_executed", executed, "operations"});
  out.push_back(
      {"nics.atomic_wait", ratio(to_microseconds(sum.atomic_wait), executed), "us an operation"});
}

}  // namespace

void block_results(const elaboration::Simulation& s, const Snapshot& from, const Snapshot& to,
                   std::vector<NamedResult>& out) {
  pcie_results(s, from, to, out);
  memory_results(s, from, to, out);
  cache_results(s, from, to, out);
  engine_results(s, from, to, out);
  atomic_results(s, from, to, out);
}

}  // namespace horae::run
