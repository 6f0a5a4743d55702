// Which published anomaly is mine: symptoms held against what the shipped questions show.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "horae/question/files.hpp"

namespace horae::explain {

/// Symptoms: numbers of a system as observations have them, without conditions. A TOML file of
/// [[symptom]] tables, or a tool's file (question::is_measured). InputError at the fault.
std::vector<question::ObservationSpec> read_symptoms(const std::string& path);

/// A condition of a question, and how far each symptom is from what its run shows.
struct ShownIn {
  std::string condition, title;
  std::vector<double> ours;    ///< by symptom; NaN: the run has no such result
  std::vector<double> misses;  ///< in tolerances, without sign, `most_missed` at most
  std::size_t shown = 0;       ///< symptoms within their tolerance
  double miss() const;         ///< mean of misses
};
/// Miss of a symptom that a run has no result for; no other counts as more.
inline constexpr double most_missed = 10;

/// A question with its condition that shows most.
struct Candidate {
  std::string file;   ///< its platform
  std::string title;  ///< of its observations
  ShownIn best;
  /// Symptoms that the condition which shows fewest shows: what is in all of its conditions is not
  /// of its mechanism.
  std::size_t least = 0;
  std::vector<std::pair<std::string, double>> shares;  ///< results of `best` without a scale
};

/// A result that two candidates differ in most.
struct Telling {
  std::string quantity;
  double first = 0, second = 0;
};

struct Diagnosis {
  std::vector<question::ObservationSpec> symptoms;
  std::vector<Candidate> candidates;  ///< those that show most first
  std::optional<Telling> telling;     ///< of the first two; absent: nothing without a scale differs
  std::size_t runs = 0;
};

/// Runs every condition of the questions, whose platforms are `files`, `jobs` at a time.
Diagnosis diagnose(const std::vector<std::string>& files,
                   std::vector<question::ObservationSpec> symptoms, unsigned jobs,
                   bool show_progress);

/// `symptoms_path` is part of the commands that the text names.
std::string diagnosis_text(const Diagnosis& diagnosis, const std::string& symptoms_path);
nlohmann::ordered_json diagnosis_json(const Diagnosis& diagnosis);

}  // namespace horae::explain
