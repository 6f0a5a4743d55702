#include "horae/p4prog/machine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "horae/core/crc.hpp"
#include "horae/core/error.hpp"
#include "horae/p4prog/layout.hpp"

namespace horae::p4prog {

using p4lang::SetKind;
using wide::low_mask;

namespace {

/// Calls that may be open at once; actions call actions, but nothing recurses.
constexpr std::size_t most_calls = 64;

/// Instructions that a pass may take: a parser that goes round without taking bits would not end.
constexpr std::uint64_t most_instructions = 1'000'000;

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

std::uint32_t error_named(const p4lang::Program& program, std::string_view name) {
  const auto found = std::ranges::find(program.errors, name);
  return found == program.errors.end() ? 0
                                       : static_cast<std::uint32_t>(found - program.errors.begin());
}

using Words = std::uint64_t*;

void wide_shift(Words d, const std::uint64_t* a, std::uint32_t bits, std::uint64_t by, bool left,
                bool fill) {
  const std::uint32_t words = words_of(bits);
  std::vector<std::uint64_t> out(words, fill ? ~std::uint64_t{0} : 0);
  wide::trim(out.data(), bits);
  if (by < bits) {
    const auto n = static_cast<std::uint32_t>(by);
    wide::copy(out.data(), left ? n : 0, a, words, left ? 0 : n, bits - n);
    if (left) {
      for (std::uint32_t i = 0; i < n; i += 64) wide::put(out.data(), i, std::min(64u, n - i), 0);
    }
  }
  std::ranges::copy(out, d);
}

void wide_multiply(Words d, const std::uint64_t* a, const std::uint64_t* b, std::uint32_t bits) {
  const std::uint32_t words = words_of(bits);
  std::vector<std::uint64_t> out(words);
  for (std::uint32_t i = 0; i < words; ++i) {
    unsigned __int128 carry = 0;
    for (std::uint32_t j = 0; i + j < words; ++j) {
      carry += static_cast<unsigned __int128>(a[i]) * b[j] + out[i + j];
      out[i + j] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
  }
  std::ranges::copy(out, d);
  wide::trim(d, bits);
}

void wide_saturate(Words d, const std::uint64_t* a, const std::uint64_t* b, std::uint32_t bits,
                   bool add) {
  const std::uint32_t words = words_of(bits);
  if (add) {
    std::uint64_t over = wide::add(d, a, b, words, false, 0);
    if (bits % 64 != 0) over |= d[words - 1] >> bits % 64;
    if (over != 0) std::fill_n(d, words, ~std::uint64_t{0});
  } else if (wide::compare(a, b, words) > 0) {
    wide::add(d, a, b, words, true, 1);
  } else {
    std::fill_n(d, words, 0);
  }
  wide::trim(d, bits);
}

int signed_compare(const std::uint64_t* a, const std::uint64_t* b, std::uint32_t bits) {
  const bool negative_a = wide::sign(a, bits), negative_b = wide::sign(b, bits);
  if (negative_a != negative_b) return negative_a ? -1 : 1;
  return wide::compare(a, b, words_of(bits));
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
      sums_(program.externs.size()),
      summed_(program.externs.size()) {
  for (const auto& [word, value] : code.constants) words_[word] = value;
  const auto drop =
      intrinsic(gress == dataplane::Gress::ingress ? "ingress_intrinsic_metadata_for_deparser_t"
                                                   : "egress_intrinsic_metadata_for_deparser_t",
                "drop_ctl");
  for (const TableCode& table : code.tables) {
    auto& drops = drops_.emplace_back();
    for (const ActionCode& action : table.actions)
      drops.push_back(drop.word != 0 && writes(action.entry, drop.word));
  }
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
    const bool jumps = i.op == Op::jump || i.op == Op::jump_if || i.op == Op::jump_unless;
    if (jumps || i.op == Op::call) open.push_back(i.n);
    if (i.op != Op::jump) open.push_back(at + 1);
    if (!jumps && i.op != Op::call && i.d == word) return true;
  }
  return false;
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
  std::fill(words_.begin() + code_.constant_words, words_.end(), 0);
  if (open_bits_) fill_open_words(code_, *open_bits_, words_.data());
  if (unwritten_) unwritten_->begin();
  in_.begin(front, packet, fcs_bits / 8);
  front_bits_ = 8 * static_cast<std::uint32_t>(front.size());
  has_fcs_ = false;
  out_.begin();
  result_.error = result_.parsed_bytes = 0;
  result_.mirror.reset();
  result_.resubmit.reset();
  result_.digests.clear();
  failed_ = missed_ = dropped_by_miss_ = short_extract_ = false;
  has_entry_ = false;
  learning_ = nullptr;
  std::ranges::fill(sums_, 0);
  rests_.clear();
  counters_ = {};
  counts_below_ = {};
  counter_depth_ = 0;
}

void Machine::put_fcs() {
  static constexpr Crc crc{CrcParameters{}};
  const auto all = in_.bytes();
  const std::uint64_t sum = crc.of(all.subspan(front_bits_ / 8, all.size() - front_bits_ / 8 - 4));
  std::array<std::uint8_t, 4> fcs{};
  for (unsigned i = 0; i < 4; ++i) fcs[i] = static_cast<std::uint8_t>(sum >> 8 * i);
  in_.replace_end(fcs);
  has_fcs_ = true;
}

bool Machine::parse(const dataplane::Pass& pass) {
  pass_ = &pass;
  failed_ = false;
  run(code_.parser);
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
  run(code_.control);
}

void Machine::ghost(const dataplane::Pass& pass) {
  pass_ = &pass;
  run(*code_.ghost);
}

PassResult& Machine::deparse(const dataplane::Pass& pass) {
  pass_ = &pass;
  run(code_.deparser);
  // What follows the last byte that was taken, without the FCS.
  const std::uint32_t packet_end = in_.bits() - fcs_bits;
  const std::uint32_t from = (in_.position() + 7) / 8, to = packet_end / 8;
  if (from < to) out_.append(in_.bytes().subspan(from, to - from));
  result_.packet.assign(out_.bytes().begin(), out_.bytes().end());
  return result_;
}

void Machine::fail(std::uint32_t error) {
  result_.error = error;
  failed_ = true;
}

dataplane::BitString Machine::key(std::span<const Piece> pieces) const {
  dataplane::BitString out;
  for (const Piece& p : pieces) {
    if (p.bits <= 64)
      out.append(words_[p.word], p.bits);
    else
      out.append(std::span(&words_[p.word], words_of(p.bits)), p.bits);
  }
  return out;
}

/// The action that an entry names by member or group. A member that is not there, and a group of
/// which nobody is alive, give the table's default action.
const dataplane::ActionCall* Machine::referred(const TableObject& table, const TableSite& site,
                                               const dataplane::ActionCall& entry) {
  std::uint64_t member = entry.data.front();
  if (entry.action == group_reference) {
    SelectorObject& selector = *table.selector;
    const auto group = static_cast<std::size_t>(member);
    const auto hash = static_cast<std::uint32_t>(selector.hash->of(*pass_, key(site.selector)));
    if (selector.alive != nullptr) selector.follow_register(group);
    const auto chosen = selector.groups->choose(*pass_, group, hash);
    if (!chosen) return &table.match->default_call();
    member = *chosen;
  }
  const dataplane::ActionCall* call = table.profile->members->member(*pass_, member);
  return call != nullptr ? call : &table.match->default_call();
}

void Machine::apply(const Instruction& i) {
  const TableSite& site = code_.sites[i.n];
  TableObject& table = objects_.tables()[site.table];
  const dataplane::ActionCall* call = &table.only;
  if (table.digest) {
    learning_ = &table;
    learning_at_ = &site;
  }
  if (table.match) {
    const auto result = table.match->lookup(*pass_, key(site.keys));
    call = result.call;
    words_[i.d] = result.hit() ? 1 : 0;
    if (!result.hit()) {
      missed_ = true;
      dropped_by_miss_ = dropped_by_miss_ || drops_[site.table][call->action];
    }
    if (call->action >= member_reference) call = referred(table, site, *call);
    if (table.direct) {
      has_entry_ = result.hit();
      last_entry_ = result.place.value_or(0);
    }
  } else {
    table.action->run(*pass_, [] {});
    words_[i.d] = 0;
  }
  words_[i.d + 1] = call->action;
  const ActionCode& action = table.code->actions[call->action];
  std::size_t at = 0;
  for (const ParameterCode& p : action.data) {
    for (std::uint32_t w = 0; w < words_of(p.bits); ++w)
      words_[p.word + w] = at < call->data.size() ? call->data[at++] : 0;
  }
}

bool Machine::in_set(const SetCode& set, const Piece& on, std::span<const Piece> all) {
  const std::uint64_t* v = &words_[on.word];
  const std::uint32_t words = words_of(on.bits);
  switch (set.kind) {
    case SetKind::any:
      return true;
    case SetKind::exact:
      return wide::compare(v, set.value.data(), words) == 0;
    case SetKind::mask:
      for (std::uint32_t w = 0; w < words; ++w) {
        if (((v[w] ^ set.value[w]) & set.other[w]) != 0) return false;
      }
      return true;
    case SetKind::range:
      return wide::compare(v, set.value.data(), words) >= 0 &&
             wide::compare(v, set.other.data(), words) <= 0;
    case SetKind::value_set: {
      const ValueSetObject& object = objects_.value_sets().at(set.value_set);
      return std::ranges::any_of(object.members, [&](const ValueSetObject::Member& m) {
        for (std::size_t i = 0; i < m.values.size() && i < all.size(); ++i) {
          if (((words_[all[i].word] ^ m.values[i]) & m.masks[i]) != 0) return false;
        }
        return true;
      });
    }
  }
  return false;
}

std::uint32_t Machine::select(const SelectCode& s) {
  for (const CaseCode& c : s.cases) {
    bool all = true;
    for (std::size_t i = 0; all && i < c.sets.size(); ++i) {
      const std::size_t on = std::min(i, s.on.size() - 1);
      all = in_set(c.sets[i], s.on[on], std::span(s.on).subspan(on));
    }
    if (all) return c.next;
  }
  fail(error_no_match_);
  return 0;
}

bool Machine::extract(const Instruction& i, bool go_on) {
  const HeaderCode& header = code_.headers[i.n];
  const std::uint64_t varbit = header.varbit_bits != 0 ? words_[i.b] : 0;
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
  std::uint64_t* to = &words_[i.d + words_[i.a]];
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

void Machine::emit(const Instruction& i) {
  const std::uint64_t* from = &words_[i.d + words_[i.a]];
  if (*from == 0) return;
  for (const FieldCode& f : code_.headers[i.n].fields) {
    const std::uint64_t* field = from + f.offset;
    const std::uint32_t bits = f.varbit ? static_cast<std::uint32_t>(*field++) : f.bits;
    if (bits <= 64)
      out_.put(*field, bits);
    else
      out_.put(field, bits);
  }
}

void Machine::shift_stack(const Instruction& i) {
  Words stack = &words_[i.d];
  Words first = stack + 1;
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
  std::array<std::uint32_t, most_calls> back;
  std::size_t depth = 0;
  const Instruction* const code = code_.code.data();
  std::uint64_t* const w = words_.data();
  std::uint64_t executed = 0;
  const auto too_long = [&] {
    if (++executed > most_instructions)
      throw ModelError(fmt::format("{}: more than {} instructions in a pass", pass_->describe(),
                                   most_instructions));
  };
  for (;;) {
    if constexpr (watched) unwritten_->look(at, w);
    const Instruction& i = code[at++];
    too_long();
    const std::uint64_t a = w[i.a], b = w[i.b];
    std::uint64_t& d = w[i.d];
    switch (i.op) {
      case Op::add:
        d = (a + b) & low_mask(i.width);
        break;
      case Op::subtract:
        d = (a - b) & low_mask(i.width);
        break;
      case Op::multiply:
        d = (a * b) & low_mask(i.width);
        break;
      case Op::divide:
        d = b == 0 ? low_mask(i.width) : a / b;
        break;
      case Op::modulo:
        d = b == 0 ? a : a % b;
        break;
      case Op::saturating_add:
        d = saturating_add(a, b, i.width);
        break;
      case Op::saturating_subtract:
        d = a > b ? a - b : 0;
        break;
      case Op::signed_saturating_add:
      case Op::signed_saturating_subtract:
        d = signed_saturating(as_signed(a, i.width), as_signed(b, i.width), i.width,
                              i.op == Op::signed_saturating_add);
        break;
      case Op::bit_and:
        d = a & b;
        break;
      case Op::bit_or:
        d = a | b;
        break;
      case Op::bit_xor:
        d = a ^ b;
        break;
      case Op::complement:
        d = ~a & low_mask(i.width);
        break;
      case Op::negate:
        d = (0 - a) & low_mask(i.width);
        break;
      case Op::shift_left:
        d = b < i.width ? a << b & low_mask(i.width) : 0;
        break;
      case Op::shift_right:
        d = b < i.width ? a >> b : 0;
        break;
      case Op::signed_shift_right:
        d = static_cast<std::uint64_t>(as_signed(a, i.width) >> std::min<std::uint64_t>(b, 63)) &
            low_mask(i.width);
        break;
      case Op::equal:
        d = a == b;
        break;
      case Op::not_equal:
        d = a != b;
        break;
      case Op::less:
        d = a < b;
        break;
      case Op::less_equal:
        d = a <= b;
        break;
      case Op::signed_less:
        d = as_signed(a, i.width) < as_signed(b, i.width);
        break;
      case Op::signed_less_equal:
        d = as_signed(a, i.width) <= as_signed(b, i.width);
        break;
      case Op::logical_not:
        d = a == 0;
        break;
      case Op::slice:
        d = a >> i.n & low_mask(i.width);
        break;
      case Op::insert:
        d = (d & ~(low_mask(i.width) << i.n)) | (a & low_mask(i.width)) << i.n;
        break;
      case Op::concatenate:
        d = a << i.n | b;
        break;
      case Op::extend_sign:
        d = static_cast<std::uint64_t>(as_signed(a, i.n)) & low_mask(i.width);
        break;

      case Op::wide_add:
        wide::add(&d, &w[i.a], &w[i.b], words_of(i.width), false, 0);
        wide::trim(&d, i.width);
        break;
      case Op::wide_subtract:
        wide::add(&d, &w[i.a], &w[i.b], words_of(i.width), true, 1);
        wide::trim(&d, i.width);
        break;
      case Op::wide_multiply:
        wide_multiply(&d, &w[i.a], &w[i.b], i.width);
        break;
      case Op::wide_and:
        for (std::uint32_t n = 0; n < words_of(i.width); ++n) w[i.d + n] = w[i.a + n] & w[i.b + n];
        break;
      case Op::wide_or:
        for (std::uint32_t n = 0; n < words_of(i.width); ++n) w[i.d + n] = w[i.a + n] | w[i.b + n];
        break;
      case Op::wide_xor:
        for (std::uint32_t n = 0; n < words_of(i.width); ++n) w[i.d + n] = w[i.a + n] ^ w[i.b + n];
        break;
      case Op::wide_complement:
        for (std::uint32_t n = 0; n < words_of(i.width); ++n) w[i.d + n] = ~w[i.a + n];
        wide::trim(&d, i.width);
        break;
      case Op::wide_negate: {
        const std::vector<std::uint64_t> zero(words_of(i.width));
        wide::add(&d, zero.data(), &w[i.a], words_of(i.width), true, 1);
        wide::trim(&d, i.width);
        break;
      }
      case Op::wide_shift_left:
        wide_shift(&d, &w[i.a], i.width, b, true, false);
        break;
      case Op::wide_shift_right:
        wide_shift(&d, &w[i.a], i.width, b, false, false);
        break;
      case Op::wide_signed_shift_right:
        wide_shift(&d, &w[i.a], i.width, b, false, wide::sign(&w[i.a], i.width));
        break;
      case Op::wide_equal:
        d = wide::compare(&w[i.a], &w[i.b], words_of(i.width)) == 0;
        break;
      case Op::wide_not_equal:
        d = wide::compare(&w[i.a], &w[i.b], words_of(i.width)) != 0;
        break;
      case Op::wide_less:
        d = wide::compare(&w[i.a], &w[i.b], words_of(i.width)) < 0;
        break;
      case Op::wide_less_equal:
        d = wide::compare(&w[i.a], &w[i.b], words_of(i.width)) <= 0;
        break;
      case Op::wide_signed_less:
        d = signed_compare(&w[i.a], &w[i.b], i.width) < 0;
        break;
      case Op::wide_signed_less_equal:
        d = signed_compare(&w[i.a], &w[i.b], i.width) <= 0;
        break;
      case Op::wide_saturating_add:
      case Op::wide_saturating_subtract:
        wide_saturate(&d, &w[i.a], &w[i.b], i.width, i.op == Op::wide_saturating_add);
        break;
      case Op::wide_slice: {
        std::array<std::uint64_t, 64> part{};
        wide::copy(part.data(), 0, &w[i.a], i.b, i.n, i.width);
        std::copy_n(part.begin(), words_of(i.width), &d);
        break;
      }
      case Op::wide_insert:
        wide::copy(&d, i.n, &w[i.a], words_of(i.width), 0, i.width);
        break;
      case Op::wide_extend_sign: {
        const bool negative = wide::sign(&w[i.a], i.n);
        std::array<std::uint64_t, 64> out{};
        if (negative) out.fill(~std::uint64_t{0});
        wide::copy(out.data(), 0, &w[i.a], words_of(i.n), 0, i.n);
        std::copy_n(out.begin(), words_of(i.width), &d);
        wide::trim(&d, i.width);
        break;
      }

      case Op::constant:
        d = i.n;
        break;
      case Op::move:
        std::copy_n(&w[i.a], i.n, &d);
        break;
      case Op::move_from:
        std::copy_n(&w[i.a + b], i.n, &d);
        break;
      case Op::move_to:
        std::copy_n(&w[i.a], i.n, &w[i.d + b]);
        break;
      case Op::equal_words:
        d = std::equal(&w[i.a], &w[i.a] + i.n, &w[i.b]);
        break;
      case Op::element_offset:
        d = std::min<std::uint64_t>(a, i.width - 1) * i.n;
        break;
      case Op::next_offset:
      case Op::last_offset: {
        const std::uint64_t element = i.op == Op::next_offset ? a : a - 1;
        if (element >= i.width) {
          fail(error_stack_);
          return;
        }
        d = element * i.n;
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
        at = i.n;
        break;
      case Op::jump_if:
        if (a != 0) at = i.n;
        break;
      case Op::jump_unless:
        if (a == 0) at = i.n;
        break;
      case Op::call:
        if (depth == most_calls) throw ModelError("calls of a program that do not end");
        back[depth++] = at;
        at = i.n;
        break;
      case Op::give_back:
        if (depth == 0) {
          instructions_ += executed;
          return;
        }
        at = back[--depth];
        break;
      case Op::end:
        instructions_ += executed;
        return;
      case Op::table: {
        apply(i);
        const TableCode& table = code_.tables[code_.sites[i.n].table];
        if (depth == most_calls) throw ModelError("calls of a program that do not end");
        back[depth++] = at;
        at = table.actions[w[i.d + 1]].entry;
        break;
      }
      case Op::select:
        at = select(code_.selects[i.n]);
        if (failed_) return;
        break;
      case Op::error:
        if (a != 0) break;
        fail(i.n);
        return;
      case Op::extern_call:
        extern_call(code_.externs[i.n]);
        if (failed_) return;
        break;

      case Op::extract:
        if (!extract(i, true)) return;
        w[i.d + a] = 1;
        break;
      case Op::look_ahead:
        if (!extract(i, false)) return;
        if (i.width == 1) w[i.d + a] = 1;
        break;
      case Op::look_ahead_bits:
        if (i.width > in_.left()) {
          fail(error_short_);
          return;
        }
        reach(i.width);
        in_.peek(0, i.width, &d);
        break;
      case Op::advance:
        if (a > in_.left()) {
          fail(error_short_);
          return;
        }
        in_.go_on(static_cast<std::uint32_t>(a));
        break;
      case Op::packet_length:
        d = (in_.bits() - front_bits_ - fcs_bits) / 8;
        break;
      case Op::emit:
        emit(i);
        break;
    }
  }
}

template void Machine::run_code<true>(std::uint32_t);
template void Machine::run_code<false>(std::uint32_t);

}  // namespace horae::p4prog
