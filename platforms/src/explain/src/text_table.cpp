// Tables as text.
#include <fmt/format.h>

#include <algorithm>

#include "text.hpp"

namespace horae::explain {

std::string number_text(double value) { return fmt::format("{:.4g}", value); }

std::string aligned(const std::vector<Row>& rows, const std::vector<bool>& right,
                    const std::string& indent) {
  std::vector<std::size_t> width;
  for (const auto& row : rows) {
    width.resize(std::max(width.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], row[c].size());
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line = indent;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const bool to_right = c < right.size() ? right[c] : true;
      if (c > 0) line += "  ";
      line += to_right ? fmt::format("{:>{}}", row[c], width[c])
                       : fmt::format("{:<{}}", row[c], width[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
    if (&row == &rows.front() && indent.empty()) {
      std::size_t length = 0;
      for (const auto w : width) length += w + 2;
      out += std::string(length - 2, '-') + "\n";
    }
  }
  return out;
}

std::string ranked_text(const Answer& answer) {
  std::vector<Row> rows = {{"", "hypothesis", "rms", "parameters", "fitted", "predicted", "variant",
                            "reaction", "turns with", "verdict"}};
  for (std::size_t i = 0; i < answer.order.size(); ++i) {
    const HypothesisVerdict& r = answer.hypotheses[answer.order[i]];
    const lab::Candidate& c = r.best().best();
    const std::size_t fitted = c.calibrated();
    std::string turns;
    for (const auto& other : r.other_readings) {
      if (other.changes || other.open)
        turns += (turns.empty() ? "" : " ") + other.reading + (other.open ? "?" : "");
    }
    rows.push_back(
        {fmt::format("{}", i + 1), r.hypothesis->id, fmt::format("{:.2f}", c.rms()),
         fmt::format("{}", c.parameters()), fmt::format("{}", fitted),
         fmt::format("{}", c.comparisons.size() - fitted), r.best().variant->label,
         c.reaction == nullptr ? "-" : c.reaction->id.value, turns.empty() ? "-" : turns,
         r.best().a_priori.empty() ? r.best().verdict() : "excluded a priori (reason above)"});
  }
  return "\nRanked: consistent first, then by how far they came, then by the root mean square of\n"
         "residual / (rounding + tolerance)\n\n" +
         aligned(rows, {true, false, true, true, true, true, false, false, false, false}, "");
}

}  // namespace horae::explain
