// Names of what a program's expressions refer to, and the bits of it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "horae/p4lang/program.hpp"
#include "horae/params/location.hpp"

namespace horae::p4price {

/// A parameter that stands for what a call gave it is named by its argument.
std::string name_of(const p4lang::Expr& e, const p4lang::Block& block);

/// Whether two names mean overlapping storage: equal, or one within the other.
bool overlap(const std::string& a, const std::string& b);

/// Whether the expression reads storage of that name.
bool mentions(const p4lang::Expr& e, const std::string& name, const p4lang::Block& block);

/// Whether an expression is made of constants alone.
bool is_constant(const p4lang::Expr& e);

/// Bits of a field, both ends included.
struct Bits {
  std::string field;
  std::uint32_t low = 0, high = 0;
  bool operator==(const Bits&) const = default;
  bool meets(const Bits& o) const { return field == o.field && low <= o.high && o.low <= high; }
};
/// "hdr.ipv4.ttl", or "hdr.ipv4.ttl[3:0]" for a part.
std::string text_of(const Bits& bits, std::uint32_t width);

/// The fields of a value of a type under a name: of a header also its validity.
void for_fields(const std::string& name, const p4lang::Type& type,
                const std::function<void(const std::string&, const p4lang::Type&)>& say);
/// The bits that an lvalue (a field, a slice of one, a header or struct as a whole) stands for.
std::vector<Bits> bits_of_lvalue(const p4lang::Expr& e, const p4lang::Block& block);

inline const std::string& validity() {
  static const std::string name = ".$valid";
  return name;
}

Location location_of(const p4lang::Program& program, const p4lang::Place& place);

/// Without the name of the pipe: "Ingress.table" of "pipe.Ingress.table".
std::string without_pipe(const std::string& name, const std::string& pipe);

}  // namespace horae::p4price
