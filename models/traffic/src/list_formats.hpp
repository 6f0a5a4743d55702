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
  struct Node {
    Word word;
    std::uint32_t number = 0;   ///< in the network, folded where that is asked for
    std::uint64_t written = 0;  ///< what the list says, or the number of the name that it says
  };
  /// By its number. InputError at the word.
  Node numbered(const ListLines& lines, const Word& word, std::string_view what) const;
  /// By its name or number.
  Node named(const ListLines& lines, const Word& word, std::string_view what) const;

 private:
  std::uint32_t fold(const ListLines& lines, const Word& word, std::string_view what,
                     std::uint64_t number) const;

  ListNodes nodes_;
  std::unordered_map<std::string_view, std::uint32_t> by_name_;  ///< of the texts in nodes_
};

/// Gives a flow its ends. Refuses, at the second, those that are one node, written as they may be:
/// a name and its number, a number with zeros in front. What only folding makes equal is none of
/// these.
void set_ends(ListedFlow& flow, const ListLines& lines, const NodeTable::Node& from,
              const NodeTable::Node& to);

// Each takes a list that stands at its first line.
std::unique_ptr<FlowList> open_ns3(std::unique_ptr<ListLines> lines, const ListNodes& nodes);
std::unique_ptr<FlowList> open_htsim(std::unique_ptr<ListLines> lines, const ListNodes& nodes);
std::unique_ptr<FlowList> open_csv(std::unique_ptr<ListLines> lines, const ListNodes& nodes);

}  // namespace horae::traffic
