// Hypotheses held against the observations: without congestion control, then with it.
#pragma once

#include <string>
#include <vector>

#include "horae/explain/verdict.hpp"
#include "horae/lab/laboratory.hpp"

namespace horae::explain {

/// What arithmetic says against a candidate, with its own overrides: they may say how long packets
/// are.
std::vector<std::string> exclusions_of(const question::Question& question,
                                       const lab::Candidate& candidate,
                                       const question::Readings& readings);

/// One way through the two stages.
struct Pass {
  question::Readings readings;
  std::string title;                   ///< begins the progress line
  std::vector<std::size_t> which;      ///< hypotheses, by their index in the question
  std::vector<std::size_t> reactions;  ///< to be tried

  /// With everything that the question has.
  static Pass all(const question::Question& question);
  lab::Stage stage(bool reaction) const {
    return {reaction, readings, title + (reaction ? "with a reaction" : "without reaction")};
  }
};

/// Assesses the hypotheses of a pass under every variant, in the file's order, and chooses the best
/// variant of each. With a reaction only the best variants of a hypothesis are tested, with --quick
/// only the best hypotheses of different families.
std::vector<HypothesisVerdict> assess(lab::Laboratory& laboratory, const Pass& pass);

/// What another reading makes of each. The same values are judged first. Where those are not
/// consistent, others are looked for: from what is known, and only with the reactions that are
/// some hypothesis's best.
std::vector<OtherReading> reread(lab::Laboratory& laboratory,
                                 const std::vector<HypothesisVerdict>& hypotheses,
                                 const std::string& name, const question::Readings& readings);

}  // namespace horae::explain
