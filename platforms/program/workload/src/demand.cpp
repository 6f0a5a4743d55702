#include "horae/workload/demand.hpp"

#include <fmt/format.h>

#include "horae/core/error.hpp"

namespace horae::workload {

std::vector<std::uint64_t> queue_pairs_of(const Traffic& traffic,
                                          const config::PlatformConfig& platform) {
  std::vector<std::uint64_t> ends(platform.devices.size());
  traffic.flows(platform, [&](const Flow& f) { ++ends[f.from], ++ends[f.to]; });
  return ends;
}

void Demand::ask(std::size_t device, std::uint64_t n, const Section& section,
                 std::string_view key) {
  constexpr std::uint64_t most = 65536;  // of a NIC
  if ((queue_pairs_[device] += n) <= most) return;
  throw section.error(key, fmt::format("'{}' would have {} queue pairs; at most {}",
                                       platform_.devices[device].name, queue_pairs_[device], most));
}

void Demand::ask(const std::vector<std::uint64_t>& queue_pairs, const Section& section,
                 std::string_view key) {
  for (std::size_t i = 0; i < queue_pairs.size(); ++i) {
    if (queue_pairs[i] != 0) ask(i, queue_pairs[i], section, key);
  }
}

void Demand::ask_source(std::size_t device, const Location& where) {
  if (!sends_[device]) {
    sends_[device] = true;
    return;
  }
  throw input_error(where, fmt::format("'{}' sends packets already; a host has one destination",
                                       platform_.devices[device].name));
}

}  // namespace horae::workload
