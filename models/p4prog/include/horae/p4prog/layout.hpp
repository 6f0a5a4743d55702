// Where the values of a program lie in a pass's words.
#pragma once

#include <cstdint>
#include <string_view>

#include "horae/p4lang/type.hpp"

namespace horae::p4prog {

/// A value of more than 64 bits lies in several words, the lowest first. What a word has beyond the
/// value's width is zero, of signed values too.
constexpr std::uint32_t words_of(std::uint32_t bits) { return bits == 0 ? 1 : (bits + 63) / 64; }

/// Bits of a value that is no struct, header or stack. An enumeration or an error without bits of
/// its own is a number of 32.
std::uint32_t bits_of(const p4lang::Type& type);
bool is_scalar(const p4lang::Type& type);
bool is_signed(const p4lang::Type& type);

/// Among a header's words the one that says where in the packet it was extracted: 1 + bits before
/// it; 0: nowhere, its fields are all there is of it.
inline constexpr std::uint32_t origin_word = 1;

/// Words of a value of that type. Structs lay their fields one behind the other. A header has two
/// words before its fields: whether it is valid, and its origin. A stack has one before its
/// elements: the index of the next. A varbit has one before its bits: how many they are.
std::uint32_t size_of(const p4lang::Type& type);
/// Word of a field, from the first of its struct, header, union or tuple on.
std::uint32_t offset_of(const p4lang::Type& type, std::uint32_t field);

/// Whether the chip knows if that field was ever written: behind it lies a word that says so. These
/// are the requests to the traffic manager and the deparser.
bool has_written_mark(const p4lang::Type& type, std::uint32_t field);

/// The field of a name; no field of that name is a ModelError.
std::uint32_t field_of(const p4lang::Type& type, std::string_view name);
bool has_field(const p4lang::Type& type, std::string_view name);

}  // namespace horae::p4prog
