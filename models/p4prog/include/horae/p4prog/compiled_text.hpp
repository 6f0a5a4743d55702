// A program's code as C++, for a compiler to make a plug-in of.
#pragma once

#include <string>
#include <string_view>

#include "horae/p4prog/code.hpp"
#include "horae/p4prog/compiled_pass.hpp"

namespace horae::p4prog {

struct CompiledText {
  std::string cpp;
  /// Name of the code by what it says: the same for sources that mean the same code.
  std::string digest;
};
/// One translation unit with a CompiledProgram.
CompiledText compiled_text(const ProgramCode& code);

/// From now on the pipes run `compiled`. False: it was made of other code.
[[nodiscard]] bool use_compiled(ProgramCode& code, const CompiledProgram& compiled);
/// The message then.
inline constexpr std::string_view other_code =
    "was made of another program, or of other macros; print it anew with horae p4 compile";

}  // namespace horae::p4prog
