// The loop over instructions, and those on packets.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "horae/core/error.hpp"
#include "horae/p4prog/layout.hpp"
#include "horae/p4prog/machine.hpp"
#include "wide_ops.hpp"

namespace horae::p4prog {

using wide::low_mask;

namespace {

/// Calls that may be open at once; actions call actions, but nothing recurses.
constexpr std::size_t most_calls = 64;

/// Instructions that a pass may take: a parser that goes round without taking bits would not end.
constexpr std::uint64_t most_instructions = 1'000'000;

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

}  // namespace

/// Only parsers go round, by a jump or a select.
void Machine::too_long() const {
  throw ModelError(
      fmt::format("{}: more than {} instructions in a pass", pass_->describe(), most_instructions));
}

bool Machine::extract(const Instruction& i, bool go_on) {
  const HeaderCode& header = code_.headers.data()[i.n];
  std::uint64_t* const to = words_.data() + i.d + words_.data()[i.a];
  if (header.varbit_bits != 0) return extract_varbit(i, header, to, go_on);
  if (header.fixed_bits > in_.left()) {
    fail(error_short_);
    short_extract_ = true;
    return false;
  }
  reach(header.fixed_bits);
  const bool in_bytes = in_.position() % 8 == 0;
  if (in_bytes) header.named_windows.read(in_.here(), to);
  for (const FieldCode& f : in_bytes ? header.named_windows.beyond : header.named)
    in_.peek(f.at, f.bits, to + f.offset);
  if (header.has_origin) to[origin_word] = 1 + in_.position();
  if (go_on) in_.go_on(header.fixed_bits);
  return true;
}

bool Machine::extract_varbit(const Instruction& i, const HeaderCode& header, std::uint64_t* to,
                             bool go_on) {
  const std::uint64_t varbit = words_[i.b];
  if (varbit > header.varbit_bits) {
    fail(error_header_);
    return false;
  }
  const auto bits = header.fixed_bits + static_cast<std::uint32_t>(varbit);
  if (bits > in_.left()) {
    fail(error_short_);
    short_extract_ = true;
    return false;
  }
  reach(bits);
  std::uint32_t at = 0;
  for (const FieldCode& f : header.fields) {
    const std::uint32_t count = f.varbit ? static_cast<std::uint32_t>(varbit) : f.bits;
    std::uint64_t* field = to + f.offset;
    if (f.varbit) *field++ = varbit;
    if (count <= 64)
      *field = in_.peek(at, count);
    else
      in_.peek(at, count, field);
    at += count;
  }
  if (go_on) in_.go_on(bits);
  return true;
}

/// As it was extracted, with what was written since; or of its fields alone.
void Machine::emit(const HeaderCode& header, const std::uint64_t* from) {
  if (header.has_origin && from[origin_word] != 0) {
    const auto begin = static_cast<std::uint32_t>(from[origin_word]) - 1;
    if (kept_to_ != begin) copy_kept();
    if (kept_from_ == kept_to_) kept_from_ = begin;
    kept_to_ = begin + header.fixed_bits;
    if (header.written.empty()) return;
    copy_kept();
    const std::size_t at = out_.bits() - header.fixed_bits;
    const bool in_bytes = at % 8 == 0;
    if (in_bytes) header.written_windows.write(from, out_.written(at / 8));
    for (const FieldCode& f : in_bytes ? header.written_windows.beyond : header.written)
      out_.replace(at + f.at, from + f.offset, f.bits);
    return;
  }
  copy_kept();
  if (header.in_windows && out_.bits() % 8 == 0) {
    header.all_windows.write(from, out_.zeros(header.fixed_bits / 8));
    return;
  }
  for (const FieldCode& f : header.fields) {
    const std::uint64_t* field = from + f.offset;
    const std::uint32_t bits = f.varbit ? static_cast<std::uint32_t>(*field++) : f.bits;
    if (bits <= 64)
      out_.put(*field, bits);
    else
      out_.put(field, bits);
  }
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
void Machine::run_code(std::uint32_t at) {
  OpenCalls open;
  const Instruction* const code = code_.code.data();
  std::uint64_t* const w = words_.data();
  std::uint64_t executed = 0;
  const Instruction* next = code + at;
  for (;;) {
    if constexpr (watched) unwritten_->look(static_cast<std::uint32_t>(next - code), w);
    const Instruction& i = *next++;
    ++executed;
    const auto a = [&] { return w[i.a]; };
    const auto b = [&] { return w[i.b]; };
    const auto give = [&](std::uint64_t value) { w[i.d] = value; };
    const auto give_bits = [&](std::uint64_t value) { w[i.d] = value & i.mask; };
    const auto signed_a = [&] { return as_signed(w[i.a], i.width); };
    const auto signed_b = [&] { return as_signed(w[i.b], i.width); };
    switch (i.op) {
      case Op::add:
        give_bits(a() + b());
        break;
      case Op::subtract:
        give_bits(a() - b());
        break;
      case Op::multiply:
        give_bits(a() * b());
        break;
      case Op::divide:
        give(divided(a(), b(), i.width));
        break;
      case Op::modulo:
        give(b() == 0 ? a() : a() % b());
        break;
      case Op::saturating_add:
        give(saturating_add(a(), b(), i.width));
        break;
      case Op::saturating_subtract:
        give(a() > b() ? a() - b() : 0);
        break;
      case Op::signed_saturating_add:
      case Op::signed_saturating_subtract:
        give(signed_saturating(signed_a(), signed_b(), i.width, i.op == Op::signed_saturating_add));
        break;
      case Op::bit_and:
        give(a() & b());
        break;
      case Op::bit_or:
        give(a() | b());
        break;
      case Op::bit_xor:
        give(a() ^ b());
        break;
      case Op::complement:
        give_bits(~a());
        break;
      case Op::negate:
        give_bits(0 - a());
        break;
      case Op::shift_left:
        give_bits(b() < i.width ? a() << b() : 0);
        break;
      case Op::shift_right:
        give(b() < i.width ? a() >> b() : 0);
        break;
      case Op::signed_shift_right:
        give_bits(static_cast<std::uint64_t>(signed_a() >> std::min<std::uint64_t>(b(), 63)));
        break;
      case Op::equal:
        give(a() == b());
        break;
      case Op::not_equal:
        give(a() != b());
        break;
      case Op::less:
        give(a() < b());
        break;
      case Op::less_equal:
        give(a() <= b());
        break;
      case Op::signed_less:
        give(signed_a() < signed_b());
        break;
      case Op::signed_less_equal:
        give(signed_a() <= signed_b());
        break;
      case Op::logical_not:
        give(a() == 0);
        break;
      case Op::slice:
        give_bits(a() >> i.n);
        break;
      case Op::insert:
        give((w[i.d] & ~(i.mask << i.n)) | (a() & i.mask) << i.n);
        break;
      case Op::concatenate:
        give(a() << i.n | b());
        break;
      case Op::extend_sign:
        give_bits(static_cast<std::uint64_t>(as_signed(a(), i.n)));
        break;

      case Op::constant:
        give(i.n);
        break;
      case Op::move_word:
        give(a());
        break;
      case Op::move:
        std::copy_n(&w[i.a], i.n, &w[i.d]);
        break;
      case Op::move_from:
        std::copy_n(&w[i.a + b()], i.n, &w[i.d]);
        break;
      case Op::move_to:
        std::copy_n(&w[i.a], i.n, &w[i.d + b()]);
        break;
      case Op::equal_words:
        give(std::equal(&w[i.a], &w[i.a] + i.n, &w[i.b]));
        break;
      case Op::element_offset:
        give(std::min<std::uint64_t>(a(), i.width - 1) * i.n);
        break;
      case Op::next_offset:
      case Op::last_offset: {
        const std::uint64_t element = i.op == Op::next_offset ? a() : a() - 1;
        if (element >= i.width) {
          fail(error_stack_);
          return;
        }
        give(element * i.n);
        break;
      }
      case Op::advance_next:
        ++w[i.a];
        break;
      case Op::push_front:
      case Op::pop_front:
        shift_stack(i);
        break;

      case Op::jump:
        if (executed > most_instructions) [[unlikely]]
          too_long();
        next = code + i.n;
        break;
      case Op::jump_if:
        if (a() != 0) next = code + i.n;
        break;
      case Op::jump_unless:
        if (a() == 0) next = code + i.n;
        break;
      case Op::jump_equal:
        if (a() == b()) next = code + i.n;
        break;
      case Op::jump_not_equal:
        if (a() != b()) next = code + i.n;
        break;
      case Op::jump_less:
        if (a() < b()) next = code + i.n;
        break;
      case Op::jump_less_equal:
        if (a() <= b()) next = code + i.n;
        break;
      case Op::call:
        open.push(next);
        next = code + i.n;
        break;
      case Op::give_back:
        if (open.depth == 0) {
          instructions_ += executed;
          return;
        }
        next = open.pop();
        break;
      case Op::end:
        instructions_ += executed;
        return;
      case Op::table: {
        const Instruction* const action = apply<watched>(i);
        if (action == nullptr || action->op == Op::give_back) break;
        open.push(next);
        next = action;
        break;
      }
      case Op::select: {
        if (executed > most_instructions) [[unlikely]]
          too_long();
        const SelectCode& on = code_.selects.data()[i.n];
        next = nullptr;
        if (!on.short_cases.empty()) {
          on.packed.pack(w, packed_.data());
          const std::uint64_t key = packed_.front();
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
        break;
      }
      case Op::error:
        if (a() != 0) break;
        fail(i.n);
        return;
      case Op::extern_call:
        extern_call(code_.externs.data()[i.n]);
        if (failed_) return;
        break;
      case Op::open_cell: {
        const CellRun& run = cell_runs_.data()[i.n];
        const std::uint64_t index = run.by_entry ? last_entry_ : a();
        const bool is_there = run.cells != nullptr && (has_entry_ || !run.by_entry);
        open_cell_ = is_there ? run.cells->open(*pass_, index) : nullptr;
        if (open_cell_ == nullptr) [[unlikely]] {
          extern_call(code_.externs.data()[i.n]);
          ++next;
          break;
        }
        w[i.b] = 0;
        if (i.width > 1) [[unlikely]] {
          for (const std::uint32_t output : code_.externs.data()[i.n].outputs) w[output] = 0;
        }
        w[i.d] = open_cell_->low;
        if (run.second != 0) w[run.second] = open_cell_->high;
        address_ = index * run.bits;
        half_bits_ = run.bits / 2;
        open.push(next);
        next = code + run.entry;
        break;
      }
      case Op::close_cell:
        open_cell_->low = w[i.d];
        if (i.b != 0) open_cell_->high = w[i.b];
        break;

      case Op::extract: {
        const HeaderCode& header = code_.headers.data()[i.n];
        std::uint64_t* const to = w + i.d + a();
        const std::uint32_t at = in_.position();
        if (header.in_windows && at % 8 == 0 && at + header.fixed_bits <= in_.known()) [[likely]] {
          header.named_windows.read(in_.here(), to);
          to[origin_word] = 1 + at;
          in_.go_on(header.fixed_bits);
        } else if (!extract(i, true)) {
          return;
        }
        *to = 1;
        break;
      }
      case Op::look_ahead:
        if (!extract(i, false)) return;
        if (i.width == 1) w[i.d + a()] = 1;
        break;
      case Op::look_ahead_bits:
        if (i.width > in_.left()) {
          fail(error_short_);
          return;
        }
        reach(i.width);
        in_.peek(0, i.width, &w[i.d]);
        break;
      case Op::advance:
        if (a() > in_.left()) {
          fail(error_short_);
          return;
        }
        in_.go_on(static_cast<std::uint32_t>(a()));
        break;
      case Op::packet_length:
        give(in_.packet().size());
        break;
      case Op::emit: {
        const std::uint64_t* const header = &w[i.d + a()];
        if (*header != 0) emit(code_.headers.data()[i.n], header);
        break;
      }
      case Op::wide_add:
      case Op::wide_subtract:
      case Op::wide_multiply:
      case Op::wide_and:
      case Op::wide_or:
      case Op::wide_xor:
      case Op::wide_complement:
      case Op::wide_negate:
      case Op::wide_shift_left:
      case Op::wide_shift_right:
      case Op::wide_signed_shift_right:
      case Op::wide_equal:
      case Op::wide_not_equal:
      case Op::wide_less:
      case Op::wide_less_equal:
      case Op::wide_signed_less:
      case Op::wide_signed_less_equal:
      case Op::wide_saturating_add:
      case Op::wide_saturating_subtract:
      case Op::wide_slice:
      case Op::wide_insert:
      case Op::wide_extend_sign:
        wide_op(i, w);
        break;
      default:
        __builtin_unreachable();  // saves the check whether the number is an operation's
    }
  }
}

template void Machine::run_code<true>(std::uint32_t);
template void Machine::run_code<false>(std::uint32_t);

}  // namespace horae::p4prog
