#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler.hpp"

namespace horae::p4prog {

using p4lang::Callee;
using p4lang::ExprKind;
using p4lang::StmtKind;
using p4lang::TypeKind;

void Compiler::statements(const std::vector<Stmt>& list) {
  for (const Stmt& s : list) statement(s);
}

void Compiler::statement(const Stmt& s) {
  place_ = s.place;
  switch (s.kind) {
    case StmtKind::assign:
      assign(s.target, s.value);
      break;
    case StmtKind::call:
      if (s.value.kind == ExprKind::table_hit)
        apply_table(allocate(2), s.value.index);
      else
        call(allocate(size_of(*s.value.type)), s.value);
      break;
    case StmtKind::branch:
      branch(s);
      break;
    case StmtKind::by_action:
      by_action(s);
      break;
    case StmtKind::by_value:
      by_value(s);
      break;
    case StmtKind::inlined:
      inlined(s);
      break;
    case StmtKind::leave:
      leave(s);
      break;
    case StmtKind::exit:
      if (returns_to_exit()) emit(Op::move, 0, *exited_, number(1), 0, 1);
      stop();
      break;
    case StmtKind::reset:
      reset(s);
      break;
  }
}

/// A jump that is taken where a condition does not hold: one instruction for comparisons of
/// numbers.
std::uint32_t Compiler::jump_if_not(const Expr& condition) {
  using LangOp = p4lang::Op;
  if (condition.kind == ExprKind::unary && condition.op == LangOp::logical_not) {
    return emit(Op::jump_if, 0, 0, value(condition.operands[0]));
  }
  struct Opposite {
    LangOp op;
    Op jump;
    bool swapped;
  };
  static constexpr Opposite opposites[] = {
      {LangOp::equal, Op::jump_not_equal, false},    {LangOp::not_equal, Op::jump_equal, false},
      {LangOp::less, Op::jump_less_equal, true},     {LangOp::less_equal, Op::jump_less, true},
      {LangOp::greater, Op::jump_less_equal, false}, {LangOp::greater_equal, Op::jump_less, false}};
  if (condition.kind == ExprKind::binary) {
    const Type& type = *condition.operands[0].type;
    const auto* found = std::ranges::find(opposites, condition.op, &Opposite::op);
    const bool is_order = condition.op != LangOp::equal && condition.op != LangOp::not_equal;
    if (found != std::end(opposites) && is_scalar(type) && bits_of(type) <= 64 &&
        !(is_order && is_signed(type))) {
      std::uint32_t a = value(condition.operands[0]), b = value(condition.operands[1]);
      if (found->swapped) std::swap(a, b);
      return emit(found->jump, 0, 0, a, b);
    }
  }
  return emit(Op::jump_unless, 0, 0, value(condition));
}

void Compiler::branch(const Stmt& s) {
  const std::uint32_t over = jump_if_not(s.value);
  statements(s.body);
  if (s.otherwise.empty()) {
    land(over);
    return;
  }
  const std::uint32_t past = emit(Op::jump, 0, 0);
  land(over);
  statements(s.otherwise);
  land(past);
}

template <class Labels, class Compare>
void Compiler::cases(const Stmt& s, Labels labels, Compare compare) {
  const std::uint32_t same = allocate(1);
  std::vector<std::uint32_t> past;
  const p4lang::Case* otherwise = nullptr;
  for (const p4lang::Case& c : s.cases) {
    if ((c.*labels).empty()) {
      otherwise = &c;
      continue;
    }
    std::vector<std::uint32_t> taken;
    for (const auto& label : c.*labels) {
      compare(same, label);
      taken.push_back(emit(Op::jump_if, 0, 0, same));
    }
    const std::uint32_t next = emit(Op::jump, 0, 0);
    for (const std::uint32_t jump : taken) land(jump);
    statements(c.body);
    past.push_back(emit(Op::jump, 0, 0));
    land(next);
  }
  if (otherwise != nullptr) statements(otherwise->body);
  for (const std::uint32_t jump : past) land(jump);
}

void Compiler::by_action(const Stmt& s) {
  const std::uint32_t result = allocate(2);
  apply_table(result, s.index);
  cases(s, &p4lang::Case::actions, [&](std::uint32_t same, std::uint32_t action) {
    emit(Op::equal, 64, same, result + 1, number(action));
  });
}

void Compiler::by_value(const Stmt& s) {
  const std::uint32_t bits = bits_of(*s.value.type);
  const std::uint32_t on = value(s.value);
  cases(s, &p4lang::Case::values, [&](std::uint32_t same, const p4lang::Integer& label) {
    emit(Op::equal_words, 0, same, on, constant(label, bits), words_of(bits));
  });
}

void Compiler::inlined(const Stmt& s) {
  std::vector<std::uint32_t> outer;
  outer.swap(leaves_);
  ++inlined_depth_;
  statements(s.body);
  --inlined_depth_;
  for (const std::uint32_t jump : leaves_) land(jump);
  leaves_.swap(outer);
}

void Compiler::leave(const Stmt& s) {
  if (function_now_ && inlined_depth_ == 0) {
    if (s.value.kind != ExprKind::absent) into(function_result_[*function_now_], s.value);
    emit(Op::give_back, 0, 0);
    return;
  }
  leaves_.push_back(emit(Op::jump, 0, 0));
}

void Compiler::assign(const Expr& target, const Expr& from) {
  const Ref to = ref(target);
  const bool simple = is_scalar(*target.type) && from.kind != ExprKind::list &&
                      bits_of(*target.type) <= 64 && from.kind != ExprKind::choice &&
                      from.kind != ExprKind::call;
  if (to.slice || to.offset != 0 || !simple) {
    store(to, value(from));
    return;
  }
  into(to.word, from);
  write_field(to);
  if (to.mark != 0) emit(Op::move, 0, to.mark, number(1), 0, 1);
}

void Compiler::store(const Ref& to, std::uint32_t from) {
  write_field(to);
  if (to.slice) {
    const std::uint32_t whole = bits_of(*to.type);
    std::uint32_t at = to.word;
    if (to.offset != 0) {
      at = allocate(words_of(whole));
      emit(Op::move_from, 0, at, to.word, to.offset, words_of(whole));
    }
    emit(whole <= 64 ? Op::insert : Op::wide_insert, to.bits, at, from, 0, to.low);
    if (to.offset != 0) emit(Op::move_to, 0, to.word, at, to.offset, words_of(whole));
  } else if (to.offset != 0) {
    emit(Op::move_to, 0, to.word, from, to.offset, size_of(*to.type));
  } else if (to.word != from) {
    emit(Op::move, 0, to.word, from, 0, size_of(*to.type));
  }
  if (to.mark != 0) emit(Op::move, 0, to.mark, number(1), 0, 1);
}

/// Headers become invalid; the rest keeps what it has, which P4 leaves open.
void Compiler::reset(const Stmt& s) {
  const Ref to = ref(s.target);
  const std::uint32_t zero = allocate(size_of(*to.type));
  if (to.slice) return;
  // Words of a fresh temporary are zero unless a loop of states wrote them, and nothing writes
  // these. They are as open as the variable.
  open_words(zero, *to.type, path_of(s.target), true);
  store(to, zero);
}

}  // namespace horae::p4prog
