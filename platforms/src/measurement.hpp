// What a run is measured by: snapshots at the ends of the measurement window, and results from
// them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "simulation.hpp"

namespace horae::platforms {

/// One named result.
struct Result {
  std::string name;
  double value = 0;
  std::string unit;
};

/// Counters of every device at one moment.
struct Snapshot {
  Picoseconds time{};
  std::vector<rnic::RnicCounters> nics;
  std::vector<fabric::TxCounters> nic_tx;
  std::vector<fabric::open_loop_host::Counters> hosts;

  static Snapshot take(const Simulation& simulation, Picoseconds now);
};

/// Results over the window between two snapshots. Names are stable:
///
/// - `senders.*`: over all NICs that send messages. Rates are means per sender in the layer of
///   `sim.rate_layer`; shares are of the line rate, or of time; per_packet is per data packet sent,
///   retransmissions included; goodput is what data packets sent for the first time take on the
///   wire, headers included (packet-spraying paper, footnote 4), and its ratio is to all the port
///   sent. With _l1 and _l2 rates and shares count preamble and gap, or frames with FCS only;
///   payload_ratio is what receivers wrote to memory over the frames sent; _total is of all
///   senders together.
/// - `receivers.*`: over all NICs that receive them.
/// - `flows.*`, `hosts.*`, `tor.*` (`tofino` devices by their name): likewise.
std::vector<Result> results_between(const Simulation& simulation, const Snapshot& from,
                                    const Snapshot& to);

/// The value of a result, or null JSON if there is none of that name.
nlohmann::ordered_json find_result(const nlohmann::ordered_json& results, const std::string& name);

/// flows.csv: one line per connection, over the whole run.
std::string flows_csv(const Simulation& simulation, Picoseconds end);

/// series.csv grows line by line at every sample.
class Series {
 public:
  explicit Series(const Simulation& simulation);
  /// Takes a sample: rates since the last one, depths as of now.
  void sample(Picoseconds now);
  const std::string& csv() const { return csv_; }

 private:
  void line(Picoseconds now, const std::string& object, std::string_view quantity, double value,
            std::string_view unit);

  const Simulation& simulation_;
  Snapshot last_;
  std::string csv_;
};

}  // namespace horae::platforms
