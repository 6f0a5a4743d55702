#include "known_values.hpp"

#include <algorithm>
#include <utility>

#include "objects/names.hpp"

namespace horae::p4price {

using p4lang::Callee;
using p4lang::Expr;
using p4lang::ExprKind;
using p4lang::Stmt;
using p4lang::StmtKind;
using p4lang::TypeKind;

namespace {

bool is_aggregate(const p4lang::Type& type) {
  return type.kind == TypeKind::structure || type.kind == TypeKind::header ||
         type.kind == TypeKind::stack || type.kind == TypeKind::header_union ||
         type.kind == TypeKind::tuple;
}

}  // namespace

bool has_call(const Expr& e) {
  if (e.kind == ExprKind::table_hit) return true;
  if (e.kind == ExprKind::call && e.callee != Callee::is_valid) return true;
  return std::ranges::any_of(e.operands, has_call);
}

std::string written_name(const Stmt& s, const p4lang::Block& block) {
  const Expr* base = &s.target;
  while (base->kind == ExprKind::slice) base = &base->operands[0];
  return name_of(*base, block);
}

void KnownValues::take_effect(const Stmt& s, Values& values) {
  if (s.kind == StmtKind::assign || s.kind == StmtKind::reset) {
    const std::string name = written_name(s, block_);
    if (s.kind == StmtKind::assign) forget_calls(s.value, values);
    if (name.empty()) return values.clear();
    values.forget(name);
    if (s.kind != StmtKind::assign || s.target.kind == ExprKind::slice || has_call(s.value) ||
        is_aggregate(*s.target.type) || s.value.kind == ExprKind::list ||
        s.value.kind == ExprKind::invalid || mentions(s.value, name, block_))
      return;
    values.know(name, s.value);
    return;
  }
  forget_calls(s.value, values);
}

/// Forgets values that calls in an expression write.
void KnownValues::forget_calls(const Expr& e, Values& values) {
  if (e.kind == ExprKind::call) {
    for (std::size_t i = 0; i < e.operands.size(); ++i) {
      const bool written = i < e.is_out.size() && e.is_out[i];
      const bool validity =
          i == 0 && (e.callee == Callee::set_valid || e.callee == Callee::set_invalid ||
                     e.callee == Callee::push_front || e.callee == Callee::pop_front);
      if (!written && !validity) continue;
      Expr base = e.operands[i];
      while (base.kind == ExprKind::slice) base = Expr(base.operands[0]);
      if (const std::string name = name_of(base, block_); !name.empty()) values.forget(name);
    }
    if (e.callee == Callee::function) forget_written(block_.functions.at(e.index).body, values);
    if (e.callee == Callee::extern_method) {
      // A body that calls a method of its own object writes nothing more by that.
      const std::uint32_t outer = std::exchange(of_object_, e.index);
      if (outer != e.index) {
        for (const auto& method : program_.externs.at(e.index).methods)
          forget_written(block_.functions.at(method.function).body, values);
      }
      of_object_ = outer;
    }
  }
  for (const Expr& part : e.operands) forget_calls(part, values);
}

void KnownValues::forget_written(const std::vector<Stmt>& body, Values& values) {
  for (const Stmt& s : body) {
    if (s.kind == StmtKind::assign || s.kind == StmtKind::reset) {
      if (const std::string name = written_name(s, block_); !name.empty()) values.forget(name);
    }
    forget_calls(s.value, values);
    forget_written(s.body, values);
    forget_written(s.otherwise, values);
    for (const auto& c : s.cases) forget_written(c.body, values);
  }
}

}  // namespace horae::p4price
