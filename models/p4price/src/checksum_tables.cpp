#include "checksum_tables.hpp"

#include <algorithm>

namespace horae::p4price {
namespace {

using p4lang::Callee;
using p4lang::Expr;
using p4lang::ExprKind;
using p4lang::Op;
using p4lang::Stmt;
using p4lang::StmtKind;

class Finder {
 public:
  Finder(const GressBlocks& blocks, const p4lang::Program& program)
      : blocks_(blocks), program_(program) {}

  std::vector<ConditionalChecksum> run() {
    visit(blocks_.deparser->body, {});
    std::erase_if(found_, [&](const ConditionalChecksum& c) {
      return c.conditions.empty() || std::ranges::find(always_, c.field) != always_.end();
    });
    return std::move(found_);
  }

 private:
  std::string control_name(const Expr& e) const {
    return name_in(name_of(e, *blocks_.deparser), *blocks_.deparser, *blocks_.control);
  }

  /// The fields that a condition asks, or nothing where it is none of the forms that the chip has.
  void conditions_in(const Expr& e, std::vector<std::string>& out) const {
    if (e.kind == ExprKind::binary && e.op == Op::logical_and) {
      for (const Expr& part : e.operands) conditions_in(part, out);
    } else if (e.kind == ExprKind::unary && e.op == Op::logical_not) {
      conditions_in(e.operands[0], out);
    } else if (e.kind == ExprKind::binary && (e.op == Op::equal || e.op == Op::not_equal)) {
      for (const Expr& part : e.operands)
        if (part.kind != ExprKind::constant) conditions_in(part, out);
    } else if (e.kind == ExprKind::call && e.callee == Callee::is_valid) {
      out.push_back(control_name(e.operands[0]) + validity());
    } else if (const std::string name = control_name(e); !name.empty()) {
      out.push_back(name);
    }
  }

  void visit(const std::vector<Stmt>& body, const std::vector<std::string>& conditions) {
    for (const Stmt& s : body) {
      if (s.kind == StmtKind::branch) {
        auto inner = conditions;
        conditions_in(s.value, inner);
        visit(s.body, inner);
        visit(s.otherwise, inner);
      } else if (s.kind == StmtKind::inlined) {
        visit(s.body, conditions);
      } else if (s.kind == StmtKind::assign && s.value.kind == ExprKind::call &&
                 s.value.callee == Callee::extern_method && s.value.name == "update" &&
                 program_.externs.at(s.value.index).type->name == "Checksum") {
        take(s, conditions);
      }
    }
  }

  void take(const Stmt& s, const std::vector<std::string>& conditions) {
    const std::string field = control_name(s.target);
    const auto dot = field.rfind('.');
    if (dot == std::string::npos) return;
    auto at = std::ranges::find(found_, field, &ConditionalChecksum::field);
    if (at == found_.end()) {
      found_.push_back({field, field.substr(0, dot), {}, 0, s.place});
      at = std::prev(found_.end());
    }
    ++at->lists;
    bool guarded = false;
    for (const auto& c : conditions) {
      if (c == at->header + validity()) continue;
      guarded = true;
      if (std::ranges::find(at->conditions, c) == at->conditions.end()) at->conditions.push_back(c);
    }
    if (!guarded) always_.push_back(field);
  }

  const GressBlocks& blocks_;
  const p4lang::Program& program_;
  std::vector<ConditionalChecksum> found_;
  std::vector<std::string> always_;
};

}  // namespace

std::vector<ConditionalChecksum> conditional_checksums(const GressBlocks& blocks,
                                                       const p4lang::Program& program) {
  if (blocks.deparser == nullptr) return {};
  return Finder(blocks, program).run();
}

}  // namespace horae::p4price
