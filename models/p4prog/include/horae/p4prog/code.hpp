// The code of one gress of a pipe: instructions over the words of a pass, and what they refer to.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "horae/p4lang/program.hpp"

namespace horae::p4prog {

class Machine;
/// Code of a gress that a compiler made of its instructions: what begins at that one.
using CompiledRun = void (*)(Machine&, std::uint32_t at);

/// `d` takes the result of `a` and `b`, all words by number. `width`: bits of the values; `n`: see
/// each. Word 0 is always zero.
enum class Op : std::uint8_t {
  // Values of at most 64 bits.
  add,
  subtract,
  multiply,
  divide,
  modulo,
  saturating_add,
  saturating_subtract,
  signed_saturating_add,
  signed_saturating_subtract,
  bit_and,
  bit_or,
  bit_xor,
  complement,
  negate,
  shift_left,
  shift_right,
  signed_shift_right,
  equal,
  not_equal,
  less,
  less_equal,
  signed_less,
  signed_less_equal,
  logical_not,
  slice,        ///< `width` bits of `a` from bit `n` on
  insert,       ///< into `d` at bit `n`
  concatenate,  ///< a << n | b
  extend_sign,  ///< from `n` bits to `width`
  // Values of more.
  wide_add,
  wide_subtract,
  wide_multiply,
  wide_and,
  wide_or,
  wide_xor,
  wide_complement,
  wide_negate,
  wide_shift_left,
  wide_shift_right,
  wide_signed_shift_right,
  wide_equal,
  wide_not_equal,
  wide_less,
  wide_less_equal,
  wide_signed_less,
  wide_signed_less_equal,
  wide_saturating_add,
  wide_saturating_subtract,
  wide_slice,        ///< `width` bits of the `b` words at `a`, from bit `n` on
  wide_insert,       ///< `width` bits of `a` into `d` at bit `n`
  wide_extend_sign,  ///< from `n` bits at `a`
  // Words.
  constant,  ///< n
  move_word,
  move,            ///< n words
  move_from,       ///< n words from a + [b]
  move_to,         ///< n words to d + [b]
  equal_words,     ///< n words
  element_offset,  ///< words from a stack's first element: [a] times n, below `width` elements
  next_offset,     ///< likewise of the next element of the stack at `a`; error StackOutOfBounds
  last_offset,     ///< likewise of the last one
  advance_next,    ///< of the stack at `a` and its `width` elements
  push_front,
  pop_front,  ///< of the stack at `d`: `b` elements of n words each, `width` in all
  // Control.
  jump,
  jump_if,
  jump_unless,  ///< to n, by [a]
  jump_equal,   ///< to n, by [a] and [b], values of at most 64 bits without sign
  jump_not_equal,
  jump_less,
  jump_less_equal,
  call,
  give_back,        ///< to n, and back
  end,              ///< of the parser, control or deparser
  table,            ///< n: applies it at that site; d: whether it hit; d + 1: which of its actions
  select,           ///< n: goes on where the first case that matches says
  error,            ///< n: the parser ends with that error, unless [a]
  extern_call,      ///< n
  hash,             ///< that extern's, into d
  count,            ///< that extern's, of index [a]
  update_checksum,  ///< that extern's, into d
  /// n: an extern's cell, of index [a], into d and, where it has two words, its second one; then
  /// the
  /// code that runs on it. b: the first of its `width` outputs, which are zero before.
  open_cell,
  close_cell,  ///< behind it: d, and b if it is not 0, into the cell
  // Packets.
  extract,          ///< n: a header from the packet into d + [a]; [b]: bits of its varbit
  look_ahead,       ///< likewise, without going on
  look_ahead_bits,  ///< `width` bits into d
  advance,          ///< [a] bits
  packet_length,
  emit,  ///< n: the header at d + [a], if it is valid
};

inline constexpr std::size_t op_count = static_cast<std::size_t>(Op::emit) + 1;

/// Whether it may go on at `n`, in the same function.
constexpr bool is_jump(Op op) { return op >= Op::jump && op <= Op::jump_less_equal; }

struct Instruction {
  Op op = Op::end;
  std::uint32_t width = 0;
  std::uint32_t d = 0, a = 0, b = 0;
  std::uint32_t n = 0;
  std::uint64_t mask = 0;  ///< the lowest `width` bits
};

/// A value among others: of a key, of what is hashed or summed up.
struct Piece {
  std::uint32_t word = 0;
  std::uint32_t bits = 0;
  std::uint32_t valid = 0;  ///< word that says whether its header is; 0: it is in none
};

/// Pieces one behind the other, the first one's highest bit first, from the highest bit of words
/// on: a step rotates a word of the pass to the left, and adds the bits under the mask.
struct PackPlan {
  struct Step {
    std::uint32_t word = 0;
    std::uint32_t rotation = 0;
    std::uint64_t mask = 0;
  };
  std::vector<Step> steps;
  std::vector<std::uint32_t> ends;  ///< of each word that is made: the step behind its last
  std::uint32_t bits = 0;
  std::uint32_t words = 1;  ///< that the pieces fill

  /// From words of a pass to those words.
  void pack(const std::uint64_t* from, std::uint64_t* to) const {
    const Step* s = steps.data();
    for (const std::uint32_t end : ends) {
      std::uint64_t word = 0;
      for (const Step* const last = steps.data() + end; s != last; ++s)
        word |= std::rotl(from[s->word], static_cast<int>(s->rotation)) & s->mask;
      *to++ = word;
    }
  }
  /// Without the steps of a word that is zero.
  void leave_out(std::uint32_t word);
};
PackPlan pack_plan(std::span<const Piece> pieces);

/// A field of a header as it lies in packets.
struct FieldCode {
  std::uint32_t offset = 0;  ///< words from the header's first
  std::uint32_t bits = 0;
  std::uint32_t at = 0;  ///< bits before it in the header, if it lies before the varbit
  bool varbit = false;
};
/// Fields of a header by the eight bytes that they lie in, so that those are read, or written,
/// once. `beyond`: those that no eight bytes have.
struct FieldWindows {
  struct Part {
    std::uint32_t offset = 0;  ///< word, from the header's first
    std::uint32_t behind = 0;  ///< bits of the window behind it
    std::uint64_t mask = 0;    ///< its bits, as a number
  };
  struct Window {
    std::uint32_t byte = 0;
    std::uint32_t end = 0;   ///< of its parts, which follow those of the window before
    std::uint64_t mask = 0;  ///< of its fields, as a word of the machine that is read from there
  };
  /// Bytes behind a header that may be read, and are written as they were.
  static constexpr std::size_t room = 8;

  std::vector<Part> parts;
  std::vector<Window> windows;
  std::vector<FieldCode> beyond;

  explicit FieldWindows(std::span<const FieldCode> fields = {});

  /// From a header's bytes, of which 16 more than it has can be read, to its words.
  void read(const std::uint8_t* bytes, std::uint64_t* to) const {
    const Part* p = parts.data();
    for (const Window& window : windows) {
      std::uint64_t word;
      std::memcpy(&word, bytes + window.byte, 8);
      word = __builtin_bswap64(word);
      for (const Part* const end = parts.data() + window.end; p != end; ++p)
        to[p->offset] = word >> p->behind & p->mask;
    }
  }
  /// From its words over its bytes.
  void write(const std::uint64_t* from, std::uint8_t* bytes) const {
    const Part* p = parts.data();
    for (const Window& window : windows) {
      std::uint64_t word = 0, had;
      for (const Part* const end = parts.data() + window.end; p != end; ++p)
        word |= (from[p->offset] & p->mask) << p->behind;
      std::memcpy(&had, bytes + window.byte, 8);
      had ^= (had ^ __builtin_bswap64(word)) & window.mask;
      std::memcpy(bytes + window.byte, &had, 8);
    }
  }
};
/// The bytes of a header that is extracted stay where they are: its word `origin_word` says where.
/// So only those fields are extracted that the gress names anywhere, and only those that it writes
/// are put into what is emitted.
struct HeaderCode {
  std::string name;
  std::vector<FieldCode> fields;
  std::vector<FieldCode> named, written;
  FieldWindows named_windows, written_windows, all_windows;  ///< the same, and of all fields
  /// It is whole bytes, and its place may be one of them: those windows have all there is.
  bool in_windows = false;
  std::uint32_t fixed_bits = 0;   ///< all but the varbit
  std::uint32_t varbit_bits = 0;  ///< at most
  bool has_origin = false;        ///< not with a varbit, and not of a struct
};

/// Data of an action of a table: where they go.
struct ParameterCode {
  std::string name;
  std::uint32_t word = 0, bits = 0;
  const p4lang::Type* type = nullptr;
};
struct ActionCode {
  std::string name;
  std::uint32_t entry = 0;  ///< instruction
  std::vector<ParameterCode> data;
  std::vector<std::uint32_t> data_words;  ///< where each word of the data goes
  bool table_only = false, default_only = false;
  /// A copy of an action that makes only copies, in place of its code: words, and data by their
  /// number.
  struct Copy {
    std::uint32_t to = 0, from = 0;
    bool data = false;
  };
  std::vector<Copy> copies = {};
  bool only_copies = false;
};
struct TableCode {
  const p4lang::Table* source = nullptr;
  std::vector<ActionCode> actions;
};
/// A place where a table is applied, with its keys.
struct TableSite {
  std::uint32_t table = 0;
  std::vector<Piece> keys;  ///< those that are matched
  PackPlan packed_keys;
  std::vector<std::uint32_t> key_numbers;  ///< of each: which of the source's keys
  std::vector<Piece> selector;             ///< those that a selector hashes
  PackPlan packed_selector;
  std::vector<Piece> digest;  ///< those that a LearnAction's digest is of
  PackPlan packed_digest;
};

/// A range, or the members of a value set.
struct SetCode {
  p4lang::SetKind kind = p4lang::SetKind::range;
  std::vector<std::uint64_t> lowest, highest;
  std::uint32_t value_set = 0;
  std::uint32_t on = 0;  ///< the first of the pieces that it is of
};
/// A case of a select: the key equals `value` under `mask`, both packed, and lies in the sets.
struct CaseCode {
  std::vector<std::uint64_t> value, mask;
  std::vector<SetCode> sets;
  std::uint32_t next = 0;  ///< instruction
};
struct SelectCode {
  std::vector<Piece> on;
  PackPlan packed;
  std::vector<CaseCode> cases;
  /// The same where what is selected on is one word, and no case has sets.
  struct Short {
    std::uint64_t value = 0, mask = 0;
    std::uint32_t next = 0;
  };
  std::vector<Short> short_cases = {};
};

enum class ExternKind : std::uint8_t {
  register_read,
  register_write,
  register_clear,
  register_action,
  register_address,
  predicate,
  register_parameter,
  minimum,
  maximum,  ///< of the parts of a wide cell, of `entry` bits each
  math,
  count,
  meter,
  low_pass,
  early_drop,
  hash,
  random,
  checksum_add,
  checksum_subtract,
  checksum_verify,
  checksum_get,
  checksum_update,
  checksum_rest,
  counter_set,
  counter_push,
  counter_pop,
  counter_add,
  counter_zero,
  counter_negative,
  priority,
  mirror,
  resubmit,
  digest,
  packet_generator,
};

/// How a stateful access finds its cell.
enum class CellBy : std::uint8_t { index, entry, log, enqueue, dequeue, push, pop, sweep, learn };

/// A call of an extern's method.
struct ExternCode {
  ExternKind kind = ExternKind::count;
  std::uint32_t object = 0;                    ///< index into Program::externs
  std::vector<Piece> arguments;                ///< in their order; lists taken apart
  PackPlan packed = {};                        ///< all of them, of a hash; of an update the first
  std::vector<std::uint32_t> argument_begins;  ///< where each one begins among them
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs =
      {};                    ///< a hash's symmetric arguments
  std::uint32_t result = 0;  ///< word
  std::uint32_t result_bits = 0;
  CellBy by = CellBy::index;
  std::uint32_t entry = 0;     ///< instruction of the method that runs on the cell
  std::uint32_t overflow = 0;  ///< of the one that runs where there is no cell; 0: none
  /// Words of that method's parameter for the cell. Of a parser counter that is set: by how many
  /// bits its field lies above the lowest of its byte.
  std::uint32_t cell = 0;
  std::vector<std::uint32_t> outputs;        ///< words of its results, zero before it runs
  std::vector<std::uint32_t> other_outputs;  ///< of the method that runs where there is no cell
  const p4lang::Type* cell_type = nullptr;   ///< of the parameter for the cell
  std::uint32_t cell_bits = 0;               ///< of it
  std::uint32_t second = 0;                  ///< word of a pair's second value in it
  std::vector<std::uint32_t> validity = {};  ///< of an update: words of its headers, each once
  std::vector<std::uint32_t> conditions;     ///< words of a predicate's comparisons
  /// For a LearnAction: words of its digest and its bits, of whether another way matched, and of
  /// whether the cell was written.
  std::uint32_t digest = 0, digest_bits = 0, matched = 0, wrote = 0;
  p4lang::Place place;
};

struct ValueSetCode {
  const p4lang::ValueSet* source = nullptr;
  std::vector<std::uint32_t> bits;  ///< of its fields
};

/// A word that is open at the begin of a pass: of a header's field, of metadata, of a local.
struct OpenWord {
  std::uint32_t word = 0;
  std::uint32_t bits = 0;  ///< of the word, to 64
  std::string name;        ///< "hdr.ipv4.ttl"
};

/// One gress of a pipe.
struct GressCode {
  bool present = false;
  std::vector<Instruction> code;
  std::vector<p4lang::Place> places;  ///< of each instruction: its statement
  std::vector<OpenWord> open;
  std::uint32_t parser = 0, control = 0, deparser = 0;  ///< where they begin
  std::optional<std::uint32_t> ghost = {};              ///< of ingress: its ghost thread
  /// For v1model, which has one pass for all: controls that run before `control` and behind it.
  std::vector<std::uint32_t> before_control = {}, after_control = {};
  std::uint32_t words = 1;                                         ///< of a pass
  std::vector<std::pair<std::uint32_t, std::uint64_t>> constants;  ///< words that never change
  std::uint32_t constant_words = 0;                                ///< the first so many
  /// Words that are zero before each pass: first and number. What lies between is written before it
  /// is read.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> cleared = {};
  std::vector<HeaderCode> headers;
  std::vector<TableCode> tables;
  std::vector<TableSite> sites;
  std::vector<SelectCode> selects;
  std::vector<ExternCode> externs;
  std::vector<ValueSetCode> value_sets;
  bool names_parser_error = false;  ///< then packets with one reach the control
  /// The deparser goes on writing fields behind an emit: what it emits is as it was then.
  bool emits_at_once = false;
  bool extracts_intrinsic = false;  ///< whether its parser takes the metadata before the packet

  /// Words of the intrinsic structs by their types' names, and those types.
  struct Intrinsic {
    std::string type_name;
    const p4lang::Type* type = nullptr;
    std::uint32_t word = 0;
  };
  std::vector<Intrinsic> intrinsic;

  CompiledRun compiled = nullptr;  ///< runs in place of `code`, but for passes that are watched
};

/// The code of a pipe's two gresses. InputError, with its place, for what is not supported.
struct PipeCode {
  GressCode gress[2];  ///< ingress, egress; of v1model all is the first one's
  bool v1model = false;
};
PipeCode code_of(const p4lang::Program& program, const p4lang::Pipe& pipe);

/// Likewise of all pipes, in their order; the last one's is that of pipes beyond them.
using ProgramCode = std::vector<std::unique_ptr<PipeCode>>;
ProgramCode code_of(const p4lang::Program& program);

}  // namespace horae::p4prog
