// An explanation as text and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "horae/explain/explain.hpp"

namespace horae::explain {

/// Arithmetic, details of each hypothesis, experiments, and the ranked table last.
std::string explanation_text(const Explanation& e);

/// summary.json.
nlohmann::ordered_json explanation_json(const Explanation& e);

/// Rows of cells below a heading, columns aligned: numbers and what stands under `right` to the
/// right.
std::string aligned(const std::vector<std::vector<std::string>>& rows,
                    const std::vector<bool>& right, const std::string& indent);

}  // namespace horae::explain
