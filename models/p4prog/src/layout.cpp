#include "horae/p4prog/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "horae/core/error.hpp"

namespace horae::p4prog {

using p4lang::Type;
using p4lang::TypeKind;

std::uint32_t bits_of(const Type& type) {
  switch (type.kind) {
    case TypeKind::boolean:
      return 1;
    case TypeKind::bit:
    case TypeKind::signed_bit:
    case TypeKind::varbit:
      return type.width;
    case TypeKind::enumeration:
      return type.width != 0 ? type.width : 32;
    case TypeKind::error:
      return 32;
    default:
      return 64;
  }
}

bool is_scalar(const Type& type) {
  switch (type.kind) {
    case TypeKind::boolean:
    case TypeKind::bit:
    case TypeKind::signed_bit:
    case TypeKind::integer:
    case TypeKind::enumeration:
    case TypeKind::error:
      return true;
    default:
      return false;
  }
}

bool is_signed(const Type& type) { return type.kind == TypeKind::signed_bit || type.is_signed; }

std::uint32_t size_of(const Type& type) {
  switch (type.kind) {
    case TypeKind::structure:
    case TypeKind::tuple:
    case TypeKind::header_union:
    case TypeKind::header:
      return offset_of(type, static_cast<std::uint32_t>(type.fields.size()));
    case TypeKind::stack:
      return 1 + type.size * size_of(*type.element);
    case TypeKind::varbit:
      return 1 + words_of(type.width);
    case TypeKind::none:
    case TypeKind::any:
      return 1;
    default:
      return words_of(bits_of(type));
  }
}

std::uint32_t offset_of(const Type& type, std::uint32_t field) {
  std::uint32_t at = type.kind == TypeKind::header ? origin_word + 1 : 0;
  for (std::uint32_t i = 0; i < field; ++i)
    at += size_of(*type.fields[i].type) + (has_written_mark(type, i) ? 1 : 0);
  return at;
}

bool has_written_mark(const Type& type, std::uint32_t field) {
  // Open Tofino, "Tofino Native Architecture": intrinsic metadata with validity.
  static constexpr std::array<std::string_view, 2> structs = {"_intrinsic_metadata_for_tm_t",
                                                              "_intrinsic_metadata_for_deparser_t"};
  static constexpr std::array<std::string_view, 7> marked = {
      "ucast_egress_port", "mcast_grp_a", "mcast_grp_b", "mirror_type",
      "resubmit_type",     "digest_type", "pktgen"};
  if (type.kind != TypeKind::structure && type.kind != TypeKind::header) return false;
  const std::string_view name = type.name;
  if (std::ranges::none_of(structs, [&](std::string_view end) { return name.ends_with(end); }))
    return false;
  return std::ranges::find(marked, type.fields[field].name) != marked.end();
}

bool has_field(const Type& type, std::string_view name) {
  return std::ranges::find(type.fields, name, &p4lang::Field::name) != type.fields.end();
}

std::uint32_t field_of(const Type& type, std::string_view name) {
  const auto found = std::ranges::find(type.fields, name, &p4lang::Field::name);
  if (found == type.fields.end())
    throw ModelError(fmt::format("{} has no field {}", type.name, name));
  return static_cast<std::uint32_t>(found - type.fields.begin());
}

}  // namespace horae::p4prog
