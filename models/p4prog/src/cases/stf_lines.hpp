// The lines of a script, with variables and loops replaced.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace horae::p4prog {

/// Bits of a byte that are written behind a dot.
constexpr std::size_t bits_of_byte = 8;

struct StfLine {
  std::size_t number = 0;  ///< in the file
  std::string text;        ///< without comment
};

/// InputError with file and line for a loop that is not understood, or a variable that is not set.
std::vector<StfLine> stf_lines(const std::string& file, const std::string& text);

}  // namespace horae::p4prog
