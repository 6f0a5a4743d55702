// End points that traffic may name: NICs, and hosts without a transport.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "horae/config/platform.hpp"

namespace horae::workload {

struct TrafficSection;

enum class EndPoint : std::uint8_t { nic, host };

/// Devices of that kind, in the platform's order, without ends of scale-up domains.
std::vector<unsigned> all_of(const config::PlatformConfig& platform, EndPoint kind);
/// All NICs, ends of scale-up domains too.
std::vector<unsigned> senders_of(const config::PlatformConfig& platform);
/// NICs by name; no names: all, in the platform's order.
std::vector<unsigned> members_of(const config::PlatformConfig& platform,
                                 const std::vector<Located<std::string>>& names);
/// InputError, at its place, for a name that is not of that kind.
void check_end_points(const TrafficSection& table, const std::vector<Located<std::string>>& names,
                      EndPoint kind);

const rnic::RnicConfig& nic_at(const config::PlatformConfig& platform, unsigned device);
/// Packets that the NIC cuts a message into.
std::int64_t packets_of(const config::PlatformConfig& platform, unsigned from, Bytes message);
/// Rate of each device's outgoing link, by its place among the devices; with several links, of one
/// of them.
std::vector<BitRate> link_rates(const config::PlatformConfig& platform);
/// PSNs that compare, as serial numbers do: less than half of them.
inline constexpr std::int64_t most_psns = (Psn::mask + 1) / 2 - 1;
/// InputError, without a place, where a message has more packets than PSNs can tell apart.
void check_psns(const config::PlatformConfig& platform, unsigned from, Bytes message);

}  // namespace horae::workload
