// NICs whose ordering layer runs as hardware, in place of its model or beside it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "horae/config/platform.hpp"
#include "horae/rnic/rnic.hpp"
#include "horae/rtl/ordering_rtl.hpp"

namespace horae::build {

class Levels {
 public:
  /// Gives a new NIC the ordering layer of the level that its profile asks for.
  void choose(rnic::rnic& nic, const rnic::RnicConfig& config);
  /// InputError, at its place in the file, for a NIC with more connections than its RTL has room
  /// for.
  void check(const config::PlatformConfig& platform) const;
  /// Compares model and RTL wherever both run, in all of their state; a ModelError says what
  /// differs.
  void compare() const;
  /// NICs where both run, and the requests to their ordering layers that both answered alike.
  struct Compared {
    std::uint64_t nics = 0, requests = 0;
  };
  Compared compared() const;
  /// Those NICs, in the order of the platform.
  const std::vector<std::pair<const rnic::rnic*, rtl::OrderingRtl*>>& hardware() const {
    return hardware_;
  }

 private:
  std::vector<rtl::OrderingLockstep*> locksteps_;                          ///< owned by their NICs
  std::vector<std::pair<const rnic::rnic*, rtl::OrderingRtl*>> hardware_;  ///< owned by their NICs
};

}  // namespace horae::build
