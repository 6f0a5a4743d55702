// Devices and links of a platform file, and what becomes of them: [[device]], [[link]],
// [[impairment]], [[impairment_group]], [[module]], [[event]], [routing], [classes], [failures].
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "horae/core/codec.hpp"
#include "horae/core/units.hpp"
#include "horae/fabric/ports/tx_port.hpp"
#include "horae/params/located.hpp"
#include "horae/params/section.hpp"

namespace horae::config {

struct OutageConfig {
  Picoseconds from{};
  Picoseconds to{};
  static const Schema<OutageConfig>& schema();
};

/// Values of a link; what is absent is taken from [link_default].
struct LinkSpec {
  std::vector<Located<std::string>> between;
  std::optional<BitRate> rate;
  std::optional<Picoseconds> delay;
  std::optional<double> loss;
  std::optional<bool> whole_nanoseconds;  ///< fabric::LinkConfig has it
  std::vector<OutageConfig> outages;
  static const Schema<LinkSpec>& schema();
};

/// Changes to one direction of a link.
struct LinkChange {
  enum class Packets { all, data };
  std::optional<BitRate> rate;
  std::optional<double> loss;
  std::optional<double> bit_errors;
  std::optional<Packets> packets;  ///< that are lost or get bit errors; absent: all
  std::vector<OutageConfig> outages;
  std::optional<Picoseconds> converge;

  void apply(fabric::LinkConfig& direction) const;
};

/// Changes to a link of a generated network.
struct ImpairmentSpec : LinkChange {
  enum class Direction { both, forward };
  std::vector<Located<std::string>> between;
  Direction direction = Direction::both;
  static const Schema<ImpairmentSpec>& schema();
};

/// The same change to links, or to what switches send, drawn at random.
struct ImpairmentGroup : LinkChange {
  enum class Of { cables, switches };
  enum class Direction { both, one, up, down };
  Of of = Of::cables;
  std::optional<Direction> direction;  ///< of cables; absent: both
  std::optional<double> share;
  std::optional<std::uint32_t> count;
  std::optional<std::uint32_t> level;  ///< links from the end points; absent: of any
  std::uint32_t seed = 1;
  bool keep_paths = true;
  static const Schema<ImpairmentGroup>& schema();
};

struct LinkDefault {
  BitRate rate = 100_Gbps;
  Picoseconds delay = 500_ns;
  double loss = 0.0;
  std::optional<bool> whole_nanoseconds{};
  static const Schema<LinkDefault>& schema();
};

struct DeviceSpec {
  std::vector<Located<std::string>> names;
  Located<std::string> profile;
  std::optional<std::uint32_t> site;
  static const Schema<DeviceSpec>& schema();
};

/// Where a SystemC module is, in the middle of a link; its kind has more keys.
struct ModuleSpec {
  Located<std::string> name;
  Located<std::string> kind;
  std::vector<Located<std::string>> between;
  std::optional<std::uint32_t> link;  ///< of several; absent: there is one
  static const Schema<ModuleSpec>& schema();
  /// Its keys.
  static const std::vector<std::string>& keys();
};

/// A host memory of a user's own.
struct MemorySpec {
  Located<std::string> name;
  Located<std::string> kind;
  std::vector<Located<std::string>> nics;  ///< empty: all with a host
  static const Schema<MemorySpec>& schema();
  /// Its keys.
  static const std::vector<std::string>& keys();
};

/// Harm to chosen packets of a link or a NIC.
struct EventSpec {
  using Action = fabric::Injection::Action;
  using Packets = fabric::Injection::Packets;
  enum class Side { sends, receives };
  std::optional<Action> action;  ///< required
  std::vector<Located<std::string>> between;
  std::optional<std::uint32_t> link;  ///< of several; absent: there is one
  std::optional<Located<std::string>> nic;
  std::optional<Side> side;
  std::optional<std::uint32_t> port;
  std::optional<Located<std::string>> flow;
  Packets packets = Packets::data;
  std::optional<std::uint32_t> psn;
  std::optional<std::uint64_t> iteration;
  std::optional<std::uint64_t> packet;
  std::uint64_t count = 1;
  std::uint64_t every = 1;
  std::optional<Picoseconds> delay;
  static const Schema<EventSpec>& schema();
};

/// Which paths plain switches use.
struct RoutingConfig {
  enum class Kind { shortest, ksp };
  Kind kind = Kind::shortest;
  std::uint32_t paths = 8;
  static const Schema<RoutingConfig>& schema();
};

/// Codes of the traffic classes in frames.
struct ClassesConfig {
  std::optional<std::vector<std::uint32_t>> dscp{}, pcp{};
  static const Schema<ClassesConfig>& schema();
  /// InputError where one is not of eight classes. `section` is the table.
  ClassCodes codes(const Section& section) const;
};

/// Links between switches that fail again and again: in each interval another random set.
struct FailuresConfig {
  double share = 0.01;
  Picoseconds interval = 100_ms;
  Picoseconds start{};
  std::uint32_t seed = 1;
  static const Schema<FailuresConfig>& schema();
};

}  // namespace horae::config
