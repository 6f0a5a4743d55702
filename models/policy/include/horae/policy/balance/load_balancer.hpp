// The load-balancing seam: which of several equal-cost ports a packet takes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "horae/core/header_extension.hpp"
#include "horae/core/linear_hash.hpp"
#include "horae/core/packet.hpp"
#include "horae/core/units.hpp"
#include "horae/policy/parameters.hpp"

namespace horae::policy {

/// State of the device that a policy may ask for, as of the time of the decision.
class PortView {
 public:
  virtual ~PortView() = default;
  /// Bytes at the port of candidate `choice`: those that wait, and what is left of the packet being
  /// sent if the device shows it (`balance_depth`).
  virtual Bytes depth(unsigned choice) const = 0;
  /// The local time of the device. Here and below: what a device without such knowledge answers.
  virtual Picoseconds now() const { return {}; }
  /// The rate of the candidate's link.
  virtual BitRate rate(unsigned /*choice*/) const { return {}; }
  /// Frame bytes that wait at the candidate's port, whatever `depth` counts.
  virtual Bytes queued(unsigned choice) const { return depth(choice); }
  /// The number of the candidate's port (BalancePlace).
  virtual unsigned port(unsigned choice) const { return choice; }
  /// Bytes on the candidate's wire of the packet being sent, preamble and gap included.
  virtual Bytes sending(unsigned /*choice*/) const { return {}; }
};

/// Requirements of a policy; the device refuses one it cannot serve.
struct BalanceNeeds {
  bool queue_depth = false;
  bool feedback = false;  ///< to be told of its place, and of packets that come and leave
};

/// Where a device is that balances.
struct BalancePlace {
  static constexpr std::uint32_t none = ~0u;
  std::uint32_t home = none;  ///< its number among switches that end points are joined to
  std::vector<std::uint32_t> home_of{};  ///< by NodeId: the number of its switch; none: of several
  std::vector<BitRate> rates{};          ///< by port
  std::vector<bool> to_switch{};         ///< by port: whether it leads to a switch

  bool is_home() const { return home != none; }
};

/// Chooses one of `choices` (at least 2) equal-cost ports for each packet. Called once per packet
/// in the order in which packets are switched; keeps whatever state it needs, per device.
///
/// With `needs().feedback` it is also told, in the order of time, of each packet that comes and
/// that begins to leave by a port. What it writes into `Packet::metadata` there is what the next
/// switch finds: feedback of paths. It names those bits in its entry (`headers`).
class LoadBalancer {
 public:
  virtual ~LoadBalancer() = default;
  /// The candidate for this packet: 0 .. choices-1.
  virtual unsigned choose(const Packet& packet, unsigned choices, const PortView& view) = 0;
  virtual BalanceNeeds needs() const { return {}; }
  /// Before the simulation starts.
  virtual void begin(const BalancePlace& /*place*/) {}
  /// A packet came, at the time of the decision and before it.
  virtual void comes(Packet& /*packet*/, Picoseconds /*now*/) {}
  /// Its first bit leaves by `port` at `now`.
  virtual void leaves(Packet& /*packet*/, unsigned /*port*/, Picoseconds /*now*/) {}
};

/// Everything needed to list, read and build a policy.
struct BalancerEntry {
  std::string_view name;
  std::string_view doc;
  /// `seed` and `path` name the random stream of the device ("spine3.balance").
  std::unique_ptr<LoadBalancer> (*make)(std::uint64_t seed, std::string_view path,
                                        const PolicyParameters& parameters);
  /// Keys of its own in the table of a switch.
  std::vector<OwnParameters> parameters = {};
  /// Null, or the linear hash by which it chooses: then whoever sends may choose the path by the
  /// UDP source port.
  LinearHashConfig (*linear_hash)(const PolicyParameters& parameters) = nullptr;
  /// Bits of packets that it writes on their way (LoadBalancer::leaves).
  std::vector<HeaderExtension> headers = {};
  /// Answers that are no candidate are an InputError, and what it throws is a std::exception. Set
  /// by add_load_balancer.
  bool of_plugin = false;
};

/// All load balancers, by name.
const std::vector<BalancerEntry>& load_balancers();
/// The load balancer of that name; an unknown one is an InputError with the nearest name.
const BalancerEntry& find_load_balancer(std::string_view name);
/// Builds one; an unknown name is an InputError with the nearest one.
std::unique_ptr<LoadBalancer> make_load_balancer(std::string_view name, std::uint64_t seed,
                                                 std::string_view path,
                                                 const PolicyParameters& parameters = {});

/// Packets that are not balanced.
enum class Pinned : std::uint8_t {
  connections,  ///< those of pinned connections (Packet::pinned)
  responses,    ///< all but data: acknowledgements, NACKs, CNPs
};
/// A balancer that leaves pinned packets to a hash as that of `ecmp`, salted by the random stream
/// of that name, and all others to `others`.
std::unique_ptr<LoadBalancer> pinning(std::unique_ptr<LoadBalancer> others, std::uint64_t seed,
                                      std::string_view path, Pinned which = Pinned::connections);

/// The flow hash of ECMP over addresses, UDP source port and destination queue pair, salted per
/// device so that successive tiers choose independently.
std::uint32_t flow_hash(const Packet& packet, std::uint32_t salt);

}  // namespace horae::policy
