#include <fmt/format.h>

#include <algorithm>

#include "compiler.hpp"

namespace horae::p4prog {

using p4lang::ExprKind;
using p4lang::TypeKind;
using LangOp = p4lang::Op;

bool Compiler::is_ref(const Expr& e) const {
  switch (e.kind) {
    case ExprKind::variable:
    case ExprKind::next:
    case ExprKind::last:
      return true;
    case ExprKind::field:
    case ExprKind::element:
    case ExprKind::slice:
      return is_ref(e.operands[0]);
    default:
      return false;
  }
}

Ref Compiler::ref(const Expr& e) {
  Ref out;
  out.type = e.type;
  if (e.kind == ExprKind::variable) {
    out.word = variables_.at(e.index);
    if (const auto marked = marks_.find(e.index); marked != marks_.end()) out.mark = marked->second;
    if (e.type->kind == TypeKind::header) out.valid = out.word;
    return out;
  }
  if (e.kind == ExprKind::slice && is_ref(e.operands[0])) {
    out = ref(e.operands[0]);
    out.low += out.slice ? e.low : 0;
    if (!out.slice) out.low = e.low;
    out.slice = true;
    out.bits = e.high - e.low + 1;
    return out;
  }
  if (e.operands.empty() || !is_ref(e.operands[0]))
    refuse(e.place, "this cannot be written, expected a variable or a field");
  const Ref whole = ref(e.operands[0]);
  out.word = whole.word;
  out.offset = whole.offset;
  out.valid = whole.valid;
  out.header = whole.header;
  out.field = whole.field;
  const auto add_offset = [&](std::uint32_t more) {
    if (out.offset == 0) {
      out.offset = more;
      return;
    }
    const std::uint32_t sum = allocate(1);
    emit(Op::add, 64, sum, out.offset, more);
    out.offset = sum;
  };
  const Type& type = *e.operands[0].type;
  switch (e.kind) {
    case ExprKind::field:
      out.word += offset_of(type, e.index);
      out.mark = whole.mark;
      if (type.kind == TypeKind::header) {
        out.header = &type;
        out.field = e.index;
        name_field(type, e.index);
      }
      if (has_written_mark(type, e.index)) out.mark = out.word + size_of(*e.type);
      if (e.type->kind == TypeKind::header) out.valid = out.offset == 0 ? out.word : 0;
      if (type.fields[e.index].name == "parser_err") out_.names_parser_error = true;
      return out;
    case ExprKind::element: {
      out.word += 1;
      const std::uint32_t stride = size_of(*e.type);
      if (e.operands[1].kind == ExprKind::constant) {
        out.word += static_cast<std::uint32_t>(e.operands[1].value) * stride;
      } else {
        const std::uint32_t index = value(e.operands[1]), offset = allocate(1);
        emit(Op::element_offset, type.size, offset, index, 0, stride);
        add_offset(offset);
      }
      break;
    }
    case ExprKind::next:
    case ExprKind::last: {
      if (whole.offset != 0) refuse(e.place, "a stack within a stack is not supported");
      const std::uint32_t offset = allocate(1);
      emit(e.kind == ExprKind::next ? Op::next_offset : Op::last_offset, type.size, offset,
           out.word, 0, size_of(*e.type));
      out.word += 1;
      add_offset(offset);
      break;
    }
    default:
      refuse(e.place, "this cannot be written, expected a variable or a field");
  }
  out.valid = out.offset == 0 && e.type->kind == TypeKind::header ? out.word : 0;
  return out;
}

std::uint32_t Compiler::load(const Ref& from) {
  const std::uint32_t whole = from.slice ? words_of(bits_of(*from.type)) : size_of(*from.type);
  std::uint32_t at = from.word;
  if (from.offset != 0) {
    at = allocate(whole);
    emit(Op::move_from, 0, at, from.word, from.offset, whole);
  }
  if (!from.slice) return at;
  const std::uint32_t d = allocate(words_of(from.bits));
  if (bits_of(*from.type) <= 64)
    emit(Op::slice, from.bits, d, at, 0, from.low);
  else
    emit(Op::wide_slice, from.bits, d, at, whole, from.low);
  return d;
}

std::uint32_t Compiler::value(const Expr& e) {
  if (e.kind == ExprKind::constant) return constant(e.value, bits_of(*e.type));
  if (is_ref(e)) return load(ref(e));
  if (e.kind == ExprKind::table_hit) {
    const std::uint32_t result = allocate(2);
    apply_table(result, e.index);
    return result;
  }
  if (e.kind == ExprKind::call && e.callee == p4lang::Callee::is_valid &&
      e.operands[0].type->kind == TypeKind::header) {
    if (const Ref r = ref(e.operands[0]); r.offset == 0) return r.word;
  }
  const std::uint32_t d = allocate(std::max(1u, size_of(*e.type)));
  into(d, e);
  return d;
}

void Compiler::into(std::uint32_t d, const Expr& e) {
  switch (e.kind) {
    case ExprKind::constant: {
      const std::uint32_t bits = bits_of(*e.type);
      emit(Op::move, 0, d, constant(e.value, bits), 0, words_of(bits));
      return;
    }
    case ExprKind::last_index:
    case ExprKind::next_index: {
      const Ref stack = ref(e.operands[0]);
      emit(e.kind == ExprKind::next_index ? Op::move : Op::subtract, 32, d, stack.word, number(1),
           1);
      return;
    }
    case ExprKind::slice:
      if (!is_ref(e)) {
        const std::uint32_t whole = bits_of(*e.operands[0].type), at = value(e.operands[0]);
        emit(whole <= 64 ? Op::slice : Op::wide_slice, e.high - e.low + 1, d, at, words_of(whole),
             e.low);
        return;
      }
      break;
    case ExprKind::unary:
      unary(d, e);
      return;
    case ExprKind::binary:
      binary(d, e);
      return;
    case ExprKind::choice:
      choice(d, e);
      return;
    case ExprKind::cast:
      cast(d, e);
      return;
    case ExprKind::list:
      list(d, e);
      return;
    case ExprKind::invalid:
      for (std::uint32_t i = 0; i < size_of(*e.type); ++i) emit(Op::constant, 0, d + i, 0, 0, 0);
      return;
    case ExprKind::call:
      call(d, e);
      return;
    case ExprKind::table_hit:
      emit(Op::move, 0, d, value(e), 0, 1);
      return;
    case ExprKind::field:
    case ExprKind::element:
      if (!is_ref(e) && e.kind == ExprKind::field) {
        const std::uint32_t whole = value(e.operands[0]);
        if (e.operands[0].type->kind == TypeKind::header) name_field(*e.operands[0].type, e.index);
        emit(Op::move, 0, d, whole + offset_of(*e.operands[0].type, e.index), 0, size_of(*e.type));
        return;
      }
      break;
    case ExprKind::absent:
      return;
    case ExprKind::text:
    case ExprKind::instance:
      refuse(e.place, "an extern object or a text is no value");
    default:
      break;
  }
  const std::uint32_t from = load(ref(e));
  if (from != d) emit(Op::move, 0, d, from, 0, size_of(*e.type));
}

void Compiler::unary(std::uint32_t d, const Expr& e) {
  const std::uint32_t bits = bits_of(*e.type), a = value(e.operands[0]);
  const bool wide = bits > 64;
  switch (e.op) {
    case LangOp::logical_not:
      emit(Op::logical_not, 1, d, a);
      return;
    case LangOp::complement:
      emit(wide ? Op::wide_complement : Op::complement, bits, d, a);
      return;
    case LangOp::negate:
      emit(wide ? Op::wide_negate : Op::negate, bits, d, a);
      return;
    default:
      refuse(e.place, "this operator is not supported");
  }
}

void Compiler::logic(std::uint32_t d, const Expr& e) {
  const std::uint32_t result = allocate(1);
  into(result, e.operands[0]);
  const std::uint32_t past =
      emit(e.op == LangOp::logical_and ? Op::jump_unless : Op::jump_if, 0, 0, result);
  into(result, e.operands[1]);
  land(past);
  emit(Op::move, 0, d, result, 0, 1);
}

void Compiler::choice(std::uint32_t d, const Expr& e) {
  const std::uint32_t words = size_of(*e.type), result = allocate(words);
  const std::uint32_t over = emit(Op::jump_unless, 0, 0, value(e.operands[0]));
  into(result, e.operands[1]);
  const std::uint32_t past = emit(Op::jump, 0, 0);
  land(over);
  into(result, e.operands[2]);
  land(past);
  emit(Op::move, 0, d, result, 0, words);
}

void Compiler::shift(std::uint32_t d, const Expr& e) {
  const std::uint32_t bits = bits_of(*e.type), a = value(e.operands[0]);
  const std::uint32_t by = value(e.operands[1]);
  const bool wide = bits > 64, left = e.op == LangOp::shift_left;
  const bool arithmetic = !left && is_signed(*e.operands[0].type);
  const Op narrow_op = left         ? Op::shift_left
                       : arithmetic ? Op::signed_shift_right
                                    : Op::shift_right;
  const Op wide_op = left         ? Op::wide_shift_left
                     : arithmetic ? Op::wide_signed_shift_right
                                  : Op::wide_shift_right;
  emit(wide ? wide_op : narrow_op, bits, d, a, by);
}

void Compiler::concatenate(std::uint32_t d, const Expr& e) {
  const std::uint32_t low = bits_of(*e.operands[1].type), high = bits_of(*e.operands[0].type);
  const std::uint32_t a = value(e.operands[0]), b = value(e.operands[1]);
  if (low + high <= 64) {
    emit(Op::concatenate, low + high, d, a, b, low);
    return;
  }
  const std::uint32_t words = words_of(low + high), result = allocate(words);
  emit(Op::wide_insert, low, result, b, 0, 0);
  emit(Op::wide_insert, high, result, a, 0, low);
  emit(Op::move, 0, d, result, 0, words);
}

namespace {

struct BinaryOps {
  LangOp op;
  Op narrow, signed_narrow, wide, signed_wide;
  bool swapped = false;
};
constexpr BinaryOps binary_ops[] = {
    {LangOp::add, Op::add, Op::add, Op::wide_add, Op::wide_add},
    {LangOp::subtract, Op::subtract, Op::subtract, Op::wide_subtract, Op::wide_subtract},
    {LangOp::multiply, Op::multiply, Op::multiply, Op::wide_multiply, Op::wide_multiply},
    {LangOp::saturating_add, Op::saturating_add, Op::signed_saturating_add, Op::wide_saturating_add,
     Op::end},
    {LangOp::saturating_subtract, Op::saturating_subtract, Op::signed_saturating_subtract,
     Op::wide_saturating_subtract, Op::end},
    {LangOp::divide, Op::divide, Op::end, Op::end, Op::end},
    {LangOp::modulo, Op::modulo, Op::end, Op::end, Op::end},
    {LangOp::bit_and, Op::bit_and, Op::bit_and, Op::wide_and, Op::wide_and},
    {LangOp::bit_or, Op::bit_or, Op::bit_or, Op::wide_or, Op::wide_or},
    {LangOp::bit_xor, Op::bit_xor, Op::bit_xor, Op::wide_xor, Op::wide_xor},
    {LangOp::equal, Op::equal, Op::equal, Op::wide_equal, Op::wide_equal},
    {LangOp::not_equal, Op::not_equal, Op::not_equal, Op::wide_not_equal, Op::wide_not_equal},
    {LangOp::less, Op::less, Op::signed_less, Op::wide_less, Op::wide_signed_less},
    {LangOp::less_equal, Op::less_equal, Op::signed_less_equal, Op::wide_less_equal,
     Op::wide_signed_less_equal},
    {LangOp::greater, Op::less, Op::signed_less, Op::wide_less, Op::wide_signed_less, true},
    {LangOp::greater_equal, Op::less_equal, Op::signed_less_equal, Op::wide_less_equal,
     Op::wide_signed_less_equal, true},
};

}  // namespace

namespace {

/// Words of a value that are not compared: where its headers were extracted, how far a stack is
/// filled.
void origins_of(std::vector<std::uint32_t>& out, std::uint32_t word, const p4lang::Type& type) {
  switch (type.kind) {
    case TypeKind::header:
      out.push_back(word + origin_word);
      return;
    case TypeKind::structure:
    case TypeKind::tuple:
    case TypeKind::header_union:
      for (std::uint32_t i = 0; i < type.fields.size(); ++i)
        origins_of(out, word + offset_of(type, i), *type.fields[i].type);
      return;
    case TypeKind::stack:
      out.push_back(word);  // its next index
      for (std::uint32_t i = 0; i < type.size; ++i)
        origins_of(out, word + 1 + i * size_of(*type.element), *type.element);
      return;
    default:
      return;
  }
}

}  // namespace

namespace {

/// Whether an expression may change what another one reads.
bool changes_others(const p4lang::Expr& e) {
  const bool table = e.callee == p4lang::Callee::apply_table || e.kind == ExprKind::table_hit;
  const bool function = e.kind == ExprKind::call && e.callee == p4lang::Callee::function;
  return table || (function && std::ranges::find(e.is_out, true) != e.is_out.end()) ||
         std::ranges::any_of(e.operands, changes_others);
}

}  // namespace

void Compiler::binary(std::uint32_t d, const Expr& e) {
  switch (e.op) {
    case LangOp::logical_and:
    case LangOp::logical_or:
      logic(d, e);
      return;
    case LangOp::shift_left:
    case LangOp::shift_right:
      shift(d, e);
      return;
    case LangOp::concatenate:
      concatenate(d, e);
      return;
    default:
      break;
  }
  const Type& type = *e.operands[0].type;
  std::uint32_t a = value(e.operands[0]);
  if (changes_others(e.operands[1])) {  // operands are evaluated from left to right
    const std::uint32_t kept = allocate(size_of(type));
    emit(Op::move, 0, kept, a, 0, size_of(type));
    a = kept;
  }
  std::uint32_t b = value(e.operands[1]);
  if (!is_scalar(type)) {
    equal_values(d, a, b, type);
    if (e.op == LangOp::not_equal) emit(Op::logical_not, 1, d, d);
    return;
  }
  const auto* found =
      std::ranges::find_if(binary_ops, [&](const BinaryOps& o) { return o.op == e.op; });
  if (found == std::end(binary_ops)) refuse(e.place, "this operator is not supported");
  const std::uint32_t bits = bits_of(type);
  const bool has_sign = is_signed(type);
  const Op op = bits > 64 ? (has_sign ? found->signed_wide : found->wide)
                          : (has_sign ? found->signed_narrow : found->narrow);
  if (op == Op::end)
    refuse(e.place, fmt::format("this operator is not supported for {}", type_text(type)));
  if (found->swapped) std::swap(a, b);
  emit(op, bits, d, a, b);
}

/// Where headers were extracted is not compared.
void Compiler::equal_values(std::uint32_t d, std::uint32_t a, std::uint32_t b, const Type& type) {
  name_all(type);
  std::vector<std::uint32_t> origins;
  origins_of(origins, 0, type);
  origins.push_back(size_of(type));
  const std::uint32_t all = allocate(1);
  emit(Op::constant, 0, all, 0, 0, 1);
  std::uint32_t from = 0;
  for (const std::uint32_t origin : origins) {
    if (origin > from) {
      const std::uint32_t same = allocate(1);
      emit(Op::equal_words, 0, same, a + from, b + from, origin - from);
      emit(Op::bit_and, 1, all, all, same);
    }
    from = origin + 1;
  }
  emit(Op::move, 0, d, all, 0, 1);
}

void Compiler::cast(std::uint32_t d, const Expr& e) {
  const Type& from = *e.operands[0].type;
  if (!is_scalar(*e.type)) {
    into(d, e.operands[0]);  // of a list to its struct: the fields are the same
    return;
  }
  if (!is_scalar(from)) {  // of a struct of one field
    into(d, e.operands[0]);
    return;
  }
  convert(d, value(e.operands[0]), from, *e.type);
}

void Compiler::convert(std::uint32_t d, std::uint32_t at, const Type& from, const Type& to) {
  const std::uint32_t had = bits_of(from), wanted = bits_of(to);
  const bool wide = had > 64 || wanted > 64;
  if (wanted > had && is_signed(from))
    emit(wide ? Op::wide_extend_sign : Op::extend_sign, wanted, d, at, words_of(had), had);
  else if (wide)
    emit(Op::wide_slice, wanted, d, at, words_of(had), 0);
  else if (wanted >= had)
    emit(Op::move, 0, d, at, 0, 1);
  else
    emit(Op::slice, wanted, d, at, 0, 0);
}

void Compiler::list(std::uint32_t d, const Expr& e) {
  const Type& type = *e.type;
  const std::uint32_t words = size_of(type), result = allocate(words);
  if (type.kind == TypeKind::stack) {
    const std::uint32_t stride = size_of(*type.element);
    for (std::uint32_t i = 0; i < e.operands.size(); ++i)
      into(result + 1 + i * stride, e.operands[i]);
    emit(Op::constant, 0, result, 0, 0, static_cast<std::uint32_t>(e.operands.size()));
  } else {
    if (type.kind == TypeKind::header) {
      emit(Op::constant, 0, result, 0, 0, 1);
      emit(Op::constant, 0, result + origin_word, 0, 0, 0);
    }
    for (std::uint32_t i = 0; i < e.operands.size(); ++i)
      into(result + offset_of(type, i), e.operands[i]);
  }
  emit(Op::move, 0, d, result, 0, words);
}

void Compiler::pieces_of(std::vector<Piece>& out, std::uint32_t word, const Type& type,
                         std::uint32_t valid) {
  switch (type.kind) {
    case TypeKind::header:
      valid = word;
      name_all(type);
      [[fallthrough]];
    case TypeKind::structure:
    case TypeKind::tuple:
    case TypeKind::header_union:
      for (std::uint32_t i = 0; i < type.fields.size(); ++i)
        pieces_of(out, word + offset_of(type, i), *type.fields[i].type, valid);
      return;
    case TypeKind::stack:
      for (std::uint32_t i = 0; i < type.size; ++i)
        pieces_of(out, word + 1 + i * size_of(*type.element), *type.element, valid);
      return;
    case TypeKind::none:
    case TypeKind::any:
    case TypeKind::text:
    case TypeKind::extern_object:
      return;
    default:
      out.push_back({word, bits_of(type), valid});
      return;
  }
}

void Compiler::pieces(std::vector<Piece>& out, const Expr& e) {
  if (e.kind == ExprKind::list) {
    for (const Expr& part : e.operands) pieces(out, part);
    return;
  }
  if (e.kind == ExprKind::absent || e.type->kind == TypeKind::none) return;
  std::uint32_t valid = 0;
  if (is_ref(e)) {
    const Ref r = ref(e);
    valid = r.valid;
    pieces_of_load(out, r, valid);
    return;
  }
  pieces_of(out, value(e), *e.type, valid);
}

void Compiler::pieces_of_load(std::vector<Piece>& out, const Ref& r, std::uint32_t valid) {
  const std::uint32_t at = load(r);
  if (r.slice)
    out.push_back({at, r.bits, valid});
  else
    pieces_of(out, at, *r.type, valid);
}

}  // namespace horae::p4prog
