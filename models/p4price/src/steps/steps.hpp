// A control as what it applies: tables, calls of actions, statements, branches, with the values of
// plain variables put in their places.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "horae/p4lang/program.hpp"

namespace horae::p4price {

struct Step;

/// Steps under one outcome of a step.
struct Arm {
  enum class When : std::uint8_t {
    holds,      ///< the condition holds, or the table hit
    otherwise,  ///< it does not
    action,     ///< the table ran one of its actions, or the value is one of several
  };
  When when = When::holds;
  std::vector<Step> steps;
};

enum class StepKind : std::uint8_t {
  statement,  ///< an assignment, a call of an extern, an exit
  action,     ///< a call of an action: its statements, arguments in the place of parameters
  table,      ///< a table applied; arms by what it did
  branch,     ///< `condition`; arms
};

struct Step {
  StepKind kind = StepKind::statement;
  p4lang::Place place;
  std::vector<p4lang::Stmt> statements;  ///< of a statement one, of an action its body
  std::uint32_t index = 0;               ///< action: function; table: table of the block
  std::vector<p4lang::Expr> keys;        ///< of a table, in the order of its keys
  p4lang::Expr condition;
  std::vector<Arm> arms;
  bool ends = false;  ///< the rest of the control does not run after it
};

/// The steps of a control's body.
///
/// Assignments of plain values (a field, a constant, a part of one) are carried on to where the
/// variable is read as long as neither changes, as the open compiler does before it makes tables of
/// statements (p4c midend/local_copyprop.cpp), and into keys of tables.
std::vector<Step> steps_of(const p4lang::Program& program, const p4lang::Block& block);

/// The statements of an action, values carried on within it.
std::vector<p4lang::Stmt> action_body(const p4lang::Program& program, const p4lang::Block& block,
                                      const p4lang::Function& function,
                                      const std::vector<p4lang::Expr>& arguments);

}  // namespace horae::p4price
