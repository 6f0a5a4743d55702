// Refuses what `horae explain` could not run, before anything runs.
#pragma once

#include "horae/question/question.hpp"

namespace horae::question {

/// Reads the platform with every condition, variant, hypothesis, bound of a parameter, reaction,
/// experiment and point of a curve, and looks up every quantity. A rate above that of every NIC's
/// links in its condition cannot be. InputError at the place in the file that is to blame.
void check_question(const Question& question);

/// The part of it that is about quantities: what the hypotheses' platforms give as results.
void check_results(const Question& question);

}  // namespace horae::question
