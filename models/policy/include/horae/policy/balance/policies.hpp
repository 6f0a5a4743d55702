// The load balancers' factories, one per file of src/balance.
#pragma once

#include "horae/policy/balance/load_balancer.hpp"

namespace horae::policy {

std::unique_ptr<LoadBalancer> make_ecmp(std::uint64_t seed, std::string_view path,
                                        const LinearHashConfig& hash);
std::unique_ptr<LoadBalancer> make_ecmp_linear(std::uint64_t seed, std::string_view path,
                                               const LinearHashConfig& hash);
std::unique_ptr<LoadBalancer> make_spray(std::uint64_t seed, std::string_view path,
                                         const LinearHashConfig& hash);
std::unique_ptr<LoadBalancer> make_round_robin(std::uint64_t seed, std::string_view path,
                                               const LinearHashConfig& hash);
std::unique_ptr<LoadBalancer> make_adaptive(std::uint64_t seed, std::string_view path,
                                            const LinearHashConfig& hash);

std::unique_ptr<LoadBalancer> make_drill(std::uint64_t seed, std::string_view path,
                                         const LinearHashConfig& hash);
std::unique_ptr<LoadBalancer> make_po2(std::uint64_t seed, std::string_view path,
                                       const LinearHashConfig& hash);

/// The flow hash of ECMP over addresses, UDP source port and destination queue pair, salted per
/// device so that successive tiers choose independently.
std::uint32_t flow_hash(const Packet& packet, std::uint32_t salt);

}  // namespace horae::policy
