#include "names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace horae::p4price {

using p4lang::Block;
using p4lang::Expr;
using p4lang::ExprKind;
using p4lang::Type;
using p4lang::TypeKind;

namespace {

const Type& one_bit() {
  static const Type type = [] {
    Type t;
    t.kind = TypeKind::boolean;
    t.width = 1;
    return t;
  }();
  return type;
}

}  // namespace

std::string name_of(const Expr& e, const Block& block) {
  switch (e.kind) {
    case ExprKind::variable:
      return block.variables.at(e.index).name;
    case ExprKind::field: {
      const std::string base = name_of(e.operands[0], block);
      if (base.empty()) return {};
      const auto& fields = e.operands[0].type->fields;
      if (e.index >= fields.size()) return {};
      const std::string& name = fields[e.index].name;
      return base + "." + (name.empty() ? fmt::format("{}", e.index) : name);
    }
    case ExprKind::element: {
      const std::string base = name_of(e.operands[0], block);
      if (base.empty() || e.operands[1].kind != ExprKind::constant) return {};
      return fmt::format("{}[{}]", base, e.operands[1].value.str());
    }
    case ExprKind::next:
    case ExprKind::last: {
      const std::string base = name_of(e.operands[0], block);
      return base.empty() ? base : base + "[]";
    }
    default:
      return {};
  }
}

bool overlap(const std::string& a, const std::string& b) {
  const auto within = [](const std::string& inner, const std::string& outer) {
    return inner.starts_with(outer) && (inner.size() == outer.size() ||
                                        inner[outer.size()] == '.' || inner[outer.size()] == '[');
  };
  return within(a, b) || within(b, a);
}

bool mentions(const Expr& e, const std::string& name, const Block& block) {
  if (const std::string own = name_of(e, block); !own.empty()) return overlap(own, name);
  return std::ranges::any_of(e.operands,
                             [&](const Expr& part) { return mentions(part, name, block); });
}

bool is_constant(const Expr& e) {
  if (e.kind == ExprKind::constant) return true;
  return !e.operands.empty() && e.kind != ExprKind::call &&
         std::ranges::all_of(e.operands, is_constant);
}

std::string text_of(const Bits& bits, std::uint32_t width) {
  if (bits.low == 0 && bits.high + 1 >= width) return bits.field;
  return fmt::format("{}[{}:{}]", bits.field, bits.high, bits.low);
}

void for_fields(const std::string& name, const Type& type,
                const std::function<void(const std::string&, const Type&)>& say) {
  switch (type.kind) {
    case TypeKind::structure:
    case TypeKind::header:
    case TypeKind::header_union:
    case TypeKind::tuple: {
      if (type.kind == TypeKind::header) {
        say(name + validity(), one_bit());
      }
      std::size_t i = 0;
      for (const auto& field : type.fields) {
        for_fields(name + "." + (field.name.empty() ? fmt::format("{}", i) : field.name),
                   *field.type, say);
        ++i;
      }
      return;
    }
    case TypeKind::stack:
      for (std::uint32_t i = 0; i < type.size; ++i)
        for_fields(fmt::format("{}[{}]", name, i), *type.element, say);
      return;
    default:
      say(name, type);
  }
}

std::vector<Bits> bits_of_lvalue(const Expr& e, const Block& block) {
  if (e.kind == ExprKind::slice) {
    auto whole = bits_of_lvalue(e.operands[0], block);
    if (whole.size() != 1) return whole;
    return {{whole[0].field, whole[0].low + e.low, whole[0].low + e.high}};
  }
  const std::string name = name_of(e, block);
  if (name.empty()) return {};
  std::vector<Bits> out;
  for_fields(name, *e.type, [&](const std::string& field, const Type& type) {
    out.push_back({field, 0, std::max(1u, width_of(type)) - 1});
  });
  return out;
}

Location location_of(const p4lang::Program& program, const p4lang::Place& place) {
  if (place.line == 0 || place.file >= program.files.size()) return {};
  return {program.files[place.file], place.line, place.column, {}};
}

std::string without_pipe(const std::string& name, const std::string& pipe) {
  return name.starts_with(pipe + ".") ? name.substr(pipe.size() + 1) : name;
}

}  // namespace horae::p4price
