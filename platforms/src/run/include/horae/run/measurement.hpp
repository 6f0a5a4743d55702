// What a run is measured by: snapshots at the ends of the measurement window, and results from
// them.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "horae/build/simulation.hpp"

namespace horae::run {

/// a / b; zero when there is nothing to divide by.
inline double ratio(double a, double b) { return b == 0 ? 0.0 : a / b; }

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
  std::vector<rnic::rnic::OrderingUse> ordering;  ///< of each NIC since the warm-up
  std::vector<fabric::open_loop_host::Counters> hosts;
  /// Time for which ports were held by PFC, summed over the connected ports of plain switches, and
  /// of NICs.
  Picoseconds switches_paused{}, nics_paused{};

  static Snapshot take(const build::Simulation& simulation, Picoseconds now);
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
/// - `flows.*`: over all connections and the whole run; fct is of messages completed since the
///   warm-up, from posting to last acknowledgement; _max of any connection. Not a number (null in
///   JSON): fct without such messages, and fct_max while one is unfinished.
/// - `collectives.*`: over all groups; cct is from a group's start to its last acknowledgement. It
///   is not a number while a group is unfinished.
/// - `switches.paused`, `nics.paused`: the share of the window in which a port was held back by PFC
///   (any class), mean over all ports of plain switches that have a link, and of NICs.
/// - `hosts.*`, `tor.*` (`tofino` devices by their name): likewise.
/// - `ordering.*`: of NICs with an ordering engine. Bytes are means over time and NICs; words and
///   searched are counted by the model only (null at level rtl).
///
/// Bytes of ordering engines and shares of pauses are over the time until open-loop arrivals ended
/// (`arrivals`; null: no such traffic), since what follows is a network running empty.
std::vector<Result> results_between(const build::Simulation& simulation, const Snapshot& from,
                                    const Snapshot& to, const Snapshot* arrivals = nullptr);

/// When the last message of a group was acknowledged; nothing while one is not.
std::optional<Picoseconds> end_of(const build::Simulation& simulation, const build::Group& group);

/// A row per group of a collective: its completion time from its start to the last acknowledgement.
nlohmann::ordered_json group_rows(const build::Simulation& simulation);

/// The value of a result, or null JSON if there is none of that name.
nlohmann::ordered_json find_result(const nlohmann::ordered_json& results, const std::string& name);

/// flows.csv: one line per connection, over the whole run.
std::string flows_csv(const build::Simulation& simulation, Picoseconds end);

/// series.csv grows line by line at every sample.
class Series {
 public:
  explicit Series(const build::Simulation& simulation);
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
