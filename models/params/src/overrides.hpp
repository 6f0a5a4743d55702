// Overrides of the command line: `--set KEY=VALUE`.
#pragma once

#include <string_view>

#include "tree.hpp"

namespace horae::detail {

/// Changes the document below `root` as `text` says: KEY=VALUE, see Document. InputError when it is
/// malformed or does not fit the document.
void apply_override(Value& root, std::string_view text);

}  // namespace horae::detail
