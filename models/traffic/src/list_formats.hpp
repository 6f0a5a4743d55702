// The readers of each format, for FlowList::open.
#pragma once

#include <memory>
#include <unordered_map>

#include "horae/traffic/flow_list.hpp"
#include "horae/traffic/list_lines.hpp"

namespace horae::traffic {

/// Nodes as a list names them.
class NodeTable {
 public:
  explicit NodeTable(const ListNodes& nodes);
  NodeTable(const NodeTable&) = delete;
  NodeTable& operator=(const NodeTable&) = delete;
  /// A node's number, folded where that is asked for. InputError at the word.
  std::uint32_t numbered(const ListLines& lines, const Word& word, std::string_view what) const;
  /// A node's name or number.
  std::uint32_t named(const ListLines& lines, const Word& word, std::string_view what) const;
  /// Refuses a flow whose two ends, both read before, are one node, written as they may be: a name
  /// and its number, a number with zeros in front. What only folding makes equal is none of these.
  void refuse_own(const ListLines& lines, const Word& from, const Word& to) const;

 private:
  std::uint32_t fold(const ListLines& lines, const Word& word, std::string_view what,
                     std::uint64_t number) const;
  std::uint64_t unfolded(const Word& word) const;

  ListNodes nodes_;
  std::unordered_map<std::string_view, std::uint32_t> by_name_;  ///< of the texts in nodes_
};

// Each takes a list that stands at its first line.
std::unique_ptr<FlowList> open_ns3(std::unique_ptr<ListLines> lines, const ListNodes& nodes);
std::unique_ptr<FlowList> open_htsim(std::unique_ptr<ListLines> lines, const ListNodes& nodes);
std::unique_ptr<FlowList> open_csv(std::unique_ptr<ListLines> lines, const ListNodes& nodes);

}  // namespace horae::traffic
