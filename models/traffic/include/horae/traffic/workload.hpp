// Workloads: how large messages are, as a distribution that a file gives.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "horae/core/random.hpp"
#include "horae/core/units.hpp"
#include "horae/params/located.hpp"

namespace horae::traffic {

/// One point of a cumulative distribution of sizes.
struct SizePoint {
  std::int64_t size = 0;             ///< bytes
  Located<double> probability{0.0};  ///< of a size of at most so many bytes
  static const Schema<SizePoint>& schema();
};

/// A workload file: its points and where they were published.
struct WorkloadFile {
  std::string name;
  std::string description;
  std::string source;
  std::vector<SizePoint> points;
  static const Schema<WorkloadFile>& schema();
};

/// A distribution of sizes: straight lines between the points of a cumulative distribution, as
/// published simulators draw from it. Integers throughout: the same draws on any machine.
class SizeDistribution {
 public:
  /// Reads a workload file. InputError, with its place, where points are no distribution: they
  /// begin at probability 0, end at 1, sizes do not fall and probabilities rise.
  static SizeDistribution read(const Section& section);
  /// The shipped workload of that name, or the user's own file (*.toml, relative to the file that
  /// names it). InputError when there is none.
  static SizeDistribution find(const Located<std::string>& workload);
  /// Names of the shipped workloads.
  static const std::vector<std::string>& shipped();

  const WorkloadFile& file() const { return file_; }
  /// A size, at least one byte.
  Bytes draw(RandomStream& stream) const;
  /// Mean size in 1/65536 bytes, rounded down.
  std::int64_t mean_q16() const { return mean_q16_; }
  Bytes largest() const { return Bytes(file_.points.back().size); }

 private:
  explicit SizeDistribution(WorkloadFile file);

  WorkloadFile file_;
  std::vector<std::uint64_t> thresholds_;  ///< probabilities in 2^-53
  std::int64_t mean_q16_ = 0;
};

}  // namespace horae::traffic
