// Types of a program, each once (internal to the room).
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "horae/p4lang/type.hpp"

namespace horae::p4lang {

class TypeTable {
 public:
  TypeTable();
  const Type* bit(std::uint32_t width) { return sized(TypeKind::bit, width); }
  const Type* signed_bit(std::uint32_t width) { return sized(TypeKind::signed_bit, width); }
  const Type* varbit(std::uint32_t width) { return sized(TypeKind::varbit, width); }
  const Type* boolean() const { return boolean_; }
  const Type* integer() const { return integer_; }
  const Type* none() const { return none_; }
  const Type* any() const { return any_; }
  const Type* error() const { return error_; }
  const Type* text() const { return text_; }
  const Type* table_result() const { return table_result_; }
  const Type* tuple(const std::vector<const Type*>& elements);
  const Type* stack(const Type* element, std::uint32_t size);
  const Type* extern_object(const std::string& name, std::vector<const Type*> arguments);
  /// A declared type, to be filled in; each call makes another one.
  Type* declare(TypeKind kind, std::string name);
  const std::shared_ptr<std::deque<Type>>& all() const { return all_; }

 private:
  const Type* sized(TypeKind kind, std::uint32_t width);
  Type* make(TypeKind kind);
  std::shared_ptr<std::deque<Type>> all_ = std::make_shared<std::deque<Type>>();
  std::map<std::pair<TypeKind, std::uint32_t>, const Type*> sized_;
  std::map<std::vector<const Type*>, const Type*> tuples_;
  std::map<std::pair<const Type*, std::uint32_t>, const Type*> stacks_;
  std::map<std::pair<std::string, std::vector<const Type*>>, const Type*> externs_;
  const Type* boolean_;
  const Type* integer_;
  const Type* none_;
  const Type* any_;
  const Type* error_;
  const Type* text_;
  const Type* table_result_;
};

/// Sets the width of a type with fields or elements.
void measure(Type& type);
/// bit, signed_bit.
bool is_bits(const Type& type);
/// bits, or a constant without a width.
bool is_number(const Type& type);
/// A type whose values have fields by number: structs, headers, unions, tuples.
bool has_fields(const Type& type);

}  // namespace horae::p4lang
