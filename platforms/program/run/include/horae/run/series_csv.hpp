// series.csv of a run: rates and depths over time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "horae/elaboration/simulation.hpp"
#include "horae/run/snapshot.hpp"

namespace horae::run {

/// It grows line by line at every sample.
class SeriesCsv {
 public:
  explicit SeriesCsv(const elaboration::Simulation& simulation);
  /// Takes a sample: rates since the last one up to `at`, depths as of then. `reached`: the time of
  /// the devices, not before `at`; nothing moved in between.
  void sample(Picoseconds at, Picoseconds reached);
  /// When the last one was; 0: the start of the run.
  Picoseconds last() const { return last_.time; }
  const std::string& csv() const { return csv_; }
  /// All ranks of the run call it: rank 0 then has the lines of all devices, in the same order as
  /// if all ran in one process.
  void gather(fabric::rank_exchange& ranks);

 private:
  /// Lines of one device in one sample. Kept apart only where other ranks have lines between.
  struct Part {
    std::uint32_t sample, device;
    std::size_t bytes;
  };

  bool wanted(const fabric::device& device) const;
  void begin_part(const fabric::device& device);
  /// By number of the device: its place in a sample.
  std::vector<std::size_t> places_of_devices() const;
  void inside(Picoseconds now, const tofino::tofino_switch& chip);
  /// Connections that a NIC sends on or receives on, where they are asked for: those with anything
  /// outstanding, or moved since the last sample.
  void flows(Picoseconds now, Picoseconds reached, rnic::rnic& nic);
  void pauses(Picoseconds now, Picoseconds reached, const fabric::device& device, unsigned port);
  void line(Picoseconds now, const std::string& object, std::string_view quantity, double value,
            std::string_view unit);

  const elaboration::Simulation& simulation_;
  Snapshot last_;
  /// Bits that a port had put on its wire: counted ones, and those of them still to leave.
  struct SampledPort {
    fabric::TxCounters sent;
    double left = 0;  ///< bits
  };
  std::map<std::string, std::vector<SampledPort>> ports_;  ///< of switches, by name
  struct SampledPauses {
    Picoseconds held{};
    std::uint64_t sent = 0;
  };
  std::map<unsigned, std::vector<SampledPauses>> pauses_;  ///< by device; by port and class
  std::map<std::string, std::int64_t> looped_;  ///< bytes given to loopback ports, by name
  /// A connection at one of its ends, and what it had moved at the last sample.
  struct SampledFlow {
    std::size_t number = 0;  ///< of the connection, as in flows.csv
    std::size_t qp = 0;
    bool sends = false;
    std::int64_t bytes = 0;
  };
  std::vector<std::vector<SampledFlow>> flows_;  ///< by device; empty: not asked for
  std::string csv_;
  std::uint32_t samples_ = 0;
  std::vector<Part> parts_;  ///< of what is behind the head line; empty in a run of one process
};

}  // namespace horae::run
