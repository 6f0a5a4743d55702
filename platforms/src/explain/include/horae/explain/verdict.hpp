// What becomes of a hypothesis: verdicts, and their order.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "horae/lab/candidate.hpp"

namespace horae::explain {

/// How far a mechanism came under one variant.
struct VariantVerdict {
  const question::VariantSpec* variant = nullptr;
  std::vector<std::string> a_priori;     ///< why arithmetic excludes it
  lab::Candidate alone;                  ///< conditions without reaction
  std::vector<lab::Candidate> reacting;  ///< with each reaction, if alone was consistent
  bool untested = false;                 ///< alone was consistent, but no reaction was tried

  /// The best reacting candidate, else the one without.
  const lab::Candidate& best() const;
  lab::Candidate& best() { return const_cast<lab::Candidate&>(std::as_const(*this).best()); }
  bool consistent() const { return a_priori.empty() && !untested && best().consistent(); }
  /// What orders it, smaller first: consistent, so if fitted to more, failed with reactions, not
  /// tested with them, failed without, by arithmetic; then the residual.
  std::pair<int, double> standing() const;
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

struct HypothesisVerdict {
  const question::HypothesisSpec* hypothesis = nullptr;
  std::vector<VariantVerdict> variants;
  std::size_t best_variant = 0;
  std::vector<OtherReading> other_readings;
  std::vector<IdleShares> idle;  ///< of the best, by condition

  const VariantVerdict& best() const { return variants[best_variant]; }
};

/// Sets `best_variant` of each.
void choose_best_variants(std::vector<HypothesisVerdict>& hypotheses);

/// Indices, those first that came furthest; equals stay in order.
std::vector<std::size_t> order_hypotheses(const std::vector<HypothesisVerdict>& hypotheses);

}  // namespace horae::explain
