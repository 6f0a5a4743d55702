// Tables as text.
#pragma once

#include <string>
#include <vector>

namespace horae::explain {

using Row = std::vector<std::string>;

/// Four significant digits.
std::string number_text(double value);

/// Rows of cells below a heading, columns aligned: those of `right` to the right, those beyond it
/// too.
std::string aligned(const std::vector<Row>& rows, const std::vector<bool>& right,
                    const std::string& indent);

}  // namespace horae::explain
