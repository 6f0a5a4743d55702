// The topology seam: generated networks, each from a table of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "horae/core/units.hpp"
#include "horae/params/located.hpp"
#include "horae/params/param_info.hpp"

namespace horae::fabric {

/// Values of one link of a generated network; the rest is as for all links.
struct LinkValues {
  std::optional<BitRate> rate{};
  std::optional<Picoseconds> delay{};
  std::optional<double> loss{};  ///< share of packets lost, in either direction
};

/// Interface through which a generator adds its network.
class NetworkBuilder {
 public:
  virtual ~NetworkBuilder() = default;

  /// Adds a device with a profile, and returns its number for add_link(). InputError, at the place
  /// of the profile's name, for a profile that does not exist and a device that is there already.
  virtual unsigned add_device(const std::string& name, const Located<std::string>& profile) = 0;
  /// Joins two devices, each by its next free port. Messages about the link point at `where`.
  virtual void add_link(unsigned a, unsigned b, const Location& where,
                        const LinkValues& values) = 0;
  void add_link(unsigned a, unsigned b, const Location& where) { add_link(a, b, where, {}); }
  /// Says in which of several sites (data centres) a device is, by their numbers from 0.
  virtual void place(unsigned device, unsigned site) = 0;
  /// Says by which number files of the same origin (flow lists) call an end point. Without it an
  /// end point's number is its place among the end points.
  virtual void number(unsigned device, std::uint32_t node) = 0;
  /// Says that device `end` is what a NIC's GPU sends by to the GPUs of its scale-up domain (such
  /// as NVLink), whose number that is. `end` is no end point of its own.
  virtual void scale_up(unsigned nic, unsigned end, std::uint32_t domain) = 0;
};

/// One generated network, as its table asks for it. Rate, delay and loss of its links are the
/// builder's, but for links that are special (LinkValues).
class TopologyGenerator {
 public:
  virtual ~TopologyGenerator() = default;

  /// Adds all devices and links, always in the same order: it decides addresses and port numbers.
  /// InputError as the builder's, or where there is no such network.
  virtual void generate(NetworkBuilder& network) const = 0;
  /// The effective parameters.
  virtual nlohmann::ordered_json config() const = 0;
  /// After generate(): a line for the user on how the table, or a file that it names, was taken;
  /// empty: there is nothing to say.
  virtual std::string note() const { return {}; }
};

/// A kind of generated network.
struct TopologyKind {
  std::string_view name;  ///< also of its table: "leaf_spine" is read from [leaf_spine]
  std::string_view doc;
  /// Reads the table; InputError for one that no network can be made of.
  std::unique_ptr<TopologyGenerator> (*read)(const Section& table);
  /// Its parameters.
  std::vector<ParamInfo> (*describe)();
};

/// All kinds, in the order in which a platform with several of them generates them.
const std::vector<TopologyKind>& topology_kinds();

}  // namespace horae::fabric
