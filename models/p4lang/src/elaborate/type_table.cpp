#include "type_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace horae::p4lang {
namespace {

constexpr int deepest_text = 4;  // of types in each other: what is below is left out

std::string text_of(const Type& type, int depth);

std::string arguments_text(const std::vector<const Type*>& arguments, int depth) {
  std::string out;
  for (const Type* t : arguments) {
    if (out.size() > 200) return out + ", ...";
    out += (out.empty() ? "" : ", ") + text_of(*t, depth);
  }
  return out;
}

std::string tuple_text(const Type& type, int depth) {
  std::vector<const Type*> elements;
  for (const Field& f : type.fields) elements.push_back(f.type);
  return fmt::format("tuple<{}>", arguments_text(elements, depth));
}

std::string text_of(const Type& type, int depth) {
  if (depth > deepest_text) return "...";
  switch (type.kind) {
    case TypeKind::none:
      return "void";
    case TypeKind::boolean:
      return "bool";
    case TypeKind::bit:
      return fmt::format("bit<{}>", type.width);
    case TypeKind::signed_bit:
      return fmt::format("int<{}>", type.width);
    case TypeKind::integer:
      return "int";
    case TypeKind::varbit:
      return fmt::format("varbit<{}>", type.width);
    case TypeKind::error:
      return "error";
    case TypeKind::text:
      return "string";
    case TypeKind::stack:
      return fmt::format("{}[{}]", text_of(*type.element, depth + 1), type.size);
    case TypeKind::tuple:
      return tuple_text(type, depth + 1);
    case TypeKind::table_result:
      return "the result of a table";
    case TypeKind::any:
      return "_";
    default:
      if (type.type_arguments.empty()) return type.name.empty() ? "a list" : type.name;
      return fmt::format("{}<{}>", type.name, arguments_text(type.type_arguments, depth + 1));
  }
}

std::uint32_t capped(std::uint64_t width) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(width, 0xffffffff));
}

}  // namespace

TypeTable::TypeTable()
    : boolean_(make(TypeKind::boolean)),
      integer_(make(TypeKind::integer)),
      none_(make(TypeKind::none)),
      any_(make(TypeKind::any)),
      error_(make(TypeKind::error)),
      text_(make(TypeKind::text)),
      table_result_(make(TypeKind::table_result)) {
  all_->front().width = 1;  // bool
}

Type* TypeTable::make(TypeKind kind) {
  all_->emplace_back();
  all_->back().kind = kind;
  return &all_->back();
}

const Type* TypeTable::sized(TypeKind kind, std::uint32_t width) {
  const Type*& type = sized_[{kind, width}];
  if (type == nullptr) {
    Type* made = make(kind);
    made->width = width;
    type = made;
  }
  return type;
}

const Type* TypeTable::tuple(const std::vector<const Type*>& elements) {
  const Type*& type = tuples_[elements];
  if (type == nullptr) {
    Type* made = make(TypeKind::tuple);
    for (const Type* element : elements) made->fields.push_back({{}, element, {}});
    measure(*made);
    type = made;
  }
  return type;
}

const Type* TypeTable::stack(const Type* element, std::uint32_t size) {
  const Type*& type = stacks_[{element, size}];
  if (type == nullptr) {
    Type* made = make(TypeKind::stack);
    made->element = element;
    made->size = size;
    measure(*made);
    type = made;
  }
  return type;
}

const Type* TypeTable::extern_object(const std::string& name, std::vector<const Type*> arguments) {
  const Type*& type = externs_[{name, arguments}];
  if (type == nullptr) {
    Type* made = make(TypeKind::extern_object);
    made->name = name;
    made->type_arguments = std::move(arguments);
    type = made;
  }
  return type;
}

Type* TypeTable::declare(TypeKind kind, std::string name) {
  Type* made = make(kind);
  made->name = std::move(name);
  return made;
}

bool is_bits(const Type& type) {
  return type.kind == TypeKind::bit || type.kind == TypeKind::signed_bit;
}

bool is_number(const Type& type) { return is_bits(type) || type.kind == TypeKind::integer; }

bool has_fields(const Type& type) {
  return type.kind == TypeKind::structure || type.kind == TypeKind::header ||
         type.kind == TypeKind::header_union || type.kind == TypeKind::tuple;
}

void measure(Type& type) {
  std::uint64_t width = 0;
  if (type.kind == TypeKind::stack)
    width = static_cast<std::uint64_t>(width_of(*type.element)) * type.size;
  for (const Field& f : type.fields) {
    const std::uint64_t one = width_of(*f.type);
    width = type.kind == TypeKind::header_union ? std::max(width, one) : width + one;
  }
  type.width = capped(width);
}

std::uint32_t width_of(const Type& type) { return type.width; }

std::string type_text(const Type& type) { return text_of(type, 0); }

}  // namespace horae::p4lang
