// Pieces of a control on the chip: match tables, keyless tables, conditions, in the order of
// the program, with what each reads and writes.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "objects/names.hpp"
#include "steps.hpp"

namespace horae::p4price {

/// One use of some bits of a field.
struct Use {
  Bits bits;
  p4lang::Place place;
};

/// A call of an extern object in an action.
struct ExternUse {
  std::uint32_t object = 0;             ///< of what is stateful: the Register, not its action
  std::string type;                     ///< "Register", "Counter", "Hash" ...
  std::optional<std::uint32_t> action;  ///< a RegisterAction of it
  bool direct = false;
  enum class Index : std::uint8_t { none, constant, data, field, hash } index = Index::none;
  std::vector<Use> index_reads;  ///< of a hash: what is hashed
  std::vector<Use> operands;     ///< what a stateful ALU reads beside its cell
  std::uint32_t output_bits = 0;
  p4lang::Place place;
};

/// An action of a table, or the one of a keyless table.
struct PieceAction {
  std::string name;
  std::vector<p4lang::Stmt> statements;
  std::vector<std::uint32_t> data;  ///< variables that an entry gives
  // Sum of the statements:
  std::vector<Use> reads;  ///< sources of instructions
  std::vector<Use> writes;
  std::vector<Use> crossbar;  ///< indices, what is hashed, operands of stateful ALUs
  std::vector<ExternUse> externs;
  bool exits = false;
};

enum class PieceKind : std::uint8_t { match, keyless, condition };

struct Piece {
  PieceKind kind = PieceKind::keyless;
  std::string name;  ///< as the open compiler would name it
  p4lang::Place place;
  std::uint32_t table = 0;         ///< of a match piece: index into the block's tables
  std::vector<p4lang::Expr> keys;  ///< of a match piece
  std::vector<Use> key_reads;      ///< of keys, or of a condition
  p4lang::Expr condition;
  std::vector<PieceAction> actions;
  std::vector<std::pair<std::uint32_t, std::uint32_t>>
      path;           ///< pieces that decide, and their arms
  bool dead = false;  ///< nobody sees what it does

  std::vector<const Use*> crossbar() const;
  std::vector<const Use*> reads() const;
  std::vector<const Use*> writes() const;
};

/// The pieces of a control, in its order.
class Pieces {
 public:
  Pieces(const p4lang::Program& program, const p4lang::Block& block, std::string pipe);

  std::vector<Piece>& all() { return pieces_; }
  const std::vector<Piece>& all() const { return pieces_; }

  /// Takes away copies into fields of a header that the parser does not extract and the same action
  /// makes valid, if nothing else writes or reads the field, and nothing writes the source later.
  /// The sources, which the deparser sees instead. `extracted`: headers, or structs of them.
  std::vector<std::string> take_aliases(const std::set<std::string>& extracted);

  /// Takes away what nobody sees: writes of fields that are not in `live` at the end and that
  /// nothing reads before they are written again; zeros put where zero is anyway (`zeroed`: whether
  /// a field is zero at first); then what is left without work.
  void drop_dead(const std::vector<std::string>& live,
                 const std::function<bool(const std::string&)>& zeroed);

  /// Works out what an action's statements read and write.
  void find_effects(PieceAction& action) const;
  /// Reads of an expression, field by field.
  void collect_reads(const p4lang::Expr& e, std::vector<Use>& out) const;

 private:
  void add(const std::vector<Step>& steps,
           const std::vector<std::pair<std::uint32_t, std::uint32_t>>& path);
  std::uint32_t add_group(std::vector<p4lang::Stmt> group, const p4lang::Place& place,
                          std::string name,
                          const std::vector<std::pair<std::uint32_t, std::uint32_t>>& path);
  std::uint32_t add_table(const Step& step,
                          const std::vector<std::pair<std::uint32_t, std::uint32_t>>& path);
  std::uint32_t add_condition(const Step& step,
                              const std::vector<std::pair<std::uint32_t, std::uint32_t>>& path);
  bool may_join(const std::vector<p4lang::Stmt>& group, const p4lang::Stmt& s) const;
  bool names_extern(const p4lang::Expr& e) const;
  std::string line_name(const p4lang::Place& place) const;
  std::string unique(std::string name);
  void extern_call(const p4lang::Expr& call, PieceAction& action, std::uint32_t output_bits) const;
  void method_reads(std::uint32_t object, PieceAction& action, ExternUse& use) const;
  void value_effects(const p4lang::Expr& e, PieceAction& action, std::uint32_t output_bits) const;
  bool drop_once(const std::vector<std::string>& live,
                 const std::function<bool(const std::string&)>& zeroed);

  const p4lang::Program& program_;
  const p4lang::Block& block_;
  std::string pipe_;
  std::vector<Piece> pieces_;
  std::vector<std::string> names_;
  std::set<std::string> local_;  ///< variables of actions, which each call has for itself
};

/// Whether no packet meets both.
bool exclusive(const Piece& a, const Piece& b);

}  // namespace horae::p4price
