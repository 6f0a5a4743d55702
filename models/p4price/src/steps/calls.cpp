#include "calls.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace horae::p4price {
namespace {

using p4lang::Block;
using p4lang::Callee;
using p4lang::Expr;
using p4lang::ExprKind;
using p4lang::Stmt;
using p4lang::StmtKind;

/// The conditions of one control.
class CallTaker {
 public:
  explicit CallTaker(Block& block) : block_(block) {}

  void run(std::vector<Stmt>& body) {
    for (std::size_t i = 0; i < body.size(); ++i) {
      run(body[i].body);
      run(body[i].otherwise);
      for (auto& c : body[i].cases) run(c.body);
      if (body[i].kind != StmtKind::branch && body[i].kind != StmtKind::by_value) continue;
      std::vector<Stmt> before;
      take(body[i].value, before);
      const std::size_t n = before.size();
      body.insert(body.begin() + static_cast<std::ptrdiff_t>(i),
                  std::make_move_iterator(before.begin()), std::make_move_iterator(before.end()));
      i += n;
    }
  }

 private:
  void take(Expr& e, std::vector<Stmt>& before) {
    if (e.kind == ExprKind::call && e.callee == Callee::extern_method) {
      Expr result;
      result.kind = ExprKind::variable;
      result.type = e.type;
      result.place = e.place;
      result.index = static_cast<std::uint32_t>(block_.variables.size());
      p4lang::Variable v;
      v.name = fmt::format("$result_{}", made_++);
      v.type = e.type;
      v.place = e.place;
      block_.variables.push_back(std::move(v));
      Stmt assign;
      assign.kind = StmtKind::assign;
      assign.place = e.place;
      assign.target = result;
      assign.value = std::move(e);
      before.push_back(std::move(assign));
      e = std::move(result);
      return;
    }
    for (Expr& part : e.operands) take(part, before);
  }

  Block& block_;
  std::size_t made_ = 0;
};

}  // namespace

void take_calls_out(p4lang::Program& program) {
  for (Block& block : program.blocks)
    if (block.kind == p4lang::BlockKind::control) CallTaker(block).run(block.body);
}

}  // namespace horae::p4price
