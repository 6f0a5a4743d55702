#include "straight_body.hpp"

#include <utility>

#include "concatenations.hpp"

namespace horae::p4price {

using p4lang::Callee;
using p4lang::Expr;
using p4lang::ExprKind;
using p4lang::Function;
using p4lang::Stmt;
using p4lang::StmtKind;

std::vector<Stmt> StraightBody::of_call(const Function& function,
                                        const std::vector<Expr>& arguments) {
  std::vector<Stmt> body = function.body;
  Substitution(function, arguments).put_into(body);
  Values values(block_);
  std::vector<Stmt> out;
  flatten(body, values, out);
  return out;
}

void StraightBody::flatten(std::vector<Stmt>& body, Values& values, std::vector<Stmt>& out) {
  for (Stmt& s : body) {
    switch (s.kind) {
      case StmtKind::assign:
      case StmtKind::call:
        if (s.kind == StmtKind::call && s.value.callee == Callee::function) {
          const Function& f = block_.functions.at(s.value.index);
          for (Stmt& inner : of_call(f, s.value.operands)) {
            known_.take_effect(inner, values);
            out.push_back(std::move(inner));
          }
          break;
        }
        for (Stmt& part : by_parts(s)) {
          values.put_into(part.value, part.kind == StmtKind::assign);
          known_.take_effect(part, values);
          out.push_back(std::move(part));
        }
        break;
      case StmtKind::branch: {
        values.put_into(s.value);
        Values otherwise = values;
        const std::size_t from = out.size();
        flatten(s.body, values, out);
        flatten(s.otherwise, otherwise, out);
        values.meet(otherwise);
        // The predicate is one more source of each.
        for (std::size_t i = from; i < out.size(); ++i) {
          if (out[i].kind != StmtKind::assign) continue;
          Expr choice;
          choice.kind = ExprKind::choice;
          choice.type = out[i].value.type;
          choice.place = out[i].value.place;
          choice.operands = {s.value, out[i].value, out[i].target};
          out[i].value = std::move(choice);
        }
        break;
      }
      case StmtKind::inlined:
        flatten(s.body, values, out);
        break;
      case StmtKind::by_value:
      case StmtKind::by_action:
        for (auto& c : s.cases) flatten(c.body, values, out);
        break;
      case StmtKind::exit:
        out.push_back(std::move(s));
        break;
      case StmtKind::leave:
      case StmtKind::reset:
        known_.take_effect(s, values);
        break;
    }
  }
}

}  // namespace horae::p4price
