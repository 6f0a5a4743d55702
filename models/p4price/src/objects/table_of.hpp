// A match table of the source as an object.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "action_data.hpp"
#include "horae/p4price/price_program.hpp"
#include "steps/pieces.hpp"

namespace horae::p4price {

struct TableOf {
  dataplane::MatchSpec spec;
  /// Profiles and selectors: their names; whose table they are of is filled in by who adds them.
  std::vector<std::pair<std::string, dataplane::ObjectSpec>> attached;
  std::vector<std::string> notes;
};
TableOf table_of(const p4lang::Program& program, const p4lang::Block& block,
                 const p4lang::Table& table, const Piece& piece, const ActionDataRules& data,
                 const Sizes& sizes, const std::string& pipe);

dataplane::CounterSpec counter_of(const p4lang::ExternObject& object, std::uint64_t cells,
                                  const std::string& table, bool direct);

/// Entries of a table: as the source says, or what the open compiler takes.
std::uint64_t entries_of(const p4lang::Table& table);

}  // namespace horae::p4price
