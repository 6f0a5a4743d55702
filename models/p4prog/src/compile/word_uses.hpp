// Words that only straight code of one function uses.
#pragma once

#include <cstdint>
#include <vector>

#include "horae/p4prog/code.hpp"

namespace horae::p4prog {

/// A function of a gress's code: where it begins, and all instructions that it may come to by
/// itself.
struct CodeFunction {
  std::uint32_t entry = 0;
  std::vector<std::uint32_t> instructions;  ///< in their order
};

/// By word, 1 + the function (by its place among `functions`) whose variable the word may be: no
/// other part of the gress, and nothing that is called, uses it, and it is written before it is
/// read. 0: it is of the pass.
std::vector<std::uint32_t> own_words(const GressCode& code,
                                     const std::vector<CodeFunction>& functions);

}  // namespace horae::p4prog
