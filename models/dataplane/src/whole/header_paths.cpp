#include "header_paths.hpp"

#include <algorithm>

namespace horae::dataplane {

HeaderPaths::HeaderPaths(const Design& design, Gress gress) {
  std::vector<const ParserState*> states;
  for (const auto& s : design.parser) {
    if (s.gress != gress) continue;
    index_[s.name] = states.size();
    states.push_back(&s);
  }
  reaches_.assign(states.size(), std::vector<bool>(states.size(), false));
  for (std::size_t i = 0; i < states.size(); ++i) {
    for (const auto& header : states[i]->extracts) states_of_[header].insert(i);
    std::vector<std::size_t> open = {i};
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      if (reaches_[i][at]) continue;
      reaches_[i][at] = true;
      for (const auto& next : states[at]->next) {
        if (const auto to = index_.find(next); to != index_.end()) open.push_back(to->second);
      }
    }
  }
}

bool HeaderPaths::one_leads_to_other(const std::string& a, const std::string& b) const {
  const std::size_t i = index_.at(a), j = index_.at(b);
  return reaches_[i][j] || reaches_[j][i];
}

bool HeaderPaths::exclude_each_other(const std::string& a, const std::string& b) const {
  const auto of_a = states_of_.find(a), of_b = states_of_.find(b);
  if (a == b || of_a == states_of_.end() || of_b == states_of_.end()) return false;
  return std::ranges::none_of(of_a->second, [&](std::size_t i) {
    return std::ranges::any_of(of_b->second,
                               [&](std::size_t j) { return reaches_[i][j] || reaches_[j][i]; });
  });
}

}  // namespace horae::dataplane
