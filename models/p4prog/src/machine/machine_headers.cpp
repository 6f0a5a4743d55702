// Headers between packets and the words of a pass.
#include <algorithm>

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
    if (kept_to_ != begin) {
      copy_kept();
      kept_from_ = begin;
    }
    kept_to_ = begin + header.fixed_bits;
    if (header.written.empty()) return;
    changed_.push_back({&header, from, begin});
    if (code_.emits_at_once) copy_kept();
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

void Machine::copy_kept() {
  if (kept_from_ == kept_to_) return;
  const std::size_t to = out_.bits();
  out_.copy(in_, kept_from_, kept_to_ - kept_from_);
  for (const ChangedHeader& c : changed_) {
    const std::size_t at = to + (c.begin - kept_from_);
    const bool in_bytes = at % 8 == 0;
    if (in_bytes) c.header->written_windows.write(c.from, out_.written(at / 8));
    for (const FieldCode& f : in_bytes ? c.header->written_windows.beyond : c.header->written)
      out_.replace(at + f.at, c.from + f.offset, f.bits);
  }
  changed_.clear();
  kept_from_ = kept_to_;
}

/// Whether what is kept is the end of what was parsed, and may be changed where it lies. Then
/// places of changed headers are those in the packet.
bool Machine::stays_in_packet() {
  const std::uint32_t end = in_.position(), front = in_.front_bits();
  // A header may reach into the FCS.
  if (kept_to_ != end || end + 8 * fcs_bytes_ > in_.bits() ||
      (kept_from_ | end | out_.bits()) % 8 != 0)
    return false;
  for (const ChangedHeader& c : changed_) {
    if (c.begin < front || c.begin % 8 != 0 || !c.header->written_windows.beyond.empty())
      return false;
  }
  for (ChangedHeader& c : changed_) c.begin -= front;
  return true;
}

PassResult& Machine::deparse(const dataplane::Pass& pass) {
  pass_ = &pass;
  run(code_.deparser);
  // Bytes behind the last one that was taken stay, without the FCS. So do the last headers.
  std::uint32_t end = in_.position();
  result_.changed = {};
  if (stays_in_packet()) {
    end = kept_from_;
    result_.changed = changed_;
  } else {
    copy_kept();
  }
  const std::size_t from = (end + 7) / 8;
  out_.append(in_.front_from(from));
  result_.head = out_.bytes();
  result_.taken = in_.packet_before(from);
  return result_;
}

void PassResult::put_into(FrameBytes& packet) const {
  if (head.size() > taken)
    packet.put_before(head.size() - taken);
  else
    packet.take_off(taken - head.size());
  std::copy_n(head.data(), head.size(), packet.data());
  for (const ChangedHeader& c : changed) {
    const std::size_t at = c.begin / 8 + head.size() - taken;
    const std::size_t end = at + c.header->fixed_bits / 8;
    if (end + FieldWindows::room <= packet.size()) [[likely]] {
      c.header->written_windows.write(c.from, packet.data() + at);
      continue;
    }
    Bytes8 bytes(packet.begin() + at, packet.end());
    bytes.resize(bytes.size() + FieldWindows::room);
    c.header->written_windows.write(c.from, bytes.data());
    std::copy_n(bytes.data(), packet.size() - at, packet.data() + at);
  }
}

}  // namespace horae::p4prog
