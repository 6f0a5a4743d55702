// Counters of switches, modules and connections at one time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "horae/core/stats.hpp"
#include "horae/elaboration/simulation.hpp"
#include "horae/fabric/devices/output_queued_switch.hpp"

namespace horae::elaboration {

/// A number as results name it.
struct NamedNumber {
  std::string name;
  double value = 0;
  std::string unit;
  StatKind kind = StatKind::count;
};

/// Counters of the devices that run in this process. NICs and hosts are not among them: theirs are
/// in the snapshots of a run.
struct CountedSoFar {
  /// Counters of a connection, at its sender; the delivered ones at its receiver.
  struct OfFlow {
    std::uint64_t nacks = 0, timeouts = 0;
    std::uint64_t messages = 0, bytes = 0;  ///< completed
    std::uint64_t delivered = 0;            ///< bytes
  };

  std::vector<std::vector<NamedNumber>>
      devices;  ///< by device: a chip, or a part of a plain switch
  std::vector<std::vector<NamedNumber>> modules;  ///< as the platform has them, then host memories
  std::vector<OfFlow> flows;                      ///< by connection
  fabric::output_queued_switch::Counters switches;  ///< of plain ones, added up

  static CountedSoFar of(const Simulation& simulation);
  /// The difference to `before`, which is of the same simulation, or is empty: nothing. Maxima
  /// and states stay as they are.
  CountedSoFar since(const CountedSoFar& before) const;
};

/// The unit of a maximum. Where the measured time begins later than the run, it says that the
/// maximum is of the whole run.
std::string unit_of_maximum(const std::string& unit, const config::PlatformConfig& platform);

}  // namespace horae::elaboration
