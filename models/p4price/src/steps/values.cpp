#include "values.hpp"

#include <algorithm>

#include "objects/names.hpp"

namespace horae::p4price {

using p4lang::Block;
using p4lang::Expr;
using p4lang::ExprKind;
using p4lang::Function;
using p4lang::Stmt;

void fold_slice(Expr& e) {
  if (e.kind != ExprKind::slice) return;
  Expr& of = e.operands[0];
  if (of.kind == ExprKind::constant) {
    const p4lang::Integer mask = (p4lang::Integer(1) << (e.high - e.low + 1)) - 1;
    Expr constant = of;
    constant.value = (of.value >> e.low) & mask;
    constant.type = e.type;
    e = constant;
  } else if (of.kind == ExprKind::slice) {
    Expr inner = of;
    inner.high = of.low + e.high;
    inner.low = of.low + e.low;
    inner.type = e.type;
    e = inner;
  }
}

namespace {

bool same(const Expr& a, const Expr& b) {
  if (a.kind != b.kind || a.op != b.op || a.value != b.value || a.high != b.high ||
      a.low != b.low || a.index != b.index || a.operands.size() != b.operands.size())
    return false;
  for (std::size_t i = 0; i < a.operands.size(); ++i)
    if (!same(a.operands[i], b.operands[i])) return false;
  return true;
}

}  // namespace

bool is_plain(const Expr& e, const Block& block) {
  if (e.kind == ExprKind::constant) return true;
  if (e.kind == ExprKind::slice) return is_plain(e.operands[0], block);
  return !name_of(e, block).empty();
}

void Values::forget(const std::string& name) {
  std::erase_if(of_, [&](const auto& known) {
    return overlap(known.first, name) || mentions(known.second, name, *block_);
  });
}

void Values::meet(const Values& other) {
  std::erase_if(of_, [&](const auto& known) {
    const auto there = other.of_.find(known.first);
    return there == other.of_.end() || !same(known.second, there->second);
  });
}

void Values::put_into(Expr& e, bool whole) const {
  if (const std::string name = name_of(e, *block_); !name.empty()) {
    const auto known = of_.find(name);
    if (known == of_.end()) return;
    if (!whole && !is_plain(known->second, *block_)) return;
    const auto place = e.place;
    const auto* type = e.type;
    e = known->second;
    e.place = place;
    if (e.kind == ExprKind::constant) e.type = type;
    return;
  }
  // For an element the index stays in place, for a call what it writes.
  for (std::size_t i = 0; i < e.operands.size(); ++i) {
    if (e.kind == ExprKind::call && i < e.is_out.size() && e.is_out[i]) continue;
    put_into(e.operands[i]);
  }
  fold_slice(e);
}

void Values::put_into_key(Expr& e) const {
  if (const std::string name = name_of(e, *block_); !name.empty()) {
    const auto known = of_.find(name);
    if (known == of_.end()) return;
    const Expr* storage = &known->second;
    while (storage->kind == ExprKind::slice) storage = &storage->operands[0];
    const bool validity =
        storage->kind == ExprKind::call && storage->callee == p4lang::Callee::is_valid;
    if (name_of(*storage, *block_).empty() && !validity) return;
    const auto place = e.place;
    e = known->second;
    e.place = place;
    return;
  }
  if (e.kind == ExprKind::call) return;
  for (Expr& part : e.operands) put_into_key(part);
  fold_slice(e);
}

Substitution::Substitution(const Function& function, const std::vector<Expr>& arguments) {
  for (std::size_t i = 0; i < function.parameters.size() && i < arguments.size(); ++i)
    if (arguments[i].kind != ExprKind::absent) of_[function.parameters[i]] = &arguments[i];
}

void Substitution::put_into(Expr& e) const {
  if (e.kind == ExprKind::variable) {
    if (const auto at = of_.find(e.index); at != of_.end()) {
      const auto place = e.place;
      e = Expr(*at->second);
      e.place = place;
    }
    return;
  }
  for (Expr& part : e.operands) put_into(part);
}

void Substitution::put_into(std::vector<Stmt>& body) const {
  for (Stmt& s : body) {
    put_into(s.target);
    put_into(s.value);
    put_into(s.body);
    put_into(s.otherwise);
    for (auto& c : s.cases) put_into(c.body);
  }
}

}  // namespace horae::p4price
