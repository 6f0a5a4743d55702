// Which headers a packet may have together (internal to the room).
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "horae/dataplane/design/design.hpp"

namespace horae::dataplane {

/// Paths through the parser's states of one gress.
class HeaderPaths {
 public:
  HeaderPaths(const Design& design, Gress gress);

  /// Whether no packet has both: both are extracted, never in one state, and from no state of one
  /// is there a way to a state of the other.
  bool exclude_each_other(const std::string& a, const std::string& b) const;
  /// Whether there is a way from one state to the other; both are listed.
  bool one_leads_to_other(const std::string& a, const std::string& b) const;

 private:
  std::map<std::string, std::size_t> index_;                ///< of each state
  std::map<std::string, std::set<std::size_t>> states_of_;  ///< of each header
  std::vector<std::vector<bool>> reaches_;                  ///< itself included
};

}  // namespace horae::dataplane
