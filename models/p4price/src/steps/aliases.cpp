// Copies into headers that only the stages make valid: one storage for both (p4c
// bf-p4c/phv/transforms/auto_alias.cpp).
#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

#include "pieces.hpp"

namespace horae::p4price {

using p4lang::Callee;
using p4lang::Expr;
using p4lang::ExprKind;
using p4lang::Stmt;
using p4lang::StmtKind;
using p4lang::TypeKind;

namespace {

using InAction = std::pair<std::size_t, std::size_t>;  // piece, action

std::string header_of(const std::string& field) { return field.substr(0, field.rfind('.')); }

/// Who writes and reads fields, and which actions make headers valid.
struct Found {
  std::map<std::string, std::vector<std::size_t>> writers;  ///< pieces, one for each write
  std::set<std::string> read;
  std::map<std::string, std::set<InAction>> validated;

  explicit Found(const std::vector<Piece>& pieces) {
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      for (const Use* u : pieces[i].writes()) {
        writers[u->bits.field].push_back(i);
      }
      for (const Use* u : pieces[i].reads()) read.insert(u->bits.field);
      for (const Use* u : pieces[i].crossbar()) read.insert(u->bits.field);
    }
  }
};

}  // namespace

std::vector<std::string> Pieces::take_aliases(const std::set<std::string>& extracted) {
  Found found(pieces_);
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    for (std::size_t a = 0; a < pieces_[i].actions.size(); ++a) {
      for (const Stmt& s : pieces_[i].actions[a].statements) {
        if (s.kind != StmtKind::call || s.value.callee != Callee::set_valid) continue;
        found.validated[name_of(s.value.operands[0], block_)].insert({i, a});
      }
    }
  }
  const auto later_write = [&](const std::string& field, std::size_t piece) {
    const auto writers = found.writers.find(field);
    return writers != found.writers.end() &&
           std::ranges::any_of(writers->second, [&](std::size_t w) {
             return w >= piece && !exclusive(pieces_[w], pieces_[piece]);
           });
  };
  std::vector<std::string> sources;
  const auto is_alias = [&](const Stmt& s, const InAction& at) {
    if (s.kind != StmtKind::assign) return false;
    const std::string to = name_of(s.target, block_), from = name_of(s.value, block_);
    if (to.empty() || from.empty() || to == from || bits_of_lvalue(s.target, block_).size() != 1)
      return false;
    const std::string header = header_of(to);
    const auto valid = found.validated.find(header);
    return valid != found.validated.end() && valid->second.contains(at) &&
           found.writers[to].size() == 1 && !found.read.contains(to) &&
           std::ranges::none_of(extracted, [&](const auto& e) { return overlap(e, header); }) &&
           !later_write(from, at.first);
  };
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    for (std::size_t a = 0; a < pieces_[i].actions.size(); ++a) {
      PieceAction& action = pieces_[i].actions[a];
      const auto gone = std::erase_if(action.statements, [&](const Stmt& s) {
        if (!is_alias(s, {i, a})) return false;
        sources.push_back(name_of(s.value, block_));
        return true;
      });
      if (gone > 0) find_effects(action);
    }
  }
  return sources;
}

}  // namespace horae::p4price
