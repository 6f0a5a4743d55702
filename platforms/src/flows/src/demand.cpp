#include "horae/flows/demand.hpp"

#include <fmt/format.h>

#include "horae/core/error.hpp"

namespace horae::flows {
namespace {

template <class P>
bool is(const config::PlatformConfig& platform, std::size_t device) {
  return std::holds_alternative<P>(platform.profiles.at(platform.devices[device].profile));
}

/// Queue pairs that flows take at each device: one at either end.
template <class F>
std::vector<std::uint64_t> ends_of(const std::vector<F>& flows, std::size_t devices) {
  std::vector<std::uint64_t> ends(devices);
  for (const auto& f : flows) ++ends[f.from], ++ends[f.to];
  return ends;
}

}  // namespace

void Demand::add(const MessagesConfig& config, const Section& section) {
  for (const auto* names : {&config.from, &config.to}) {
    for (const auto& name : *names) ask(index_of(name), config.qps, section, "qps");
  }
  if (config.pattern == MessagesConfig::Pattern::pairs) return;
  for (std::size_t i = 0; i < platform_.devices.size(); ++i) {
    if (is<rnic::RnicConfig>(platform_, i)) ask(i, std::uint64_t{2} * config.qps, section, "qps");
  }
}

void Demand::add(const std::vector<PlacedFlow>& flows, const Section& section) {
  const auto asked = ends_of(flows, queue_pairs_.size());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (asked[i] != 0) ask(i, asked[i], section, "kind");
  }
}

void Demand::add(const std::vector<PlacedMessage>& flows, const Section& section,
                 std::string_view key) {
  const auto asked = ends_of(flows, queue_pairs_.size());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (asked[i] != 0) ask(i, asked[i], section, key);
  }
}

void Demand::add(const PacketsConfig& config, const Section& section) {
  const auto ask_source = [&](std::size_t device, const Location& where) {
    if (!sends_[device]) {
      sends_[device] = true;
      return;
    }
    throw input_error(where, fmt::format("'{}' sends packets already; a host has one destination",
                                         platform_.devices[device].name));
  };
  for (const auto& name : config.from) ask_source(index_of(name), name.where);
  if (config.pattern == MessagesConfig::Pattern::pairs) return;
  for (std::size_t i = 0; i < platform_.devices.size(); ++i) {
    if (is<config::HostProfile>(platform_, i)) ask_source(i, section.where("kind"));
  }
}

void Demand::ask(std::size_t device, std::uint64_t n, const Section& section,
                 std::string_view key) {
  constexpr std::uint64_t most = 65536;  // of a NIC
  if ((queue_pairs_[device] += n) <= most) return;
  throw section.error(key, fmt::format("'{}' would have {} queue pairs; at most {}",
                                       platform_.devices[device].name, queue_pairs_[device], most));
}

std::size_t Demand::index_of(const std::string& name) const {
  return static_cast<std::size_t>(platform_.topology.find(name));
}

}  // namespace horae::flows
