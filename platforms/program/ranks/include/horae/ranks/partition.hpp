// Which rank runs which devices.
#pragma once

#include <cstddef>
#include <vector>

#include "horae/config/platform.hpp"

namespace horae::ranks {

struct Partition {
  std::vector<unsigned> owners;  ///< by device: its rank
  std::vector<double> shares;    ///< by rank: of the expected load, 1 in all
  std::size_t cut_links = 0;     ///< links between devices of different ranks
  Picoseconds period = never;    ///< the smallest delay of those: ranks exchange so often

  std::size_t devices(unsigned rank) const;
};

/// Divides the devices among ranks, equal loads before all else. A switch stays with its end points
/// (but for those farther away than other switches), and of divisions that are as even the one with
/// the longest links cut is taken, then the one with the fewest packets on them. Platforms of fewer
/// switches than ranks are divided into single devices; ranks beyond those have nothing to run. The
/// same for every rank that asks.
Partition partition(const config::PlatformConfig& platform, unsigned ranks);

/// InputError where `ranks` were asked for by --ranks and most of them would have nothing to run:
/// more than devices, and more than a small machine's cores.
void check_ranks(const config::PlatformConfig& platform, unsigned ranks);

}  // namespace horae::ranks
