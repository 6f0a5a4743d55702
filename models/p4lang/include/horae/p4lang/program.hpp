// The typed flat program: what is left of P4 text when names are resolved, types are inferred,
// instances are made and sub-parsers and sub-controls stand in place of their calls.
//
// It is the contract with who executes or prices a program. Everything is found by index: a block's
// variables, functions and tables in the block, extern objects in the program.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "horae/p4lang/expression.hpp"

namespace horae::p4lang {

enum class Direction : std::uint8_t {
  none,  ///< a local; of an action, data from the control plane or a value from its caller
  in,
  out,
  inout,
};

/// Storage of a block. Blocks do not recurse, so each variable exists once.
struct Variable {
  std::string name;  ///< "hdr", "tmp"; of an inlined block below its name, "sub.tmp"
  const Type* type = nullptr;
  Direction direction = Direction::none;
  /// For a block's parameter: its name in the architecture's declaration ("ig_intr_md"), which may
  /// differ from the user's.
  std::string role;
  std::vector<Annotation> annotations;
  Place place;
};

enum class FunctionKind : std::uint8_t {
  action,
  function,
  method,  ///< an abstract method of an extern object, as `apply` of a RegisterAction
};

struct Function {
  FunctionKind kind = FunctionKind::function;
  std::string name;  ///< full name: "pipe.Ingress.forward", "pipe.Ingress.count.apply"
  /// Its parameters: indices into the block's variables, which have their directions.
  std::vector<std::uint32_t> parameters;
  const Type* result = nullptr;
  std::vector<Stmt> body;
  std::vector<Annotation> annotations;
  Place place;
};

enum class SetKind : std::uint8_t {
  any,        ///< `_`, `default`
  exact,      ///< equal to `value`
  mask,       ///< value &&& other
  range,      ///< value .. other, both included
  value_set,  ///< `index` into the block's value sets
};

/// Which values match: part of a select case or of a table's entry.
struct KeySet {
  SetKind kind = SetKind::any;
  Integer value;
  Integer other;
  std::uint32_t index = 0;
};

struct Key {
  Expr value;
  std::string
      match_kind;    ///< exact, ternary, lpm, range, selector, optional, atcam_partition_index
  std::string name;  ///< as a control plane writes it: "hdr.ipv4.dst_addr", "$valid" or @name
  std::vector<Annotation> annotations;
};

/// An action of a table.
struct TableAction {
  std::uint32_t function = 0;  ///< index into the block's functions
  std::string name;            ///< full name
  /// Arguments that the table gives: those of its leading parameters, with a direction. Data of an
  /// entry are the rest.
  std::vector<Expr> bound;
  bool table_only = false;    ///< @tableonly
  bool default_only = false;  ///< @defaultonly
};

/// An entry, or the default action.
struct ActionChoice {
  std::uint32_t action = 0;     ///< index into the table's actions
  std::vector<Expr> arguments;  ///< constants: its data
};

struct Entry {
  std::vector<KeySet> keys;
  ActionChoice action;
  /// The entry of the largest one wins among those that match. None in tables whose entries say
  /// nothing of it: there the first entry wins.
  std::optional<std::int64_t> priority;
  bool is_const = false;  ///< the entry alone; see Table::const_entries
  Place place;
};

/// A property that is not of the language: `counters`, `implementation`, `idle_timeout`.
struct Property {
  std::string name;
  Expr value;  ///< an instance, a constant, a text, a list of them
  bool is_const = false;
  Place place;
};

struct Table {
  std::string name;  ///< full name: "pipe.Ingress.ipv4_lpm"
  std::vector<Key> keys;
  std::vector<TableAction> actions;
  ActionChoice default_action;  ///< NoAction where none is written
  bool const_default = false;
  std::vector<Entry> entries;
  bool const_entries = false;
  bool has_entries = false;           ///< `entries` is written, be it empty
  std::optional<std::uint64_t> size;  ///< as written
  std::vector<Property> properties;
  std::vector<Annotation> annotations;
  Place place;

  /// The property of a name, or nothing.
  const Property* find(std::string_view property) const;
};

struct ValueSet {
  std::string name;  ///< full name
  const Type* type = nullptr;
  std::uint64_t size = 0;
  std::vector<Annotation> annotations;
  Place place;
};

/// Where a parser goes on: an index into its states, or one of these.
inline constexpr std::uint32_t accept_state = 0xffffffff;
inline constexpr std::uint32_t reject_state = 0xfffffffe;

struct SelectCase {
  std::vector<KeySet> keys;  ///< one for each selected value
  std::uint32_t next = reject_state;
  Place place;
};

/// A state, with those of sub-parsers in it under their names.
struct State {
  std::string name;  ///< "start", "sub.start"; what follows a sub-parser's call: "parse_ip.2"
  std::vector<Stmt> statements;
  std::vector<Expr> select;  ///< none: `cases` has one without keys
  /// The first that matches; if none does, the parser's error is NoMatch and it rejects.
  std::vector<SelectCase> cases;
  std::vector<Annotation> annotations;
  Place place;
};

enum class BlockKind : std::uint8_t { parser, control };

/// A parser or control of the package, deparsers too.
struct Block {
  BlockKind kind = BlockKind::control;
  std::string name;              ///< full name: "pipe.SwitchIngress"
  std::string declared;          ///< name of its declaration: "SwitchIngress"
  std::string role;              ///< parameter of its package: "ingress_parser", "egress"
  std::uint32_t parameters = 0;  ///< the first so many variables, without packet_in, packet_out
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::vector<Table> tables;
  std::vector<ValueSet> value_sets;
  std::vector<Stmt> prologue;  ///< of a parser: what its locals are set to before `start`
  std::vector<State> states;   ///< of a parser: 0 is `start`
  std::vector<Stmt> body;      ///< of a control
  std::vector<Annotation> annotations;
  Place place;
};

/// An abstract method of an extern object that the program gives.
struct Method {
  std::string name;            ///< "apply"
  std::uint32_t function = 0;  ///< index into the functions of `ExternObject::block`
};

inline constexpr std::uint32_t no_block = 0xffffffff;

/// An extern object: Register, Hash, RegisterAction, Mirror.
struct ExternObject {
  std::string name;            ///< full name: "pipe.Ingress.count"
  const Type* type = nullptr;  ///< extern_object: the extern's name and its type arguments, bound
  std::vector<std::string> parameters;  ///< names of the constructor's parameters
  std::vector<Expr> arguments;          ///< one each: constants, texts, instances, lists; absent
  std::vector<Method> methods;
  std::uint32_t block = no_block;  ///< index into Program::blocks of whose it is
  std::vector<Annotation> annotations;
  Place place;

  /// The argument of a constructor's parameter, or nothing where it is absent.
  const Expr* argument(std::string_view parameter) const;
};

/// A package of blocks, such as Pipeline: which block has which role.
struct Pipe {
  std::string name;                   ///< "pipe"
  std::vector<std::uint32_t> blocks;  ///< indices into Program::blocks, by the package's order
  Place place;
};

/// The whole program.
struct Program {
  std::string architecture;        ///< "tna", "t2na", "v1model", "psa"; by the package of `main`
  std::string package;             ///< type of `main`: "Switch"
  std::vector<std::string> files;  ///< Place::file is an index into these
  std::vector<Pipe> pipes;         ///< in the order of the switch
  std::vector<Block> blocks;
  std::vector<ExternObject> externs;
  std::vector<std::string> errors;  ///< members of `error`, by ordinal: "NoError", "PacketTooShort"
  std::vector<Annotation> annotations;  ///< of `main`, and pragmas of the file as a whole
  std::vector<Fault> warnings;
  std::shared_ptr<std::deque<Type>> types;  ///< owns the types that all others point to

  std::string place_text(const Place& place) const;  ///< "file:line:column"
  /// The block of a role in a pipe ("ingress"), or nothing.
  const Block* block(const Pipe& pipe, std::string_view role) const;
};

}  // namespace horae::p4lang
