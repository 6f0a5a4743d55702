// A hypothesis held against the observations.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "horae/explain/files.hpp"
#include "horae/explain/fit.hpp"

namespace horae::explain {

/// Mean and sample standard deviation over seeds.
struct Sample {
  std::vector<double> values;
  double mean = 0;
  double spread = 0;
  bool there = false;  ///< every run gave a value

  static Sample of(std::vector<double> values);
};

/// A published number beside ours.
struct Compared {
  const ObservationSpec* observation = nullptr;
  std::string metric;
  Sample ours;
  bool calibrated = false;  ///< a parameter was fitted to it

  double residual() const { return ours.mean - observation->value; }
  /// The residual in units of rounding + tolerance; without a value, as good as infinite.
  double allowances() const;
  /// Within rounding + tolerance + twice the spread over seeds.
  bool within() const;
};

/// Values of fitted parameters.
struct Fitted {
  std::vector<const ParameterSpec*> parameters;
  FitResult fit;

  std::vector<std::string> overrides() const;
};

/// A mechanism under one variant, with or without a reaction.
struct Candidate {
  const HypothesisSpec* hypothesis = nullptr;
  const VariantSpec* variant = nullptr;
  const ReactionSpec* reaction = nullptr;  ///< null: conditions without reaction only
  Fitted mechanism;
  Fitted response;
  std::vector<Compared> comparisons;
  /// Observations to be predicted that its values were chosen by, where the best fit misses them
  /// and other values of the search do not.
  std::vector<std::string> also_fitted;

  /// Overrides in a condition; the reaction's only where one applies.
  std::vector<std::string> overrides(const ConditionSpec& condition) const;
  /// Those of condition, variant and hypothesis alone.
  std::vector<std::string> plain_overrides(const ConditionSpec& condition) const;
  bool consistent() const;
  /// Root mean square of the residuals in allowances.
  double rms() const;
  /// The comparison that misses most, of those not within; null when consistent.
  const Compared* worst() const;
  std::size_t parameters() const;
  /// "hypothesis 'H1', MTU 1024, C3"
  std::string title() const;
};

/// How far a mechanism came under one variant.
struct VariantResult {
  const VariantSpec* variant = nullptr;
  std::vector<std::string> impossible;  ///< by arithmetic
  Candidate alone;                      ///< conditions without reaction
  std::vector<Candidate> reacting;      ///< with each reaction, if alone was consistent
  bool untested = false;                ///< alone was consistent, but no reaction was tried

  /// The best reacting candidate, else the one without.
  const Candidate& best() const;
  Candidate& best() { return const_cast<Candidate&>(std::as_const(*this).best()); }
  bool consistent() const { return impossible.empty() && !untested && best().consistent(); }
  /// What ranks it, smaller first: consistent, so if fitted to more, failed with reactions, not
  /// tested with them, failed without, by arithmetic; then the residual.
  std::pair<int, double> rank() const;
  /// "consistent", "excluded by ...", "excluded a priori because ...".
  std::string verdict() const;
};

/// The verdict if one reading were another.
struct OtherReading {
  std::string reading;
  std::string verdict;
  bool changes = false;  ///< between consistent and excluded
  bool open = false;     ///< consistent without reaction under it, but not tested with one
};

/// Why the wire is idle in a condition: shares of time by cause, where the run says so.
struct IdleShares {
  std::string condition;
  std::vector<std::pair<std::string, double>> causes;
};

struct HypothesisResult {
  const HypothesisSpec* hypothesis = nullptr;
  std::vector<VariantResult> variants;
  std::size_t best_variant = 0;
  std::vector<OtherReading> other_readings;
  std::vector<IdleShares> idle;  ///< of the best, by condition

  const VariantResult& best() const { return variants[best_variant]; }
};

/// Sets `best_variant` of each, and returns indices in ranked order; equals stay in order.
std::vector<std::size_t> rank(std::vector<HypothesisResult>& results);

std::vector<std::string> plain(const std::vector<Located<std::string>>& located);

}  // namespace horae::explain
