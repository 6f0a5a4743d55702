// Runs of a platform by what was set: each configuration runs once.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "horae/config/platform.hpp"
#include "horae/question/setting.hpp"
#include "horae/results/children.hpp"

namespace horae::lab {

/// Result of a run.
struct RunRecord {
  std::string key;  ///< names the effective configuration
  question::Setting setting;
  std::string verdict;  ///< complete, timeout, stuck
  std::map<std::string, double> results;
  std::int64_t sim_time_ps = 0;
  std::uint64_t events = 0;
  std::uint64_t packet_hops = 0;
  nlohmann::ordered_json packets;

  /// The value of a result; NaN if there is none, or the run was stuck.
  double value(const std::string& metric) const;

  nlohmann::ordered_json to_json() const;
  static RunRecord from_json(const nlohmann::ordered_json& json);
};

/// A run asked for, with what to call it in messages.
struct RunRequest {
  question::Setting setting;
  std::string title;
  Location where;
};

/// Finished runs in a folder, a whole file each, by key: what a killed program has run is not run
/// again, and programs on several machines may share one. A file that is damaged, or of another
/// version of the program, is as good as none.
class RunFolder {
 public:
  /// Makes the folder, and removes parts of files of processes that were killed. InputError if it
  /// cannot be written.
  explicit RunFolder(std::string path);

  std::optional<RunRecord> find(const std::string& key) const;
  /// ModelError if it cannot be written.
  void keep(const RunRecord& record) const;

 private:
  std::string file_of(const std::string& key) const;

  std::string path_;
};

/// The books of several runs, added up.
struct RunTotals {
  std::int64_t sim_time_ps = 0;
  std::uint64_t events = 0;
  std::uint64_t packet_hops = 0;
  std::uint64_t created = 0, delivered = 0, in_flight = 0;  ///< packets
  std::map<std::string, std::uint64_t> dropped;             ///< packets by cause

  void add(const RunRecord& run);
};

/// All runs so far, in the order in which they were first asked for. Two settings with the same
/// effective configuration are one run.
class RunStore {
 public:
  /// `platform` outlives the store.
  explicit RunStore(const question::BasePlatform& platform) : platform_(platform) {}

  /// Looks for runs in `folder` before it makes them, and leaves there what it makes.
  void keep_in(RunFolder folder) { folder_.emplace(std::move(folder)); }
  /// Remembers only the results that `wanted` names of each run, and no packet counts: many runs
  /// fit into memory.
  void remember_only(std::function<bool(const std::string& name)> wanted) {
    wanted_ = std::move(wanted);
  }

  /// Runs that have to be made end by then, or OutOfTime is thrown; those that are there are.
  void end_by(const results::Deadline& deadline) { deadline_ = deadline; }

  /// The run of a request, made in a child process if it is not there.
  const RunRecord& run(const RunRequest& request);
  /// Makes all that are not there, `jobs` at a time; `watch` sees the share done.
  void run_all(const std::vector<RunRequest>& requests, unsigned jobs,
               const std::function<void(std::size_t done, std::size_t of)>& watch = {});
  /// Takes a run made elsewhere, unless it is there.
  void adopt(RunRecord record);

  const std::deque<RunRecord>& records() const { return records_; }
  const RunTotals& totals() const { return totals_; }

 private:
  struct Prepared {
    std::string key;
    config::PlatformConfig platform;
  };
  Prepared prepare(const RunRequest& request);
  const RunRecord* find(const RunRequest& request) const;
  results::Task task(const RunRequest& request, const Prepared& prepared) const;

  const question::BasePlatform& platform_;
  std::optional<RunFolder> folder_;
  results::Deadline deadline_;
  std::function<bool(const std::string& name)> wanted_;  ///< none: all results
  std::deque<RunRecord> records_;
  RunTotals totals_;
  std::unordered_map<std::string, std::size_t> by_key_;
  std::unordered_map<std::string, std::string> key_of_;  ///< settings met before
};

/// A text as a cell of a CSV file: in quotes, those inside doubled (RFC 4180).
std::string csv_text(std::string text);

/// runs.csv: a line per run: number, seed, verdict, overrides, every result that is remembered.
std::string runs_csv(const RunStore& store);

}  // namespace horae::lab
