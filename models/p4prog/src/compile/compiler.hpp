// From a gress's parser, control and deparser to code.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "horae/p4prog/code.hpp"
#include "horae/p4prog/layout.hpp"

namespace horae::p4prog {

/// Where a value lies that can be written.
struct Ref {
  std::uint32_t word = 0;
  std::uint32_t offset = 0;  ///< word that has what is added to `word`; 0: nothing
  const p4lang::Type* type = nullptr;
  bool slice = false;
  std::uint32_t low = 0, bits = 0;       ///< of a slice
  std::uint32_t mark = 0;                ///< word that says that it was written; 0: there is none
  std::uint32_t valid = 0;               ///< word of its header's validity, where that is known
  const p4lang::Type* header = nullptr;  ///< that it lies in, and in which of its fields
  std::uint32_t field = 0;
};

/// Compiles the blocks of one gress, one after the other, over the same words.
class Compiler {
 public:
  Compiler(const p4lang::Program& program, GressCode& out);

  std::uint32_t parser(const p4lang::Block& block);
  std::uint32_t control(const p4lang::Block& block);
  std::uint32_t deparser(const p4lang::Block& block);
  /// To be called last: constants get their words, calls their targets.
  void finish();

 private:
  using Expr = p4lang::Expr;
  using Stmt = p4lang::Stmt;
  using Type = p4lang::Type;

  // Words and instructions.
  std::uint32_t allocate(std::uint32_t words);
  std::uint32_t cleared(std::uint32_t words);
  std::uint32_t constant(const p4lang::Integer& value, std::uint32_t bits);
  std::uint32_t number(std::uint64_t value) { return constant(value, 64); }
  std::uint32_t here() const { return static_cast<std::uint32_t>(out_.code.size()); }
  std::uint32_t emit(Op op, std::uint32_t width, std::uint32_t d, std::uint32_t a = 0,
                     std::uint32_t b = 0, std::uint32_t n = 0);
  void land(std::uint32_t jump) { out_.code[jump].n = landed_ = here(); }
  bool takes_over(std::uint32_t d, std::uint32_t temporary);
  bool is_cleared(std::uint32_t word) const;
  [[noreturn]] void refuse(const p4lang::Place& place, const std::string& what) const;

  // Blocks.
  void begin(const p4lang::Block& block);
  void functions();
  void mark_learned_cells();
  void open_words(std::uint32_t word, const Type& type, const std::string& name, bool metadata);
  void close();
  void function(std::uint32_t index);
  void state(std::uint32_t index);
  std::uint32_t state_target(std::uint32_t state);
  void tables();
  void find_copies(ActionCode& action) const;

  // Statements.
  void statements(const std::vector<Stmt>& list);
  void statement(const Stmt& s);
  void branch(const Stmt& s);
  std::uint32_t jump_if_not(const Expr& condition);
  /// A switch: each case is taken where `compare` leaves true for one of its `labels`.
  template <class Labels, class Compare>
  void cases(const Stmt& s, Labels labels, Compare compare);
  void by_action(const Stmt& s);
  void by_value(const Stmt& s);
  void inlined(const Stmt& s);
  void leave(const Stmt& s);
  void assign(const Expr& target, const Expr& value);
  void store(const Ref& to, std::uint32_t from);
  void reset(const Stmt& s);

  // Which fields of headers are named at all, and which are written.
  void name_field(const Type& header, std::uint32_t field);
  void name_all(const Type& type);
  void write_field(const Ref& to);
  void choose_fields(HeaderCode& code, const Type& type) const;

  // Expressions.
  Ref ref(const Expr& e);
  bool is_ref(const Expr& e) const;
  std::uint32_t load(const Ref& from);
  /// The words of a value: its own, or temporary ones.
  std::uint32_t value(const Expr& e);
  void into(std::uint32_t d, const Expr& e);
  void binary(std::uint32_t d, const Expr& e);
  void unary(std::uint32_t d, const Expr& e);
  void cast(std::uint32_t d, const Expr& e);
  void convert(std::uint32_t d, std::uint32_t from, const Type& from_type, const Type& to);
  void concatenate(std::uint32_t d, const Expr& e);
  void shift(std::uint32_t d, const Expr& e);
  void equal_values(std::uint32_t d, std::uint32_t a, std::uint32_t b, const Type& type);
  void logic(std::uint32_t d, const Expr& e);
  void choice(std::uint32_t d, const Expr& e);
  void list(std::uint32_t d, const Expr& e);
  void call(std::uint32_t d, const Expr& e);
  void function_call(std::uint32_t d, const Expr& e);
  void apply_table(std::uint32_t d, std::uint32_t table);
  void find_exits();
  /// Whether `exit` here returns to a caller that has something to hand back first.
  bool returns_to_exit() const;
  void stop();
  void stop_if_exited();
  void is_valid(std::uint32_t d, const Expr& e);
  void set_valid(const Expr& e, bool valid);
  void stack_shift(const Expr& e, Op op);
  void extract(const Expr& e);
  void look_ahead(std::uint32_t d, const Expr& e);
  std::uint32_t header_code(const Type& type);
  void pieces(std::vector<Piece>& out, const Expr& e);
  void pieces_of(std::vector<Piece>& out, std::uint32_t word, const Type& type,
                 std::uint32_t valid);
  void pieces_of_load(std::vector<Piece>& out, const Ref& r, std::uint32_t valid);
  void add_set(CaseCode& out, const p4lang::KeySet& set, std::uint32_t on,
               const SelectCode& select) const;
  std::vector<std::uint64_t> words(const p4lang::Integer& value, std::uint32_t bits) const;

  // Externs.
  void extern_method(std::uint32_t d, const Expr& e);
  void extern_function(std::uint32_t d, const Expr& e);
  void standard_metadata(std::string_view field, std::uint32_t from);
  void v1_checksum(const Expr& e);
  void register_action(std::uint32_t d, const Expr& e, CellBy by);
  void predicate(ExternCode& code, const Expr& e);
  void stateful_value(ExternCode code, const Expr& e);
  void begin_conditions(std::uint32_t function);
  std::uint32_t condition_at_begin(const Expr& e);
  void give(std::uint32_t d, std::uint32_t from, const Type& had, const Type& wanted);
  void call_extern(ExternCode code);
  void symmetric_pairs(ExternCode& code, const p4lang::ExternObject& object, const Expr& e) const;
  void check_room(const ExternCode& code, std::size_t argument, std::uint32_t tofino,
                  std::uint32_t tofino2) const;
  std::uint32_t bit_of_byte(const Expr& e) const;
  /// "hdr.ipv4.src_addr", or nothing.
  std::string path_of(const Expr& e) const;
  /// The function that is a method of an object, or no_block.
  std::uint32_t method_of(const p4lang::ExternObject& object, std::string_view name) const;
  void comparisons(std::vector<const Expr*>& out, const std::vector<Stmt>& list) const;
  void asked_of_predicates(std::vector<const Expr*>& out, const std::vector<Stmt>& list) const;
  void comparisons(std::vector<const Expr*>& out, const Expr& e) const;

  const p4lang::Program& program_;
  GressCode& out_;
  const p4lang::Block* block_ = nullptr;
  std::vector<std::uint32_t> variables_;  ///< first words of the block's
  /// Variables of the block of which a word says that they were written.
  std::map<std::uint32_t, std::uint32_t> marks_;
  /// Parameters that all blocks share, headers and metadata: type and first word.
  std::vector<std::pair<const Type*, std::uint32_t>> shared_;

  bool metadata_is_zero_ = false;  ///< @pa_auto_init_metadata
  p4lang::Place place_;            ///< of the statement
  std::uint32_t next_cleared_ = 1, next_word_ = 1;
  std::uint32_t landed_ = 0;     ///< where the last jump goes that was compiled before its target
  std::uint32_t temporary_ = 0;  ///< where those of a statement begin
  std::map<std::vector<std::uint64_t>, std::uint32_t> constants_;  ///< first words, by value
  struct FieldUse {
    bool named = false, written = false;
  };
  std::map<std::string, std::vector<FieldUse>> field_uses_;  ///< by the header type's name
  std::vector<const Type*> header_types_;                    ///< of out_.headers

  std::vector<bool> exits_;                 ///< functions of the block that may exit
  std::optional<std::uint32_t> exited_;     ///< mark that one has; none: `exit` ends at once
  std::vector<std::uint32_t> function_at_;  ///< of the block: where it begins
  std::vector<std::uint32_t> function_result_;
  std::vector<std::uint32_t> state_at_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> state_jumps_;  ///< instruction, state
  std::uint32_t accept_at_ = 0, reject_at_ = 0;
  std::uint32_t value_set_base_ = 0;  ///< of the block's, in out_.value_sets
  std::vector<std::pair<std::uint32_t, std::uint32_t>> calls_;  ///< instruction, function
  /// Externs that run functions: number, and which function of the block each is.
  struct Fix {
    std::uint32_t number, function;
    bool overflow;
  };
  std::vector<Fix> extern_fixes_;
  std::vector<std::uint32_t> table_at_;  ///< of the block: index into out_.tables
  std::vector<std::uint32_t> leaves_;    ///< jumps to the end of what is inlined, or of the block
  std::optional<std::uint32_t> function_now_;
  /// State of the function: comparisons of a predicate, and the words where they are.
  std::vector<std::pair<const Expr*, std::uint32_t>> begin_conditions_;
  std::uint32_t inlined_depth_ = 0;
};

}  // namespace horae::p4prog
