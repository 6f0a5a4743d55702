#include "container_words.hpp"

#include <algorithm>
#include <set>

namespace horae::p4price {
namespace {

using p4lang::Expr;
using p4lang::ExprKind;
using p4lang::Type;
using p4lang::TypeKind;

constexpr std::uint32_t widest = 32, middle = 16, least = 8;

/// Fields that take parts of others at other places of a container.
std::set<std::string> shifted_in(const p4lang::Block& block, const std::vector<Piece>& pieces) {
  std::set<std::string> out;
  for (const Piece& piece : pieces) {
    for (const auto& action : piece.actions) {
      for (const p4lang::Stmt& s : action.statements) {
        if (s.kind != p4lang::StmtKind::assign || s.target.kind != ExprKind::slice) continue;
        const Expr& value = s.value;
        const bool part = value.kind == ExprKind::slice;
        const Expr& source = part ? value.operands[0] : value;
        if (name_of(source, block).empty() || name_of(s.target.operands[0], block).empty())
          continue;
        if ((part ? value.low : 0) % middle != s.target.low % middle)
          out.insert(name_of(s.target.operands[0], block));
      }
    }
  }
  return out;
}

/// Whether a part of a field that is written by itself would lie in two words that are counted from
/// so many bits behind the field.
bool cuts_a_part(const std::vector<Piece>& pieces, const std::string& field, std::uint32_t behind) {
  return std::ranges::any_of(pieces, [&](const Piece& piece) {
    return std::ranges::any_of(piece.writes(), [&](const Use* u) {
      const std::uint32_t low = u->bits.low + behind, high = u->bits.high + behind;
      return u->bits.field == field && high - low < widest && low / widest != high / widest;
    });
  });
}

}  // namespace

ContainerWords::ContainerWords(const p4lang::Block& block, const std::vector<Piece>& pieces) {
  const auto shifted = shifted_in(block, pieces);
  const auto add = [&](const std::string& name, std::uint32_t width, std::uint32_t behind) {
    const bool narrow = width <= widest;
    const bool moved = narrow && shifted.contains(name);
    behind %= widest;
    if (!narrow && behind > 0 && cuts_a_part(pieces, name, behind)) behind = 0;
    fields_[name] = {std::max(1u, width), narrow ? 0 : behind, moved ? least : widest};
  };
  const auto take = [&](const auto& self, const std::string& name, const Type& type) -> void {
    if (type.kind == TypeKind::stack) {
      for (std::uint32_t i = 0; i < type.size; ++i)
        self(self, name + "[" + std::to_string(i) + "]", *type.element);
      return;
    }
    if (type.fields.empty()) return add(name, width_of(type), 0);
    std::uint32_t behind = 0;
    if (type.kind == TypeKind::header)
      for (const auto& field : type.fields) behind += width_of(*field.type);
    for (std::size_t i = 0; i < type.fields.size(); ++i) {
      const auto& field = type.fields[i];
      const std::string inner = name + "." + (field.name.empty() ? std::to_string(i) : field.name);
      const std::uint32_t width = width_of(*field.type);
      behind -= std::min(behind, width);
      if (field.type->fields.empty() && field.type->kind != TypeKind::stack)
        add(inner, width, behind);
      else
        self(self, inner, *field.type);
    }
  };
  for (const auto& v : block.variables) take(take, v.name, *v.type);
}

Bits ContainerWords::around(const Bits& bits) const {
  const auto at = fields_.find(bits.field);
  if (at == fields_.end()) return bits;
  const auto& [width, behind, word] = at->second;
  const std::uint32_t shift = behind % word;
  const std::uint32_t low = (bits.low + shift) / word * word;
  const std::uint32_t high = (bits.high + shift) / word * word + word - 1;
  return {bits.field, low < shift ? 0 : low - shift, std::min(width - 1, high - shift)};
}

}  // namespace horae::p4price
