// Syntax tree to the typed flat program (internal to the room).
//
// Nothing is checked apart from where it is used: a parser or control is typed when it stands in
// the program, with its type parameters and constructor's arguments bound. So every expression has
// one type, and every constant a value.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "horae/p4lang/compile.hpp"
#include "scope.hpp"
#include "text/report.hpp"
#include "type_table.hpp"

namespace horae::p4lang {

class Elaborator {
 public:
  static constexpr int deepest_inline = 40;
  /// Statements, states and emitted headers that a program may come to with all that is inlined.
  static constexpr std::size_t most_work = 1'000'000;
  static constexpr std::uint32_t deepest_type = 64;
  static constexpr std::size_t largest_constant = 65536;  ///< elements of a constant list

  Elaborator(const tree::Tree& tree, Program& program, Report& report)
      : tree_(tree), program_(program), report_(report) {}
  void run();

 private:
  using Decl = tree::Decl;
  using Statements = std::vector<Stmt>;

  /// Where one is: the block at hand, and in it the body of which instance.
  struct Context {
    Block* block = nullptr;
    std::uint32_t index = no_block;
    std::string full;            ///< full name of the instance, before names of its tables
    std::string local;           ///< the same below the block
    const Decl* decl = nullptr;  ///< of the instance
    Scope* scope = nullptr;
    bool is_parser = false;
    bool in_action = false;
    const Type* result = nullptr;     ///< of the function at hand
    std::uint32_t object = no_block;  ///< whose abstract method is at hand
    const Decl* method_of = nullptr;
    std::uint32_t accept = accept_state;
    int depth = 0;  ///< of instances in each other
  };
  /// Puts back the context that was.
  class Keep {
   public:
    explicit Keep(Elaborator& e) : elaborator_(e), context_(e.cx_) {}
    ~Keep() { elaborator_.cx_ = context_; }
    Keep(const Keep&) = delete;
    Keep& operator=(const Keep&) = delete;

   private:
    Elaborator& elaborator_;
    Context context_;
  };
  /// One signature among those of a name, with its arguments found.
  struct Chosen {
    const Decl* decl = nullptr;
    Bindings types;
    std::vector<const tree::Argument*> given;  ///< one a parameter; null: left out
    std::vector<std::optional<Expr>> raw;
  };

  // The program.
  void declare(const Decl& decl);
  void declare_named(const Decl& decl);
  bool same_parameters(const Decl& a, const Decl& b);
  void declare_members(const Decl& decl);
  void architecture();
  void main_package();
  void pipe(Instance& package, const std::string& name);
  void parts(Instance& package, const std::string& prefix, Pipe& pipe, Bindings& types);
  const Decl* package_of(const Instance& package) const { return package.decl; }
  std::uint32_t block(Instance& instance, const std::string& pipe, const std::string& role,
                      const tree::Type& expected, Bindings& types);
  void roles(const Decl& decl, const Decl& expected, Bindings& types);
  void leftovers();
  std::vector<std::string> match_kinds_;

  // Names.
  Scope* new_scope(Scope* parent);
  void add(const std::string& name, Symbol symbol, const Place& place);
  Symbol& lookup(const std::string& name, const Place& place, std::string_view what);
  std::vector<std::string> visible(const std::function<bool(const Symbol&)>& wanted) const;
  Symbol value_symbol(Expr value, bool writable, const Place& place);
  std::string full_name(const std::string& name, const std::vector<Annotation>& annotations) const;
  std::uint32_t variable(const std::string& name, const Type* type, Direction direction,
                         const Place& place, const std::vector<Annotation>& annotations);
  Expr variable_expr(std::uint32_t index, const Place& place) const;
  void work(const Place& place, std::size_t amount = 1);

  // Types.
  const Type* type(const tree::Type& node);
  const Type* named(const tree::Type& node);
  const Type* declared(const Decl& decl, const std::vector<const Type*>& arguments, Scope* scope);
  const Type* enumeration(const Decl& decl);
  const Type* extern_type(const Symbol& symbol, const tree::Type& node);
  const Decl* extern_decl(const Symbol& symbol, std::size_t arguments) const;
  const Type* in_scope(const tree::Type& node, const Bindings& types, Scope* scope);
  std::uint32_t width(const tree::Expr& node);
  bool unify(const tree::Type& pattern, const Type* actual, Bindings& types);
  bool unify_bound(const Type*& bound, const Type* actual);
  bool converts(const Expr& from, const Type* to);
  std::uint32_t depth_of(const Type& type);

  // Expressions.
  Expr expr(const tree::Expr& node, const Type* expected = nullptr);
  Expr converted(const tree::Expr& node, const Type* to, std::string_view what);
  Expr convert(Expr from, const Type* to, std::string_view what);
  Expr convert_list(Expr from, const Type* to, std::string_view what);
  Expr condition(const tree::Expr& node);
  Expr constant(const tree::Expr& node, const Type* to, std::string_view what);
  Expr number(const tree::Expr& node);
  Expr name(const tree::Expr& node);
  Expr member(const tree::Expr& node);
  Expr type_member(const tree::Expr& node, const tree::Type& of);
  Expr field(Expr base, const tree::Expr& node);
  Expr stack_member(Expr base, const tree::Expr& node);
  Expr index(const tree::Expr& node);
  Expr slice(const tree::Expr& node);
  Expr unary(const tree::Expr& node);
  Expr binary(const tree::Expr& node);
  Expr binary_of(Op op, Expr a, Expr b, const Place& place);
  Expr shift(Op op, Expr a, Expr b, const Place& place);
  Expr concatenate(Expr a, Expr b, const Place& place);
  Expr logical(Op op, Expr a, Expr b, const Place& place);
  Expr compare(Op op, Expr a, Expr b, const Place& place);
  Expr finish(Op op, const Type* type, Expr a, Expr b, const Place& place);
  void balance(Op op, Expr& a, Expr& b, const Place& place);
  Expr choice(const tree::Expr& node, const Type* expected);
  Expr cast(const tree::Expr& node);
  Expr list(const tree::Expr& node, const Type* expected);
  Expr make(ExprKind kind, const Type* type, const Place& place) const;
  Expr constant_of(Integer value, const Type* type, const Place& place) const;
  Expr lvalue(const tree::Expr& node);
  void require_lvalue(const Expr& e);
  void require_writable(const tree::Expr& node);

  // Calls.
  Expr call(const tree::Expr& node, const Type* expected = nullptr);
  Expr named_call(const tree::Expr& node, const tree::Expr& callee, const Type* expected);
  Expr method_call(const tree::Expr& node, const tree::Expr& callee, const Type* expected);
  Expr object_call(const tree::Expr& node, const std::string& method, std::uint32_t object,
                   const Type* expected);
  Expr packet_call(const tree::Expr& node, const std::string& method, const Type* packet,
                   const Type* expected);
  Expr value_call(const tree::Expr& node, Expr base, const std::string& method);
  Expr function_call(const tree::Expr& node, const Symbol& symbol, const Type* expected);
  Expr action_call(const tree::Expr& node, std::uint32_t function);
  Expr table_call(const tree::Expr& node, const Symbol& symbol);
  Expr extern_call(const tree::Expr& node, const std::vector<const Decl*>& candidates,
                   const Bindings& outer, const std::string& name, const Type* expected);
  std::optional<Expr> folded_call(const std::string& name, const Chosen& chosen,
                                  const Place& place);
  Chosen choose(const tree::Expr& node, const std::vector<tree::Argument>& arguments,
                const std::vector<const Decl*>& candidates, const Bindings& outer,
                const std::string& name);
  bool match(const std::vector<tree::Parameter>& parameters,
             const std::vector<tree::Argument>& arguments,
             std::vector<const tree::Argument*>& given) const;
  bool accepts(Chosen& chosen);
  void arguments(const Chosen& chosen, Expr& call, const std::string& name);
  std::vector<Expr> call_arguments(const tree::Expr& node,
                                   const std::vector<std::uint32_t>& parameters, Expr& call,
                                   const std::string& name);
  Expr argument(const tree::Argument& given, const Type* type, Direction direction,
                const std::string& name);
  const tree::Expr* table_applied(const tree::Expr& node, Symbol*& table);
  bool is_apply(const tree::Expr& node) const;

  // Extern objects.
  std::uint32_t object(const Decl& decl);
  std::uint32_t anonymous_object(const tree::Expr& node, const std::string& name);
  std::uint32_t make_object(const tree::Type& type, const std::vector<tree::Argument>& arguments,
                            const std::string& name, const std::vector<Annotation>& annotations,
                            const Place& place);
  Expr object_expr(std::uint32_t index, const Place& place) const;
  void methods(const Decl& decl, std::uint32_t object, const Decl& of);
  void method(const Decl& decl, std::uint32_t object, const Decl& of, Bindings& types);

  // Blocks.
  std::shared_ptr<Instance> instance(const Decl& decl, const tree::Type& type,
                                     const std::vector<tree::Argument>& arguments,
                                     const std::string& name, const Place& place);
  std::shared_ptr<Instance> package_instance(const Decl& decl, const tree::Type& type,
                                             const std::vector<tree::Argument>& arguments,
                                             const std::string& name, const Place& place);
  void package_part(Instance& package, const tree::Parameter& parameter,
                    const tree::Argument* given);
  void local(const Decl& decl, Statements& prologue);
  void local_instance(const Decl& decl);
  void local_variable(const Decl& decl, Statements& out);
  void value_set(const Decl& decl);
  void constant_declaration(const Decl& decl);
  std::uint32_t action(const Decl& decl, bool global);
  std::uint32_t function(const Decl& decl, const Bindings& types);
  void function_body(const Decl& decl, std::uint32_t index);
  void block_body(const Decl& decl, Statements& prologue);
  void apply_control(const tree::Expr& node, Instance& instance, Statements& out);
  Scope* bind_parameters(const tree::Expr& node, Instance& instance, Statements& before,
                         Statements& after);
  void name_instance(Instance& instance) const;
  std::shared_ptr<Instance> instance_argument(const tree::Type& type, const tree::Expr* value,
                                              const Place& place);
  void bind_constructor(Instance& instance, Scope& scope);
  std::shared_ptr<Instance> applied(const tree::Expr& node);
  void count_calls(const Decl& decl, const std::string& name, std::size_t& count) const;

  // Tables.
  void table(const Decl& decl);
  void key(const tree::KeyElement& node, Table& table);
  void table_action(const tree::ActionReference& node, Table& table);
  ActionChoice action_choice(const tree::Expr& node, const Table& table, std::string_view what);
  void default_action(const Decl& decl, Table& table);
  void entry(const tree::EntryNode& node, Table& table);
  void set_priorities(const Decl& decl, Table& table);
  Property property(const tree::TableProperty& node, const std::string& table);
  KeySet key_set(const tree::Expr& node, const Type* type);
  std::vector<const tree::Expr*> flat(const std::vector<const tree::Expr*>& keys) const;
  std::string key_name(const tree::Expr& node) const;

  // Parsers.
  void states(const Decl& decl, std::map<std::string, std::uint32_t>& indices);
  void state(const Decl& decl, std::uint32_t index,
             const std::map<std::string, std::uint32_t>& indices);
  std::uint32_t apply_parser(const tree::Expr& node, Instance& instance, std::uint32_t at,
                             const std::string& name);
  std::uint32_t next_state(const std::string& name, const Place& place,
                           const std::map<std::string, std::uint32_t>& indices);
  void select(const Decl& decl, State& out, const std::map<std::string, std::uint32_t>& indices);
  SelectCase select_case(const tree::TransitionCase& node, const std::vector<Expr>& values,
                         const std::map<std::string, std::uint32_t>& indices);

  // Statements.
  void statement(const tree::Stmt& node, Statements& out);
  void block_statement(const tree::Stmt& node, Statements& out);
  void assign(const tree::Stmt& node, Statements& out);
  void call_statement(const tree::Stmt& node, Statements& out);
  void emit(Expr value, const Place& place, Statements& out);
  void branch(const tree::Stmt& node, Statements& out);
  void switch_statement(const tree::Stmt& node, Statements& out);
  void switch_by_action(const tree::Stmt& node, Symbol& table, Statements& out);
  void return_statement(const tree::Stmt& node, Statements& out);
  bool has_header(const Type& type);

  const tree::Tree& tree_;
  Program& program_;
  Report& report_;
  TypeTable types_;
  std::deque<Scope> scopes_;
  Scope* global_ = nullptr;
  Context cx_;
  std::map<std::pair<const Decl*, std::vector<const Type*>>, const Type*> declared_;
  /// Functions and global actions of the block at hand, by declaration and type arguments.
  std::map<std::pair<const Decl*, std::vector<const Type*>>, std::uint32_t> functions_;
  std::set<const Decl*> open_;  ///< functions whose bodies are at hand
  std::set<const Decl*> used_;  ///< parsers and controls that stand in the program
  std::map<std::string, std::uint32_t> error_members_;
  std::map<const Type*, std::uint32_t> depths_;
  std::map<const Type*, bool> has_header_;
  std::shared_ptr<Instance> main_;
  std::size_t work_ = 0;
};

}  // namespace horae::p4lang
