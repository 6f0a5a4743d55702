// One gress of a pipe as it runs: the words of a pass, the objects of the program, the packet.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "horae/core/frame_bytes.hpp"
#include "horae/dataplane/pass.hpp"
#include "horae/dataplane/pipeline.hpp"
#include "horae/p4prog/code.hpp"
#include "horae/p4prog/layout.hpp"
#include "horae/p4prog/objects.hpp"
#include "horae/p4prog/packet_bits.hpp"
#include "horae/p4prog/unwritten.hpp"

namespace horae::p4prog {

using Bytes8 = std::vector<std::uint8_t>;

/// Message of a deparser to the control plane.
struct DigestMessage {
  std::string name;  ///< of the Digest
  std::vector<std::uint64_t> words;
  std::vector<std::uint32_t> bits;  ///< of its fields
};

/// A header that is emitted as it came but for the fields that the program writes somewhere.
struct ChangedHeader {
  const HeaderCode* header = nullptr;
  const std::uint64_t* from = nullptr;  ///< its words
  std::uint32_t begin = 0;              ///< bits of the packet before it
};

/// Result of a pass.
struct PassResult {
  std::uint32_t error = 0;  ///< ordinal of the parser's; 0: none
  // As deparsed the packet has these bytes in place of so many of its first, and of the others
  // these headers have changed. All last until the next pass.
  std::span<const std::uint8_t> head;
  std::size_t taken = 0;
  std::span<const ChangedHeader> changed;
  /// Makes a packet what it is behind the deparser.
  void put_into(FrameBytes& packet) const;
  struct Copy {
    std::uint32_t session = 0;
    Bytes8 header;
  };
  std::optional<Copy> mirror;
  std::optional<Bytes8> resubmit;  ///< what is put before it
  std::vector<DigestMessage> digests;
  std::optional<Bytes8> generator;  ///< message to the packet generator
  std::uint32_t parsed_bytes = 0;
};

/// Runs packets through the parser, control and deparser of a gress.
class Machine {
 public:
  /// Constructs the objects that the gress uses on `pipeline`. InputError for what is not
  /// supported.
  Machine(const p4lang::Program& program, const GressCode& code, dataplane::Pipeline& pipeline,
          dataplane::Gress gress);
  /// The parser does not see the packet's FCS.
  void without_fcs() { fcs_bytes_ = 0; }

  /// `front`: what the chip puts before the packet. The parser sees the packet's FCS behind it.
  void begin(std::span<const std::uint8_t> front, std::span<const std::uint8_t> packet);
  /// The header that the parser extracts first, if nobody asks for its bytes, only for its fields;
  /// else null. Word of it: first_header_word().
  const HeaderCode* first_header() const;
  std::uint32_t first_header_word() const { return code_.code[code_.parser].d; }
  /// Takes that header as extracted, behind begin(); set() gives its fields. Not if it is watched.
  void take_first_header();
  bool is_watched() const { return unwritten_ != nullptr; }
  /// Where a field of intrinsic metadata lies; word 0, which is always zero, where the program has
  /// no parameter of that type or the chip no such field.
  struct IntrinsicWord {
    std::uint32_t word = 0;
    std::uint32_t mark = 0;  ///< of those that the chip knows to be written or not
    std::uint32_t bits = 0;
  };
  IntrinsicWord intrinsic(std::string_view type, std::string_view field) const;
  /// Intrinsic metadata, before parse() or between the parts of a pass.
  void set(const IntrinsicWord& field, std::uint64_t value) {
    if (field.word != 0) words_[field.word] = value & wide::low_mask(field.bits);
  }
  std::uint64_t value(const IntrinsicWord& field) const { return words_[field.word]; }
  bool written(const IntrinsicWord& field) const { return words_[field.mark] != 0; }
  /// Whether any code of the gress writes it.
  bool ever_writes(const IntrinsicWord& field) const;
  const p4lang::Type* intrinsic_type(std::string_view type) const;

  /// Whether the parser met no error.
  bool parse(const dataplane::Pass& pass);
  void control(const dataplane::Pass& pass);
  /// For v1model: what runs before control() and behind it.
  void before_control(const dataplane::Pass& pass);
  void after_control(const dataplane::Pass& pass);
  /// Runs the ghost thread in a pass of its own, behind begin() with nothing. Only where there is
  /// one.
  void ghost(const dataplane::Pass& pass);
  /// Gives the pass's result; it lasts until the next pass.
  PassResult& deparse(const dataplane::Pass& pass);

  /// From now on reads of what nobody wrote are found; costs time.
  void watch_unwritten() { unwritten_ = std::make_unique<UnwrittenWords>(code_); }
  void stop_watching() { unwritten_.reset(); }
  std::vector<UnwrittenRead> take_unwritten() {
    return unwritten_ ? unwritten_->take() : std::vector<UnwrittenRead>();
  }
  /// From now on what P4 leaves open is random in place of zero.
  void fill_unwritten(RandomStream stream) { open_bits_ = stream; }

  const PassResult& result() const { return result_; }
  Objects& objects() { return objects_; }
  const Objects& objects() const { return objects_; }
  const GressCode& code() const { return code_; }
  /// Instructions of all watched passes so far.
  std::uint64_t instructions() const { return instructions_; }
  /// Whether the parser extracted a header that the packet does not have whole.
  bool short_extract() const { return short_extract_; }
  /// Whether a table of the pass had no entry; whether the action that it ran then drops packets
  /// (writes drop_ctl).
  bool missed() const { return missed_; }
  bool dropped_by_miss() const { return dropped_by_miss_; }

 private:
  friend class CompiledPass;
  /// Instructions that a pass may take: a parser that goes round without taking bits would not end.
  /// Only jumps and selects are counted, as every round has one.
  static constexpr std::uint64_t most_instructions = 1'000'000;

  /// Parts of a table's action that its run needs.
  struct ActionRun {
    const Instruction* entry = nullptr;
    const ActionCode::Copy* copies = nullptr;  ///< to `copies_end`, if it is `only_copies`
    const ActionCode::Copy* copies_end = nullptr;
    const std::uint32_t* data_words = nullptr;
    std::size_t data_count = 0;
    bool only_copies = false;
    bool drops = false;
  };
  /// Parts of its table that a site needs.
  struct TableRun {
    dataplane::MatchTable* match = nullptr;  ///< null: it has no key
    // How a key of one word is packed, else null.
    const PackPlan::Step* steps = nullptr;
    const PackPlan::Step* steps_end = nullptr;
    std::vector<ActionRun> actions;
    bool plain = false;  ///< nothing but a key and actions with their data
    TableObject* table = nullptr;
    const TableSite* site = nullptr;
  };
  /// Data that an access of a cell needs, by extern.
  struct CellRun {
    dataplane::Counter* counter = nullptr;
    dataplane::Register<Cell>* cells = nullptr;  ///< null: it is made by extern_call()
    std::uint32_t bits = 0, second = 0, entry = 0;
    bool by_entry = false;
    bool addressed = false;  ///< the program asks for addresses of cells
  };

  void run(std::uint32_t at) {
    if (unwritten_)
      run_code<true>(at);
    else if (code_.compiled != nullptr)
      code_.compiled(*this, at);
    else
      run_code<false>(at);
  }
  template <bool watched>
  void run_code(std::uint32_t at);
  void look(const Instruction& i, const std::uint64_t* words);
  [[noreturn]] void too_long() const;
  void find_objects();
  /// Gives the instruction that the action begins with; null: there is nothing to run.
  template <bool watched>
  const Instruction* apply(const Instruction& i);
  void miss(const ActionRun& action);
  const dataplane::ActionCall& beside_key(const TableRun& run, const dataplane::ActionCall& call,
                                          std::uint32_t place);
  const dataplane::ActionCall* referred(const TableObject& table, const TableSite& site,
                                        const dataplane::ActionCall& entry);
  /// The instruction that a select goes on at, where it is not a short one; null: the parser fails.
  const Instruction* select(const SelectCode& select);
  bool in_set(const SetCode& set, std::span<const Piece> on);
  bool extract(const Instruction& i, bool go_on);
  bool extract_varbit(const Instruction& i, const HeaderCode& header, std::uint64_t* to,
                      bool go_on);
  /// Whether the header lies behind what is kept, as most that are emitted do; then it is kept too.
  [[gnu::always_inline]] bool keep_on(const HeaderCode& header, const std::uint64_t* from) {
    if (from[origin_word] != std::uint64_t{1} + kept_to_) return false;
    if (!header.written.empty()) {
      if (code_.emits_at_once) return false;
      changed_.push_back({&header, from, kept_to_});
    }
    kept_to_ += header.fixed_bits;
    return true;
  }
  void emit(const HeaderCode& header, const std::uint64_t* from);
  void copy_kept();
  bool stays_in_packet();
  void shift_stack(const Instruction& i);
  /// One of the instructions on values alone: what is not written out in compiled code.
  void value_op(const Instruction& i);
  void fail(std::uint32_t error);
  /// Numbers of words are the compiler's, and right.
  std::uint64_t& word(std::uint32_t i) { return words_.data()[i]; }
  const std::uint64_t& word(std::uint32_t i) const { return words_.data()[i]; }
  /// Before so many bits are read: few packets are read far, and few programs read the FCS.
  void reach(std::uint32_t bits) {
    if (in_.position() + bits > in_.known()) [[unlikely]]
      load(bits);
  }
  void load(std::uint32_t bits);
  bool writes(std::uint32_t entry, std::uint32_t word) const;
  const GressCode::Intrinsic* find(std::string_view type) const;
  /// Lasts until the next one.
  std::span<const std::uint64_t> packed(const PackPlan& plan) {
    plan.pack(words_.data(), packed_.data());
    return {packed_.data(), plan.words};
  }
  dataplane::BitString string_of(const PackPlan& plan);
  dataplane::BitString hashed(const ExternCode& code);

  // Externs.
  void extern_call(const ExternCode& code);
  void register_action(const ExternCode& code);
  std::optional<std::uint64_t> cell_of(const ExternCode& code, RegisterObject& object);
  void stateful(const ExternCode& code, RegisterObject& object, std::size_t index);
  void load_cell(const ExternCode& code, const RegisterObject& object, const Cell& cell);
  void store_cell(const ExternCode& code, const RegisterObject& object, Cell& cell);
  void load_row(const ExternCode& code, RegisterObject& object, std::size_t first);
  void store_row(const ExternCode& code, RegisterObject& object, std::size_t first, Cell& cell);
  void without_cell(const ExternCode& code);
  void learn(const ExternCode& code, RegisterObject& object);
  bool try_way(const ExternCode& code, const RegisterObject& object, std::size_t cell,
               std::uint32_t way, bool matched);
  void sweep(const ExternCode& code, RegisterObject& object);
  void least_or_greatest(const ExternCode& code);
  void average(const ExternCode& code);
  void checksum(const ExternCode& code);
  void parser_counter(const ExternCode& code);
  std::uint64_t argument(const ExternCode& code, std::size_t i) const;
  std::span<const Piece> argument_pieces(const ExternCode& code, std::size_t i) const;
  void give(const ExternCode& code, std::uint64_t value);
  std::uint64_t ones_sum(std::span<const Piece> pieces) const;
  std::uint64_t updated_sum(const ExternCode& code);
  Bytes8 bytes_of(std::span<const Piece> pieces) const;

  const p4lang::Program& program_;
  const GressCode& code_;
  dataplane::Gress gress_;
  Objects objects_;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> packed_;  ///< room for one of the gress's plans
  std::vector<TableRun> table_runs_;   ///< by site
  std::vector<CellRun> cell_runs_;
  const dataplane::Pass* pass_ = nullptr;
  PacketReader in_;
  PacketWriter out_;
  PassResult result_;
  std::uint32_t fcs_bytes_ = 4;
  bool failed_ = false;
  bool missed_ = false, dropped_by_miss_ = false;
  std::uint64_t instructions_ = 0;
  std::uint32_t error_short_ = 0, error_no_match_ = 0, error_stack_ = 0, error_header_ = 0;
  bool short_extract_ = false;  ///< a header was extracted that the packet has not whole

  std::unique_ptr<UnwrittenWords> unwritten_;
  std::optional<RandomStream> open_bits_;

  // State of a pass.
  std::size_t last_entry_ = 0;  ///< place of the entry that the last table with a direct object hit
  bool has_entry_ = false;
  const TableObject* learning_ = nullptr;  ///< the last table with keys of a LearnAction
  const TableSite* learning_at_ = nullptr;
  Cell* open_cell_ = nullptr;  ///< between open_cell and close_cell
  std::uint64_t address_ = 0;  ///< of the running stateful action, in bits
  std::uint32_t half_bits_ = 0;
  std::vector<std::uint64_t> sums_;    ///< of checksums, by extern
  std::vector<std::uint32_t> summed_;  ///< externs that are summed up
  // Bits of what is read that are emitted as they are, and not copied yet.
  std::uint32_t kept_from_ = 0, kept_to_ = 0;
  std::vector<ChangedHeader> changed_;  ///< among these bits; bits before them are of all
  std::uint32_t parser_begins_ = 0;     ///< instruction
  struct Rest {
    std::uint32_t object = 0, word = 0, from = 0;
  };
  std::vector<Rest> rests_;                 ///< of checksums over all that is parsed behind
  std::array<std::int64_t, 4> counters_{};  ///< of the parser: a stack
  /// Changes of each one that count for the one below as well.
  std::array<bool, 4> counts_below_{};
  std::uint32_t counter_depth_ = 0;
};

}  // namespace horae::p4prog
