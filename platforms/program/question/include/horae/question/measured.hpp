// Observations out of files that tools write: perftest, and counters over time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "horae/params/located.hpp"

namespace horae::question {

struct ObservationsFile;
enum class Use;

/// `[[import]]` of an observations file: a tool's file, and what it does not say.
struct ImportSpec {
  Located<std::string> file;              ///< beside the observations file
  std::string id;                         ///< begins the ids of what it gives
  std::vector<Located<std::string>> set;  ///< of its conditions, before what the file says
  bool reaction = false;
  Located<double> tolerance{0.05, {}};  ///< share of each value
  std::string tolerance_why;
  Use use{};                                    ///< fit
  std::optional<Located<double>> from, to;      ///< s; counters: the window, else all of it
  std::optional<Located<std::string>> message;  ///< counters: bytes of a WRITE request
  std::string source;
  static const Schema<ImportSpec>& schema();
};

/// Whether a file is a tool's rather than TOML: by its name (.json, .csv, .txt, .log, .out).
bool is_measured(const std::string& path);

/// The observations of a tool's file at `path`. The output of `ib_write_bw`, as text or as JSON,
/// has a condition for each number of queue pairs and message size, and `delivered_rate` there.
/// Counters over time have one condition, and the quantities whose columns are there
/// (counter_meanings). InputError with line and column for what is none of these.
ObservationsFile read_measured(const std::string& path, const ImportSpec& import);

/// A column of counters over time, and what becomes of it.
struct CounterMeaning {
  std::string_view column;  ///< file under /sys/class/infiniband/*/ports/*/{counters,hw_counters}
  unsigned bits = 64;       ///< at which it wraps
  std::string_view quantity = {};  ///< empty: known, but not compared
  std::string_view unit = {};
  double scale = 0;  ///< from counts per second
};
const std::vector<CounterMeaning>& counter_meanings();

}  // namespace horae::question
