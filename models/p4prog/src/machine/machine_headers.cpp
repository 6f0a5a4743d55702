// Headers between packets and the words of a pass.
#include "horae/p4prog/layout.hpp"
#include "horae/p4prog/machine.hpp"

namespace horae::p4prog {

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

}  // namespace horae::p4prog
