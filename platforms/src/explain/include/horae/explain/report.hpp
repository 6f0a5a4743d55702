// An answer as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "horae/explain/answer.hpp"

namespace horae::explain {

/// Arithmetic, details of each hypothesis, experiments, and the ranked table last.
std::string answer_text(const lab::Laboratory& laboratory, const Answer& answer);

/// summary.json.
nlohmann::ordered_json answer_json(const lab::Laboratory& laboratory, const Answer& answer);

}  // namespace horae::explain
