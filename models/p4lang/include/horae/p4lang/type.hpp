// Types of a flat program: no type variables, no aliases.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "horae/p4lang/place.hpp"

namespace horae::p4lang {

/// Constants of any width. A value of bit<N> lies in 0 .. 2^N - 1, one of int<N> in
/// -2^(N-1) .. 2^(N-1) - 1.
using Integer = boost::multiprecision::cpp_int;

enum class TypeKind : std::uint8_t {
  none,           ///< void: what a procedure returns
  boolean,        ///< bool
  bit,            ///< bit<width>
  signed_bit,     ///< int<width>
  integer,        ///< int: a constant of no width yet. Only in constants
  varbit,         ///< varbit<width>: 0 to width bits
  error,          ///< `error`: the ordinal of a member of Program::errors
  text,           ///< string; only constants
  enumeration,    ///< enum: an ordinal, or with a width the value that is written
  structure,      ///< struct
  header,         ///< header: its fields and whether it is valid
  header_union,   ///< header_union: at most one of its fields is valid
  stack,          ///< element[size]
  tuple,          ///< tuple and list expressions: fields without names
  extern_object,  ///< an extern object with its type arguments
  table_result,   ///< what apply() of a table gives; only below `hit`, `miss` and in switch
  any,            ///< `_`, or of nothing that is known: as a don't-care argument
};

/// `@name("x")`, `@pragma stage 3`: the name, and the words of its body (strings without quotes).
struct Annotation {
  std::string name;
  std::vector<std::string> words;
  Place place;
};

struct Type;

/// A field of a struct, header, union or tuple.
struct Field {
  std::string name;  ///< empty in a tuple
  const Type* type = nullptr;
  std::vector<Annotation> annotations;
};

/// A member of an enumeration.
struct Member {
  std::string name;
  Integer value;  ///< its ordinal, or the value that is written
};

/// A type; two equal types of a program are one object. Declared types are equal by declaration.
struct Type {
  TypeKind kind = TypeKind::none;
  /// Bits that a value has, as width_of() says. enumeration: 0 without an underlying type.
  std::uint32_t width = 0;
  bool is_signed = false;  ///< enumeration: of int<width>
  std::string name;        ///< as declared; of an extern object its type's name
  std::vector<Field> fields;
  std::vector<Member> members;
  const Type* element = nullptr;            ///< of a stack
  std::uint32_t size = 0;                   ///< of a stack: elements
  std::vector<const Type*> type_arguments;  ///< of an extern object
  std::vector<Annotation> annotations;
  Place place;
};

/// Bits that a value has: of fields summed up, of a union the most; the most of a varbit; 1 of a
/// bool; 0 of what has none. At most 2^32 - 1.
std::uint32_t width_of(const Type& type);

/// As P4 writes it: "bit<8>", "ipv4_h", "Register<bit<32>, bit<16>>".
std::string type_text(const Type& type);

}  // namespace horae::p4lang
