// A gress as compiled code runs it: what `horae p4 compile` prints uses this and nothing else.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "horae/p4prog/machine.hpp"

namespace horae::p4prog {

/// A program's code as a plug-in brings it, by the name `horae_p4_program`.
struct CompiledProgram {
  const char* digest = "";  ///< of that code, as compiled_text() gives it
  /// Ingress and egress of each pipe, in their order; null: the pipe has no such gress.
  const CompiledRun (*pipes)[2] = nullptr;
  std::size_t pipe_count = 0;
};

/// The steps of a pass that straight code does not do by itself: each is what the instruction of
/// its name does. Those that give a bool say whether the pass goes on.
class CompiledPass {
 public:
  explicit CompiledPass(Machine& machine) : m_(machine) {}
  std::uint64_t* words() const { return m_.words_.data(); }

  // Values.
  static std::uint64_t divided(std::uint64_t a, std::uint64_t b, std::uint64_t most) {
    return b == 0 ? most : a / b;
  }
  static std::int64_t as_signed(std::uint64_t value, unsigned bits) {
    return static_cast<std::int64_t>(value << (64 - bits)) >> (64 - bits);
  }
  static std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b, std::uint64_t most) {
    const std::uint64_t sum = a + b;
    return sum < a || sum > most ? most : sum;
  }
  /// Any instruction on values alone that has no straight code.
  [[gnu::noinline]] void value_op(std::uint32_t at) { m_.value_op(m_.code_.code.data()[at]); }

  // Parser.
  /// Whether the next bits begin a byte and were copied.
  bool holds(std::uint32_t bits) const {
    return m_.in_.position() % 8 == 0 && m_.in_.position() + bits <= m_.in_.known();
  }
  const std::uint8_t* here() const { return m_.in_.here(); }
  static std::uint64_t word_at(const std::uint8_t* bytes) {
    std::uint64_t word;
    std::memcpy(&word, bytes, 8);
    return __builtin_bswap64(word);
  }
  std::uint64_t origin() const { return std::uint64_t{1} + m_.in_.position(); }
  void go_on(std::uint32_t bits) { m_.in_.go_on(bits); }
  bool extract(std::uint32_t at, bool go_on) { return m_.extract(m_.code_.code.data()[at], go_on); }
  bool look_ahead_bits(std::uint32_t bits, std::uint64_t* to) {
    if (bits > m_.in_.left()) return fail(m_.error_short_);
    m_.reach(bits);
    m_.in_.peek(0, bits, to);
    return true;
  }
  bool advance(std::uint64_t bits) {
    if (bits > m_.in_.left()) return fail(m_.error_short_);
    m_.in_.go_on(static_cast<std::uint32_t>(bits));
    return true;
  }
  std::uint64_t packet_length() const { return m_.in_.packet().size(); }
  bool no_match() { return fail(m_.error_no_match_); }
  bool beyond_stack() { return fail(m_.error_stack_); }
  bool fail(std::uint32_t error) {
    m_.fail(error);
    return false;
  }
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};
  /// The instruction that a select goes on at; nowhere: the parser has failed.
  std::uint32_t select(std::uint32_t n) {
    const Instruction* const next = m_.select(m_.code_.selects.data()[n]);
    return next == nullptr ? nowhere : static_cast<std::uint32_t>(next - m_.code_.code.data());
  }
  /// Taken at a way back in a parser; `rounds` counts them.
  void next_round(std::uint64_t& rounds) const {
    if (++rounds > Machine::most_instructions) [[unlikely]]
      m_.too_long();
  }

  // Tables.
  [[gnu::always_inline]] const dataplane::ActionCall& lookup(std::uint32_t site,
                                                             const std::uint64_t* key,
                                                             std::uint64_t& hit) {
    const Machine::TableRun& run = m_.table_runs_.data()[site];
    const auto found = run.match->lookup(*m_.pass_, key);
    hit = found.hit() ? 1 : 0;
    if (!found.hit()) m_.miss(run.actions.data()[found.call->action]);
    if (!run.plain) [[unlikely]]
      return m_.beside_key(run, *found.call, found.place);
    return *found.call;
  }
  /// The same for a table without a key.
  const dataplane::ActionCall& only(std::uint32_t site) {
    const Machine::TableRun& run = m_.table_runs_.data()[site];
    run.table->action->run(*m_.pass_, [] {});
    return m_.beside_key(run, run.table->only, dataplane::PackedKeys::none);
  }
  /// Data word of an entry; 0 where it has fewer.
  static std::uint64_t data(const dataplane::ActionCall& call, std::size_t i) {
    return i < call.data.size() ? call.data.data()[i] : 0;
  }

  // Externs.
  bool extern_call(std::uint32_t n) {
    m_.extern_call(m_.code_.externs.data()[n]);
    return !m_.failed_;
  }
  std::uint64_t hash(std::uint32_t n, const std::uint64_t* key, std::size_t words,
                     std::uint32_t bits) const {
    return m_.objects_.hash(n).value({key, words}, bits);
  }
  void count(std::uint32_t n, std::uint64_t index) {
    dataplane::Counter& counter = *m_.cell_runs_.data()[n].counter;
    if (index < counter.entries()) counter.count(*m_.pass_, index, m_.pass_->header().frame);
  }
  /// Sum of an update, some of whose headers are not there.
  [[gnu::noinline]] std::uint64_t sum_of_valid(std::uint32_t n) const {
    return m_.ones_sum(m_.argument_pieces(m_.code_.externs.data()[n], 0));
  }
  /// A word of packed fields as two summands of a ones' complement sum.
  static std::uint64_t halves(std::uint64_t word) { return (word & 0xffffffff) + (word >> 32); }
  static std::uint64_t folded(std::uint64_t sum) {
    while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
    return sum;
  }
  /// The cell of an access by index, or by the entry that was hit; null: the access is made,
  /// slowly.
  Cell* open_cell(std::uint32_t n, std::uint64_t given) {
    const Machine::CellRun& run = m_.cell_runs_.data()[n];
    const std::uint64_t index = run.by_entry ? m_.last_entry_ : given;
    const bool is_there = run.cells != nullptr && (!run.by_entry || m_.has_entry_);
    Cell* const cell = is_there ? run.cells->open(*m_.pass_, index) : nullptr;
    if (cell == nullptr) [[unlikely]] {
      m_.extern_call(m_.code_.externs.data()[n]);
    } else if (run.addressed) {
      m_.address_ = index * run.bits;
      m_.half_bits_ = run.bits / 2;
    }
    return cell;
  }

  // Deparser.
  void emit(std::uint32_t header, const std::uint64_t* from) {
    m_.emit(m_.code_.headers.data()[header], from);
  }
  /// Likewise of a header of `bits`, which is kept where it lies behind what is kept (keep_on()).
  /// `written`: the gress writes fields of it somewhere.
  [[gnu::always_inline]] void keep_or_emit(std::uint32_t header, const std::uint64_t* from,
                                           std::uint32_t bits, bool written) {
    if (from[origin_word] != std::uint64_t{1} + m_.kept_to_) return emit(header, from);
    if (written) m_.changed_.push_back({&m_.code_.headers.data()[header], from, m_.kept_to_});
    m_.kept_to_ += bits;
  }

 private:
  Machine& m_;
};

}  // namespace horae::p4prog
