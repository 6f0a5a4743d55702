// Elaboration: statements.
#include <fmt/format.h>

#include <algorithm>

#include "elaborator.hpp"

namespace horae::p4lang {

using tree::Form;
using tree::StmtForm;

namespace {

Stmt plain(StmtKind kind, const Place& place) {
  Stmt out;
  out.kind = kind;
  out.place = place;
  return out;
}

}  // namespace

void Elaborator::statement(const tree::Stmt& node, Statements& out) {
  work(node.place);
  switch (node.form) {
    case StmtForm::empty:
      return;
    case StmtForm::assign:
      return assign(node, out);
    case StmtForm::call:
      return call_statement(node, out);
    case StmtForm::branch:
      return branch(node, out);
    case StmtForm::switch_:
      return switch_statement(node, out);
    case StmtForm::block:
      return block_statement(node, out);
    case StmtForm::return_:
      return return_statement(node, out);
    case StmtForm::exit:
      if (cx_.is_parser) report_.refuse(node.place, "found 'exit' in a parser");
      out.push_back(plain(StmtKind::exit, node.place));
      return;
    case StmtForm::declare:
      try {
        local(*node.declared, out);
      } catch (const Skip&) {
        auto& names = cx_.scope->names;
        if (!names.contains(node.declared->name)) names[node.declared->name] = Symbol{};
        throw;
      }
      return;
  }
}

/// A block with a scope of its own. What is wrong in one of its statements hides nothing of the
/// others.
void Elaborator::block_statement(const tree::Stmt& node, Statements& out) {
  if (node.form != StmtForm::block) {
    try {
      statement(node, out);
    } catch (const Skip&) {
    }
    return;
  }
  Scope* outer = cx_.scope;
  cx_.scope = new_scope(outer);
  for (const auto* one : node.body) {
    try {
      statement(*one, out);
    } catch (const Skip&) {
    }
  }
  cx_.scope = outer;
}

void Elaborator::assign(const tree::Stmt& node, Statements& out) {
  Stmt stmt = plain(StmtKind::assign, node.place);
  stmt.target = lvalue(*node.a);
  if (node.op == Op::none) {
    stmt.value = converted(*node.b, stmt.target.type, "what is assigned");
  } else {
    Expr value = binary_of(node.op, stmt.target, expr(*node.b, stmt.target.type), node.place);
    stmt.value = convert(std::move(value), stmt.target.type, "what is assigned");
  }
  if (stmt.target.type->kind == TypeKind::extern_object)
    report_.refuse(node.place, "an extern object cannot be assigned");
  out.push_back(std::move(stmt));
}

void Elaborator::call_statement(const tree::Stmt& node, Statements& out) {
  if (const auto instance = applied(*node.a)) {
    if (cx_.is_parser)
      report_.refuse(node.place,
                     fmt::format("'{}' is applied inside a statement of a state, expected in the "
                                 "state itself",
                                 instance->name));
    apply_control(*node.a, *instance, out);
    return;
  }
  Stmt stmt = plain(StmtKind::call, node.place);
  stmt.value = expr(*node.a);
  if (stmt.value.kind != ExprKind::call) return;  // folded: of constants
  if (stmt.value.callee == Callee::emit) {
    emit(std::move(stmt.value.operands[0]), node.place, out);
    return;
  }
  out.push_back(std::move(stmt));
}

/// emit() of each header of a value, in their order.
void Elaborator::emit(Expr value, const Place& place, Statements& out) {
  work(place);
  const Type& type = *value.type;
  if (type.kind == TypeKind::header) {
    Stmt stmt = plain(StmtKind::call, place);
    stmt.value = make(ExprKind::call, types_.none(), place);
    stmt.value.callee = Callee::emit;
    stmt.value.name = "emit";
    stmt.value.is_out = {false};
    stmt.value.operands.push_back(std::move(value));
    out.push_back(std::move(stmt));
    return;
  }
  if (type.kind == TypeKind::stack) {
    for (std::uint32_t i = 0; i < type.size; ++i) {
      Expr element = make(ExprKind::element, type.element, place);
      element.operands.push_back(value);
      element.operands.push_back(constant_of(i, types_.bit(32), place));
      emit(std::move(element), place, out);
    }
    return;
  }
  if (!has_fields(type))
    report_.refuse(place, fmt::format("found emit of {}, expected headers", type_text(type)));
  for (std::uint32_t i = 0; i < type.fields.size(); ++i) {
    if (value.kind == ExprKind::list) {
      emit(value.operands[i], place, out);
      continue;
    }
    Expr part = make(ExprKind::field, type.fields[i].type, place);
    part.index = i;
    part.operands.push_back(value);
    emit(std::move(part), place, out);
  }
}

void Elaborator::branch(const tree::Stmt& node, Statements& out) {
  // `else if` leans to the right: it is taken in a loop.
  Statements* into = &out;
  for (const tree::Stmt* at = &node; at != nullptr;) {
    Stmt stmt = plain(StmtKind::branch, at->place);
    bool good = true;
    try {
      stmt.value = condition(*at->a);
    } catch (const Skip&) {
      good = false;  // its statements are looked at all the same
    }
    block_statement(*at->yes, stmt.body);
    const tree::Stmt* next = at->no;
    const bool chain = next != nullptr && next->form == StmtForm::branch;
    if (chain) work(next->place);
    if (good && stmt.value.kind == ExprKind::constant) {
      if (stmt.value.value != 0) {
        std::move(stmt.body.begin(), stmt.body.end(), std::back_inserter(*into));
        Statements ignored;  // checked, and left out
        if (next != nullptr) block_statement(*next, ignored);
        return;
      }
      if (!chain && next != nullptr) block_statement(*next, *into);
      at = chain ? next : nullptr;
      continue;
    }
    if (!chain && next != nullptr) block_statement(*next, stmt.otherwise);
    into->push_back(std::move(stmt));
    into = &into->back().otherwise;
    at = chain ? next : nullptr;
  }
}

void Elaborator::switch_statement(const tree::Stmt& node, Statements& out) {
  Symbol* table = nullptr;
  if (node.a->form == Form::member && node.a->name == "action_run" &&
      table_applied(*node.a->a, table) != nullptr) {
    switch_by_action(node, *table, out);
    return;
  }
  Stmt stmt = plain(StmtKind::by_value, node.place);
  stmt.value = expr(*node.a);
  const Type* of = stmt.value.type;
  if (!is_bits(*of) && of->kind != TypeKind::enumeration && of->kind != TypeKind::error &&
      of->kind != TypeKind::boolean)
    report_.refuse(
        node.a->place,
        fmt::format("found a switch of {}, expected bits, an enum or action_run", type_text(*of)));
  Case one;
  bool is_default = false;
  for (const auto& c : node.cases) {
    one.place = c.place;
    for (const auto* label : c.labels) {
      if (label->form == Form::by_default) {
        is_default = true;
      } else {
        one.values.push_back(constant(*label, of, "a case").value);
      }
    }
    if (!c.has_body) continue;  // falls through to the next
    block_statement(*c.body, one.body);
    if (is_default) one.values.clear();
    stmt.cases.push_back(std::move(one));
    one = Case{};
    is_default = false;
  }
  out.push_back(std::move(stmt));
}

void Elaborator::switch_by_action(const tree::Stmt& node, Symbol& symbol, Statements& out) {
  Stmt stmt = plain(StmtKind::by_action, node.place);
  stmt.index = symbol.index;
  Case one;
  bool is_default = false;
  for (const auto& c : node.cases) {
    one.place = c.place;
    for (const auto* label : c.labels) {
      if (label->form == Form::by_default) {
        is_default = true;
        continue;
      }
      if (label->form != Form::name) report_.refuse(label->place, "expected the name of an action");
      const Symbol& action = lookup(label->name, label->place, "action");
      const auto& actions = cx_.block->tables[symbol.index].actions;
      const std::uint32_t function = action.kind != SymbolKind::action ? no_block
                                     : action.index == no_block
                                         ? this->action(*action.decls[0], true)
                                         : action.index;
      const auto it = std::find_if(actions.begin(), actions.end(),
                                   [&](const TableAction& a) { return a.function == function; });
      if (it == actions.end()) {
        std::vector<std::string> names;
        for (const auto& a : actions) names.push_back(a.name.substr(a.name.rfind('.') + 1));
        report_.refuse(label->place, fmt::format("'{}' is no action of the table{}", label->name,
                                                 suggestion(label->name, names)));
      }
      one.actions.push_back(static_cast<std::uint32_t>(it - actions.begin()));
    }
    if (!c.has_body) continue;
    block_statement(*c.body, one.body);
    if (is_default) one.actions.clear();
    stmt.cases.push_back(std::move(one));
    one = Case{};
    is_default = false;
  }
  out.push_back(std::move(stmt));
}

void Elaborator::return_statement(const tree::Stmt& node, Statements& out) {
  if (cx_.is_parser && !cx_.in_action)
    report_.refuse(node.place, "found 'return' in a parser's state");
  Stmt stmt = plain(StmtKind::leave, node.place);
  const bool gives = cx_.result != nullptr && cx_.result->kind != TypeKind::none;
  if (gives != (node.a != nullptr))
    report_.refuse(node.place,
                   gives ? fmt::format("expected a value of {}", type_text(*cx_.result))
                         : std::string("found a value, expected ';': nothing is returned here"));
  if (gives) {
    stmt.value = converted(*node.a, cx_.result, "what is returned");
  } else {
    stmt.value = make(ExprKind::absent, types_.none(), node.place);
  }
  out.push_back(std::move(stmt));
}

}  // namespace horae::p4lang
