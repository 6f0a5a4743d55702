// Expressions and statements of a flat program: typed, names resolved, widths of operands equal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "horae/p4lang/type.hpp"

namespace horae::p4lang {

enum class ExprKind : std::uint8_t {
  constant,    ///< `value`, of bit, signed_bit, boolean (0, 1), enumeration, error or integer
  text,        ///< a string, in `name`
  variable,    ///< `index` into the block's variables
  field,       ///< operand 0 is a struct, header, union or tuple; `index`: which field
  element,     ///< operand 0 is a stack, operand 1 the index
  next,        ///< `.next` of the stack of operand 0
  last,        ///< `.last`
  last_index,  ///< `.lastIndex`, bit<32>
  next_index,  ///< `.nextIndex`, bit<32>
  slice,       ///< operand 0, bits `high` down to `low`
  unary,       ///< `op` of operand 0
  binary,      ///< operands 0 and 1
  choice,      ///< operand 0 ? operand 1 : operand 2
  cast,        ///< operand 0 to `type`; widened with zeros or sign by operand 0's type
  list,        ///< a value of a struct, header (valid), tuple or stack: one operand a field
  invalid,     ///< `{#}`: an invalid header or union, or an empty stack
  instance,    ///< an extern object: `index` into Program::externs; no_block: the parser's packet
  call,        ///< see Callee
  table_hit,   ///< applies table `index`: whether it hit. `!` of it stands for miss
  absent,      ///< an optional argument that was left out, or `_` for one that is out
};

enum class Op : std::uint8_t {
  none,
  negate,      ///< -a
  complement,  ///< ~a
  logical_not,
  add,
  subtract,
  multiply,
  divide,
  modulo,
  saturating_add,
  saturating_subtract,
  shift_left,   ///< the right operand has a width of its own, or is a constant of type integer
  shift_right,  ///< arithmetic where the left one is signed
  bit_and,
  bit_or,
  bit_xor,
  concatenate,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  logical_and,  ///< the right operand only if it matters
  logical_or,
};

/// Kind of an ExprKind::call. Operands are its arguments in the order of the declaration, those
/// of methods without the object; `out` and `inout` ones are lvalues.
enum class Callee : std::uint8_t {
  none,
  function,         ///< function, action or abstract method `index` of the block
  extern_method,    ///< method `name` of the object `index` of Program::externs
  extern_function,  ///< `name`, as verify(), invalidate() or funnel_shift_right()
  apply_table,      ///< table `index` of the block, result not used
  is_valid,         ///< of the header or union of operand 0
  set_valid,
  set_invalid,
  push_front,  ///< operand 0: stack, operand 1: constant
  pop_front,
  minimum_size,  ///< minSizeInBits and its like are constants already and never here
  extract,       ///< operand 0: the header, or absent (`_`: `type_arguments` 0 says how much);
                 ///< operand 1, if there: bits of its varbit
  advance,       ///< operand 0: bits, bit<32>
  lookahead,     ///< the value is of the expression's type
  packet_length,
  verify,  ///< operand 0: condition, operand 1: error
  emit,    ///< operand 0: one header. Structs, stacks and unions are taken apart, in their order
};

struct Expr {
  ExprKind kind = ExprKind::absent;
  Op op = Op::none;
  Callee callee = Callee::none;
  const Type* type = nullptr;  ///< never null
  Place place;
  std::uint32_t index = 0;
  std::uint32_t high = 0;  ///< of a slice
  std::uint32_t low = 0;
  Integer value;
  std::string name;
  std::vector<Expr> operands;
  std::vector<const Type*> type_arguments;  ///< of a call, bound; of a constant empty
  std::vector<bool> is_out;                 ///< of a call: which operands it writes
};

enum class StmtKind : std::uint8_t {
  assign,     ///< `target` = `value`
  call,       ///< `value`
  branch,     ///< if (`value`) `body` else `otherwise`
  by_action,  ///< switch (table `index` .apply().action_run): `cases`
  by_value,   ///< switch (`value`): `cases`
  inlined,    ///< the body of a sub-control, of a hierarchical `name`; `leave` ends it
  leave,      ///< `return`: ends the innermost inlined body, else the function or the control
  exit,       ///< ends the control of the gress; its deparser follows
  reset,      ///< `target` as at the start of an `out` parameter: headers in it are invalid
};

struct Stmt;

struct Case {
  std::vector<Integer> values;  ///< of by_value; none: the default
  /// For by_action: indices into the table's actions; none: the default.
  std::vector<std::uint32_t> actions;
  std::vector<Stmt> body;
  Place place;
};

struct Stmt {
  StmtKind kind = StmtKind::assign;
  Place place;
  Expr target;
  Expr value;  ///< of leave: what a function returns, or absent
  std::uint32_t index = 0;
  std::string name;
  std::vector<Stmt> body;
  std::vector<Stmt> otherwise;
  std::vector<Case> cases;
};

}  // namespace horae::p4lang
