#include "horae/p4prog/machine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "horae/core/codec/crc.hpp"
#include "horae/core/error.hpp"
#include "horae/p4prog/layout.hpp"

namespace horae::p4prog {

namespace {

std::uint32_t error_named(const p4lang::Program& program, std::string_view name) {
  const auto found = std::ranges::find(program.errors, name);
  return found == program.errors.end() ? 0
                                       : static_cast<std::uint32_t>(found - program.errors.begin());
}

}  // namespace

Machine::Machine(const p4lang::Program& program, const GressCode& code,
                 dataplane::Pipeline& pipeline, dataplane::Gress gress)
    : program_(program),
      code_(code),
      gress_(gress),
      objects_(program, code, pipeline, gress),
      words_(code.words),
      error_short_(error_named(program, "PacketTooShort")),
      error_no_match_(error_named(program, "NoMatch")),
      error_stack_(error_named(program, "StackOutOfBounds")),
      error_header_(error_named(program, "HeaderTooShort")),
      sums_(program.externs.size() + 1) {
  for (const auto& [word, value] : code.constants) words_[word] = value;
  std::size_t longest = 0;
  for (const SelectCode& select : code.selects)
    longest = std::max<std::size_t>(longest, select.packed.words);
  for (const ExternCode& e : code.externs) {
    longest = std::max<std::size_t>(longest, e.packed.words);
    if (e.kind == ExternKind::checksum_add || e.kind == ExternKind::checksum_subtract)
      summed_.push_back(e.object);
  }
  packed_.resize(std::max<std::size_t>(longest, dataplane::BitString::most_words));
  find_objects();
}

/// Whether what begins at an instruction may write a word, before it gives back.
bool Machine::writes(std::uint32_t entry, std::uint32_t word) const {
  std::vector<bool> seen(code_.code.size());
  std::vector<std::uint32_t> open = {entry};
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    if (at >= seen.size() || seen[at]) continue;
    seen[at] = true;
    const Instruction& i = code_.code[at];
    if (i.op == Op::give_back || i.op == Op::end) continue;
    const bool jumps = is_jump(i.op);
    if (jumps || i.op == Op::call) open.push_back(i.n);
    if (i.op != Op::jump) open.push_back(at + 1);
    if (!jumps && i.op != Op::call && i.d == word) return true;
  }
  return false;
}

bool Machine::ever_writes(const IntrinsicWord& field) const {
  if (field.word == 0) return false;
  const auto by_action = [&](const ActionCode& action) {
    return std::ranges::find(action.data_words, field.word) != action.data_words.end() ||
           std::ranges::find(action.copies, field.word, &ActionCode::Copy::to) !=
               action.copies.end();
  };
  return std::ranges::any_of(code_.code,
                             [&](const Instruction& i) {
                               return i.d == field.word && !is_jump(i.op) && i.op != Op::call;
                             }) ||
         std::ranges::any_of(code_.tables, [&](const TableCode& table) {
           return std::ranges::any_of(table.actions, by_action);
         });
}

const GressCode::Intrinsic* Machine::find(std::string_view type) const {
  const auto found = std::ranges::find(code_.intrinsic, type, &GressCode::Intrinsic::type_name);
  return found == code_.intrinsic.end() ? nullptr : &*found;
}

const p4lang::Type* Machine::intrinsic_type(std::string_view type) const {
  const auto* found = find(type);
  return found == nullptr ? nullptr : found->type;
}

Machine::IntrinsicWord Machine::intrinsic(std::string_view type, std::string_view field) const {
  const auto* found = find(type);
  if (found == nullptr || !has_field(*found->type, field)) return {};
  const std::uint32_t i = field_of(*found->type, field);
  const p4lang::Type& field_type = *found->type->fields[i].type;
  const std::uint32_t word = found->word + offset_of(*found->type, i);
  return {word, has_written_mark(*found->type, i) ? word + size_of(field_type) : 0,
          bits_of(field_type)};
}

void Machine::begin(std::span<const std::uint8_t> front, std::span<const std::uint8_t> packet) {
  for (const auto& [first, count] : code_.cleared) std::fill_n(words_.data() + first, count, 0);
  if (open_bits_) fill_open_words(code_, *open_bits_, words_.data());
  if (unwritten_) unwritten_->begin();
  in_.begin(front, packet, fcs_bytes_);
  out_.begin();
  result_.error = result_.parsed_bytes = 0;
  result_.mirror.reset();
  result_.resubmit.reset();
  result_.digests.clear();
  result_.generator.reset();
  failed_ = missed_ = dropped_by_miss_ = short_extract_ = false;
  has_entry_ = false;
  learning_ = nullptr;
  for (const std::uint32_t object : summed_) sums_[object] = 0;
  kept_from_ = kept_to_ = 0;
  changed_.clear();
  parser_begins_ = code_.parser;
  rests_.clear();
  counters_ = {};
  counts_below_ = {};
  counter_depth_ = 0;
}

const HeaderCode* Machine::first_header() const {
  const Instruction& first = code_.code[code_.parser];
  if (first.op != Op::extract || first.a != 0 || !code_.headers[first.n].has_origin) return nullptr;
  const bool emitted = std::ranges::any_of(
      code_.code, [&](const Instruction& i) { return i.op == Op::emit && i.n == first.n; });
  return emitted ? nullptr : &code_.headers[first.n];
}

void Machine::take_first_header() {
  const Instruction& first = code_.code.data()[code_.parser];
  words_.data()[first.d] = words_.data()[first.d + origin_word] = 1;
  in_.go_on(code_.headers.data()[first.n].fixed_bits);
  parser_begins_ = code_.parser + 1;
}

void Machine::load(std::uint32_t bits) {
  in_.take_packet();
  if (in_.position() + bits <= in_.known()) return;
  static constexpr Crc crc{CrcParameters{}};
  const std::uint64_t sum = crc.of(in_.packet());
  std::array<std::uint8_t, 4> fcs{};
  for (unsigned i = 0; i < fcs.size(); ++i) fcs[i] = static_cast<std::uint8_t>(sum >> 8 * i);
  in_.put_end(std::span(fcs).first(fcs_bytes_));
}

bool Machine::parse(const dataplane::Pass& pass) {
  pass_ = &pass;
  failed_ = false;
  run(parser_begins_);
  if (!rests_.empty()) reach(0);  // what was parsed may reach into it
  for (const Rest& rest : rests_) {
    std::uint64_t sum = sums_[rest.object];
    for (std::uint32_t at = rest.from; at < in_.position(); at += 16) {
      const std::uint32_t part = std::min(16u, in_.position() - at);
      sum += ~(in_.peek(at - in_.position(), part) << (16 - part)) & 0xffff;
    }
    while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
    words_[rest.word] = sum;
  }
  result_.parsed_bytes = in_.position() / 8;
  return result_.error == 0;
}

void Machine::control(const dataplane::Pass& pass) {
  pass_ = &pass;
  failed_ = false;  // of the parser: a packet with an error may go on
  run(code_.control);
}

void Machine::before_control(const dataplane::Pass& pass) {
  pass_ = &pass;
  for (const std::uint32_t at : code_.before_control) run(at);
}

void Machine::after_control(const dataplane::Pass& pass) {
  pass_ = &pass;
  for (const std::uint32_t at : code_.after_control) run(at);
}

void Machine::ghost(const dataplane::Pass& pass) {
  pass_ = &pass;
  run(*code_.ghost);
}

void Machine::fail(std::uint32_t error) {
  result_.error = error;
  failed_ = true;
}

}  // namespace horae::p4prog
