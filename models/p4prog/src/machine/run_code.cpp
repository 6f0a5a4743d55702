// The loop over instructions, and those on packets.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>

#include "horae/core/error.hpp"
#include "horae/p4prog/layout.hpp"
#include "horae/p4prog/machine.hpp"
#include "wide_ops.hpp"

namespace horae::p4prog {

using wide::low_mask;

namespace {

/// Calls that may be open at once; actions call actions, but nothing recurses.
constexpr std::size_t most_calls = 64;

/// Where those calls go on that have not come back.
struct OpenCalls {
  std::size_t depth = 0;
  std::array<const Instruction*, most_calls> next;

  void push(const Instruction* at) {
    if (depth == most_calls) throw ModelError("calls of a program that do not end");
    next.data()[depth++] = at;
  }
  const Instruction* pop() { return next.data()[--depth]; }
};

std::int64_t as_signed(std::uint64_t value, std::uint32_t bits) {
  const unsigned up = 64 - bits;
  return static_cast<std::int64_t>(value << up) >> up;
}

std::uint64_t saturated(std::int64_t value, std::uint32_t bits) {
  const std::int64_t most = static_cast<std::int64_t>(low_mask(bits - 1));
  return static_cast<std::uint64_t>(std::clamp(value, -most - 1, most)) & low_mask(bits);
}

std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b, std::uint32_t bits) {
  const std::uint64_t sum = a + b;
  return sum < a || sum > low_mask(bits) ? low_mask(bits) : sum;
}

std::uint64_t signed_saturating(std::int64_t a, std::int64_t b, std::uint32_t bits, bool add) {
  std::int64_t out = 0;
  const bool over = add ? __builtin_add_overflow(a, b, &out) : __builtin_sub_overflow(a, b, &out);
  if (over) out = a < 0 ? INT64_MIN : INT64_MAX;
  return saturated(out, bits);
}

std::uint64_t divided(std::uint64_t a, std::uint64_t b, std::uint32_t bits) {
  return b == 0 ? low_mask(bits) : a / b;
}

/// A key of one word, by steps to `end`.
[[gnu::always_inline]] inline std::uint64_t packed_word(const PackPlan::Step* s,
                                                        const PackPlan::Step* end,
                                                        const std::uint64_t* from) {
  std::uint64_t word = 0;
  for (; s != end; ++s) word |= std::rotl(from[s->word], static_cast<int>(s->rotation)) & s->mask;
  return word;
}

// All operations in their order.
#define HORAE_P4_OPS(each)                                                                         \
  each(add) each(subtract) each(multiply) each(divide) each(modulo) each(saturating_add)           \
      each(saturating_subtract) each(signed_saturating_add) each(signed_saturating_subtract) each( \
          bit_and) each(bit_or) each(bit_xor) each(complement) each(negate) each(shift_left)       \
          each(shift_right) each(signed_shift_right) each(equal) each(not_equal) each(less) each(  \
              less_equal) each(signed_less) each(signed_less_equal) each(logical_not) each(slice)  \
              each(insert) each(concatenate) each(extend_sign) each(wide_add) each(                \
                  wide_subtract) each(wide_multiply) each(wide_and) each(wide_or) each(wide_xor)   \
                  each(wide_complement) each(wide_negate) each(wide_shift_left) each(              \
                      wide_shift_right) each(wide_signed_shift_right) each(wide_equal)             \
                      each(wide_not_equal) each(wide_less) each(wide_less_equal) each(             \
                          wide_signed_less) each(wide_signed_less_equal) each(wide_saturating_add) \
                          each(wide_saturating_subtract) each(wide_slice) each(wide_insert) each(  \
                              wide_extend_sign) each(constant) each(move_word) each(move)          \
                              each(move_from) each(move_to) each(equal_words) each(element_offset) \
                                  each(next_offset) each(last_offset) each(advance_next) each(     \
                                      push_front) each(pop_front) each(jump) each(jump_if)         \
                                      each(jump_unless) each(jump_equal) each(jump_not_equal)      \
                                          each(jump_less) each(jump_less_equal) each(call)         \
                                              each(give_back) each(end) each(table) each(select)   \
                                                  each(error) each(extern_call) each(hash)         \
                                                      each(count) each(update_checksum)            \
                                                          each(open_cell) each(close_cell)         \
                                                              each(extract) each(look_ahead)       \
                                                                  each(look_ahead_bits)            \
                                                                      each(advance)                \
                                                                          each(packet_length)      \
                                                                              each(emit)

#define HORAE_OP(name) Op::name,
constexpr Op all_ops[] = {HORAE_P4_OPS(HORAE_OP)};
#undef HORAE_OP
constexpr bool in_order() {
  for (std::size_t i = 0; i < std::size(all_ops); ++i) {
    if (all_ops[i] != static_cast<Op>(i)) return false;
  }
  return std::size(all_ops) == op_count;
}
static_assert(in_order());

}  // namespace

/// Only parsers go round, by a jump or a select.
void Machine::too_long() const {
  throw ModelError(
      fmt::format("{}: more than {} instructions in a pass", pass_->describe(), most_instructions));
}

void Machine::shift_stack(const Instruction& i) {
  std::uint64_t* const stack = &words_[i.d];
  std::uint64_t* const first = stack + 1;
  const std::size_t moved = std::size_t{i.width - i.b} * i.n, gone = std::size_t{i.b} * i.n;
  if (i.op == Op::push_front) {
    std::copy_backward(first, first + moved, first + moved + gone);
    std::fill_n(first, gone, 0);
    *stack = std::min<std::uint64_t>(i.width, *stack + i.b);
  } else {
    std::copy(first + gone, first + gone + moved, first);
    std::fill_n(first + moved, gone, 0);
    *stack = *stack >= i.b ? *stack - i.b : 0;
  }
}

template <bool watched>
[[gnu::always_inline]] inline const Instruction* Machine::apply(const Instruction& i) {
  const TableRun& run = table_runs_.data()[i.n];
  std::uint64_t* const w = words_.data();
  const dataplane::ActionCall* call;
  if (run.match != nullptr) [[likely]] {
    std::uint64_t* const key = packed_.data();
    if (run.steps != nullptr)
      *key = packed_word(run.steps, run.steps_end, w);
    else
      run.site->packed_keys.pack(w, key);
    const auto found = run.match->lookup(*pass_, key);
    call = found.call;
    w[i.d] = found.hit() ? 1 : 0;
    if (!found.hit()) miss(run.actions.data()[call->action]);
    if (!run.plain) [[unlikely]]
      call = &beside_key(run, *call, found.place);
  } else {
    run.table->action->run(*pass_, [] {});
    w[i.d] = 0;
    call = &beside_key(run, run.table->only, dataplane::PackedKeys::none);
  }
  w[i.d + 1] = call->action;
  const ActionRun& action = run.actions.data()[call->action];
  const std::uint64_t* data = call->data.data();
  const std::size_t size = call->data.size();
  if (!watched && action.only_copies) {
    for (const ActionCode::Copy* copy = action.copies; copy != action.copies_end; ++copy)
      w[copy->to] = !copy->data ? w[copy->from] : copy->from < size ? data[copy->from] : 0;
    return nullptr;
  }
  for (std::size_t n = 0; n < action.data_count; ++n)
    w[action.data_words[n]] = n < size ? data[n] : 0;
  return action.entry;
}

void Machine::value_op(const Instruction& i) {
  std::uint64_t* const w = words_.data();
  const auto of = [&](std::uint32_t word) { return as_signed(w[word], i.width); };
  switch (i.op) {
    case Op::push_front:
    case Op::pop_front:
      return shift_stack(i);
    case Op::signed_saturating_add:
    case Op::signed_saturating_subtract:
      w[i.d] = signed_saturating(of(i.a), of(i.b), i.width, i.op == Op::signed_saturating_add);
      return;
    default:
      wide_op(i, w);
  }
}

void Machine::look(const Instruction& i, const std::uint64_t* words) {
  unwritten_->look(static_cast<std::uint32_t>(&i - code_.code.data()), words);
  ++instructions_;
}

// A handler jumps to that of the next instruction by itself: a loop around a switch takes six
// machine instructions more for each. Labels as values are an extension of GCC and clang.
#define HORAE_GO_TO(place)                           \
  do {                                               \
    i = (place);                                     \
    if constexpr (watched) look(*i, w);              \
    goto* handlers[static_cast<std::size_t>(i->op)]; \
  } while (false)
#define HORAE_NEXT HORAE_GO_TO(i + 1)

template <bool watched>
void Machine::run_code(std::uint32_t at) {
#define HORAE_LABEL(name) &&on_##name,
  static const void* const handlers[] = {HORAE_P4_OPS(HORAE_LABEL)};
#undef HORAE_LABEL
  OpenCalls open;
  const Instruction* const code = code_.code.data();
  std::uint64_t* const w = words_.data();
  std::uint32_t rounds = 0;
  const Instruction* i = nullptr;
  const auto a = [&] { return w[i->a]; };
  const auto b = [&] { return w[i->b]; };
  const auto give = [&](std::uint64_t value) { w[i->d] = value; };
  const auto give_bits = [&](std::uint64_t value) { w[i->d] = value & i->mask; };
  const auto signed_a = [&] { return as_signed(w[i->a], i->width); };
  const auto signed_b = [&] { return as_signed(w[i->b], i->width); };
  HORAE_GO_TO(code + at);

on_add:
  give_bits(a() + b());
  HORAE_NEXT;
on_subtract:
  give_bits(a() - b());
  HORAE_NEXT;
on_multiply:
  give_bits(a() * b());
  HORAE_NEXT;
on_divide:
  give(divided(a(), b(), i->width));
  HORAE_NEXT;
on_modulo:
  give(b() == 0 ? a() : a() % b());
  HORAE_NEXT;
on_saturating_add:
  give(saturating_add(a(), b(), i->width));
  HORAE_NEXT;
on_saturating_subtract:
  give(a() > b() ? a() - b() : 0);
  HORAE_NEXT;
on_signed_saturating_add:
on_signed_saturating_subtract:
  give(signed_saturating(signed_a(), signed_b(), i->width, i->op == Op::signed_saturating_add));
  HORAE_NEXT;
on_bit_and:
  give(a() & b());
  HORAE_NEXT;
on_bit_or:
  give(a() | b());
  HORAE_NEXT;
on_bit_xor:
  give(a() ^ b());
  HORAE_NEXT;
on_complement:
  give_bits(~a());
  HORAE_NEXT;
on_negate:
  give_bits(0 - a());
  HORAE_NEXT;
on_shift_left:
  give_bits(b() < i->width ? a() << b() : 0);
  HORAE_NEXT;
on_shift_right:
  give(b() < i->width ? a() >> b() : 0);
  HORAE_NEXT;
on_signed_shift_right:
  give_bits(static_cast<std::uint64_t>(signed_a() >> std::min<std::uint64_t>(b(), 63)));
  HORAE_NEXT;
on_equal:
  give(a() == b());
  HORAE_NEXT;
on_not_equal:
  give(a() != b());
  HORAE_NEXT;
on_less:
  give(a() < b());
  HORAE_NEXT;
on_less_equal:
  give(a() <= b());
  HORAE_NEXT;
on_signed_less:
  give(signed_a() < signed_b());
  HORAE_NEXT;
on_signed_less_equal:
  give(signed_a() <= signed_b());
  HORAE_NEXT;
on_logical_not:
  give(a() == 0);
  HORAE_NEXT;
on_slice:
  give_bits(a() >> i->n);
  HORAE_NEXT;
on_insert:
  give((w[i->d] & ~(i->mask << i->n)) | (a() & i->mask) << i->n);
  HORAE_NEXT;
on_concatenate:
  give(a() << i->n | b());
  HORAE_NEXT;
on_extend_sign:
  give_bits(static_cast<std::uint64_t>(as_signed(a(), i->n)));
  HORAE_NEXT;

on_constant:
  give(i->n);
  HORAE_NEXT;
on_move_word:
  give(a());
  HORAE_NEXT;
on_move:
  std::copy_n(&w[i->a], i->n, &w[i->d]);
  HORAE_NEXT;
on_move_from:
  std::copy_n(&w[i->a + b()], i->n, &w[i->d]);
  HORAE_NEXT;
on_move_to:
  std::copy_n(&w[i->a], i->n, &w[i->d + b()]);
  HORAE_NEXT;
on_equal_words:
  give(std::equal(&w[i->a], &w[i->a] + i->n, &w[i->b]));
  HORAE_NEXT;
on_element_offset:
  give(std::min<std::uint64_t>(a(), i->width - 1) * i->n);
  HORAE_NEXT;
on_next_offset:
on_last_offset : {
  const std::uint64_t element = i->op == Op::next_offset ? a() : a() - 1;
  if (element >= i->width) {
    fail(error_stack_);
    return;
  }
  give(element * i->n);
  HORAE_NEXT;
}
on_advance_next:
  ++w[i->a];
  HORAE_NEXT;
on_push_front:
on_pop_front:
  shift_stack(*i);
  HORAE_NEXT;

on_jump:
  if (++rounds > most_instructions) [[unlikely]]
    too_long();
  HORAE_GO_TO(code + i->n);
on_jump_if:
  HORAE_GO_TO(a() != 0 ? code + i->n : i + 1);
on_jump_unless:
  HORAE_GO_TO(a() == 0 ? code + i->n : i + 1);
on_jump_equal:
  HORAE_GO_TO(a() == b() ? code + i->n : i + 1);
on_jump_not_equal:
  HORAE_GO_TO(a() != b() ? code + i->n : i + 1);
on_jump_less:
  HORAE_GO_TO(a() < b() ? code + i->n : i + 1);
on_jump_less_equal:
  HORAE_GO_TO(a() <= b() ? code + i->n : i + 1);
on_call:
  open.push(i + 1);
  HORAE_GO_TO(code + i->n);
on_give_back:
  if (open.depth == 0) return;
  HORAE_GO_TO(open.pop());
on_end:
  return;
on_table : {
  const Instruction* const action = apply<watched>(*i);
  if (action == nullptr || action->op == Op::give_back) HORAE_NEXT;
  open.push(i + 1);
  HORAE_GO_TO(action);
}
on_select : {
  if (++rounds > most_instructions) [[unlikely]]
    too_long();
  const SelectCode& on = code_.selects.data()[i->n];
  const Instruction* next = nullptr;
  if (!on.short_cases.empty()) {
    const auto& steps = on.packed.steps;
    const std::uint64_t key = packed_word(steps.data(), steps.data() + steps.size(), w);
    for (const SelectCode::Short& c : on.short_cases) {
      if (((key ^ c.value) & c.mask) != 0) continue;
      next = code + c.next;
      break;
    }
    if (next == nullptr) fail(error_no_match_);
  } else {
    next = select(on);
  }
  if (next == nullptr) return;
  HORAE_GO_TO(next);
}
on_error:
  if (a() != 0) HORAE_NEXT;
  fail(i->n);
  return;
on_extern_call:
  extern_call(code_.externs.data()[i->n]);
  if (failed_) return;
  HORAE_NEXT;
on_hash : {
  const ExternCode& hashed = code_.externs.data()[i->n];
  hashed.packed.pack(w, packed_.data());
  give_bits(objects_.hash(i->n).value({packed_.data(), hashed.packed.words}, hashed.packed.bits));
  HORAE_NEXT;
}
on_count : {
  dataplane::Counter& counter = *cell_runs_.data()[i->n].counter;
  if (a() < counter.entries()) counter.count(*pass_, a(), pass_->header().frame);
  HORAE_NEXT;
}
on_update_checksum : {
  const ExternCode& update = code_.externs.data()[i->n];
  const std::uint64_t sum = ~updated_sum(update) & 0xffff;
  give_bits(sum == 0 && argument(update, 1) != 0 ? 0xffff : sum);
  HORAE_NEXT;
}
on_open_cell : {
  const CellRun& run = cell_runs_.data()[i->n];
  const std::uint64_t index = run.by_entry ? last_entry_ : a();
  const bool is_there = run.cells != nullptr && (!run.by_entry || has_entry_);
  Cell* const cell = is_there ? run.cells->open(*pass_, index) : nullptr;
  if (cell == nullptr) [[unlikely]] {
    extern_call(code_.externs.data()[i->n]);
    HORAE_GO_TO(i + 2);
  }
  open_cell_ = cell;
  w[i->b] = 0;
  if (i->width > 1) [[unlikely]] {
    for (const std::uint32_t output : code_.externs.data()[i->n].outputs) w[output] = 0;
  }
  w[i->d] = cell->low;
  if (run.second != 0) w[run.second] = cell->high;
  if (run.addressed) {
    address_ = index * run.bits;
    half_bits_ = run.bits / 2;
  }
  open.push(i + 1);
  HORAE_GO_TO(code + run.entry);
}
on_close_cell:
  open_cell_->low = w[i->d];
  if (i->b != 0) open_cell_->high = w[i->b];
  HORAE_NEXT;

on_extract : {
  const HeaderCode& header = code_.headers.data()[i->n];
  std::uint64_t* const to = w + i->d + a();
  const std::uint32_t at = in_.position();
  if (header.in_windows && at % 8 == 0 && at + header.fixed_bits <= in_.known()) [[likely]] {
    header.named_windows.read(in_.here(), to);
    to[origin_word] = 1 + at;
    in_.go_on(header.fixed_bits);
  } else if (!extract(*i, true)) {
    return;
  }
  *to = 1;
  HORAE_NEXT;
}
on_look_ahead:
  if (!extract(*i, false)) return;
  if (i->width == 1) w[i->d + a()] = 1;
  HORAE_NEXT;
on_look_ahead_bits:
  if (i->width > in_.left()) {
    fail(error_short_);
    return;
  }
  reach(i->width);
  in_.peek(0, i->width, &w[i->d]);
  HORAE_NEXT;
on_advance:
  if (a() > in_.left()) {
    fail(error_short_);
    return;
  }
  in_.go_on(static_cast<std::uint32_t>(a()));
  HORAE_NEXT;
on_packet_length:
  give(in_.packet().size());
  HORAE_NEXT;
on_emit : {
  const std::uint64_t* const header = w + i->d + a();
  if (*header == 0) HORAE_NEXT;
  const HeaderCode& emitted = code_.headers.data()[i->n];
  if (!keep_on(emitted, header)) emit(emitted, header);
  HORAE_NEXT;
}
on_wide_add:
on_wide_subtract:
on_wide_multiply:
on_wide_and:
on_wide_or:
on_wide_xor:
on_wide_complement:
on_wide_negate:
on_wide_shift_left:
on_wide_shift_right:
on_wide_signed_shift_right:
on_wide_equal:
on_wide_not_equal:
on_wide_less:
on_wide_less_equal:
on_wide_signed_less:
on_wide_signed_less_equal:
on_wide_saturating_add:
on_wide_saturating_subtract:
on_wide_slice:
on_wide_insert:
on_wide_extend_sign:
  wide_op(*i, w);
  HORAE_NEXT;
}

#undef HORAE_NEXT
#undef HORAE_GO_TO
#undef HORAE_P4_OPS

template void Machine::run_code<true>(std::uint32_t);
template void Machine::run_code<false>(std::uint32_t);

}  // namespace horae::p4prog
