#include "validity_bits.hpp"

#include <algorithm>

namespace horae::p4price {

using p4lang::Callee;
using p4lang::StmtKind;

ValidityBits::ValidityBits(const p4lang::Block& block, const std::vector<Piece>& pieces,
                           const dataplane::ChipSpec& chip)
    : block_(block) {
  std::uint32_t next = 0;
  if (block.parameters == 0) return;
  const auto& headers = block.variables[0];
  for_fields(headers.name, *headers.type, [&](const std::string& field, const p4lang::Type&) {
    if (field.ends_with(validity())) positions_[field] = next++;
  });
  const bool of_fields =
      std::ranges::any_of(chip.phv.mocha, [](std::uint32_t containers) { return containers > 0; });
  if (of_fields) {
    std::set<std::string> written;
    for (const Piece& piece : pieces) {
      if (piece.dead) continue;
      for (const Use* u : piece.writes()) written.insert(u->bits.field);
    }
    for (std::size_t i = 2; i < block.parameters; ++i) {
      const auto& v = block.variables[i];
      if (v.direction == p4lang::Direction::in) continue;
      for_fields(v.name, *v.type, [&](const std::string& field, const p4lang::Type&) {
        if (written.contains(field)) positions_[field] = next++;
      });
    }
  }
  container_bits_ = next <= 8 ? 8 : next <= 16 ? 16 : 32;
}

std::optional<std::uint32_t> ValidityBits::position(const std::string& field) const {
  const auto at = positions_.find(field);
  return at == positions_.end() ? std::nullopt : std::optional(at->second);
}

std::map<std::uint32_t, bool> ValidityBits::set_by(const PieceAction& action) const {
  std::map<std::uint32_t, bool> out;
  for (const auto& s : action.statements) {
    if (s.kind == StmtKind::assign) {
      for (const Bits& b : bits_of_lvalue(s.target, block_))
        if (const auto at = position(b.field)) out[*at] = true;
    } else if (s.kind == StmtKind::call &&
               (s.value.callee == Callee::set_valid || s.value.callee == Callee::set_invalid)) {
      const auto at = position(name_of(s.value.operands[0], block_) + validity());
      if (at) out[*at] = s.value.callee == Callee::set_valid;
    }
  }
  return out;
}

std::set<std::uint32_t> ValidityBits::containers(const PieceAction& action) const {
  std::set<std::uint32_t> out;
  for (const auto& [bit, value] : set_by(action)) out.insert(bit / container_bits_);
  return out;
}

std::set<std::uint32_t> ValidityBits::containers(const Piece& piece) const {
  std::set<std::uint32_t> out;
  for (const auto& action : piece.actions) out.merge(containers(action));
  return out;
}

std::uint32_t ValidityBits::data_bits(const PieceAction& action) const {
  std::uint32_t sum = 0;
  const auto bits = set_by(action);
  for (auto first = bits.begin(); first != bits.end();) {
    const std::uint32_t container = first->first / container_bits_;
    bool immediate = true;
    auto last = first;
    for (auto next = std::next(first);
         next != bits.end() && next->first / container_bits_ == container; last = next++)
      immediate &= next->first == last->first + 1 && next->second == last->second;
    if (!immediate) sum += 2 * container_bits_;
    first = std::next(last);
  }
  return sum;
}

}  // namespace horae::p4price
