#include <fmt/format.h>

#include <algorithm>

#include "horae/core/error.hpp"
#include "horae/p4prog/layout.hpp"
#include "horae/p4prog/machine.hpp"

namespace horae::p4prog {

using p4lang::TypeKind;
using wide::low_mask;

std::span<const Piece> Machine::argument_pieces(const ExternCode& code, std::size_t i) const {
  if (i >= code.argument_begins.size()) return {};
  const std::size_t from = code.argument_begins[i];
  const std::size_t to =
      i + 1 < code.argument_begins.size() ? code.argument_begins[i + 1] : code.arguments.size();
  return std::span(code.arguments).subspan(from, to - from);
}

std::uint64_t Machine::argument(const ExternCode& code, std::size_t i) const {
  const auto pieces = argument_pieces(code, i);
  return pieces.empty() ? 0 : word(pieces.front().word);
}

void Machine::give(const ExternCode& code, std::uint64_t value) {
  word(code.result) = value & low_mask(code.result_bits);
  for (std::uint32_t w = 1; w < words_of(code.result_bits); ++w) word(code.result + w) = 0;
}

/// The ones' complement sum of 16-bit words. Fields of headers that are not there count as zero. As
/// 2^16 is 1 there, a field counts as a whole, shifted to where it ends in its last word.
std::uint64_t Machine::ones_sum(std::span<const Piece> pieces) const {
  std::uint64_t sum = 0;
  std::uint32_t end = 0;
  const std::uint64_t* const w = words_.data();
  for (const Piece& p : pieces) {
    end += p.bits;
    if (p.valid != 0 && w[p.valid] == 0) continue;
    const std::uint32_t up = (0 - end) % 16;
    sum += (w[p.word] & 0xffffffff) << up;
    if (p.bits <= 32) continue;
    sum += (w[p.word] >> 32) << up;
    for (std::uint32_t i = 1; i < words_of(p.bits); ++i)
      sum += ((w[p.word + i] & 0xffffffff) << up) + ((w[p.word + i] >> 32) << up);
  }
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  return sum;
}

/// Sum of an update. Where all of its headers are there, it is that of the fields as they are
/// packed.
std::uint64_t Machine::updated_sum(const ExternCode& code) {
  for (const std::uint32_t valid : code.validity) {
    if (word(valid) == 0) return ones_sum(argument_pieces(code, 0));
  }
  std::uint64_t sum = 0;
  for (const std::uint64_t w : packed(code.packed)) sum += (w & 0xffffffff) + (w >> 32);
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  return sum;
}

Bytes8 Machine::bytes_of(std::span<const Piece> pieces) const {
  PacketWriter out;
  for (const Piece& p : pieces) {
    if (p.valid != 0 && word(p.valid) == 0) continue;
    out.put(&word(p.word), p.bits);
  }
  return {out.bytes().begin(), out.bytes().end()};
}

void Machine::checksum(const ExternCode& code) {
  std::uint64_t& sum = sums_[code.object];
  const auto add = [&](std::uint64_t value) {
    sum += value;
    while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  };
  switch (code.kind) {
    case ExternKind::checksum_add:
      add(ones_sum(code.arguments));
      return;
    case ExternKind::checksum_subtract:
      add(~ones_sum(code.arguments) & 0xffff);
      return;
    // The chip's bit says that the sum is wrong.
    case ExternKind::checksum_verify:
      give(code, sum == 0xffff ? 0 : 1);
      return;
    case ExternKind::checksum_get:
      give(code, sum);
      return;
    case ExternKind::checksum_update: {
      const std::uint64_t out = ~updated_sum(code) & 0xffff;
      give(code, out == 0 && argument(code, 1) != 0 ? 0xffff : out);
      return;
    }
    default:
      rests_.push_back({code.object, code.result, in_.position()});
  }
}

/// A counter of 8 bits with a sign. `set` and `push` with five arguments: rotated to the right,
/// masked, added.
void Machine::parser_counter(const ExternCode& code) {
  std::int64_t& top = counters_[counter_depth_];
  const auto as_counter = [](std::uint64_t value) {
    return static_cast<std::int64_t>(static_cast<std::int8_t>(value & 0xff));
  };
  const auto computed = [&]() -> std::int64_t {
    if (code.argument_begins.size() < 5) return as_counter(argument(code, 0));
    // The parser takes the whole byte in which the field lies; `max` is of that byte.
    const Piece& from = argument_pieces(code, 0).front();
    const std::uint64_t field = (word(from.word) << code.cell) & 0xff;
    if (field > argument(code, 1)) {
      const auto found = std::ranges::find(program_.errors, "CounterRange");
      fail(found == program_.errors.end()
               ? error_no_match_
               : static_cast<std::uint32_t>(found - program_.errors.begin()));
      return 0;
    }
    const std::uint64_t by = argument(code, 2) % 8;
    const std::uint64_t turned = (field >> by | field << (8 - by)) & 0xff;
    // On Tofino the mask is given by its highest bit, on Tofino2 as it is.
    std::uint64_t mask = argument(code, 3);
    if (argument_pieces(code, 3).front().bits <= 3) mask = (std::uint64_t{2} << mask) - 1;
    return as_counter((turned & mask) + argument(code, 4));
  };
  const auto change = [&](std::int64_t by) {
    for (std::uint32_t i = counter_depth_;; --i) {
      counters_[i] = as_counter(static_cast<std::uint64_t>(counters_[i] + by));
      if (i == 0 || !counts_below_[i]) return;
    }
  };
  switch (code.kind) {
    case ExternKind::counter_set:
      top = computed();
      return;
    case ExternKind::counter_push: {
      const std::int64_t value = computed();
      if (counter_depth_ + 1 == counters_.size())
        throw ModelError(pass_->describe() + ": a parser counter's stack of four is full");
      counters_[++counter_depth_] = value;
      const std::size_t arguments = code.argument_begins.size();
      counts_below_[counter_depth_] =
          (arguments == 2 || arguments == 6) && argument(code, arguments - 1) != 0;
      return;
    }
    case ExternKind::counter_pop:
      if (counter_depth_ > 0) --counter_depth_;
      return;
    case ExternKind::counter_add: {
      const std::int64_t by = as_counter(argument(code, 0));
      change(code.overflow == 1 ? -by : by);
      return;
    }
    case ExternKind::counter_zero:
      give(code, top == 0 ? 1 : 0);
      return;
    default:
      give(code, top < 0 ? 1 : 0);
      return;
  }
}

/// Among the parts of 8 or 16 bits that the mask names: the value, the index, and the part changed
/// by `postmod` afterwards.
void Machine::least_or_greatest(const ExternCode& code) {
  const std::uint32_t bits = code.entry, parts = 128 / bits;
  const auto value = argument_pieces(code, 0);
  if (value.empty()) return;
  std::uint64_t* cell = &word(value.front().word);
  const std::uint32_t words = words_of(value.front().bits);
  const std::uint64_t mask = argument(code, 1);
  std::optional<std::uint32_t> best;
  const auto part = [&](std::uint32_t i) { return wide::get(cell, words, i * bits, bits); };
  for (std::uint32_t i = 0; i < parts; ++i) {
    if ((mask >> i & 1) == 0) continue;
    const bool better =
        !best || (code.kind == ExternKind::minimum ? part(i) < part(*best) : part(i) > part(*best));
    if (better) best = i;
  }
  give(code, best ? part(*best) : 0);
  for (const std::uint32_t output : code.outputs) word(output) = best.value_or(0);
  const auto postmod = argument_pieces(code, 2);
  if (!best || postmod.empty()) return;
  const std::uint32_t width = postmod.front().bits;
  std::uint64_t change = word(postmod.front().word);
  if (width < 64 && (change >> (width - 1) & 1) != 0) change |= ~low_mask(width);
  wide::put(cell, *best * bits, bits, part(*best) + change);
}

/// A symmetric hash takes the XOR of a pair for the second one of it, and zero for the first: so it
/// is linear in each and the same for both orders (measured: two values of CRC16).
dataplane::BitString Machine::hashed(const ExternCode& code) {
  dataplane::BitString out;
  std::vector<std::uint64_t> value;
  for (std::size_t i = 0; i < code.arguments.size(); ++i) {
    const Piece& p = code.arguments[i];
    value.assign(&word(p.word), &word(p.word) + words_of(p.bits));
    for (const auto& [first, second] : code.pairs) {
      if (i == std::min(first, second)) std::ranges::fill(value, 0);
      if (i != std::max(first, second)) continue;
      const std::uint64_t* other = &word(code.arguments[std::min(first, second)].word);
      for (std::size_t w = 0; w < value.size(); ++w) value[w] ^= other[w];
    }
    out.append(value, p.bits);
  }
  return out;
}

/// Beyond the last filter, and without an entry, the value comes back as it is and is not dropped.
void Machine::average(const ExternCode& code) {
  const bool direct = code.by == CellBy::entry;
  const std::uint64_t value = argument(code, 0);
  const std::uint64_t index = direct ? last_entry_ : argument(code, 1);
  if (code.kind == ExternKind::low_pass) {
    dataplane::LowPass& filter = *objects_.low_passes().at(code.object);
    const bool there = (!direct || has_entry_) && index < filter.entries();
    give(code, there ? filter.execute(*pass_, index, value) : value);
    return;
  }
  EarlyDropObject& object = objects_.early_drops().at(code.object);
  const bool there = (!direct || has_entry_) && index < object.drop->entries();
  give(code,
       there && object.drop->execute(*pass_, index, value) ? object.drop_value : object.pass_value);
}

void Machine::extern_call(const ExternCode& code) {
  switch (code.kind) {
    case ExternKind::register_action:
      register_action(code);
      return;
    case ExternKind::register_read: {
      RegisterObject& object = objects_.register_of(code.object);
      const std::uint64_t index = argument(code, 0);
      word(code.result) = 0;
      if (object.wide || object.pair) word(code.result + 1) = 0;
      if (index >= object.entries) return;
      object.cells->apply(*pass_, index, [&](Cell& cell) {
        word(code.result) = cell.low;
        if (object.wide || object.pair) word(code.result + 1) = cell.high;
      });
      return;
    }
    case ExternKind::register_write: {
      RegisterObject& object = objects_.register_of(code.object);
      const std::uint64_t index = argument(code, 0);
      const auto value = argument_pieces(code, 1);
      if (index >= object.entries || value.empty()) return;
      object.cells->apply(*pass_, index, [&](Cell& cell) {
        cell.low = word(value[0].word);
        if (object.wide) cell.high = word(value[0].word + 1);
        if (object.pair && value.size() > 1) cell.high = word(value[1].word);
      });
      return;
    }
    case ExternKind::register_clear: {
      // How long the chip takes for it, and what an access gives meanwhile, is not modelled.
      RegisterObject& object = objects_.register_of(code.object);
      const auto value = argument_pieces(code, 0);
      if (value.empty()) return;
      Cell cell{word(value[0].word), 0};
      if (object.wide) cell.high = word(value[0].word + 1);
      if (object.pair && value.size() > 1) cell.high = word(value[1].word);
      for (std::uint64_t i = 0; i < object.entries; ++i) object.cells->write(i, cell);
      return;
    }
    case ExternKind::register_address: {
      const std::uint64_t half = code.arguments.empty() ? 0 : word(code.arguments[0].word);
      give(code, address_ + half * half_bits_);
      return;
    }
    case ExternKind::predicate: {
      std::uint64_t number = 0;
      for (std::size_t i = 0; i < code.conditions.size(); ++i)
        number |= (word(code.conditions[i]) != 0 ? 1u : 0u) << i;
      give(code, std::uint64_t{1} << number);
      return;
    }
    case ExternKind::register_parameter: {
      const auto& value = objects_.parameter(code.object);
      std::copy_n(value.begin(), value.size(), &word(code.result));
      return;
    }
    case ExternKind::minimum:
    case ExternKind::maximum:
      least_or_greatest(code);
      return;
    case ExternKind::math:
      give(code, objects_.math(code.object)
                     .execute(static_cast<std::uint32_t>(word(code.arguments.at(0).word))));
      return;
    case ExternKind::count: {
      dataplane::Counter& counter = objects_.counter(code.object);
      const bool direct = code.by == CellBy::entry;
      if (direct && !has_entry_) return;
      const std::uint64_t less = argument(code, direct ? 0 : 1);
      const std::uint64_t index = direct ? last_entry_ : argument(code, 0);
      if (index < counter.entries())
        counter.count(*pass_, index, pass_->header().frame - static_cast<std::int64_t>(less));
      return;
    }
    case ExternKind::meter: {
      dataplane::Meter& meter = objects_.meter(code.object);
      const auto& colours = objects_.colours(code.object);
      const bool direct = code.by == CellBy::entry;
      const std::size_t own = direct ? 0 : 1;
      // The colour before, if it is given, is an enumeration of 2 bits or of 8; what is wider is
      // what the length is less by.
      dataplane::Colour before = dataplane::Colour::green;
      std::uint64_t less = 0;
      for (std::size_t i = own; i < code.argument_begins.size(); ++i) {
        const auto given = argument_pieces(code, i);
        if (given.empty()) continue;
        if (given.front().bits > 8) {
          less = word(given.front().word);
          continue;
        }
        const std::uint64_t colour = word(given.front().word) & 3;
        before = colour == 0   ? dataplane::Colour::green
                 : colour == 3 ? dataplane::Colour::red
                               : dataplane::Colour::yellow;
      }
      const std::uint64_t index = direct ? last_entry_ : argument(code, 0);
      const bool there = (!direct || has_entry_) && index < meter.entries();
      const dataplane::Colour colour =
          there ? meter.execute(*pass_, index, before, Bytes(static_cast<std::int64_t>(less)))
                : before;
      give(code, colours[static_cast<std::size_t>(colour)]);
      return;
    }
    case ExternKind::low_pass:
    case ExternKind::early_drop:
      average(code);
      return;
    case ExternKind::hash:
      if (code.packed.bits > dataplane::BitString::most_bits)
        throw ModelError(pass_->describe() + ": more than 1024 bits are hashed at once");
      give(code, code.pairs.empty()
                     ? objects_.hash(code).value(packed(code.packed), code.packed.bits)
                     : objects_.hash(code).value(hashed(code)));
      return;
    case ExternKind::random: {
      RandomStream& stream = objects_.random(code.object);
      const std::uint64_t low = stream.bits();
      give(code, code.result_bits > 32 ? low | std::uint64_t{stream.bits()} << 32 : low);
      return;
    }
    case ExternKind::checksum_add:
    case ExternKind::checksum_subtract:
    case ExternKind::checksum_verify:
    case ExternKind::checksum_get:
    case ExternKind::checksum_update:
    case ExternKind::checksum_rest:
      checksum(code);
      return;
    case ExternKind::counter_set:
    case ExternKind::counter_push:
    case ExternKind::counter_pop:
    case ExternKind::counter_add:
    case ExternKind::counter_zero:
    case ExternKind::counter_negative:
      parser_counter(code);
      return;
    case ExternKind::priority:
      return;
    case ExternKind::mirror:
      result_.mirror = PassResult::Copy{static_cast<std::uint32_t>(argument(code, 0)),
                                        bytes_of(argument_pieces(code, 1))};
      return;
    case ExternKind::resubmit:
      result_.resubmit = bytes_of(argument_pieces(code, 0));
      return;
    case ExternKind::packet_generator:
      result_.generator = bytes_of(argument_pieces(code, 0));
      return;
    case ExternKind::digest: {
      DigestMessage message{program_.externs[code.object].name, {}, {}};
      for (const Piece& p : code.arguments) {
        for (std::uint32_t w = 0; w < words_of(p.bits); ++w)
          message.words.push_back(word(p.word + w));
        message.bits.push_back(p.bits);
      }
      result_.digests.push_back(std::move(message));
      return;
    }
  }
}

}  // namespace horae::p4prog
