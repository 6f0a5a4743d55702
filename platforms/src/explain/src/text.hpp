// The sections of an answer as text.
#pragma once

#include <string>
#include <vector>

#include "horae/explain/answer.hpp"

namespace horae::explain {

using Row = std::vector<std::string>;

/// Four significant digits.
std::string number_text(double value);

/// Rows of cells below a heading, columns aligned: numbers and what stands under `right` to the
/// right.
std::string aligned(const std::vector<Row>& rows, const std::vector<bool>& right,
                    const std::string& indent);

/// What was asked: title, platform, files.
std::string question_text(const question::Question& question);

/// All about one hypothesis.
std::string hypothesis_text(const question::Question& question, const HypothesisVerdict& verdict);
/// What would tell the survivors apart; empty without experiments.
std::string experiments_text(const Answer& answer);
/// One line per hypothesis, in their order.
std::string ranked_text(const Answer& answer);

}  // namespace horae::explain
