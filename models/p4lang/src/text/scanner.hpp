// Characters to tokens (internal to the room).
#pragma once

#include <string_view>
#include <vector>

#include "report.hpp"
#include "token.hpp"

namespace horae::p4lang {

/// Tokens of a text, each line ended by one of kind `line`, and `end` behind the last. Comments
/// are blanks; a backslash at the end of a line joins it with the next. Faults: a comment that does
/// not end. `report` is null where a piece of text is looked at that is no file.
std::vector<Token> scan(std::string_view text, std::uint32_t file, Report* report);

}  // namespace horae::p4lang
