// Pairs of NICs between which equal messages take equal time when they are alone.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "horae/config/platform.hpp"

namespace horae::workload {

/// Sorts pairs of NICs by what lies on the shortest paths between them (fewest links), there and
/// back: profiles of devices, and rates, delays and modules of links.
class PathClasses {
 public:
  explicit PathClasses(const config::PlatformConfig& platform);

  struct Class {
    std::uint32_t number = 0;  ///< from 0, in the order in which they were asked for
    std::uint32_t links = 0;   ///< of the way out
    bool alike = true;  ///< all paths are that a message may take; else its time depends on which
  };
  /// Class of two NICs, by their places among the platform's devices.
  Class of(unsigned from, unsigned to);

 private:
  struct Hop {
    std::uint32_t link = 0;  ///< number of its kind
    unsigned to = 0;         ///< device
  };
  /// Properties that tell two links apart.
  using LinkKind = std::vector<std::int64_t>;
  /// For each step, the kinds of links that it may take, ascending.
  using Way = std::vector<std::vector<std::uint32_t>>;

  std::uint32_t kind_of(LinkKind kind);
  Way way(unsigned from, unsigned to) const;

  const config::PlatformConfig& platform_;
  std::vector<fabric::RouteTable> routes_;
  std::vector<std::vector<Hop>> hops_;  ///< by device and port
  std::map<LinkKind, std::uint32_t> kinds_;
  std::map<std::pair<Way, Way>, Class> classes_;
  std::map<std::pair<unsigned, unsigned>, Class> pairs_;
};

}  // namespace horae::workload
