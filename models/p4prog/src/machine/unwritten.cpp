#include "horae/p4prog/unwritten.hpp"

#include "horae/p4prog/layout.hpp"
#include "horae/p4prog/wide.hpp"

namespace horae::p4prog {

UnwrittenWords::UnwrittenWords(const GressCode& code)
    : code_(code), at_first_(code.words, 1), open_(code.words), told_(code.open.size()) {
  for (std::uint32_t i = 0; i < code.open.size(); ++i) {
    at_first_[code.open[i].word] = 0;
    open_[code.open[i].word] = 1 + i;
  }
  written_ = at_first_;
}

void UnwrittenWords::wrote(std::uint32_t word, std::uint32_t count) {
  for (std::uint32_t i = word; i < word + count && i < written_.size(); ++i) written_[i] = 1;
}

void UnwrittenWords::use(std::uint32_t word, std::uint32_t count) {
  for (std::uint32_t i = word; i < word + count && i < written_.size(); ++i) {
    const std::uint32_t open = open_[i];
    if (written_[i] != 0 || open == 0 || told_[open - 1] != 0) continue;
    told_[open - 1] = 1;
    reads_.push_back({code_.open[open - 1].name, code_.places[at_]});
  }
}

/// Fields of a header that is not there give zero by a rule, or no bits at all.
void UnwrittenWords::use(std::span<const Piece> pieces, const std::uint64_t* words) {
  for (const Piece& p : pieces) {
    if (p.valid == 0 || words[p.valid] != 0) use(p.word, words_of(p.bits));
  }
}

void UnwrittenWords::copy(std::uint32_t to, std::uint32_t from, std::uint32_t count) {
  if (count == 1) {
    use(from);
    wrote(to, 1);
    return;
  }
  for (std::uint32_t i = 0; i < count; ++i) written_[to + i] = written_[from + i];
}

void UnwrittenWords::header(const Instruction& i, const std::uint64_t* words, bool written) {
  const std::uint32_t first = i.d + static_cast<std::uint32_t>(words[i.a]);
  if (!written && words[first] == 0) return;
  for (const FieldCode& f : code_.headers[i.n].fields) {
    const std::uint32_t count = words_of(f.bits) + (f.varbit ? 1 : 0);
    if (written)
      wrote(first + f.offset, count);
    else
      use(first + f.offset, count);
  }
}

void UnwrittenWords::external(const ExternCode& code, const std::uint64_t* words) {
  use(code.arguments, words);
  wrote(code.result, words_of(code.result_bits));
  for (const std::uint32_t word : code.outputs) wrote(word, 1);
  for (const std::uint32_t word : code.other_outputs) wrote(word, 1);
  if (code.kind == ExternKind::register_read) wrote(code.result, size_of(*code.cell_type));
  if (code.kind != ExternKind::register_action) return;
  if (code.cell_type != nullptr) wrote(code.cell, size_of(*code.cell_type));
  for (const std::uint32_t word : {code.digest, code.matched, code.wrote}) wrote(word, 1);
}

void UnwrittenWords::look(std::uint32_t at, const std::uint64_t* words) {
  const Instruction& i = code_.code[at];
  at_ = at;
  const std::uint32_t wide = words_of(i.width);
  switch (i.op) {
    case Op::wide_add:
    case Op::wide_subtract:
    case Op::wide_multiply:
    case Op::wide_and:
    case Op::wide_or:
    case Op::wide_xor:
    case Op::wide_saturating_add:
    case Op::wide_saturating_subtract:
      use(i.a, wide);
      use(i.b, wide);
      wrote(i.d, wide);
      return;
    case Op::wide_complement:
    case Op::wide_negate:
      use(i.a, wide);
      wrote(i.d, wide);
      return;
    case Op::wide_shift_left:
    case Op::wide_shift_right:
    case Op::wide_signed_shift_right:
      use(i.a, wide);
      use(i.b);
      wrote(i.d, wide);
      return;
    case Op::wide_equal:
    case Op::wide_not_equal:
    case Op::wide_less:
    case Op::wide_less_equal:
    case Op::wide_signed_less:
    case Op::wide_signed_less_equal:
      use(i.a, wide);
      use(i.b, wide);
      wrote(i.d, 1);
      return;
    case Op::wide_slice:
      use(i.a + i.n / 64, (i.n + i.width - 1) / 64 - i.n / 64 + 1);
      wrote(i.d, wide);
      return;
    case Op::wide_insert:
      use(i.a, wide);
      wrote(i.d + i.n / 64, (i.n + i.width - 1) / 64 - i.n / 64 + 1);
      return;
    case Op::wide_extend_sign:
      use(i.a, words_of(i.n));
      wrote(i.d, wide);
      return;
    case Op::move:
      copy(i.d, i.a, i.n);
      return;
    case Op::move_word:
      copy(i.d, i.a, 1);
      return;
    case Op::move_from:
      copy(i.d, i.a + static_cast<std::uint32_t>(words[i.b]), i.n);
      return;
    case Op::move_to:
      copy(i.d + static_cast<std::uint32_t>(words[i.b]), i.a, i.n);
      return;
    case Op::equal_words:
      use(i.a, i.n);
      use(i.b, i.n);
      wrote(i.d, 1);
      return;
    case Op::push_front:
    case Op::pop_front:
      wrote(i.d, 1 + i.width * i.n);
      return;
    case Op::jump_equal:
    case Op::jump_not_equal:
    case Op::jump_less:
    case Op::jump_less_equal:
      use(i.a);
      use(i.b);
      return;
    case Op::jump_if:
    case Op::jump_unless:
    case Op::error:
    case Op::advance:
      use(i.a);
      return;
    case Op::jump:
    case Op::call:
    case Op::give_back:
    case Op::end:
    case Op::advance_next:
    case Op::close_cell:
      return;
    case Op::table:
      use(code_.sites[i.n].keys, words);
      use(code_.sites[i.n].selector, words);
      for (const ActionCode& action : code_.tables[code_.sites[i.n].table].actions)
        for (const ParameterCode& p : action.data) wrote(p.word, words_of(p.bits));
      return;
    case Op::select:
      use(code_.selects[i.n].on, words);
      return;
    case Op::hash:
    case Op::update_checksum:
      use(code_.externs[i.n].arguments, words);
      wrote(i.d, 1);
      return;
    case Op::extern_call:
    case Op::count:
    case Op::open_cell:
      external(code_.externs[i.n], words);
      return;
    case Op::extract:
    case Op::look_ahead:
      header(i, words, true);
      return;
    case Op::emit:
      header(i, words, false);
      return;
    case Op::look_ahead_bits:
      wrote(i.d, wide);
      return;
    default:  // of one word, by one word or two
      use(i.a);
      use(i.b);
      wrote(i.d, 1);
      return;
  }
}

void fill_open_words(const GressCode& code, RandomStream& stream, std::uint64_t* words) {
  for (const OpenWord& open : code.open) {
    const std::uint64_t low = stream.bits();
    words[open.word] = (low | std::uint64_t{stream.bits()} << 32) & wide::low_mask(open.bits);
  }
}

}  // namespace horae::p4prog
