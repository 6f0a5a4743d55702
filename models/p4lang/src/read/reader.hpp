// Tokens to a syntax tree, by recursive descent (internal to the room).
//
// P4 cannot be read without knowing which names are types: `(x) - 1` is a cast or a difference,
// `a < b > (c)` a call or a comparison. The reader keeps them by scope, and never has to go back.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "text/report.hpp"
#include "text/token.hpp"
#include "tree.hpp"

namespace horae::p4lang {

class Reader {
 public:
  /// Blocks, operands and types in each other.
  static constexpr std::uint32_t deepest = 600;

  Reader(const std::vector<Token>& tokens, tree::Tree& tree, Report& report)
      : tokens_(tokens), tree_(tree), report_(report), scopes_(1) {}
  /// Reads the whole program. What is not understood is reported, and skipped up to the next
  /// declaration or statement.
  void program();

 private:
  using Decl = tree::Decl;
  using Expr = tree::Expr;
  using Stmt = tree::Stmt;
  using Annotations = std::vector<Annotation>;

  /// Counts what is nested; refuses what is nested too deep.
  class Depth {
   public:
    explicit Depth(Reader& reader);
    ~Depth() { --reader_.depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;

   private:
    Reader& reader_;
  };
  /// Names that are declared in it end with it.
  class Scope {
   public:
    explicit Scope(Reader& reader) : reader_(reader) { reader_.scopes_.emplace_back(); }
    ~Scope() { reader_.scopes_.pop_back(); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Reader& reader_;
  };

  // Tokens.
  const Token& peek(std::size_t ahead = 0) const;
  const Token& take();
  bool ahead(std::string_view text, std::size_t by = 0) const;
  bool accept(std::string_view text);
  void expect(std::string_view text);
  [[noreturn]] void refuse(std::string_view expected);
  void close_angle();
  bool is_name(const Token& token) const;
  std::string name(std::string_view what);
  void skip_to(std::size_t from, bool in_block);

  // Names.
  void declare_type(const std::string& name) { scopes_.back()[name] = true; }
  void declare_value(const std::string& name) { scopes_.back()[name] = false; }
  bool names_type(const std::string& name) const;
  bool starts_type(std::size_t by = 0) const;

  // Declarations.
  const Decl* declaration();
  Decl* make(tree::DeclKind kind, Annotations annotations);
  const Decl* constant(Annotations annotations);
  const Decl* alias(Annotations annotations, tree::DeclKind kind);
  const Decl* fields(Annotations annotations, tree::DeclKind kind);
  const Decl* enumeration(Annotations annotations);
  const Decl* members(Annotations annotations, tree::DeclKind kind);
  const Decl* block(Annotations annotations, bool is_parser);
  const Decl* extern_declaration(Annotations annotations);
  const Decl* extern_object(Annotations annotations);
  const Decl* method(const std::string& of);
  const Decl* action(Annotations annotations);
  const Decl* package(Annotations annotations);
  const Decl* typed(Annotations annotations, bool local);
  const Decl* function(Annotations annotations, const tree::Type* result, const std::string& name,
                       const Place& place);
  const Decl* instance(Annotations annotations, const tree::Type* type, const Place& place);
  const Decl* variable(Annotations annotations, const tree::Type* type);
  const Decl* value_set(Annotations annotations);
  void initializer(Decl& decl);
  void block_locals(Decl& decl, bool is_parser);
  void type_parameters(Decl& decl);
  std::vector<tree::Parameter> parameters();
  tree::Parameter parameter();
  Direction direction();
  Annotations annotations();
  Annotation annotation();

  // Tables.
  const Decl* table(Annotations annotations);
  void table_property(Decl& decl, std::set<std::string>& seen);
  void keys(Decl& decl);
  void action_list(Decl& decl);
  void entries(Decl& decl);
  tree::EntryNode entry();
  std::vector<const Expr*> key_sets();
  const Expr* key_set();

  // Parser states.
  const Decl* state(Annotations annotations);
  void transition(Decl& decl);
  void select(Decl& decl);

  // Statements.
  const Stmt* statement();
  const Stmt* block_statement();
  const Stmt* branch();
  const Stmt* switch_statement();
  const Stmt* expression_statement();
  const Stmt* declared(const Decl* decl, const Place& place);
  bool starts_declaration() const;
  Stmt* make(tree::StmtForm form, const Place& place);

  // Types.
  const tree::Type* type();
  const tree::Type* base_type();
  const tree::Type* named_type();
  const tree::Expr* width_argument();
  std::vector<const tree::Type*> type_arguments();
  tree::Type* make_type(tree::TypeForm form, const Place& place);

  // Expressions.
  const Expr* expression(int level = 0);
  const Expr* unary();
  const Expr* postfix();
  const Expr* primary();
  const Expr* parenthesis();
  const Expr* braces();
  const Expr* number();
  const Expr* text();
  const Expr* call(const Expr* callee, std::vector<const tree::Type*> types);
  const Expr* subscript(const Expr* base);
  std::vector<tree::Argument> arguments(std::string_view end);
  tree::Argument argument();
  Expr* make(tree::Form form, const Place& place, const Expr* a = nullptr, const Expr* b = nullptr,
             const Expr* c = nullptr);

  const std::vector<Token>& tokens_;
  tree::Tree& tree_;
  Report& report_;
  std::vector<std::map<std::string, bool>> scopes_;  ///< names; true: a type
  std::size_t at_ = 0;
  std::uint32_t depth_ = 0;
};

}  // namespace horae::p4lang
