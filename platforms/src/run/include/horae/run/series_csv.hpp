// series.csv of a run: rates and depths over time.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "horae/build/simulation.hpp"
#include "horae/run/snapshot.hpp"

namespace horae::run {

/// It grows line by line at every sample.
class SeriesCsv {
 public:
  explicit SeriesCsv(const build::Simulation& simulation);
  /// Takes a sample: rates since the last one, depths as of now.
  void sample(Picoseconds now);
  const std::string& csv() const { return csv_; }

 private:
  bool wanted(const std::string& device) const;
  void line(Picoseconds now, const std::string& object, std::string_view quantity, double value,
            std::string_view unit);

  const build::Simulation& simulation_;
  Snapshot last_;
  std::map<std::string, std::vector<fabric::TxCounters>> ports_;  ///< of switches, by name
  std::string csv_;
};

}  // namespace horae::run
