#include "parameters.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "objects/names.hpp"
#include "values.hpp"

namespace horae::p4price {
namespace {

using p4lang::Block;
using p4lang::Expr;
using p4lang::ExprKind;
using p4lang::Stmt;
using p4lang::StmtKind;

class Rewriter {
 public:
  explicit Rewriter(Block& block) : block_(block) {}

  void run() { visit(block_.body); }

 private:
  static std::size_t count(const std::vector<Stmt>& body, const std::string& name) {
    std::size_t n = 0;
    for (const Stmt& s : body) {
      n += s.kind == StmtKind::inlined && s.name == name ? 1 : 0;
      n += count(s.body, name) + count(s.otherwise, name);
      for (const auto& c : s.cases) n += count(c.body, name);
    }
    return n;
  }

  void visit(std::vector<Stmt>& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i].kind == StmtKind::inlined && count(block_.body, list[i].name) == 1)
        i = take_copies(list, i);
      visit(list[i].body);
      visit(list[i].otherwise);
      for (auto& c : list[i].cases) visit(c.body);
    }
  }

  /// Whether an expression is the variable of a parameter of this sub-control.
  bool is_parameter(const Expr& e, const Stmt& inlined) const {
    if (e.kind != ExprKind::variable) return false;
    const std::string& name = block_.variables.at(e.index).name;
    const auto dot = name.rfind('.');
    return dot != std::string::npos && inlined.name.ends_with("." + name.substr(0, dot));
  }
  bool is_place(const Expr& e) const {
    const Expr* base = &e;
    while (base->kind == ExprKind::slice) base = &base->operands[0];
    return !name_of(*base, block_).empty();
  }

  /// Takes the copies before and behind a sub-control away; where it stands now.
  std::size_t take_copies(std::vector<Stmt>& list, std::size_t at) {
    const auto take = [&](std::size_t i, const Expr& parameter, const Expr& argument) {
      const std::uint32_t variable = parameter.index;
      const Expr place = argument;
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
      put(block_, variable, place);
    };
    for (std::size_t i = at; i > 0; --i) {
      const Stmt& s = list[i - 1];
      if (s.kind != StmtKind::assign || !is_parameter(s.target, list[at])) break;
      if (!is_place(s.value)) continue;
      take(i - 1, s.target, s.value);
      --at;
    }
    for (std::size_t i = at + 1; i < list.size();) {
      const Stmt& s = list[i];
      if (s.kind != StmtKind::assign) break;
      if (is_parameter(s.value, list[at]) && is_place(s.target)) {
        take(i, s.value, s.target);
      } else if (same(s.target, s.value)) {  // its parameter was put in place on the way in
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
      } else if (is_parameter(s.value, list[at])) {
        ++i;
      } else {
        break;
      }
    }
    return at;
  }

  bool same(const Expr& a, const Expr& b) const {
    const std::string name = name_of(a, block_);
    return !name.empty() && name == name_of(b, block_);
  }

  /// An argument in a parameter's place, wherever the block names it.
  static void put(Block& block, std::uint32_t variable, const Expr& argument) {
    const Substitution to(variable, argument);
    to.put_into(block.body);
    for (auto& f : block.functions) to.put_into(f.body);
    for (auto& t : block.tables) {
      for (auto& key : t.keys) to.put_into(key.value);
      for (auto& a : t.actions)
        for (Expr& bound : a.bound) to.put_into(bound);
    }
  }

  Block& block_;
};

}  // namespace

p4lang::Program with_arguments(const p4lang::Program& program) {
  p4lang::Program out = program;
  for (Block& block : out.blocks) {
    if (block.kind == p4lang::BlockKind::control) Rewriter(block).run();
  }
  return out;
}

}  // namespace horae::p4price
