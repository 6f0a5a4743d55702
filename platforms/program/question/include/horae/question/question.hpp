// The question of `horae explain`: which of these mechanisms explain what was observed of this
// platform?
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "horae/question/files.hpp"
#include "horae/question/quantities.hpp"
#include "horae/question/setting.hpp"

namespace horae::question {

/// Request of the command line.
struct ExplainRequest {
  std::string platform;
  std::vector<std::string> overrides;
  std::optional<std::string> observations;  ///< in place of the platform's
  std::optional<std::string> hypotheses;
  Readings readings;
  std::vector<std::string> only;  ///< ids or families; all by default
  unsigned seeds = 3;             ///< each as likely, an unknown like others
  unsigned survivors = 0;  ///< at most so many are compared by experiments and curves; 0: all
  bool quick = false;
  unsigned points = 0;  ///< simulated per hypothesis; 0: the default
  /// Wall time that the answer may take; absent: as long as its points do.
  std::optional<double> minutes;
  std::optional<std::string> from;          ///< result folder of an earlier answer to go on from
  std::vector<std::string> fixed_readings;  ///< not open: those of the command line
  std::optional<std::string> store;         ///< folder that keeps finished runs
  unsigned jobs = 1;
  bool show_progress = false;
};

/// An observation that others say again: they are counted once.
struct Repeated {
  std::string id;
  std::vector<std::string> again;  ///< the others' ids, in the file's order
};

/// The request with everything that it names, read. Laboratory and answer point into it, so it
/// moves and is not copied.
struct Question {
  Question() = default;
  Question(Question&&) = default;
  Question& operator=(Question&&) = default;

  ExplainRequest request;
  std::chrono::steady_clock::time_point asked = std::chrono::steady_clock::now();
  BasePlatform platform;
  std::string platform_name;
  std::string platform_hash;
  nlohmann::ordered_json platform_config;
  std::uint32_t seed = 1;  ///< of the platform; more seeds follow it
  std::string observations_path, hypotheses_path;
  ObservationsFile observations;   ///< each number once
  std::vector<Repeated> repeated;  ///< what was said more than once
  HypothesesFile hypotheses;  ///< as selected: those of --only, variants and experiments of --quick

  /// The condition of that name, which is there.
  const ConditionSpec& condition(const std::string& id) const {
    return *observations.find_condition(id);
  }
  /// Whether some condition is with a reaction, or without one.
  bool has_conditions(bool reaction) const;
  /// Readings under which some observation is another number (question::open_readings).
  std::vector<std::pair<std::string, Readings>> open_readings() const;
  /// The half unit of the last published digit, below which no spread counts; 0: not known.
  double resolution(const std::string& quantity) const;
};

/// Reads everything, and refuses what could not be run (check_question), and observations that
/// contradict each other. InputError.
Question read_question(const ExplainRequest& request);

}  // namespace horae::question
