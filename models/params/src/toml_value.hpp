// From TOML to the nodes of a document.
#pragma once

#include <string>
#include <string_view>

#include "tree.hpp"

namespace horae::detail {

/// Beyond this the recursion over a document is refused rather than risked.
inline constexpr int deepest_nesting = 200;

/// The root table of a text; `file` stands for it in messages. InputError when it is no TOML.
ValuePtr parse_toml(std::string_view text, const std::string& file);

/// The value that `text` is on the right of an equals sign, without a place; null when it is no
/// TOML. InputError when it is nested too deeply.
ValuePtr parse_toml_value(std::string_view text);

}  // namespace horae::detail
