// Names and what they stand for (internal to the room).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "horae/p4lang/program.hpp"
#include "read/tree.hpp"

namespace horae::p4lang {

struct Scope;

/// Values of type parameters, by name; null: not known yet.
using Bindings = std::map<std::string, const Type*>;

/// A parser, control or package with its arguments, before it is elaborated.
struct Instance {
  const tree::Decl* decl = nullptr;
  std::string name;
  std::vector<Annotation> annotations;
  Bindings types;
  std::string full;             ///< full name, where it is declared; of a part of a package empty
  std::string local;            ///< the same below the block
  std::vector<Expr> arguments;  ///< of its constructor, one a parameter
  /// Parsers and controls among the arguments of its constructor, by parameter.
  std::vector<std::pair<std::string, std::shared_ptr<Instance>>> blocks;
  /// For a package: its parts by parameter; null where one is left out.
  std::vector<std::pair<std::string, std::shared_ptr<Instance>>> parts;
  std::vector<std::pair<std::string, std::uint32_t>> objects;  ///< extern objects among them
  Place place;
  std::size_t calls = 1;           ///< places where it is applied
  Scope* scope = nullptr;          ///< its names, once it was applied
  std::vector<std::uint32_t> own;  ///< variables of its parameters, where they are copied
  std::uint32_t block = no_block;  ///< of a part of a package, once it is elaborated
};

enum class SymbolKind {
  type,
  generic,  ///< a declaration that needs arguments: struct, extern, parser, control, package
  value,    ///< an expression: a constant, a variable, what stands for a parameter
  object,   ///< an extern object
  packet,   ///< a parameter of type packet_in or packet_out
  block,    ///< an instance of a parser or control
  package,
  table,
  action,
  functions,  ///< of one name
  value_set,
  broken,  ///< its declaration has a fault, which is reported
};

struct Symbol {
  SymbolKind kind = SymbolKind::broken;
  const Type* type = nullptr;
  std::vector<const tree::Decl*> decls;  ///< overloads of functions and externs
  Expr value;
  bool writable = false;
  std::uint32_t index = 0;  ///< object, table, value set; of an action its function
  std::shared_ptr<Instance> instance;
  Place place;
};

struct Scope {
  std::map<std::string, Symbol> names;
  Scope* parent = nullptr;

  Symbol* find(const std::string& name) {
    for (Scope* s = this; s != nullptr; s = s->parent) {
      if (const auto it = s->names.find(name); it != s->names.end()) return &it->second;
    }
    return nullptr;
  }
};

}  // namespace horae::p4lang
